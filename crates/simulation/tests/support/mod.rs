//! An interaction network for tests: random numbers, on the part's own mesh, embedded as it lies in space.

use std::path::PathBuf;

use tightfit_interaction::{
    EmbeddedSurface, INPUTS, InteractionFile, InteractionNetwork, InteractionOptions,
};
use tightfit_network::{Random, Range};
use tightfit_shape::mesh::MeshOptions;
use tightfit_simulation::Scene;
use tightfit_spatial::Vector3;

/// Settings of a scene whose part `moving` has such a network against `fixed`; its file is written for this test alone.
pub(crate) fn interaction(
    test: &str,
    scene: &str,
    [moving, fixed]: [&str; 2],
    options: InteractionOptions,
) -> Vec<String> {
    let bodies = Scene::find(scene).unwrap().bodies;
    let body = bodies.iter().find(|body| body.name == moving).unwrap();
    let mesh = body.part.mesh(&MeshOptions::default()).unwrap();
    let center = body.inertia.unwrap().center_of_mass;
    let points: Vec<Vector3<f64>> = mesh.vertices.iter().map(|vertex| vertex - center).collect();
    let mut normals = vec![Vector3::zeros(); points.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
        let area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|vertex| normals[*vertex as usize] += area);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize());
    let embedding = points.iter().map(|p| [p.x, p.y, p.z, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
    let surface = EmbeddedSurface::new(points, normals, mesh.triangles.clone(), embedding).unwrap();
    let half = |k: usize| match k {
        0..3 => 0.05,
        13..16 => 30.0,
        _ => 2.0,
    };
    let ranges: [Range; INPUTS] = std::array::from_fn(|k| Range { low: -half(k), high: half(k) });
    let network = InteractionNetwork::random(ranges, options, &mut Random::new(5)).unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{scene}.safetensors"));
    InteractionFile { network, surface, recipe: serde_json::json!({}) }.save(&path).unwrap();
    vec![
        format!("parts.{moving}.interaction={{ against = \"{fixed}\", network = \"{}\" }}", path.display()),
        "method.clustering=interaction".into(),
    ]
}
