//! Edges between faces: chains of mesh edges with the same face on each side.

use std::collections::BTreeMap;

use crate::TriMesh;
use crate::mesh::{EdgeTable, half_edge_end, half_edge_start, next_half_edge};

/// A chain of mesh edges. The first face lies on its left, seen from outside.
pub(super) struct Chain {
    /// Vertices along it; the first is repeated at the end of a closed chain.
    pub vertices: Vec<u32>,
    /// Faces on its left and on its right.
    pub faces: [u32; 2],
}

impl Chain {
    /// Its first and last vertex.
    pub(super) fn ends(&self) -> [u32; 2] {
        [self.vertices[0], self.vertices[self.vertices.len() - 1]]
    }
}

/// Chains of a mesh, and the loops of each face as (chain, whether along it).
pub(super) struct Boundary {
    pub chains: Vec<Chain>,
    pub loops: Vec<Vec<Vec<(u32, bool)>>>,
}

impl Boundary {
    /// Boundary of the faces of a closed manifold mesh; `None` where it is not one.
    pub(super) fn new(mesh: &TriMesh, table: &EdgeTable, of_triangle: &[u32], faces: usize) -> Option<Self> {
        let mut twins = vec![u32::MAX; 3 * mesh.triangles.len()];
        for edge in table.iter() {
            let [a, b] = edge.manifold(&mesh.triangles)?;
            twins[a as usize] = b;
            twins[b as usize] = a;
        }
        if twins.contains(&u32::MAX) {
            return None;
        }
        let face = |half: u32| of_triangle[half as usize / 3];
        let start = |half: u32| half_edge_start(&mesh.triangles, half);
        let end = |half: u32| half_edge_end(&mesh.triangles, half);
        let is_border = |half: u32| face(half) != face(twins[half as usize]);
        let borders: Vec<u32> = (0..twins.len() as u32).filter(|&half| is_border(half)).collect();
        // a vertex where the pair of faces changes, or where chains cross, ends a chain
        let mut pairs: BTreeMap<u32, (Vec<u32>, usize)> = BTreeMap::new();
        for &half in &borders {
            let own = pairs.entry(start(half)).or_default();
            own.1 += 1;
            for side in [face(half), face(twins[half as usize])] {
                if !own.0.contains(&side) {
                    own.0.push(side);
                }
            }
        }
        let is_corner =
            |vertex: u32| pairs.get(&vertex).is_some_and(|(own, count)| own.len() > 2 || *count != 2);
        // the border that follows: turn about its end inside the face
        let following = |half: u32| {
            let mut next = next_half_edge(half);
            for _ in 0..twins.len() {
                if is_border(next) {
                    return Some(next);
                }
                next = next_half_edge(twins[next as usize]);
            }
            None
        };
        let mut loops: Vec<Vec<Vec<(u32, bool)>>> = vec![Vec::new(); faces];
        let mut chains: Vec<Chain> = Vec::new();
        let mut chain_of: BTreeMap<u32, (u32, bool)> = BTreeMap::new();
        let mut done = vec![false; twins.len()];
        for &first in &borders {
            if done[first as usize] {
                continue;
            }
            // all borders of this loop
            let mut around = vec![first];
            loop {
                let next = following(*around.last()?)?;
                if next == first {
                    break;
                }
                around.push(next);
                if around.len() > borders.len() {
                    return None;
                }
            }
            around.iter().for_each(|&half| done[half as usize] = true);
            // begin at a corner, so that no chain is cut in two
            if let Some(corner) = around.iter().position(|&half| is_corner(start(half))) {
                around.rotate_left(corner);
            } else {
                // both sides of a closed chain begin at the same vertex
                let least = (0..around.len()).min_by_key(|&place| start(around[place]))?;
                around.rotate_left(least);
            }
            let mut uses: Vec<(u32, bool)> = Vec::new();
            let mut place = 0;
            while place < around.len() {
                let from = place;
                place += 1;
                while place < around.len() && !is_corner(start(around[place])) {
                    place += 1;
                }
                let run = &around[from..place];
                let twin = twins[*run.last()? as usize];
                let known = chain_of.get(&twin).copied();
                let used = match known {
                    Some((chain, _)) => (chain, false),
                    None => {
                        let mut vertices: Vec<u32> = run.iter().map(|&half| start(half)).collect();
                        vertices.push(end(*run.last()?));
                        let number = chains.len() as u32;
                        chain_of.insert(run[0], (number, true));
                        chains.push(Chain { vertices, faces: [face(run[0]), face(twins[run[0] as usize])] });
                        (number, true)
                    }
                };
                uses.push(used);
            }
            loops[face(first) as usize].push(uses);
        }
        // every chain is used once along and once against
        let mut counts = vec![[0u32; 2]; chains.len()];
        for (chain, along) in loops.iter().flatten().flatten() {
            counts[*chain as usize][usize::from(*along)] += 1;
        }
        counts.iter().all(|count| *count == [1, 1]).then_some(Self { chains, loops })
    }
}
