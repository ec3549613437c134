//! Import of the authors' published folder: the imported networks reproduce the published runs, and a damaged folder is
//! rejected.
//!
//! The recorded runs state the object's pose and, for every step, how many of its nodes the depth network found inside
//! (`num_cp`) and how deep (`pen_max_mm`), both at the pose of the previous step.

use std::path::{Path, PathBuf};

use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion};
use tightfit_interaction_training::inrol::{PublishedTask, task_folders};
use tightfit_network::{CspaceFile, FieldFile, FieldScratch, InferenceScratch};
use tightfit_spatial::{Columns3, Pose, Vector3};

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol");

fn published() -> Option<PathBuf> {
    let folder = PathBuf::from(PUBLISHED);
    if !folder.exists() {
        println!("skipped: {PUBLISHED} is not there");
        return None;
    }
    Some(folder)
}

/// A scratch folder of this test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What the recorded runs do not state: pose of the static part, and which nodes are queried.
struct Reference {
    name: &'static str,
    world_from_static: Pose,
    /// Queried nodes lie between these distances from the axis and heights in the static part's frame [m], ends
    /// excluded.
    radii: [f64; 2],
    heights: [f64; 2],
}

fn references() -> [Reference; 2] {
    let bolt = Matrix3::new(
        0.9999417, -0.0080367, -0.0072085, 0.0080021, 0.9999564, -0.0048206, 0.0072469, 0.0047626, 0.9999624,
    );
    let bolt = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(bolt));
    [
        Reference {
            name: "peg",
            world_from_static: Pose::from_translation(Vector3::new(
                0.519_259_360_3,
                0.000_222_011_805_1,
                0.033,
            )),
            radii: [24.885e-3, 35.1e-3],
            heights: [23.1e-3, 78.2e-3],
        },
        Reference {
            name: "bolt",
            world_from_static: Pose::new(Vector3::new(0.520_488_472_3, 0.000_585_596_2, 0.03348), bolt),
            radii: [-1.0, 25.0413e-3],
            heights: [21e-3, 40.5e-3],
        },
    ]
}

/// Pose of the object after every step, and the recorded contacts.
struct Recorded {
    world_from_object: Pose,
    contacts: usize,
    deepest_mm: f64,
}

fn recorded(folder: &Path, name: &str) -> Vec<Recorded> {
    let text = std::fs::read_to_string(folder.join(format!("reference_runs/{name}.csv"))).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
    let places = ["x", "y", "z", "qx", "qy", "qz", "qw", "num_cp", "pen_max_mm"].map(column);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [x, y, z, qx, qy, qz, qw, contacts, deepest_mm] =
            places.map(|place| cells[place].parse::<f64>().unwrap());
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(qw, qx, qy, qz));
        let world_from_object = Pose::new(Vector3::new(x, y, z), rotation);
        Recorded { world_from_object, contacts: contacts as usize, deepest_mm }
    };
    lines.map(row).collect()
}

#[test]
fn the_imported_depth_networks_find_the_recorded_contacts() {
    let Some(folder) = published() else { return };
    for reference in references() {
        // Through the file, as a user has it.
        let out = scratch(&format!("inrol-depth-{}", reference.name));
        let task = PublishedTask::read(&folder.join(reference.name)).unwrap();
        let nodes = task.object.nodes.clone();
        task.write(&out, "published").unwrap();
        let field = FieldFile::load(&out.join("depth.safetensors")).unwrap().field;

        let rows = recorded(&folder, reference.name);
        let (mut values, mut gradients) = (Vec::new(), Columns3::default());
        let mut scratch = FieldScratch::default();
        let (mut same, mut touching, mut worst) = (0, 0, 0.0_f64);
        for (before, row) in rows.iter().zip(&rows[1..]) {
            let static_from_object = reference.world_from_static.inverse() * before.world_from_object;
            let is_asked = |point: &Vector3<f64>| {
                let radius = point.x.hypot(point.y);
                let is_between = |value: f64, [low, high]: [f64; 2]| value > low && value < high;
                is_between(radius, reference.radii) && is_between(point.z, reference.heights)
            };
            let points: Columns3 =
                nodes.iter().map(|node| static_from_object.transform_point(*node)).filter(is_asked).collect();
            field.evaluate(&points, &mut values, &mut gradients, &mut scratch).unwrap();
            let inside = values.iter().filter(|value| **value < 0.0).count();
            let deepest = values.iter().fold(0.0, |deepest: f64, value| deepest.max(-value));
            same += usize::from(inside == row.contacts);
            touching += usize::from(row.contacts > 0);
            worst = worst.max((1e3 * deepest - row.deepest_mm).abs());
        }
        let steps = rows.len() - 1;
        let name = reference.name;
        println!("{name}: {same} of {steps} steps, {touching} touch; deepest off by {worst:.2e} mm");
        assert!(touching > 1000, "{name}: {touching}");
        assert!(same as f64 >= 0.999 * steps as f64, "{name}: {same} of {steps}");
        assert!(worst <= 1e-4, "{name}: {worst} mm");
    }
}

/// As documented: the network reports collision for the centred, upright peg, and none for the free start of the run.
#[test]
fn the_imported_configuration_network_separates_free_from_colliding() {
    let Some(folder) = published() else { return };
    let out = scratch("inrol-configuration");
    PublishedTask::read(&folder.join("peg")).unwrap().write(&out, "published").unwrap();
    let field = CspaceFile::load(&out.join("configuration.safetensors")).unwrap().field;
    let mut scratch = InferenceScratch::default();
    let mut at = |height: f64| {
        field.evaluate([0.0, 0.0, height, std::f64::consts::PI, 0.0, 0.0], &mut scratch).unwrap().0
    };
    assert!(at(0.105) < -0.99, "{}", at(0.105));
    assert!(at(0.125) > 0.9, "{}", at(0.125));
}

#[test]
fn the_tables_of_both_tasks_are_complete() {
    let Some(folder) = published() else { return };
    let tasks = task_folders(&folder).unwrap();
    let names: Vec<_> = tasks.iter().map(|task| task.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["bolt", "peg"]);
    for (path, [nodes, faces], turned) in [(&tasks[0], [5016, 10032], true), (&tasks[1], [2389, 4786], false)]
    {
        let task = PublishedTask::read(path).unwrap();
        assert_eq!([task.object.nodes.len(), task.object.faces.len()], [nodes, faces]);
        assert_eq!(task.object.faces_were_turned, turned);
        assert_eq!(task.set_points.len(), 2800);
        assert_eq!(task.set_points[0].gripper.is_some(), path.ends_with("bolt"));
        // Normals point outwards: on average along the normal of the oriented faces.
        let outward = task.object.faces.iter().filter(|face| {
            let [a, b, c] = face.map(|node| task.object.nodes[node as usize]);
            let sum: Vector3<f64> = face.iter().map(|node| task.object.normals[*node as usize]).sum();
            (b - a).cross(&(c - a)).dot(&sum) > 0.0
        });
        assert!(outward.count() > faces * 99 / 100);
        let sizes = |layers: &[tightfit_interaction_training::inrol::Dense]| -> Vec<usize> {
            layers.iter().map(|layer| layer.biases.len()).collect()
        };
        assert_eq!(sizes(&task.clustering.relation_1), [16, 16, 16, 4]);
        assert_eq!(sizes(&task.clustering.assignment), [8, 8, 12]);
        assert_eq!(sizes(&task.clustering.rotation), [8, 8, 2]);
        assert!(task.clustering.ranges.iter().all(|[low, high]| low < high));
    }
}

#[test]
fn a_damaged_folder_is_rejected_with_file_and_line() {
    let folder = scratch("inrol-damaged");
    let error = task_folders(&folder).unwrap_err().to_string();
    assert!(error.contains("txt/W0.txt"), "{error}");
    std::fs::create_dir_all(folder.join("txt")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join("txt").join(name), text).unwrap();
    let error = || PublishedTask::read(&folder).unwrap_err().to_string();
    assert!(error().contains("mii.txt"), "{}", error());
    put("mii.txt", "0\r\n0\r\n\r\n0\r\n");
    put("mai.txt", "1\n1\nx\n");
    assert!(error().contains("mai.txt") && error().contains("line 3"), "{}", error());
    put("mai.txt", "1 1\n1\n");
    assert!(error().contains("line 2 has 1 numbers"), "{}", error());
    put("mai.txt", "1\n1\n");
    assert!(error().contains("2 x 1 numbers, expected 3 x 1"), "{}", error());
}
