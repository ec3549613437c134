//! Time of a distance query on solids of STEP files, lookup included: `cargo run --release -p tightfit-cad --example query_times --
//! FILE.step ...` prints medians over batches of 64 points within 0.1 mm of faces and of edges, in nanoseconds.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use nalgebra::Vector3;
use tightfit_cad::{File, Solid};
use tightfit_spatial::SplitMix;

/// Distance of the points from the surface, at most [m].
const BESIDE: f64 = 0.1e-3;
/// Points that are timed together.
const BATCH: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<40} {:>6} {:>9} {:>9}", "file", "faces", "face ns", "edge ns");
    for path in std::env::args().skip(1) {
        let solid = match File::open(path.as_ref())?.solid(None) {
            Ok(solid) => solid,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut random = SplitMix(1);
        let on_faces = (0..solid.faces.len()).flat_map(|face| {
            let nodes = solid.face_nodes(face, 0.5e-3, 0.1);
            nodes.into_iter().map(|[u, v]| solid.face_point(face, u, v)).collect::<Vec<_>>()
        });
        let faces = median_ns(&solid, on_faces.collect(), &mut random);
        let on_edges = (0..solid.edges.len()).filter(|edge| !solid.edges[*edge].is_seam).flat_map(|edge| {
            let nodes = solid.edge_nodes(edge, 0.2e-3, 0.05);
            nodes.into_iter().map(|t| solid.edges[edge].curve.point(t)).collect::<Vec<_>>()
        });
        let edges = median_ns(&solid, on_edges.collect(), &mut random);
        println!("{path:<40} {:>6} {faces:>9.0} {edges:>9.0}", solid.faces.len());
    }
    Ok(())
}

/// Median time of a query near these points [ns].
fn median_ns(solid: &Solid, points: Vec<Vector3<f64>>, random: &mut SplitMix) -> f64 {
    if points.is_empty() {
        return f64::NAN;
    }
    let mut times = Vec::new();
    for _ in 0..2000 {
        let batch: Vec<Vector3<f64>> = (0..BATCH)
            .map(|_| {
                let place = (random.unit() * points.len() as f64) as usize % points.len();
                points[place] + random.centered_cube() * BESIDE
            })
            .collect();
        let start = Instant::now();
        for point in &batch {
            black_box(solid.sample(black_box(*point)));
        }
        times.push(start.elapsed().as_nanos() as f64 / BATCH as f64);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
