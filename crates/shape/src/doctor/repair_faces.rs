//! Repairs of single triangles: copies and thin triangles.
//!
//! Dropping a thin triangle would open a gap in the surface. Instead, a short side is collapsed, which removes both
//! triangles along it. A cap, whose third corner c lies on its longest side ab, is flipped with the
//! triangle bad across that side:
//!
//! ```text
//! abc + bad  →  adc + dbc
//! ```

use super::degenerate::{Degenerate, degenerate};
use super::surface::duplicates;
use crate::mesh::{EdgeTable, TriMesh, UnionFind};

/// Largest number of passes over the thin triangles: a flip can create another thin triangle next to it, but long
/// chains are rare.
const ROUNDS: usize = 8;

/// Drops the marked triangles; returns the number dropped.
pub(super) fn drop_marked(mesh: &mut TriMesh, marked: &[bool]) -> usize {
    let before = mesh.triangles.len();
    let mut marks = marked.iter();
    mesh.triangles.retain(|_| !marks.next().is_some_and(|&marked| marked));
    before - mesh.triangles.len()
}

/// Keeps one of all triangles with the same three vertices; returns the number dropped.
pub(super) fn drop_copies(mesh: &mut TriMesh) -> usize {
    let mut marked = vec![false; mesh.triangles.len()];
    for [_, copy] in duplicates(mesh, &EdgeTable::new(mesh)) {
        marked[copy as usize] = true;
    }
    drop_marked(mesh, &marked)
}

/// Collapses and flips thin triangles; returns the number changed.
pub(super) fn repair_thin_triangles(mesh: &mut TriMesh, tolerance: f64) -> usize {
    let mut changed = 0;
    for _ in 0..ROUNDS {
        let in_this_round = repair_round(mesh, tolerance);
        if in_this_round == 0 {
            break;
        }
        changed += in_this_round;
    }
    changed
}

fn repair_round(mesh: &mut TriMesh, tolerance: f64) -> usize {
    let thin: Vec<(usize, Degenerate)> = (0..mesh.triangles.len())
        .filter_map(|index| degenerate(mesh, index, tolerance).map(|how| (index, how)))
        .collect();
    if thin.is_empty() {
        return 0;
    }
    let table = EdgeTable::new(mesh);
    let edge_of_half = table.edge_of_half_edges(mesh.triangles.len());
    let mut same = UnionFind::new(mesh.vertices.len());
    let mut marked = vec![false; mesh.triangles.len()];
    // a triangle changes at most once per round, because the edge table is not updated within a round
    let mut touched = vec![false; mesh.triangles.len()];
    let mut changed = 0;
    for (index, how) in thin {
        let triangle = mesh.triangles[index];
        if touched[index] {
            continue;
        }
        match how {
            Degenerate::Repeated => marked[index] = true,
            Degenerate::ShortSide(k) => same.join(triangle[k], triangle[(k + 1) % 3]),
            Degenerate::Cap(k) => {
                let [a, b, c] = [triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]];
                let edge = table.edge(edge_of_half[3 * index + k] as usize);
                let Some(partner) = edge.half_edges.iter().find(|&&half| half as usize / 3 != index) else {
                    marked[index] = true; // at an open edge the thin triangle can be dropped
                    changed += 1;
                    continue;
                };
                let other = (partner / 3) as usize;
                let d = mesh.triangles[other][((partner + 2) % 3) as usize];
                let makes_non_manifold_edge = table.find(c, d).is_some();
                if edge.manifold(&mesh.triangles).is_none()
                    || touched[other]
                    || c == d
                    || makes_non_manifold_edge
                {
                    continue;
                }
                mesh.triangles[index] = [a, d, c];
                mesh.triangles[other] = [d, b, c];
                touched[other] = true;
            }
        }
        touched[index] = true;
        changed += 1;
    }
    mesh.triangles.iter_mut().flatten().for_each(|vertex| *vertex = same.find(*vertex));
    for (mark, t) in marked.iter_mut().zip(&mesh.triangles) {
        *mark |= t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    }
    drop_marked(mesh, &marked);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;

    #[test]
    fn cap_is_flipped_without_opening_the_surface() {
        let mut mesh = cube();
        // vertex 8 splits edge 0-1 on one of its two faces only; a cap fills the seam
        mesh.vertices.push((mesh.vertices[0] + mesh.vertices[1]) / 2.0);
        let at = mesh
            .triangles
            .iter()
            .position(|t| t.contains(&0) && t.contains(&1) && !t.contains(&2) && !t.contains(&3));
        let split = mesh.triangles[at.unwrap()];
        let third = split.into_iter().find(|v| *v > 1).unwrap();
        mesh.triangles[at.unwrap()] = [0, 8, third];
        mesh.triangles.extend([[8, 1, third], [0, 1, 8]]);
        assert!((mesh.volume() - 1.0).abs() < 1e-12);

        assert_eq!(repair_thin_triangles(&mut mesh, 1e-8), 1);

        assert!((mesh.volume() - 1.0).abs() < 1e-12);
        let table = EdgeTable::new(&mesh);
        assert!(table.iter().all(|edge| edge.manifold(&mesh.triangles).is_some()));
        assert!((0..mesh.triangles.len()).all(|index| degenerate(&mesh, index, 1e-8).is_none()));
    }
}
