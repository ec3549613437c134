//! Triangles of a part for display: corner normals that keep sharp edges sharp, and offset directions.
//!
//! A vertex with faces of unit normals n₁ … n_k moves along m when the part shrinks. For one face m = n₁; for two faces
//! m = a/|a|² with a = (n₁ + n₂)/2, so that m·n₁ = m·n₂ = 1: every face moves by the same distance and edges stay closed.

use std::collections::HashMap;

use tightfit_shape::mesh::MeshOptions;
use tightfit_shape::{Part, TriMesh};
use tightfit_spatial::Vector3;

/// Faces that meet at a larger angle keep a sharp edge: cosine of 20° [-].
const CREASE_COSINE: f64 = 0.94;
/// Normals closer than this count as one face of a corner: cosine of 10° [-].
const SAME_FACE_COSINE: f64 = 0.985;
/// Longest offset vector [-]: a sharper corner would grow a spike.
const LONGEST_OFFSET: f64 = 3.0;
/// Chord error of drawn surfaces [m]: below a pixel at any zoom that shows the whole part.
const CHORD_TOLERANCE: f64 = 4e-6;

/// Triangles with normals and offset directions, in the part's frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisualMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vector3<f64>>,
    /// Unit normals for shading.
    pub normals: Vec<Vector3<f64>>,
    /// Displacement per metre of outward offset of all faces [-].
    pub offsets: Vec<Vector3<f64>>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl VisualMesh {
    /// The true surface of a part; `None` for a half-space and for node lists, which have none.
    #[must_use]
    pub fn of(part: &Part) -> Option<Self> {
        let size = part.aabb()?.diagonal();
        let options = MeshOptions {
            chord_tolerance: CHORD_TOLERANCE.max(4e-5 * size),
            max_edge: (size / 24.0).max(1e-4),
        };
        part.mesh(&options).ok().map(|mesh| Self::from_triangles(&mesh))
    }

    /// Splits the vertices of a mesh where its faces meet at a sharp edge.
    #[must_use]
    pub fn from_triangles(mesh: &TriMesh) -> Self {
        let face_normals: Vec<Vector3<f64>> = (0..mesh.triangles.len())
            .map(|index| mesh.area_vector(index).try_normalize(1e-30).unwrap_or_else(Vector3::z))
            .collect();
        let mut around: Vec<Vec<(u32, f64)>> = vec![Vec::new(); mesh.vertices.len()];
        for (face, triangle) in mesh.triangles.iter().enumerate() {
            let corners = mesh.corners(face);
            for (corner, &vertex) in triangle.iter().enumerate() {
                let [here, next, last] = [0, 1, 2].map(|step| corners[(corner + step) % 3]);
                around[vertex as usize].push((face as u32, (next - here).angle(&(last - here))));
            }
        }
        let mut result = Self::default();
        let mut known: HashMap<(u32, [i32; 3]), u32> = HashMap::new();
        for (face, triangle) in mesh.triangles.iter().enumerate() {
            let own = face_normals[face];
            let corners = triangle.map(|vertex| {
                let faces = &around[vertex as usize];
                let smooth =
                    faces.iter().filter(|(other, _)| own.dot(&face_normals[*other as usize]) > CREASE_COSINE);
                let sum: Vector3<f64> =
                    smooth.map(|(other, angle)| face_normals[*other as usize] * *angle).sum();
                let normal = sum.try_normalize(1e-12).unwrap_or(own);
                let key = [normal.x, normal.y, normal.z].map(|value| (value * 1e4) as i32);
                *known.entry((vertex, key)).or_insert_with(|| {
                    result.positions.push(mesh.vertices[vertex as usize]);
                    result.normals.push(normal);
                    result.offsets.push(offset(faces, &face_normals));
                    result.positions.len() as u32 - 1
                })
            });
            result.triangles.push(corners);
        }
        result
    }

    /// Appends positions, normals, offsets and indices as little-endian f32 and u32.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        for column in [&self.positions, &self.normals, &self.offsets] {
            for value in column.iter().flat_map(|vector| vector.iter()) {
                bytes.extend((*value as f32).to_le_bytes());
            }
        }
        for index in self.triangles.iter().flatten() {
            bytes.extend(index.to_le_bytes());
        }
    }
}

/// Displacement of a vertex per metre of outward offset of the faces around it.
fn offset(faces: &[(u32, f64)], normals: &[Vector3<f64>]) -> Vector3<f64> {
    let mut distinct: Vec<Vector3<f64>> = Vec::new();
    for (face, _) in faces {
        let normal = normals[*face as usize];
        if distinct.iter().all(|known| known.dot(&normal) < SAME_FACE_COSINE) {
            distinct.push(normal);
        }
    }
    let mean: Vector3<f64> = distinct.iter().sum::<Vector3<f64>>() / distinct.len().max(1) as f64;
    let square = mean.norm_squared();
    if square < 1e-6 {
        return Vector3::zeros();
    }
    let offset = mean / square;
    let length = offset.norm();
    if length > LONGEST_OFFSET { offset * (LONGEST_OFFSET / length) } else { offset }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_shape::preset::preset;

    #[test]
    fn a_cylinder_keeps_its_rim_sharp_and_its_wall_round() {
        let mesh = VisualMesh::of(&Part::cylinder(0.01, 0.04).unwrap()).unwrap();
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let radial = Vector3::new(position.x, position.y, 0.0).norm();
            if position.z.abs() < 0.019 && radial > 0.0099 {
                assert!(normal.z.abs() < 1e-9, "the wall's normals are horizontal: {normal}");
            }
            assert!(
                normal.z.abs() < 1e-6 || normal.z.abs() > 1.0 - 1e-6,
                "wall or cap, nothing between: {normal}"
            );
        }
    }

    #[test]
    fn an_offset_moves_every_face_by_the_same_distance() {
        let mesh = VisualMesh::of(&preset("hole-50").unwrap()).unwrap();
        for triangle in &mesh.triangles {
            let at =
                |shift: f64| triangle.map(|i| mesh.positions[i as usize] + mesh.offsets[i as usize] * shift);
            let [a, b, c] = at(0.0);
            let area = (b - a).cross(&(c - a));
            if area.norm() < 1e-12 {
                continue;
            }
            let normal = area.normalize();
            for (before, after) in at(0.0).iter().zip(at(1e-4)) {
                let moved = (after - before).dot(&normal);
                assert!((moved / 1e-4 - 1.0).abs() < 0.02, "moved by {moved} instead of 1e-4");
            }
        }
    }

    #[test]
    fn unbounded_parts_have_no_mesh() {
        assert!(VisualMesh::of(&Part::HalfSpace).is_none());
    }
}
