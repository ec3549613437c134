//! The point of a triangle nearest to a query point, and the feature (face, edge, vertex) that contains it.
//!
//! ```text
//! s  = (p − v₀)·n                       height over the plane [m]
//! mᵢ = (p − vᵢ)·(n × eᵢ) > 0 ∀ i        ⇒ face:  c = p − s n
//! tᵢ = clamp((p − vᵢ)·eᵢ/eᵢ², 0, 1)     otherwise: c = vᵢ + tᵢ eᵢ over the edges with mᵢ ≤ 0, nearest wins
//! ```
//!
//! n unit normal, vᵢ corner i, eᵢ = vᵢ₊₁ − vᵢ edge i [m]; n × eᵢ points into the triangle. The point of a convex
//! polygon nearest to an outside point lies on an edge whose half-plane excludes that outside point, so other edges
//! need no test. Projecting on n instead of forming barycentric products keeps the height exact to rounding on the
//! long thin triangles of threads. Edges are recomputed: loading 96 bytes per triangle is faster than loading stored
//! edges as well. A degenerate triangle has n = 0, so that all its edges are tested.

use nalgebra::Vector3;

/// A triangle has no usable plane when twice its area over its longest edge squared is at most this [-].
const DEGENERATE: f64 = 1e-12;

/// Feature of a triangle: 0 the face, 1 + i edge i (from corner i to i + 1), 4 + i corner i.
pub(super) type Feature = usize;
/// The interior of the triangle.
pub(super) const FACE: Feature = 0;
/// Edge 0; edge i is `EDGE + i`.
pub(super) const EDGE: Feature = 1;
/// Corner 0; corner i is `CORNER + i`.
pub(super) const CORNER: Feature = 4;
/// Number of features.
pub(super) const FEATURES: usize = 7;

/// Nearest point of one triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosestPoint {
    /// The point on the triangle [m].
    pub(super) point: Vector3<f64>,
    /// Squared distance to it [m²].
    pub(super) squared: f64,
    /// The feature that contains it.
    pub(super) feature: Feature,
}

/// A triangle prepared for many queries.
#[derive(Clone, Debug)]
pub(super) struct PreparedTriangle {
    /// Corners in winding order [m].
    pub(super) corners: [Vector3<f64>; 3],
    /// Outward unit normal; zero when the triangle is degenerate.
    pub(super) normal: Vector3<f64>,
}

impl PreparedTriangle {
    /// Triangle through three corners [m], counter-clockwise seen from outside.
    pub(super) fn new(corners: [Vector3<f64>; 3]) -> Self {
        let span = [0, 1, 2].map(|i| corners[(i + 1) % 3] - corners[i]);
        let twice_area = span[0].cross(&span[1]);
        let longest = span.iter().map(Vector3::norm_squared).fold(0.0, f64::max);
        let degenerate = twice_area.norm() <= DEGENERATE * longest;
        Self { corners, normal: if degenerate { Vector3::zeros() } else { twice_area.normalize() } }
    }

    /// The point of the triangle nearest to `p` [m]; `None` when already its plane is farther away than the square
    /// root of `bound` [m²].
    #[inline]
    pub(super) fn closest(&self, p: Vector3<f64>, bound: f64) -> Option<ClosestPoint> {
        let [a, b, c] = self.corners;
        let from_a = p - a;
        let height = from_a.dot(&self.normal);
        let squared = height * height;
        if squared > bound {
            return None;
        }
        let (from_b, from_c) = (p - b, p - c);
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let beyond = |from: &Vector3<f64>, edge: &Vector3<f64>| from.dot(&self.normal.cross(edge)) <= 0.0;
        let beyond_ab = beyond(&from_a, &ab);
        let beyond_bc = beyond(&from_b, &bc);
        let beyond_ca = beyond(&from_c, &ca);
        if !(beyond_ab || beyond_bc || beyond_ca) {
            return Some(ClosestPoint { point: p - self.normal * height, squared, feature: FACE });
        }
        let mut best = ClosestPoint { point: p, squared: f64::INFINITY, feature: FACE };
        if beyond_ab {
            offer_edge(0, p, from_a, ab, &mut best);
        }
        if beyond_bc {
            offer_edge(1, p, from_b, bc, &mut best);
        }
        if beyond_ca {
            offer_edge(2, p, from_c, ca, &mut best);
        }
        Some(best)
    }
}

/// Updates `best` if the point of edge `i` is nearer to `p`; `from` points from the start of the edge to `p` [m].
#[inline]
fn offer_edge(i: usize, p: Vector3<f64>, from: Vector3<f64>, edge: Vector3<f64>, best: &mut ClosestPoint) {
    let (along, length) = (from.dot(&edge), edge.norm_squared());
    let (t, feature) = if along <= 0.0 {
        (0.0, CORNER + i)
    } else if along >= length {
        (1.0, CORNER + (i + 1) % 3)
    } else {
        (along / length, EDGE + i)
    };
    let away = from - edge * t;
    let squared = away.norm_squared();
    if squared < best.squared {
        *best = ClosestPoint { point: p - away, squared, feature };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_the_triangle_is_nearer_than_the_closest_point() {
        let corners =
            [Vector3::new(0.0, 0.0, 0.0), Vector3::new(3.0, 0.1, 0.2), Vector3::new(2.0, 0.4, -0.1)];
        let triangle = PreparedTriangle::new(corners);
        for step in 0..500 {
            let phase = f64::from(step);
            let p = Vector3::new(1.5 + 3.0 * phase.sin(), 2.0 * (phase * 0.7).cos(), (phase * 0.3).sin());
            let found = triangle.closest(p, f64::INFINITY).unwrap();
            assert!(((p - found.point).norm_squared() - found.squared).abs() < 1e-14);
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let q = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                    assert!((p - q).norm_squared() >= found.squared - 1e-13);
                }
            }
        }
    }

    #[test]
    fn a_degenerate_triangle_is_measured_by_its_edges() {
        let [a, b, c] = [0.0, 1.0, 0.4].map(|x| Vector3::new(x, 0.0, 0.0));
        let triangle = PreparedTriangle::new([a, b, c]);
        let found = triangle.closest(Vector3::new(0.7, 0.3, 0.0), 1.0).unwrap();
        assert!((found.squared - 0.09).abs() < 1e-15 && found.feature != FACE);
    }
}
