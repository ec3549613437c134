//! Flips triangles so that neighbours have the same orientation, by a flood fill of each shell.

use crate::mesh::{EdgeTable, TriMesh};

/// Flips triangles to match their neighbours; returns the number flipped. Each flooded piece takes the orientation
/// that flips fewer triangles. On a one-sided surface some neighbours still disagree afterwards.
pub(super) fn orient_alike(mesh: &mut TriMesh) -> usize {
    let table = EdgeTable::new(mesh);
    if table.iter().all(|edge| edge.half_edges.len() != 2 || edge.manifold(&mesh.triangles).is_some()) {
        return 0;
    }
    let edge_of_half = table.edge_of_half_edges(mesh.triangles.len());
    let mut flipped: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    let mut piece: Vec<u32> = Vec::new();
    let mut flip = vec![false; mesh.triangles.len()];
    for seed in 0..mesh.triangles.len() {
        if flipped[seed].is_some() {
            continue;
        }
        flipped[seed] = Some(false);
        piece.clear();
        piece.push(seed as u32);
        let mut next = 0;
        while let Some(&triangle) = piece.get(next) {
            next += 1;
            let own = flipped[triangle as usize] == Some(true);
            for half in 3 * triangle..3 * triangle + 3 {
                let edge = edge_of_half[half as usize];
                if edge == u32::MAX {
                    continue;
                }
                let edge = table.edge(edge as usize);
                let &[a, b] = edge.half_edges else { continue };
                let other = if a == half { b / 3 } else { a / 3 };
                if flipped[other as usize].is_none() {
                    let agrees = edge.manifold(&mesh.triangles).is_some();
                    flipped[other as usize] = Some(own == agrees);
                    piece.push(other);
                }
            }
        }
        let count = piece.iter().filter(|&&t| flipped[t as usize] == Some(true)).count();
        let flip_these = 2 * count <= piece.len();
        for &triangle in &piece {
            flip[triangle as usize] = (flipped[triangle as usize] == Some(true)) == flip_these;
        }
    }
    for (triangle, _) in mesh.triangles.iter_mut().zip(&flip).filter(|(_, flip)| **flip) {
        triangle.swap(1, 2);
    }
    flip.iter().filter(|&&flip| flip).count()
}
