//! A mesh with its edges and shells, as all checks use it.

use nalgebra::Vector3;

use crate::mesh::{EdgeTable, Shell, Shells, TriMesh, Weld, shells, weld};

/// Welding tolerance divided by the diagonal of the part [-]: 50 nm on a part of 50 mm, coarser than single
/// precision (6e-8) and far finer than any clearance.
pub(super) const WELD_TOLERANCE: f64 = 1e-6;

/// Height below which a triangle has no usable normal, divided by the diagonal [-].
pub(super) const NEEDLE_TOLERANCE: f64 = 1e-8;

/// A mesh and its topology.
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a TriMesh,
    pub(super) table: EdgeTable,
    /// Shell of every triangle.
    pub(super) of_triangle: Vec<u32>,
    pub(super) shells: Vec<Shell>,
    /// Vertices with more than one fan of triangles.
    pub(super) pinched: Vec<u32>,
}

impl<'a> Surface<'a> {
    pub(super) fn new(mesh: &'a TriMesh, table: EdgeTable) -> Self {
        let (Shells { of_triangle, shells }, pinched) = shells(mesh, &table);
        Self { mesh, table, of_triangle, shells, pinched }
    }

    /// Triangles of every shell.
    pub(super) fn members(&self) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> =
            self.shells.iter().map(|shell| Vec::with_capacity(shell.triangles)).collect();
        for (triangle, &shell) in self.of_triangle.iter().enumerate() {
            members[shell as usize].push(triangle as u32);
        }
        members
    }

    pub(super) fn edge_middle(&self, vertices: [u32; 2]) -> Vector3<f64> {
        let [a, b] = vertices.map(|vertex| self.mesh.vertices[vertex as usize]);
        (a + b) / 2.0
    }
}

/// Centroid of triangle `index` [m].
pub(super) fn middle(mesh: &TriMesh, index: usize) -> Vector3<f64> {
    mesh.corners(index).iter().sum::<Vector3<f64>>() / 3.0
}

/// Welds vertices at open edges; inside a closed surface, close vertices are detail, not damage. `None` when there is
/// nothing to weld.
pub(super) fn weld_open_edges(mesh: &TriMesh, table: &EdgeTable, tolerance: f64) -> Option<Weld> {
    let mut open = vec![false; mesh.vertices.len()];
    for edge in table.iter().filter(|edge| edge.half_edges.len() == 1) {
        edge.vertices.iter().for_each(|&vertex| open[vertex as usize] = true);
    }
    if !open.contains(&true) {
        return None;
    }
    let welded = weld(mesh, tolerance, |vertex| open[vertex as usize]);
    (!welded.merged.is_empty()).then_some(welded)
}

/// Pairs (original, copy) of triangles with the same three vertices, whatever their winding.
pub(super) fn duplicates(mesh: &TriMesh, table: &EdgeTable) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let mut group: Vec<(u32, u32)> = Vec::new();
    for edge in table.iter().filter(|edge| edge.half_edges.len() > 1) {
        // copies share all three edges: compare only at the edge of the two smallest vertices
        let opposite = |half: u32| mesh.triangles[(half / 3) as usize][((half + 2) % 3) as usize];
        let third = edge.half_edges.iter().map(|&half| (opposite(half), half / 3));
        group.clear();
        group.extend(third.filter(|&(vertex, _)| vertex > edge.vertices[1]));
        group.sort_unstable();
        for same in group.chunk_by(|a, b| a.0 == b.0) {
            pairs.extend(same[1..].iter().map(|&(_, copy)| [same[0].1, copy]));
        }
    }
    pairs.sort_unstable();
    pairs
}
