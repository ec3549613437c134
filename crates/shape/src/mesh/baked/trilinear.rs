//! Interpolation over a cell.
//!
//! ```text
//! d(u) = Σ_c w_c(u) d_c        w_c = Π_i (u_i or 1 − u_i)      u ∈ [0,1]³, d_c distance at corner c [m]
//! ```

use nalgebra::Vector3;

/// Corner values per cell.
pub(super) const CORNERS: usize = 8;

/// Interpolated value and its derivative in u; corner c has coordinates (c & 1, c >> 1 & 1, c >> 2).
#[inline]
pub(super) fn trilinear(values: &[f32], u: Vector3<f64>) -> (f64, Vector3<f64>) {
    let v = |corner: usize| f64::from(values[corner]);
    let along_x = [0, 2, 4, 6].map(|c| v(c + 1) - v(c));
    let [p, q, r, s] = [0, 1, 2, 3].map(|i| v(2 * i) + along_x[i] * u.x);
    let (low, high) = (p + (q - p) * u.y, r + (s - r) * u.y);
    let slope_low = along_x[0] + (along_x[1] - along_x[0]) * u.y;
    let slope_high = along_x[2] + (along_x[3] - along_x[2]) * u.y;
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
