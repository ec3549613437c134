//! The Euclidean distance to an intersection of bodies, including its convex edges and corners.
//!
//! Outside, max(dᵢ) is only a lower bound of the distance to ∩ᵢ Bᵢ: at a right-angled edge it is short by up
//! to 29 %. With each body replaced by its tangent half-space, the nearest point solves a small quadratic
//! programme,
//!
//! ```text
//! min ½|δ|²   s.t.  dᵢ + nᵢ·δ ≤ 0      δ = −Σ λᵢ nᵢ over the active i,   Gλ = d,   Gᵢⱼ = nᵢ·nⱼ,   λ ≥ 0
//! ```
//!
//! whose active set has one, two or three members; they are tried in that order. Inside, max(dᵢ) is exact:
//! the ball around the point that just touches one body's surface lies inside all the others. For curved bodies
//! the error is of second order in the distance, d²/2r.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use crate::Sample;

/// A half-space violated by at most this [m] counts as satisfied.
const FEASIBLE: f64 = 1e-12;

/// Field of the intersection of bodies, from the field of each body at one point.
#[must_use]
pub fn intersection(bodies: &[Sample]) -> Sample {
    let deepest = bodies.iter().copied().max_by(|a, b| a.distance.total_cmp(&b.distance));
    let Some(deepest) = deepest else {
        return Sample { distance: f64::NEG_INFINITY, normal: Vector3::z() };
    };
    // common cases first: inside, or in front of a single face
    if deepest.distance <= 0.0 || is_feasible(bodies, -deepest.normal * deepest.distance) {
        return deepest;
    }
    let nearest = edges(bodies).chain(corners(bodies)).filter(|&delta| is_feasible(bodies, delta));
    match nearest.min_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared())) {
        Some(delta) if delta.norm() >= deepest.distance => {
            let distance = delta.norm();
            Sample { distance, normal: -delta / distance }
        }
        // nearly parallel faces have no usable edge: return the lower bound
        _ => deepest,
    }
}

fn is_feasible(bodies: &[Sample], delta: Vector3<f64>) -> bool {
    bodies.iter().all(|body| body.distance + body.normal.dot(&delta) <= FEASIBLE)
}

/// Steps to the edges between two faces.
fn edges(bodies: &[Sample]) -> impl Iterator<Item = Vector3<f64>> + '_ {
    let pairs = (0..bodies.len()).flat_map(move |i| (i + 1..bodies.len()).map(move |j| (i, j)));
    pairs.filter_map(|(i, j)| {
        let (a, b) = (bodies[i], bodies[j]);
        let cross = a.normal.dot(&b.normal);
        let gram = Matrix2::new(1.0, cross, cross, 1.0);
        // 1e-6: faces within 0.05° of each other have no well-defined edge
        let inverse = (1.0 - cross * cross > 1e-6).then(|| gram.try_inverse()).flatten()?;
        let weights = inverse * Vector2::new(a.distance, b.distance);
        (weights.min() >= 0.0).then(|| -(a.normal * weights.x + b.normal * weights.y))
    })
}

/// Steps to the corners between three faces.
fn corners(bodies: &[Sample]) -> impl Iterator<Item = Vector3<f64>> + '_ {
    let count = bodies.len();
    let triples = (0..count)
        .flat_map(move |i| (i + 1..count).flat_map(move |j| (j + 1..count).map(move |k| [i, j, k])));
    triples.filter_map(|indices| {
        let [a, b, c] = indices.map(|index| bodies[index]);
        let normals = Matrix3::from_columns(&[a.normal, b.normal, c.normal]);
        let gram = normals.transpose() * normals;
        let inverse = (gram.determinant() > 1e-6).then(|| gram.try_inverse()).flatten()?;
        let weights = inverse * Vector3::new(a.distance, b.distance, c.distance);
        (weights.min() >= 0.0).then(|| -(normals * weights))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_space(normal: Vector3<f64>, point: Vector3<f64>) -> Sample {
        Sample { distance: normal.dot(&point), normal }
    }

    #[test]
    fn distance_to_the_corner_of_an_octant_is_euclidean() {
        let octant =
            |p: Vector3<f64>| [Vector3::x(), Vector3::y(), Vector3::z()].map(|normal| half_space(normal, p));
        let truth = |p: Vector3<f64>| p.map(|c| c.max(0.0)).norm();
        for point in [
            Vector3::new(1.0, 2.0, 2.0),
            Vector3::new(3.0, 4.0, -1.0),
            Vector3::new(0.5, -0.2, -0.3),
            Vector3::new(1e-9, 2e-9, -1.0),
        ] {
            assert!((intersection(&octant(point)).distance - truth(point)).abs() < 1e-12);
        }
        let inside = Vector3::new(-0.1, -0.5, -0.2);
        assert_eq!(intersection(&octant(inside)).distance, -0.1);
    }

    #[test]
    fn distance_to_an_acute_edge_exceeds_the_distance_to_its_faces() {
        // material between y = 0 and 30° below it, opening towards +x; the edge is the z axis
        let (sin, cos) = 30_f64.to_radians().sin_cos();
        let (upper, lower) = (Vector3::y(), Vector3::new(-sin, -cos, 0.0));
        let point = Vector3::new(-0.5, 0.2, 0.0);
        let sample = intersection(&[half_space(upper, point), half_space(lower, point)]);
        assert!(sample.distance >= half_space(upper, point).distance);
        assert!((sample.distance - point.norm()).abs() < 1e-12, "{sample:?}");
    }
}
