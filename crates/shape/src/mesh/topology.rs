//! The edges of a mesh and the triangles that meet there.
//!
//! Half-edge h = 3 t + k runs from corner k of triangle t to the next corner. An edge groups the half-edges between
//! the same two vertices: one at a boundary, two opposite ones inside a manifold surface. A counting sort by the
//! smaller vertex and a sort of each short bucket build the table: in linear time, and in the same order on every
//! machine.

use std::ops::Range;

use super::TriMesh;

/// All edges of a mesh, ordered by their vertices. Triangles that use a vertex twice have no edges.
#[derive(Clone, Debug, Default)]
pub struct EdgeTable {
    half_edges: Vec<u32>,
    /// First half-edge of each edge, and one past the last.
    starts: Vec<u32>,
    vertices: Vec<[u32; 2]>,
}

/// An edge with the half-edges along it.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// The two vertices, the smaller number first.
    pub vertices: [u32; 2],
    /// Half-edges between these vertices in either direction, in ascending order.
    pub half_edges: &'a [u32],
}

impl Edge<'_> {
    /// The half-edges of the triangles on both sides, when exactly two meet here in opposite directions.
    #[must_use]
    pub fn manifold(&self, triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
        let &[a, b] = self.half_edges else { return None };
        (half_edge_start(triangles, a) != half_edge_start(triangles, b)).then_some([a, b])
    }
}

/// Vertex at which half-edge `half_edge` begins.
#[must_use]
pub(crate) fn half_edge_start(triangles: &[[u32; 3]], half_edge: u32) -> u32 {
    triangles[(half_edge / 3) as usize][(half_edge % 3) as usize]
}

/// Vertex at which half-edge `half_edge` ends.
#[must_use]
pub(crate) fn half_edge_end(triangles: &[[u32; 3]], half_edge: u32) -> u32 {
    triangles[(half_edge / 3) as usize][((half_edge + 1) % 3) as usize]
}

/// The half-edge of the same triangle that begins where `half_edge` ends.
#[must_use]
pub(crate) fn next_half_edge(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

impl EdgeTable {
    /// Finds the edges; every index of the mesh must be valid.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let sound = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let half_edges = || {
            mesh.triangles.iter().enumerate().filter(|(_, t)| sound(t)).flat_map(|(index, t)| {
                let first = 3 * index as u32;
                [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
                    .into_iter()
                    .enumerate()
                    .map(move |(k, [a, b])| (a.min(b), a.max(b), first + k as u32))
            })
        };
        let mut offsets = vec![0u32; mesh.vertices.len() + 1];
        half_edges().for_each(|(low, _, _)| offsets[low as usize + 1] += 1);
        for vertex in 1..offsets.len() {
            offsets[vertex] += offsets[vertex - 1];
        }
        let total = offsets.last().copied().unwrap_or(0) as usize;
        let mut sorted = vec![(0u32, 0u32); total];
        let mut cursor = offsets.clone();
        half_edges().for_each(|(low, high, half)| {
            sorted[cursor[low as usize] as usize] = (high, half);
            cursor[low as usize] += 1;
        });
        drop(cursor);
        let mut table = Self { half_edges: Vec::with_capacity(total), ..Self::default() };
        for low in 0..mesh.vertices.len() {
            let bucket = &mut sorted[offsets[low] as usize..offsets[low + 1] as usize];
            bucket.sort_unstable();
            for group in bucket.chunk_by(|a, b| a.0 == b.0) {
                table.vertices.push([low as u32, group[0].0]);
                table.starts.push(table.half_edges.len() as u32);
                table.half_edges.extend(group.iter().map(|&(_, half)| half));
            }
        }
        table.starts.push(total as u32);
        table
    }

    /// Number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether there are no edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Edge `index`.
    #[must_use]
    pub fn edge(&self, index: usize) -> Edge<'_> {
        Edge { vertices: self.vertices[index], half_edges: &self.half_edges[self.range(index)] }
    }

    /// The edges in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Edge<'_>> + '_ {
        (0..self.len()).map(|index| self.edge(index))
    }

    /// Index of the edge between two vertices.
    #[must_use]
    pub fn find(&self, a: u32, b: u32) -> Option<usize> {
        self.vertices.binary_search(&[a.min(b), a.max(b)]).ok()
    }

    /// For each half-edge the edge that it runs along; `u32::MAX` for triangles that use a vertex twice.
    #[must_use]
    pub fn edge_of_half_edges(&self, triangles: usize) -> Vec<u32> {
        let mut edges = vec![u32::MAX; 3 * triangles];
        for (index, edge) in self.iter().enumerate() {
            edge.half_edges.iter().for_each(|&half| edges[half as usize] = index as u32);
        }
        edges
    }

    fn range(&self, index: usize) -> Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;

    #[test]
    fn a_cube_of_twelve_triangles_has_eighteen_manifold_edges() {
        let mesh = cube();
        let table = EdgeTable::new(&mesh);
        assert_eq!(table.len(), 18);
        assert!(table.iter().all(|edge| edge.manifold(&mesh.triangles).is_some()));
        let of_half = table.edge_of_half_edges(mesh.triangles.len());
        for (half, &edge) in of_half.iter().enumerate() {
            assert!(table.edge(edge as usize).half_edges.contains(&(half as u32)));
        }
    }
}
