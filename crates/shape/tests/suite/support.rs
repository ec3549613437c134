//! Shared by the mesh tests: meshes with sharp edges, and the benchmark files.
#![allow(dead_code, clippy::print_stdout)] // each test binary uses only some items; skipped tests print why

use std::path::PathBuf;

use nalgebra::Vector3;
use tightfit_shape::TriMesh;

/// The prism over a counter-clockwise polygon cut into triangles `caps`, z in [0, height].
pub(crate) fn prism(polygon: &[[f64; 2]], caps: &[[u32; 3]], height: f64) -> TriMesh {
    let n = polygon.len() as u32;
    let ring = |z: f64| polygon.iter().map(move |p| Vector3::new(p[0], p[1], z));
    let mut triangles: Vec<_> = caps.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(caps.iter().map(|t| t.map(|v| v + n)));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    TriMesh { vertices: ring(0.0).chain(ring(height)).collect(), triangles }
}

/// Unit cube.
pub(crate) fn cube() -> TriMesh {
    prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[[0, 1, 2], [0, 2, 3]], 1.0)
}

/// An L with a concave edge, 1 wide.
pub(crate) fn l_shape() -> TriMesh {
    let polygon = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.3, 0.4], [0.3, 1.0], [0.0, 1.0]];
    prism(&polygon, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.5)
}

/// A coarse torus, radii 1 and 0.4.
pub(crate) fn torus() -> TriMesh {
    let (m, n) = (14u32, 7u32);
    let angle = |i: u32, count: u32| std::f64::consts::TAU * f64::from(i) / f64::from(count);
    let vertices = (0..m * n).map(|i| {
        let (a, b) = (angle(i / n, m), angle(i % n, n));
        let r = 1.0 + 0.4 * b.cos();
        Vector3::new(r * a.cos(), r * a.sin(), 0.4 * b.sin())
    });
    let id = |i: u32, j: u32| (i % m) * n + j % n;
    let triangles = (0..m * n).flat_map(|k| {
        let (i, j) = (k / n, k % n);
        [[id(i, j), id(i + 1, j), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i, j + 1)]]
    });
    TriMesh { vertices: vertices.collect(), triangles: triangles.collect() }
}

/// A file of the detection benchmark, or `None` with a printed reason.
pub(crate) fn benchmark_file(name: &str) -> Option<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/detection_benchmark");
    let path = PathBuf::from(folder).join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {} does not exist", path.display());
    }
    text
}

/// A mesh of the detection benchmark [m].
pub(crate) fn benchmark_mesh(name: &str) -> Option<TriMesh> {
    let mut mesh = TriMesh::default();
    for line in benchmark_file(&format!("{name}.obj"))?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["v", x, y, z] => {
                mesh.vertices.push(Vector3::from([x, y, z].map(|w| w.parse().expect("coordinate"))));
            }
            ["f", a, b, c] => {
                mesh.triangles.push([a, b, c].map(|w| w.parse::<u32>().expect("index") - 1));
            }
            _ => {}
        }
    }
    Some(mesh)
}
