//! Turns triangles so that neighbours agree, by flooding each shell from its first triangle.

use crate::mesh::{EdgeTable, TriMesh};

/// Turns triangles to agree with their neighbours; returns how many. Of the two ways to agree, each flooded
/// piece takes the one that turns fewer. On a one-sided surface some neighbours still disagree afterwards.
pub(super) fn turn_alike(mesh: &mut TriMesh) -> usize {
    let table = EdgeTable::new(mesh);
    if table.iter().all(|edge| edge.half_edges.len() != 2 || edge.manifold(&mesh.triangles).is_some()) {
        return 0;
    }
    let edge_of_half = table.edge_of_half_edges(mesh.triangles.len());
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    let mut piece: Vec<u32> = Vec::new();
    let mut flip = vec![false; mesh.triangles.len()];
    for seed in 0..mesh.triangles.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        piece.clear();
        piece.push(seed as u32);
        let mut next = 0;
        while let Some(&triangle) = piece.get(next) {
            next += 1;
            let own = turned[triangle as usize] == Some(true);
            for half in 3 * triangle..3 * triangle + 3 {
                let edge = edge_of_half[half as usize];
                if edge == u32::MAX {
                    continue;
                }
                let edge = table.edge(edge as usize);
                let &[a, b] = edge.half_edges else { continue };
                let other = if a == half { b / 3 } else { a / 3 };
                if turned[other as usize].is_none() {
                    let agrees = edge.manifold(&mesh.triangles).is_some();
                    turned[other as usize] = Some(own == agrees);
                    piece.push(other);
                }
            }
        }
        let count = piece.iter().filter(|&&t| turned[t as usize] == Some(true)).count();
        let turn_these = 2 * count <= piece.len();
        for &triangle in &piece {
            flip[triangle as usize] = (turned[triangle as usize] == Some(true)) == turn_these;
        }
    }
    for (triangle, _) in mesh.triangles.iter_mut().zip(&flip).filter(|(_, flip)| **flip) {
        triangle.swap(1, 2);
    }
    flip.iter().filter(|&&flip| flip).count()
}
