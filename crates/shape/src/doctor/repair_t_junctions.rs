//! Splits triangles at vertices of their neighbours: exporters mesh each face by itself, and where a long edge of one meets several
//! short ones of the next, the surface is open although nothing is missing.

use crate::mesh::{Aabb, BoxTree, EdgeTable, TriMesh};

/// Each round splits one edge of a triangle.
const ROUNDS: usize = 3;

/// Splits open edges at the vertices of other open edges that lie on them within `tolerance` [m]; returns the number of edges
/// split.
pub(super) fn split_t_junctions(mesh: &mut TriMesh, tolerance: f64) -> usize {
    (0..ROUNDS).map(|_| split_once(mesh, tolerance)).take_while(|count| *count > 0).sum()
}

fn split_once(mesh: &mut TriMesh, tolerance: f64) -> usize {
    let open = open_half_edges(mesh);
    let mut vertices: Vec<u32> = open.iter().flat_map(|&half| half_edge(mesh, half)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let boxes: Vec<Aabb> = vertices.iter().map(|&v| Aabb::of([mesh.vertices[v as usize]])).collect();
    let (tree, order) = BoxTree::build(&boxes);
    let mut is_split = vec![false; mesh.triangles.len()];
    let mut count = 0;
    for half in open {
        let triangle = (half / 3) as usize;
        if is_split[triangle] {
            continue;
        }
        let ends @ [from, to] = half_edge(mesh, half);
        let [start, end] = ends.map(|vertex| mesh.vertices[vertex as usize]);
        let length = (end - start).norm();
        let along = (end - start) / length;
        let mut between = Vec::new();
        tree.overlapping(&Aabb::of([start, end]).grown(tolerance), |place| {
            let vertex = vertices[order[place] as usize];
            let offset = mesh.vertices[vertex as usize] - start;
            let place = offset.dot(&along);
            let is_inside = place > tolerance && place < length - tolerance;
            if is_inside && (offset - along * place).norm() <= tolerance {
                between.push((place, vertex));
            }
        });
        if between.is_empty() {
            continue;
        }
        between.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let corners = mesh.triangles[triangle];
        let opposite = corners[((half + 2) % 3) as usize];
        if between.iter().any(|(_, vertex)| *vertex == opposite) {
            continue;
        }
        let stops: Vec<u32> =
            [from].into_iter().chain(between.iter().map(|(_, vertex)| *vertex)).chain([to]).collect();
        mesh.triangles[triangle] = [opposite, stops[0], stops[1]];
        mesh.triangles.extend(stops[1..].windows(2).map(|pair| [opposite, pair[0], pair[1]]));
        is_split[triangle] = true;
        count += 1;
    }
    count
}

/// The half-edges without a partner.
fn open_half_edges(mesh: &TriMesh) -> Vec<u32> {
    let table = EdgeTable::new(mesh);
    table.iter().filter_map(|edge| if let &[half] = edge.half_edges { Some(half) } else { None }).collect()
}

/// Start and end of a half-edge.
fn half_edge(mesh: &TriMesh, half: u32) -> [u32; 2] {
    let triangle = mesh.triangles[(half / 3) as usize];
    [triangle[(half % 3) as usize], triangle[((half + 1) % 3) as usize]]
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    /// Two squares side by side; the right one has a vertex in the middle of the shared side.
    #[test]
    fn a_vertex_in_the_middle_of_a_long_edge_splits_it() {
        let at = |x: f64, y: f64| Vector3::new(x, y, 0.0);
        let vertices = vec![
            at(0.0, 0.0),
            at(1.0, 0.0),
            at(1.0, 1.0),
            at(0.0, 1.0),
            at(2.0, 0.0),
            at(2.0, 1.0),
            at(1.0, 0.5),
        ];
        let triangles = vec![[0, 1, 2], [0, 2, 3], [1, 4, 6], [4, 5, 6], [5, 2, 6]];
        let mut mesh = TriMesh { vertices, triangles };
        assert_eq!(open_half_edges(&mesh).len(), 9);
        assert_eq!(split_t_junctions(&mut mesh, 1e-9), 1);
        assert_eq!(open_half_edges(&mesh).len(), 6, "the outline alone is open");
        assert_eq!(split_t_junctions(&mut mesh, 1e-9), 0);
    }
}
