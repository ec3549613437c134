//! Which triangles of a mesh lie in one plane.
//!
//! A face grows from its largest triangle over neighbours whose corners lie in the plane of that triangle, to rounding
//! of the file: STL stores single precision, 6e-8 of a coordinate.

use nalgebra::Vector3;

use crate::mesh::{EdgeTable, TriMesh};

/// How far a corner may lie from the plane of its face, relative to the size of the mesh [-].
const FLAT: f64 = 3e-7;
/// Largest angle between the normals of two triangles of one face, as a cosine: 1°. Slivers have no reliable normal.
const STRAIGHT: f64 = 0.999_85;
/// Height of a triangle over its longest side below which it is a sliver, relative to the size of the mesh [-].
const SLIVER: f64 = 1e-6;

/// Triangles grouped into plane faces.
pub(crate) struct Planes {
    /// Face of each triangle.
    pub(crate) face_of: Vec<u32>,
    /// Outward normal of each face and a point in it [m].
    pub(crate) faces: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl Planes {
    pub(crate) fn of(mesh: &TriMesh, table: &EdgeTable, size: f64) -> Self {
        let count = mesh.triangles.len();
        let area: Vec<Vector3<f64>> = (0..count)
            .map(|triangle| {
                let [a, b, c] = mesh.corners(triangle);
                (b - a).cross(&(c - a)) / 2.0
            })
            .collect();
        let neighbours = neighbours(mesh, table);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| area[b].norm_squared().total_cmp(&area[a].norm_squared()).then(a.cmp(&b)));
        let (mut face_of, mut faces) = (vec![u32::MAX; count], Vec::new());
        let mut stack = Vec::new();
        for seed in order {
            if face_of[seed] != u32::MAX {
                continue;
            }
            let normal = area[seed].try_normalize(0.0).unwrap_or_else(Vector3::z);
            let origin = mesh.corners(seed)[0];
            let face = faces.len() as u32;
            faces.push((normal, origin));
            face_of[seed] = face;
            stack.push(seed);
            while let Some(triangle) = stack.pop() {
                for &next in neighbours[triangle].iter().filter(|&&next| next != u32::MAX) {
                    let next = next as usize;
                    if face_of[next] != u32::MAX {
                        continue;
                    }
                    let corners = mesh.corners(next);
                    let lies_in = corners.iter().all(|at| (at - origin).dot(&normal).abs() <= FLAT * size);
                    let is_parallel = area[next].dot(&normal) >= STRAIGHT * area[next].norm();
                    if lies_in && (is_parallel || is_sliver(&corners, &area[next], size)) {
                        face_of[next] = face;
                        stack.push(next);
                    }
                }
            }
        }
        Self { face_of, faces }
    }
}

fn is_sliver(corners: &[Vector3<f64>; 3], area: &Vector3<f64>, size: f64) -> bool {
    let longest = (0..3).map(|k| (corners[(k + 1) % 3] - corners[k]).norm()).fold(0.0, f64::max);
    2.0 * area.norm() <= SLIVER * size * longest
}

/// The triangles across the three sides of each triangle.
fn neighbours(mesh: &TriMesh, table: &EdgeTable) -> Vec<[u32; 3]> {
    let mut neighbours = vec![[u32::MAX; 3]; mesh.triangles.len()];
    for edge in table.iter() {
        if let Some([a, b]) = edge.manifold(&mesh.triangles) {
            neighbours[a as usize / 3][a as usize % 3] = b / 3;
            neighbours[b as usize / 3][b as usize % 3] = a / 3;
        }
    }
    neighbours
}
