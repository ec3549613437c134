//! Fills small flat holes by ear clipping.
//!
//! A hole is a loop of open half-edges that enters and leaves every vertex once; loops that touch are not filled. The
//! new triangles run along the loop backwards, so that their orientation matches their neighbours.

use nalgebra::Vector3;

use crate::mesh::{Aabb, EdgeTable, TriMesh, clip_ears};

/// Largest number of corners of a hole: ear clipping takes up to the cube of this.
const MAX_CORNERS: usize = 1024;

/// Fills the holes that are at most `extent` [m] wide and flat within `flatness` times their width; returns
/// the number filled.
pub(super) fn fill_holes(mesh: &mut TriMesh, extent: f64, flatness: f64) -> usize {
    let mut filled = 0;
    for hole in loops(mesh) {
        let points: Vec<_> = hole.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
        let width = Aabb::of(points.iter().copied()).diagonal();
        if hole.len() > MAX_CORNERS || width > extent || unevenness(&points) > flatness * width {
            continue;
        }
        let ears = clip_ears(&points);
        mesh.triangles.extend(ears.iter().map(|ear| ear.map(|corner| hole[corner])));
        filled += 1;
    }
    filled
}

/// Simple loops of open half-edges, backwards, ordered by their smallest vertex.
fn loops(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let table = EdgeTable::new(mesh);
    // start of the open half-edge that ends at each vertex; `SEVERAL` where loops touch
    const NONE: u32 = u32::MAX;
    const SEVERAL: u32 = u32::MAX - 1;
    let mut before = vec![NONE; mesh.vertices.len()];
    let mut leaving = vec![0u8; mesh.vertices.len()];
    for edge in table.iter() {
        let &[half] = edge.half_edges else { continue };
        let triangle = mesh.triangles[(half / 3) as usize];
        let (from, to) = (triangle[(half % 3) as usize], triangle[((half + 1) % 3) as usize]);
        let entry = &mut before[to as usize];
        *entry = if *entry == NONE { from } else { SEVERAL };
        leaving[from as usize] = leaving[from as usize].saturating_add(1);
    }
    let simple = |vertex: u32| leaving[vertex as usize] == 1 && before[vertex as usize] < SEVERAL;
    let mut seen = vec![false; mesh.vertices.len()];
    let mut loops = Vec::new();
    for start in 0..mesh.vertices.len() as u32 {
        let mut around = Vec::new();
        let mut at = start;
        // every step marks a vertex, so all loops together take at most as many steps as there are vertices
        while simple(at) && !std::mem::replace(&mut seen[at as usize], true) {
            around.push(at);
            at = before[at as usize];
        }
        if around.len() >= 3 && at == start {
            loops.push(around);
        }
    }
    loops
}

/// Largest distance [m] of a corner from the plane through the centroid, normal to the area vector.
fn unevenness(points: &[Vector3<f64>]) -> f64 {
    let middle = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let next = points.iter().cycle().skip(1);
    let area: Vector3<f64> = points.iter().zip(next).map(|(p, q)| (p - middle).cross(&(q - middle))).sum();
    let Some(normal) = area.try_normalize(f64::MIN_POSITIVE) else { return f64::INFINITY };
    points.iter().map(|p| normal.dot(&(p - middle)).abs()).fold(0.0, f64::max)
}
