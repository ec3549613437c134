//! The interaction network of `tightfit bench clustering`: neighbours, both rounds, averages on the surface, gaps.
//!
//! The network is random; its averages include more contacts than those of a trained one.

use anyhow::Result;
use tightfit::interaction::{
    ContactSet, EmbeddedSurface, INPUTS, InteractionClustering, InteractionNetwork, InteractionOptions,
    InteractionWorkspace, Located, ObjectState, SurfaceContact,
};
use tightfit::spatial::{Pose, Vector3};
use tightfit_network::{Random, Range};
use tightfit_pipeline::records::Contacts;
use tightfit_shape::preset::preset;

use super::bench_clustering::median;

/// Vertices around and along the peg: as dense as the published one's.
const AROUND: u32 = 60;
const ALONG: u32 = 24;

/// Median processor time of the clusters of these contacts [us].
pub(super) fn micros(contacts: &Contacts, is_located: bool, rounds: usize) -> Result<f64> {
    let range = |half: f64| Range { low: -half, high: half };
    let ranges: [Range; INPUTS] = std::array::from_fn(|k| range(if k < 3 { 0.03 } else { 2.0 }));
    let network = InteractionNetwork::random(ranges, InteractionOptions::PAPER, &mut Random::new(1))?;
    let clustering = InteractionClustering { network, surface: barrel()? };
    let hole = preset("hole-50")?;
    let state = ObjectState {
        static_from_object: Pose::from_translation(Vector3::new(0.0, 0.0, -0.025)),
        linear_in_static: Vector3::new(0.0, 0.01, -0.05),
        angular_in_object: Vector3::new(0.0, 0.1, 0.0),
        force_in_static: Vector3::new(1.0, 0.0, -1.5),
        torque_in_object: Vector3::new(0.0, 0.3, 0.0),
    };
    let points: Vec<Vector3<f64>> = contacts.arm_a.iter().collect();
    let places: Vec<Located> = points.iter().map(|point| clustering.surface.locate(*point)).collect();
    let (mut set, mut workspace) = (ContactSet::default(), InteractionWorkspace::default());
    set.make_room(contacts.len());
    workspace.make_room(contacts.len());
    Ok(median(contacts.len(), rounds, || {
        set.clear();
        for (index, point) in points.iter().enumerate() {
            let place = if is_located { places[index] } else { clustering.surface.locate(*point) };
            set.push(*point, contacts.normal.get(index), contacts.gap[index], place);
        }
        set.finish(clustering.network.inputs_from_object());
        let field = |point: Vector3<f64>| {
            let sample = hole.sample(state.static_from_object.transform_point(point));
            SurfaceContact { point, gap: sample.distance, normal: sample.normal }
        };
        clustering.choose(&set, &state, field, &mut workspace);
    }))
}

/// The side of a peg as triangles. Its embedding is a cylinder whose chords approximate arcs.
fn barrel() -> Result<EmbeddedSurface> {
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    let (mut faces, mut embedding) = (Vec::new(), Vec::new());
    for ring in 0..=ALONG {
        for step in 0..AROUND {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(step) / f64::from(AROUND)).sin_cos();
            let height = 0.05 * f64::from(ring) / f64::from(ALONG);
            points.push(Vector3::new(0.025 * cos, 0.025 * sin, height));
            normals.push(Vector3::new(cos, sin, 0.0));
            embedding.push([0.03 * cos, 0.03 * sin, height, 0.0, 0.0, 0.0, 0.0, 0.0]);
            if ring < ALONG {
                let at = |step: u32, ring: u32| ring * AROUND + step % AROUND;
                faces.push([at(step, ring), at(step + 1, ring), at(step + 1, ring + 1)]);
                faces.push([at(step, ring), at(step + 1, ring + 1), at(step, ring + 1)]);
            }
        }
    }
    Ok(EmbeddedSurface::new(points, normals, faces, embedding)?)
}
