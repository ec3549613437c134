//! Trilinear interpolation over a cell.
//!
//! ```text
//! d(u) = Σ_c w_c(u) d_c        w_c = Π_i (u_i or 1 − u_i)      u ∈ [0,1]³, d_c distance at corner c [m]
//! ```

use nalgebra::Vector3;

/// Corner values per cell.
pub(super) const CORNERS: usize = 8;

/// Interpolated value and its derivative in u; corner c has coordinates (c & 1, c >> 1 & 1, c >> 2).
#[inline]
pub(super) fn trilinear(values: &[f32; CORNERS], u: Vector3<f64>) -> (f64, Vector3<f64>) {
    let v = |corner: usize| f64::from(values[corner]);
    let (x0, x1, x2, x3) = (v(1) - v(0), v(3) - v(2), v(5) - v(4), v(7) - v(6));
    let (p, q, r, s) = (v(0) + x0 * u.x, v(2) + x1 * u.x, v(4) + x2 * u.x, v(6) + x3 * u.x);
    let (low, high) = (p + (q - p) * u.y, r + (s - r) * u.y);
    let slope_low = x0 + (x1 - x0) * u.y;
    let slope_high = x2 + (x3 - x2) * u.y;
    let gradient = Vector3::new(
        slope_low + (slope_high - slope_low) * u.z,
        (q - p) + ((s - r) - (q - p)) * u.z,
        high - low,
    );
    (low + (high - low) * u.z, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_reproduces_corners_and_its_gradient_is_its_derivative() {
        let values = [0.1, -0.4, 0.7, 0.2, 1.3, -0.6, 0.5, 0.9f32];
        for corner in 0..CORNERS {
            let u = Vector3::from_fn(|i, _| (corner >> i & 1) as f64);
            assert!((trilinear(&values, u).0 - f64::from(values[corner])).abs() < 1e-15);
        }
        let u = Vector3::new(0.3, 0.8, 0.45);
        let gradient = trilinear(&values, u).1;
        for i in 0..3 {
            let shift = Vector3::ith(i, 0.1);
            let slope = (trilinear(&values, u + shift).0 - trilinear(&values, u - shift).0) / 0.2;
            assert!((slope - gradient[i]).abs() < 1e-14);
        }
    }
}
