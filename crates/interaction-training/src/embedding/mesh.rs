//! Triangles for an embedding: halves long edges, computes vertex normals.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use tightfit_shape::mesh::TriMesh;

/// Halves every edge longer than `longest` [m] until none is left. The result has no T-junctions.
#[must_use]
pub fn refined(mesh: &TriMesh, longest: f64) -> TriMesh {
    let (mut vertices, mut triangles) = (mesh.vertices.clone(), mesh.triangles.clone());
    loop {
        let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for triangle in &triangles {
            for side in 0..3 {
                let [a, b] = [triangle[side], triangle[(side + 1) % 3]];
                let [p, q] = [a, b].map(|vertex| vertices[vertex as usize]);
                if (p - q).norm() > longest && !middles.contains_key(&(a.min(b), a.max(b))) {
                    middles.insert((a.min(b), a.max(b)), vertices.len() as u32);
                    vertices.push((p + q) / 2.0);
                }
            }
        }
        if middles.is_empty() {
            return TriMesh { vertices, triangles };
        }
        triangles = triangles.iter().flat_map(|triangle| split(*triangle, &middles)).collect();
    }
}

/// Splits a triangle at the midpoints of its marked edges.
fn split(triangle: [u32; 3], middles: &BTreeMap<(u32, u32), u32>) -> Vec<[u32; 3]> {
    let middle = |side: usize| {
        let [a, b] = [triangle[side], triangle[(side + 1) % 3]];
        middles.get(&(a.min(b), a.max(b))).copied()
    };
    let marked = [middle(0), middle(1), middle(2)];
    // Rotate the triangle so that the marks match the cases below.
    let count = marked.iter().flatten().count();
    let turn = (0..3).find(|turn| match count {
        1 => marked[*turn].is_some(),
        2 => marked[(turn + 2) % 3].is_none(),
        _ => true,
    });
    let turn = turn.unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| triangle[(k + turn) % 3]);
    match [0, 1, 2].map(|k| marked[(k + turn) % 3]) {
        [Some(ab), Some(bc), Some(ca)] => vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]],
        [Some(ab), Some(bc), None] => vec![[ab, b, bc], [a, ab, bc], [a, bc, c]],
        [Some(ab), None, None] => vec![[a, ab, c], [ab, b, c]],
        _ => vec![[a, b, c]],
    }
}

/// Outward unit normals of the vertices: area-weighted means over the adjacent triangles.
pub(crate) fn vertex_normals(mesh: &TriMesh) -> Vec<Vector3<f64>> {
    let mut normals = vec![Vector3::zeros(); mesh.vertices.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.vertices[vertex as usize]);
        let area = (b - a).cross(&(c - a));
        triangle.iter().for_each(|vertex| normals[*vertex as usize] += area);
    }
    normals.iter().map(|normal| normal.try_normalize(0.0).unwrap_or_else(Vector3::z)).collect()
}
