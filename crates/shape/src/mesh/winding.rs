//! Winding number of a surface around a point (Van Oosterom and Strackee 1983).
//!
//! ```text
//! w(p) = 1/4π Σ Ω,   tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
//! ```
//!
//! a, b, c are the corners relative to p. For a closed surface w is ±1 inside and 0 outside. It needs no ray, so it
//! has no special case for a ray that hits an edge.

use nalgebra::Vector3;

use super::TriMesh;

/// Winding number of the given triangles around `point` [-].
pub(crate) fn winding_number(
    mesh: &TriMesh,
    triangles: impl IntoIterator<Item = usize>,
    point: Vector3<f64>,
) -> f64 {
    let half_angle = |index: usize| {
        let [a, b, c] = mesh.corners(index).map(|corner| corner - point);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        libm::atan2(a.dot(&b.cross(&c)), below)
    };
    triangles.into_iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::cube;

    #[test]
    fn a_closed_surface_winds_once_around_inner_points() {
        let mesh = cube();
        let around = |p| winding_number(&mesh, 0..mesh.triangles.len(), p);
        assert!((around(Vector3::new(0.3, 0.6, 0.2)) - 1.0).abs() < 1e-12);
        assert!(around(Vector3::new(1.3, 0.6, 0.2)).abs() < 1e-12);
    }
}
