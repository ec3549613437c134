//! The imported published clustering reproduces the recorded clusters of the authors' program and their turned normals.

use std::path::{Path, PathBuf};

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::Deserialize;
use tightfit_interaction::{
    ContactSet, InteractionClustering, InteractionFile, InteractionNetwork, InteractionOptions,
    InteractionWorkspace, Located, NormalSource, ObjectState, SurfaceContact,
};
use tightfit_interaction_training::inrol::PublishedTask;
use tightfit_spatial::Pose;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol");

/// A recorded call. Position, rotation and wrench are in the axes of the inputs.
#[derive(Deserialize)]
struct Case {
    step: u32,
    object_position: [f64; 3],
    object_rotation: [[f64; 3]; 3],
    linear_velocity: [f64; 3],
    angular_velocity_body: [f64; 3],
    external_wrench: [f64; 6],
    contact_node_index: Vec<usize>,
    contact_position: Vec<[f64; 3]>,
    contact_normal: Vec<[f64; 3]>,
    cluster_contact_index: Vec<u32>,
    cluster_rotated_normal: Vec<[f64; 3]>,
}

/// The imported file of a task, and its recorded calls.
fn imported(folder: &Path, task: &str) -> (InteractionClustering, Vec<Case>) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inrol-clustering-{task}"));
    PublishedTask::read(&folder.join(task)).unwrap().write(&out, "published").unwrap();
    let InteractionFile { network, surface, .. } =
        InteractionFile::load(&out.join("clustering.safetensors")).unwrap();
    let text = std::fs::read_to_string(folder.join(format!("clustering_cases_{task}.json"))).unwrap();
    // The recorded normals, equal to those of the surface in single precision, are the ones that were turned.
    let options = InteractionOptions { normal: NormalSource::Field, ..*network.options() };
    let parameters = network.parameters().to_vec();
    let network = InteractionNetwork::new(parameters, *network.ranges(), options).unwrap();
    (InteractionClustering { network, surface }, serde_json::from_str(&text).unwrap())
}

/// Clusters of a recorded call with their normals in static axes.
fn clusters_of(own: &InteractionClustering, case: &Case) -> (Vec<u32>, Vec<Vector3<f64>>) {
    let inputs_from_object = own.network.inputs_from_object();
    let rows = case.object_rotation.map(|row| Vector3::from(row).transpose());
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_rows(&rows));
    let static_from_inputs = UnitQuaternion::from_rotation_matrix(&rotation);
    let static_from_object =
        Pose::new(Vector3::from(case.object_position), static_from_inputs * inputs_from_object);
    let [fx, fy, fz, tx, ty, tz] = case.external_wrench;
    let object_from_inputs = inputs_from_object.inverse();
    let state = ObjectState {
        static_from_object,
        linear_in_static: Vector3::from(case.linear_velocity),
        angular_in_object: object_from_inputs * Vector3::from(case.angular_velocity_body),
        force_in_static: Vector3::new(fx, fy, fz),
        torque_in_object: object_from_inputs * Vector3::new(tx, ty, tz),
    };
    let mut contacts = ContactSet::default();
    let object_from_static = static_from_object.inverse();
    let given = case.contact_position.iter().zip(&case.contact_normal).zip(&case.contact_node_index);
    for ((point, normal), node) in given {
        let point = object_from_static.transform_point(Vector3::from(*point));
        let normal = object_from_static.transform_vector(Vector3::from(*normal));
        // The nodes are those of the surface, with opposite normals, in single precision.
        assert!((own.surface.points()[*node] - point).norm() < 2e-8, "{} {node}", case.step);
        assert!((own.surface.normals()[*node] + normal).norm() < 2e-8, "{} {node}", case.step);
        let located = Located { vertex: *node as u32, embedding: own.surface.embedding()[*node] };
        contacts.push(point, normal, -1e-6, located);
    }
    contacts.finish(inputs_from_object);
    let mut workspace = InteractionWorkspace::default();
    // Clusters are contacts: the field is never queried.
    let field = |point| SurfaceContact { point, gap: 0.0, normal: Vector3::z() };
    own.choose(&contacts, &state, field, &mut workspace);
    let normals = workspace.clusters.iter().map(|cluster| static_from_object.rotation * cluster.normal);
    (workspace.clusters.iter().map(|cluster| cluster.contact).collect(), normals.collect())
}

#[test]
fn the_recorded_clusters_are_reproduced_in_order() {
    let folder = PathBuf::from(PUBLISHED);
    if !folder.exists() {
        println!("skipped: {PUBLISHED} is not there");
        return;
    }
    let mut differing = Vec::new();
    let (mut cases, mut worst) = (0, 0.0_f64);
    let (mut clusters_apart, mut clusters_in_all) = (0, 0);
    for task in ["peg", "bolt"] {
        let (own, recorded) = imported(&folder, task);
        for case in recorded {
            cases += 1;
            let (clusters, normals) = clusters_of(&own, &case);
            let all = clusters.iter().zip(&case.cluster_contact_index);
            clusters_apart += all.filter(|(own, recorded)| own != recorded).count();
            clusters_in_all += case.cluster_contact_index.len();
            if clusters != case.cluster_contact_index {
                println!("{task} {}: {clusters:?}, recorded {:?}", case.step, case.cluster_contact_index);
                differing.push((task, case.step));
                continue;
            }
            for (normal, recorded) in normals.iter().zip(&case.cluster_rotated_normal) {
                worst = worst.max((normal - Vector3::from(*recorded)).norm());
            }
        }
    }
    println!(
        "{cases} cases, {} differ, {clusters_apart} of {clusters_in_all} clusters; normals to {worst:.1e}",
        differing.len()
    );
    assert!(clusters_apart <= 1);
    assert!(worst < 1e-9, "{worst:e}");
    // In this case the recorded inputs give contact 45 the weight 0.62 and its neighbour 46 the weight 0.38, but
    // contact 39, 9 mm away, was recorded; the other nine clusters agree. A second implementation in double precision,
    // written from the description alone, agrees with this one. It is not a tie: the logits fall evenly from 45 to 39,
    // by 873, as they do around the recorded contact of the adjacent cases, and 39 is farther from the average than 45
    // in each of the eight dimensions. Only contact 39 with the effects of contact 4, 6, 7, 8, 36 or 37 instead of its
    // effects yields the recorded set.
    assert_eq!(differing, [("bolt", 650)], "of {cases} cases");
}
