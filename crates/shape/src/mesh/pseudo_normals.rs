//! Angle-weighted pseudo-normals: the side of the surface on which a point lies, from its nearest feature.
//!
//! ```text
//! face    N = n
//! edge    N ∝ n₁ + n₂
//! vertex  N ∝ Σ αₖ nₖ      αₖ angle of face k at the vertex
//!
//! sign d(p) = sign (p − c)·N(c)
//! ```
//!
//! c is the point of the mesh nearest to p. With these weights the sign is right for every p whatever the
//! triangulation; with other weights (area, none) it fails near sharp vertices. J. A. Bærentzen, H. Aanæs, "Signed
//! distance computation using the angle weighted pseudonormal", IEEE TVCG 11(3), 2005. The theorem needs a closed,
//! edge-manifold, consistently wound mesh, which is checked here.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::TriMesh;
use super::closest_point_triangle::{CORNER, EDGE, FACE, FEATURES, PreparedTriangle};

/// Why a mesh has no signed distance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshDistanceError {
    /// There is no surface to measure to.
    #[error("the mesh has no triangles")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but the mesh has only {vertices} vertices")]
    VertexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is not finite.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// An edge has a triangle on one side only.
    #[error(
        "the surface is open at the edge from vertex {from} to vertex {to} (triangle {triangle}), so inside \
         and outside are undefined; close the hole with the mesh doctor's repair"
    )]
    OpenEdge {
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
        /// The triangle that has it.
        triangle: usize,
    },
    /// Two triangles run along an edge in the same direction.
    #[error(
        "triangles {first} and {second} both run from vertex {from} to vertex {to}: the edge is shared by \
         more than two triangles or the winding is inconsistent; run the mesh doctor's repair"
    )]
    NonManifoldEdge {
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
        /// A triangle with this edge.
        first: usize,
        /// Another one.
        second: usize,
    },
    /// The enclosed volume is not positive.
    #[error(
        "the mesh is wound inside out (signed volume {volume} m³); flip it with the mesh doctor's repair"
    )]
    InsideOut {
        /// Signed volume [m³].
        volume: f64,
    },
}

/// Unit pseudo-normals of the features of one triangle, in the order of `Feature`.
pub(super) type FeatureNormals = [Vector3<f64>; FEATURES];

/// Pseudo-normals of the features of every triangle of a closed mesh.
pub(super) fn pseudo_normals(
    mesh: &TriMesh,
    triangles: &[PreparedTriangle],
) -> Result<Vec<FeatureNormals>, MeshDistanceError> {
    let owners = directed_edges(mesh)?;
    let mut at_vertex = vec![Vector3::zeros(); mesh.vertices.len()];
    for (indices, triangle) in mesh.triangles.iter().zip(triangles) {
        for (i, &vertex) in indices.iter().enumerate() {
            let [here, next, previous] = [0, 1, 2].map(|k| triangle.corners[(i + k) % 3]);
            let (next, previous) = (next - here, previous - here);
            let angle = libm::atan2(next.cross(&previous).norm(), next.dot(&previous));
            at_vertex[vertex as usize] += triangle.normal * angle;
        }
    }
    let unit = |vector: Vector3<f64>| vector.try_normalize(1e-12).unwrap_or_else(Vector3::zeros);
    Ok(mesh
        .triangles
        .iter()
        .zip(triangles)
        .map(|(indices, triangle)| {
            let mut normals = [Vector3::zeros(); FEATURES];
            normals[FACE] = triangle.normal;
            for i in 0..3 {
                let (from, to) = (indices[i], indices[(i + 1) % 3]);
                let neighbour = owners.get(&(to, from)).map_or(Vector3::zeros(), |&t| triangles[t].normal);
                normals[EDGE + i] = unit(triangle.normal + neighbour);
                normals[CORNER + i] = unit(at_vertex[from as usize]);
            }
            normals
        })
        .collect())
}

/// The triangle that runs along each directed edge; an error unless every edge has both directions once.
fn directed_edges(mesh: &TriMesh) -> Result<HashMap<(u32, u32), usize>, MeshDistanceError> {
    if mesh.triangles.is_empty() {
        return Err(MeshDistanceError::Empty);
    }
    if let Some(vertex) = mesh.vertices.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
        return Err(MeshDistanceError::NotFinite { vertex });
    }
    let mut owners = HashMap::with_capacity(mesh.triangles.len() * 3);
    for (index, indices) in mesh.triangles.iter().enumerate() {
        for (&from, &to) in indices.iter().zip(indices.iter().cycle().skip(1)) {
            if from as usize >= mesh.vertices.len() {
                let vertices = mesh.vertices.len();
                return Err(MeshDistanceError::VertexOutOfRange { triangle: index, vertex: from, vertices });
            }
            if let Some(first) = owners.insert((from, to), index) {
                return Err(MeshDistanceError::NonManifoldEdge { from, to, first, second: index });
            }
        }
    }
    for (index, indices) in mesh.triangles.iter().enumerate() {
        for (&from, &to) in indices.iter().zip(indices.iter().cycle().skip(1)) {
            if !owners.contains_key(&(to, from)) {
                return Err(MeshDistanceError::OpenEdge { from, to, triangle: index });
            }
        }
    }
    let volume = mesh.volume();
    if volume > 0.0 { Ok(owners) } else { Err(MeshDistanceError::InsideOut { volume }) }
}
