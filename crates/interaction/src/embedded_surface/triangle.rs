//! The nearest point of a triangle in any number of dimensions (Ericson 2005, 5.1.5), by dot products alone.
//!
//! ```text
//! u = b − a, v = c − a          q = a + s u + t v, 0 ≤ s, t, s + t ≤ 1, nearest to p
//! ```

/// |a − b|².
pub(super) fn squared_distance<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Σ weight·place.
pub(super) fn blend<const N: usize>(weights: [f64; 3], places: [&[f64; N]; 3]) -> [f64; N] {
    std::array::from_fn(|k| weights[0] * places[0][k] + weights[1] * places[1][k] + weights[2] * places[2][k])
}

/// p − q.
#[inline]
pub(super) fn minus<const N: usize>(p: &[f64; N], q: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|k| p[k] - q[k])
}

/// p·q.
#[inline]
pub(super) fn dot<const N: usize>(p: &[f64; N], q: &[f64; N]) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * q).sum()
}

/// Barycentric coordinates of the point of a triangle nearest to p, from u·u, u·v, v·v, u·(p − a) and v·(p − a).
pub(super) fn barycentric([uu, uv, vv]: [f64; 3], [d1, d2]: [f64; 2]) -> [f64; 3] {
    // The same products relative to b and to c.
    let (d3, d4) = (d1 - uu, d2 - uv);
    let (d5, d6) = (d1 - uv, d2 - vv);
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let ab = d1 * d4 - d3 * d2;
    if ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let s = d1 / (d1 - d3);
        return [1.0 - s, s, 0.0];
    }
    let ac = d5 * d2 - d1 * d6;
    if ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let bc = d3 * d6 - d5 * d4;
    if bc <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let whole = ab + ac + bc;
    let (s, t) = (ac / whole, ab / whole);
    [1.0 - s - t, s, t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_point_of_the_triangle_is_nearer() {
        let noise = |k: u32| ((f64::from(k) * 12.9898).sin() * 43758.5453).fract();
        for case in 0..300 {
            let corner =
                |which: u32| -> [f64; 5] { std::array::from_fn(|k| noise(case * 40 + which * 5 + k as u32)) };
            let corners = [corner(0), corner(1), corner(2)];
            let target: [f64; 5] = std::array::from_fn(|k| 2.0 * noise(case * 40 + 20 + k as u32));
            let [a, b, c] = &corners;
            let (u, v, to) = (minus(b, a), minus(c, a), minus(&target, a));
            let weights = barycentric([dot(&u, &u), dot(&u, &v), dot(&v, &v)], [dot(&u, &to), dot(&v, &to)]);
            assert!(weights.iter().all(|w| (-1e-12..=1.0 + 1e-12).contains(w)), "{weights:?}");
            let distance = |weights| squared_distance(&blend(weights, corners.each_ref()), &target);
            let found = distance(weights);
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let [s, t] = [i, j].map(|k| f64::from(k) / 20.0);
                    assert!(distance([1.0 - s - t, s, t]) > found - 1e-12, "{case}");
                }
            }
        }
    }
}
