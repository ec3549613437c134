//! Triangulates a nearly planar polygon by ear clipping (Meisters 1975).
//!
//! The polygon is projected along its area vector ½ Σ pᵢ × pᵢ₊₁. An ear is a convex corner whose triangle contains no
//! other corner; every simple polygon has two. Where rounding or a self-intersection hides them, the most convex
//! corner is cut instead, so that the loop always ends with n − 2 triangles.

use nalgebra::{Vector2, Vector3};

/// Triangles as indices into `points`, with the winding of the polygon.
pub(crate) fn clip_ears(points: &[Vector3<f64>]) -> Vec<[usize; 3]> {
    let flat = flattened(points);
    let mut remaining: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len().saturating_sub(2));
    while remaining.len() > 3 {
        let count = remaining.len();
        let around =
            |i: usize| [remaining[(i + count - 1) % count], remaining[i], remaining[(i + 1) % count]];
        let ear = (0..count).find(|&i| is_ear(&flat, around(i), &remaining)).unwrap_or_else(|| {
            let turn = |i: usize| double_area(around(i).map(|corner| flat[corner]));
            (0..count).max_by(|&a, &b| turn(a).total_cmp(&turn(b))).unwrap_or(0)
        });
        triangles.push(around(ear));
        remaining.remove(ear);
    }
    if let [a, b, c] = remaining[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// The polygon projected onto the plane normal to its area vector, counter-clockwise.
fn flattened(points: &[Vector3<f64>]) -> Vec<Vector2<f64>> {
    let origin = points.first().copied().unwrap_or_default();
    let next = points.iter().cycle().skip(1);
    let area: Vector3<f64> = points.iter().zip(next).map(|(p, q)| (p - origin).cross(&(q - origin))).sum();
    let normal = area.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z);
    let least = normal.iamin();
    let across = Vector3::ith(least, 1.0).cross(&normal).normalize();
    let up = normal.cross(&across);
    points.iter().map(|p| Vector2::new(across.dot(&(p - origin)), up.dot(&(p - origin)))).collect()
}

fn double_area([a, b, c]: [Vector2<f64>; 3]) -> f64 {
    (b - a).perp(&(c - a))
}

fn is_ear(flat: &[Vector2<f64>], corners: [usize; 3], remaining: &[usize]) -> bool {
    let [a, b, c] = corners.map(|corner| flat[corner]);
    let inside = |p: Vector2<f64>| {
        double_area([a, b, p]) >= 0.0 && double_area([b, c, p]) >= 0.0 && double_area([c, a, p]) >= 0.0
    };
    // corners at the same position (bridges to inner loops) do not block an ear
    let blocks = |&other: &usize| {
        let p = flat[other];
        !corners.contains(&other) && p != a && p != b && p != c && inside(p)
    };
    double_area([a, b, c]) > 0.0 && !remaining.iter().any(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(points: &[Vector3<f64>], triangles: &[[usize; 3]]) -> f64 {
        let cross = |t: &[usize; 3]| (points[t[1]] - points[t[0]]).cross(&(points[t[2]] - points[t[0]])).z;
        assert!(triangles.iter().all(|t| cross(t) >= 0.0), "every triangle keeps the winding");
        triangles.iter().map(|t| cross(t) / 2.0).sum()
    }

    #[test]
    fn a_concave_polygon_keeps_its_area() {
        // a fan from the first corner would cover the notch and give an area of 1.5
        let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 0.25), (0.0, 1.0)];
        let points: Vec<_> = outline.iter().map(|&(x, y)| Vector3::new(x, y, 0.0)).collect();
        assert!((area(&points, &clip_ears(&points)) - 1.25).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_polygon_gives_two_triangles_fewer_than_corners(
            corners in prop::collection::vec((-1.0..1.0, -1.0..1.0, -1.0..1.0), 3..40)
        ) {
            let points: Vec<_> = corners.iter().map(|&(x, y, z)| Vector3::new(x, y, z)).collect();
            prop_assert_eq!(clip_ears(&points).len(), points.len() - 2);
        }
    }
}
