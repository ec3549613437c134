//! Geodesic embedding of surfaces that can be unrolled, and of the published peg.

use std::path::PathBuf;

use nalgebra::Vector3;
use tightfit_interaction_training::embedding::{
    EmbeddingRecipe, Geodesics, embed, embedding_errors, refined, surface,
};
use tightfit_interaction_training::inrol::PublishedTask;
use tightfit_shape::mesh::TriMesh;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol");

/// The side of a cylinder of 25 mm radius and 50 mm height, open at both ends.
fn tube(around: u32, along: u32) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for ring in 0..=along {
        for step in 0..around {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            let height = 0.05 * f64::from(ring) / f64::from(along);
            vertices.push(Vector3::new(0.025 * angle.cos(), 0.025 * angle.sin(), height));
            if ring < along {
                let at = |step: u32, ring: u32| ring * around + step % around;
                triangles.push([at(step, ring), at(step + 1, ring), at(step + 1, ring + 1)]);
                triangles.push([at(step, ring), at(step + 1, ring + 1), at(step, ring + 1)]);
            }
        }
    }
    TriMesh { vertices, triangles }
}

#[test]
fn geodesics_on_a_tube_match_the_unrolled_tube() {
    let mesh = tube(72, 30);
    let [coarse, fine] = [4, 9].map(|points| errors_on_a_tube(&mesh, points));
    println!(
        "excess length of geodesics, mean and largest: {coarse:?} with 4 points per edge, {fine:?} with 9"
    );
    assert!(coarse[1] < 0.04 && fine[1] < 0.015, "{coarse:?} {fine:?}");
    // Twice as many points leave a fraction of the error.
    assert!(fine[0] < 0.6 * coarse[0], "{coarse:?} {fine:?}");
}

/// Mean and largest of geodesic/exact − 1 from the first vertex.
fn errors_on_a_tube(mesh: &TriMesh, points_per_edge: usize) -> [f64; 2] {
    let geodesics = Geodesics::new(&mesh.vertices, &mesh.triangles, points_per_edge);
    let mut ways = Vec::new();
    geodesics.from(0, &mut ways);
    let (mut worst, mut sum) = (0.0_f64, 0.0);
    for (vertex, way) in ways.iter().enumerate().skip(1) {
        let (step, ring) = (vertex % 72, vertex / 72);
        let arc = 0.025 * std::f64::consts::TAU * step.min(72 - step) as f64 / 72.0;
        let exact = arc.hypot(0.05 * ring as f64 / 30.0);
        // Chords are shorter than arcs by less than a thousandth.
        assert!(*way > 0.999 * exact, "{vertex}: {way} {exact}");
        worst = worst.max(way / exact - 1.0);
        sum += way / exact - 1.0;
    }
    [sum / ways.len() as f64, worst]
}

#[test]
fn halved_edges_keep_the_surface_closed() {
    let mesh = refined(&tube(12, 2), 4e-3);
    let mut sides = std::collections::BTreeMap::new();
    for [a, b, c] in &mesh.triangles {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            let length = (mesh.vertices[*a as usize] - mesh.vertices[*b as usize]).norm();
            assert!(length <= 4e-3);
            *sides.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    // Every edge has two triangles, except at the open ends.
    let ends = sides.values().filter(|count| **count == 1).count();
    assert!(sides.values().all(|count| *count <= 2));
    let at_end = |vertex: u32| {
        let height = mesh.vertices[vertex as usize].z;
        height.abs() < 1e-12 || (height - 0.05).abs() < 1e-12
    };
    assert_eq!(ends, sides.keys().filter(|(a, b)| at_end(**a) && at_end(**b)).count());
}

#[test]
fn a_flat_sheet_is_embedded_without_distortion() {
    let mut mesh = tube(30, 20);
    // The tube, cut open and unrolled.
    mesh.triangles.retain(|triangle| {
        let steps = triangle.map(|vertex| vertex % 30);
        steps.iter().max().unwrap() - steps.iter().min().unwrap() <= 1
    });
    for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
        *vertex = Vector3::new(5e-3 * (index % 30) as f64, 2.5e-3 * (index / 30) as f64, 0.0);
    }
    let recipe = EmbeddingRecipe { landmarks: 60, ..EmbeddingRecipe::default() };
    let embedding = embed(&mesh, &recipe, |_| {}).unwrap();
    let errors = embedding_errors(&mesh, &embedding, 4);
    println!("{errors:?}");
    assert!(errors.correlation > 0.9999 && errors.median_relative < 0.01, "{errors:?}");
    assert!(surface(&mesh, embedding, Vector3::zeros()).is_ok());
    let few = EmbeddingRecipe { landmarks: 3, ..recipe };
    assert!(embed(&mesh, &few, |_| {}).unwrap_err().to_string().contains("landmarks is 3"));
}

#[test]
fn the_published_peg_is_embedded_as_well_as_by_its_authors() {
    let folder = PathBuf::from(PUBLISHED);
    if !folder.exists() {
        println!("skipped: {PUBLISHED} is not there");
        return;
    }
    let object = PublishedTask::read(&folder.join("peg")).unwrap().object;
    let mesh = TriMesh { vertices: object.nodes, triangles: object.faces };
    assert_eq!(mesh.vertices.len(), 2389);
    let embedding = embed(&mesh, &EmbeddingRecipe { landmarks: 120, ..Default::default() }, |_| {}).unwrap();
    let [own, theirs] =
        [&embedding, &object.embedding].map(|embedding| embedding_errors(&mesh, embedding, 3));
    println!("own {own:?}, published {theirs:?}");
    assert!(own.correlation >= 0.97, "{own:?}");
    assert!(own.correlation >= theirs.correlation - 0.002, "{own:?} {theirs:?}");
}
