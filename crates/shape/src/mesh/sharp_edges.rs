//! Sharp edges: a part can touch another one with them, so they need contact nodes.
//!
//! ```text
//! α = atan2((n₁ × n₂)·e, n₁·n₂)      e along the edge in the direction of triangle 1; α > 0 convex, α < 0 concave
//! ```
//!
//! α [rad] is the turn of the outward normal: 0 in a plane, π/2 at the edge of a cube.

use nalgebra::Vector3;

use super::topology::{half_edge_end, half_edge_start};
use super::{Edge, EdgeTable, TriMesh};

/// An edge is sharp when the normal turns by more than this [rad]: 15°. Facets of a curved face with 24 or more
/// segments per revolution stay below.
pub const DEFAULT_SHARP_ANGLE: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// A sharp edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpEdge {
    /// Vertices at its ends.
    pub vertices: [u32; 2],
    /// Triangles on its two sides.
    pub triangles: [u32; 2],
    /// Turn of the outward normal [rad], positive when convex.
    pub angle: f64,
}

impl SharpEdge {
    /// Whether the edge protrudes from the material.
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.angle > 0.0
    }
}

/// Turn α of the outward normal across an edge [rad], positive when convex; `None` unless exactly two
/// triangles meet there in opposite directions.
#[must_use]
pub fn dihedral_angle(mesh: &TriMesh, edge: Edge<'_>) -> Option<f64> {
    let [first, second] = edge.manifold(&mesh.triangles)?;
    let [from, to] = [half_edge_start, half_edge_end].map(|end| end(&mesh.triangles, first) as usize);
    let along = (mesh.vertices[to] - mesh.vertices[from]).normalize();
    let [n1, n2] = [first, second].map(|half| unit(mesh.area_vector((half / 3) as usize)));
    Some(libm::atan2(n1.cross(&n2).dot(&along), n1.dot(&n2)))
}

/// The direction of `vector`; zero for a triangle without area, so that the turn at its edges is zero.
fn unit(vector: Vector3<f64>) -> Vector3<f64> {
    vector.try_normalize(f64::MIN_POSITIVE).unwrap_or_default()
}

/// Edges, convex and concave, across which the normal turns by more than `threshold` [rad].
#[must_use]
pub fn sharp_edges(mesh: &TriMesh, table: &EdgeTable, threshold: f64) -> Vec<SharpEdge> {
    let sharp = |edge: Edge<'_>| {
        let angle = dihedral_angle(mesh, edge).filter(|angle| angle.abs() > threshold)?;
        let triangles = [edge.half_edges[0] / 3, edge.half_edges[1] / 3];
        Some(SharpEdge { vertices: edge.vertices, triangles, angle })
    };
    table.iter().filter_map(sharp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{bracket, cube};
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_cube_has_twelve_convex_edges_of_ninety_degrees() {
        let mesh = cube();
        let edges = sharp_edges(&mesh, &EdgeTable::new(&mesh), DEFAULT_SHARP_ANGLE);
        assert_eq!(edges.len(), 12);
        assert!(edges.iter().all(|edge| edge.is_convex() && (edge.angle - FRAC_PI_2).abs() < 1e-12));
    }

    #[test]
    fn the_inner_corner_of_a_bracket_is_concave() {
        let mesh = bracket();
        let edges = sharp_edges(&mesh, &EdgeTable::new(&mesh), DEFAULT_SHARP_ANGLE);
        let concave: Vec<_> = edges.iter().filter(|edge| !edge.is_convex()).collect();
        assert_eq!((edges.len(), concave.len()), (18, 1));
        assert!((concave[0].angle + FRAC_PI_2).abs() < 1e-12);
    }
}
