//! The rotation vector of a quaternion, θ n, by functions that do not depend on the C library.
//!
//! ```text
//! q = (w, v),   θ n = 2 atan2(|v|, |w|) · sign(w) v / |v|,   |θ| ≤ π
//! ```

use crate::{UnitQuaternion, Vector3};

/// Axis times angle [rad], the angle at most half a turn.
#[must_use]
pub fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (imaginary, real) = (rotation.imag(), rotation.w);
    let length = imaginary.norm();
    let sign = if real < 0.0 { -2.0 } else { 2.0 };
    // atan(x) = x to the last bit where x² is below the rounding of one
    let per_length = if length < 1e-9 { 1.0 } else { libm::atan2(length, real.abs()) / length };
    imaginary * (sign * per_length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_undoes_the_exponential() {
        for angle in [0.0, 1e-12, 1e-9, 1e-6, 0.1, 1.0, 3.0, 3.1] {
            let vector = Vector3::new(0.36, -0.48, 0.8) * angle;
            let rotation = UnitQuaternion::from_scaled_axis(vector);
            for rotation in [rotation, UnitQuaternion::new_unchecked(-rotation.into_inner())] {
                let error = (rotation_vector(&rotation) - vector).norm();
                assert!(error < 1e-15 * (1.0 + 5.0 * angle), "{angle} rad: {error}");
            }
        }
    }
}
