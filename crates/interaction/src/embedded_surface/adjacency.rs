//! Neighbours of every vertex, in one list.

/// Indices that belong to every vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    /// Start of each vertex's entries, and the end of the last.
    begins: Vec<u32>,
    entries: Vec<u32>,
}

impl Adjacency {
    /// Vertices that share an edge with the vertex, ascending.
    pub(super) fn of_vertices(count: usize, faces: &[[u32; 3]]) -> Self {
        let edges = faces.iter().flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)]);
        let mut pairs: Vec<(u32, u32)> = edges.flat_map(|(&a, &b)| [(a, b), (b, a)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self::of_pairs(count, &pairs)
    }

    /// Triangles that have the vertex as a corner, ascending.
    pub(super) fn of_faces(count: usize, faces: &[[u32; 3]]) -> Self {
        let corners = faces.iter().enumerate();
        let mut pairs: Vec<(u32, u32)> =
            corners.flat_map(|(face, corners)| corners.map(|vertex| (vertex, face as u32))).collect();
        pairs.sort_unstable();
        Self::of_pairs(count, &pairs)
    }

    /// From sorted pairs of a vertex and an entry.
    fn of_pairs(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut begins = vec![0; count + 1];
        pairs.iter().for_each(|(vertex, _)| begins[*vertex as usize + 1] += 1);
        for vertex in 0..count {
            begins[vertex + 1] += begins[vertex];
        }
        Self { begins, entries: pairs.iter().map(|(_, entry)| *entry).collect() }
    }

    pub(super) fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.entries[self.begins[vertex] as usize..self.begins[vertex + 1] as usize]
    }
}
