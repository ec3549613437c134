//! Bakes the meshes of the detection benchmark and prints one line of accuracy, size and time for each.
#![allow(clippy::print_stdout)]

#[path = "../tests/suite/support.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use tightfit_shape::mesh::MeshDistance;
use tightfit_shape::mesh::baked::{BakeOptions, BakedField, ErrorReport};
use tightfit_spatial::SplitMix;

fn main() {
    let options = BakeOptions::default();
    println!(
        "mesh  triangles  build[s]  memory[MB]  median[µm]  p95  p99  max  bound  normal p99[deg]  fresh max[µm]  within bound  exact[ns]  baked[ns]"
    );
    for name in ["bolt", "nut", "hole", "peg"] {
        let Some(mesh) = support::benchmark_mesh(name) else { continue };
        let exact = match MeshDistance::new(mesh.clone()) {
            Ok(exact) => Arc::new(exact),
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let start = Instant::now();
        let field = match BakedField::bake(&exact, &options, &|_| ()) {
            Ok(field) => field,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let build = start.elapsed().as_secs_f64();
        let report = field.report();
        let fresh = ErrorReport::measure(&field, &exact, 200_000, 4711);
        let (exact_ns, baked_ns) = query_times(&mesh, &exact, &field);
        println!(
            "{name:5} {:8} {build:8.1} {:10.1} {:10.4} {:8.3} {:7.3} {:7.3} {:7.3} {:8.3} {:10.3} {:>14} {exact_ns:9.0} {baked_ns:9.0}",
            mesh.triangles.len(),
            field.memory() as f64 / f64::from(1 << 20),
            report.median * 1e6,
            report.p95 * 1e6,
            report.p99 * 1e6,
            report.max * 1e6,
            report.bound * 1e6,
            report.normal_p99.to_degrees(),
            fresh.max * 1e6,
            fresh.max <= report.bound,
        );
    }
}

/// Points per step of a simulation, and steps: the same places are asked for again and again.
const POINTS: usize = 5000;
const REPEATS: usize = 40;

/// Nanoseconds per query of the exact and of the baked field, on random points beside the surface.
fn query_times(mesh: &tightfit_shape::TriMesh, exact: &MeshDistance, field: &BakedField) -> (f64, f64) {
    let mut random = SplitMix(7);
    let points: Vec<_> = (0..POINTS)
        .map(|_| {
            let [a, b, c] = mesh.corners((random.unit() * mesh.triangles.len() as f64) as usize);
            let (u, v) = (random.unit(), random.unit());
            a + (b - a) * u + (c - a) * (v * (1.0 - u)) + random.centered_cube() * 1e-4
        })
        .collect();
    let pass = |query: &dyn Fn(nalgebra::Vector3<f64>) -> f64| {
        let start = Instant::now();
        let sum: f64 = points.iter().map(|&p| query(p)).sum();
        let elapsed = start.elapsed().as_nanos() as f64;
        assert!(sum.is_finite());
        elapsed / points.len() as f64
    };
    // the fastest pass is the one that nobody else disturbed
    let time = |query: &dyn Fn(nalgebra::Vector3<f64>) -> f64| {
        (0..REPEATS).map(|_| pass(query)).fold(f64::INFINITY, f64::min)
    };
    (time(&|p| exact.sample(p).distance), time(&|p| field.sample(p).0))
}
