//! Welding: merges vertices at the same position.
//!
//! Exact welding compares bits. Welding with a tolerance ε keeps a vertex unless an earlier kept vertex lies within ε
//! of it; that vertex then replaces it. A grid of cells of 8 ε holds the kept vertices, so that the ball of radius ε
//! around a point mostly lies in a single cell. Vertices are processed in order, so the result does not depend on the
//! grid.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use nalgebra::Vector3;

use super::TriMesh;

/// Result of welding.
#[derive(Clone, Debug)]
pub struct Weld {
    /// The mesh with the kept vertices, in their old order.
    pub mesh: TriMesh,
    /// New index of every old vertex.
    pub new_of_old: Vec<u32>,
    /// Old indices of the vertices that were replaced by another.
    pub merged: Vec<u32>,
}

/// Cell edge over tolerance [-]: larger means fewer cells to search, and more vertices in each.
const CELL: f64 = 8.0;

/// Merges vertices with equal coordinates.
#[must_use]
pub fn weld_exact(mesh: &TriMesh) -> Weld {
    let mut known = ExactVertices::default();
    rebuilt(mesh, |vertex| {
        let (index, new) = known.index_of(mesh.vertices[vertex as usize]);
        (!new).then_some(index)
    })
}

/// Merges vertices for which `may_move` is true and that lie within `tolerance` [m] of another such vertex. Triangles
/// keep their order and count; some may now use a vertex twice.
#[must_use]
pub fn weld(mesh: &TriMesh, tolerance: f64, may_move: impl Fn(u32) -> bool) -> Weld {
    // a tolerance of zero still needs cells of some size
    let cell = (tolerance * CELL).max(1e-9 * mesh.aabb().diagonal()).max(f64::MIN_POSITIVE);
    let cell_of = |value: f64| (value / cell).floor() as i64;
    let mut newest: HashMap<[i64; 3], u32, BuildHasherDefault<Mix>> = HashMap::default();
    // kept vertices as (position, new index, previous entry in the same cell)
    let mut kept: Vec<(Vector3<f64>, u32, u32)> = Vec::new();
    let mut new_count = 0;
    rebuilt(mesh, |vertex| {
        let next = new_count;
        new_count += 1;
        if !may_move(vertex) {
            return None;
        }
        let point = mesh.vertices[vertex as usize];
        let [low, high] = [-tolerance, tolerance].map(|side| point.map(|value| cell_of(value + side)));
        let mut nearest: Option<u32> = None;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let mut entry = newest.get(&[x, y, z]).copied();
                    while let Some(index) = entry {
                        let (position, number, previous) = kept[index as usize];
                        if (position - point).norm() <= tolerance {
                            nearest = Some(nearest.map_or(number, |other| other.min(number)));
                        }
                        entry = (previous != u32::MAX).then_some(previous);
                    }
                }
            }
        }
        if nearest.is_some() {
            new_count -= 1;
            return nearest;
        }
        let key = [cell_of(point.x), cell_of(point.y), cell_of(point.z)];
        let previous = newest.insert(key, kept.len() as u32).unwrap_or(u32::MAX);
        kept.push((point, next, previous));
        None
    })
}

/// Renumbers the vertices: `replacement` returns the new index that replaces an old vertex, or `None` to keep it.
fn rebuilt(mesh: &TriMesh, mut replacement: impl FnMut(u32) -> Option<u32>) -> Weld {
    let mut vertices = Vec::new();
    let mut merged = Vec::new();
    let mut new_of_old = Vec::with_capacity(mesh.vertices.len());
    for (old, &vertex) in mesh.vertices.iter().enumerate() {
        match replacement(old as u32) {
            Some(new) => {
                merged.push(old as u32);
                new_of_old.push(new);
            }
            None => {
                new_of_old.push(vertices.len() as u32);
                vertices.push(vertex);
            }
        }
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|vertex| new_of_old[vertex as usize])).collect();
    Weld { mesh: TriMesh { vertices, triangles }, new_of_old, merged }
}

/// Assigns indices to points in the order of their first appearance; equal bits have equal indices.
#[derive(Default)]
pub(super) struct ExactVertices {
    known: HashMap<[u64; 3], u32, BuildHasherDefault<Mix>>,
}

impl ExactVertices {
    /// Index of the point, and whether it is new.
    pub(super) fn index_of(&mut self, point: Vector3<f64>) -> (u32, bool) {
        let count = self.known.len() as u32;
        let index = *self.known.entry([point.x, point.y, point.z].map(f64::to_bits)).or_insert(count);
        (index, index == count)
    }
}

/// Multiply-and-fold hash: ten times faster than the default hasher over tens of millions of points, and the same in
/// every run.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let product = u128::from(self.0 ^ u64::from_le_bytes(word) ^ 0x9e37_79b9_7f4a_7c15)
                * 0xd6e8_feb8_6659_fd93_u128;
            self.0 = (product >> 64) as u64 ^ product as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{cube, soup};

    #[test]
    fn a_soup_cube_welds_back_to_eight_vertices() {
        let welded = weld_exact(&soup(&cube()));
        assert_eq!((welded.mesh.vertices.len(), welded.merged.len()), (8, 28));
        assert!((welded.mesh.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_vertices_within_the_tolerance_are_merged() {
        let at = |x| Vector3::new(x, -0.5, 3.0);
        let mesh = TriMesh { vertices: vec![at(0.0), at(0.9e-3), at(1.8e-3), at(1.0)], triangles: vec![] };
        let welded = weld(&mesh, 1e-3, |_| true);
        // the vertex at 1.8 mm is within tolerance of the merged vertex, not of the kept one
        assert_eq!(welded.new_of_old, [0, 0, 1, 2]);
        assert_eq!(weld(&mesh, 1e-3, |vertex| vertex != 0).new_of_old, [0, 1, 1, 2]);
        assert_eq!(weld(&mesh, 0.0, |_| true).merged.len(), 0);
    }
}
