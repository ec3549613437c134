//! The Cayley map from a rotation increment to a rotation: the attitude update of the midpoint step
//! (docs/design/math.md §1.3).
//!
//! ```text
//! cay(w) = I + 2/(1 + |h|²) (S(h) + S(h)²),   h = w/2          as quaternion: [1, h] / √(1 + |h|²)
//! ```
//!
//! w = T ω̄ is the increment of one step [rad]. The map rotates by 2 atan(|w|/2) about w. It differs from the
//! exponential map by |w|³/12 and needs no trigonometry. Together with the midpoint Coriolis term it conserves
//! the spatial angular momentum exactly:  (I + ½S(w)) L₁ = (I − ½S(w)) L₀  ⇒  R₁L₁ = R₀L₀.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Rotation by the increment `w` [rad]; `w` is in body axes when the rotation is applied on the right.
#[must_use]
pub fn cayley(increment: Vector3<f64>) -> UnitQuaternion<f64> {
    let half = increment / 2.0;
    let scale = 1.0 / (1.0 + half.norm_squared()).sqrt();
    UnitQuaternion::new_unchecked(Quaternion::from_parts(scale, half * scale))
}

/// Increment `w` [rad] with `cayley(w) == rotation`; |w| grows without bound as the angle approaches π.
#[must_use]
pub fn cayley_inverse(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    rotation.imag() * (2.0 / rotation.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cayley_equals_its_matrix_form_and_inverts(x in -2.0..2.0, y in -2.0..2.0, z in -2.0..2.0) {
            let w = Vector3::new(x, y, z);
            let h = w / 2.0;
            let s = h.cross_matrix();
            let matrix = Matrix3::identity() + (s + s * s) * (2.0 / (1.0 + h.norm_squared()));
            let rotation = cayley(w);
            prop_assert!((rotation.to_rotation_matrix().matrix() - matrix).norm() < 1e-14);
            prop_assert!((cayley_inverse(&rotation) - w).norm() < 1e-13);
        }

        #[test]
        fn midpoint_rule_with_cayley_conserves_spatial_momentum(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0) {
            let w = Vector3::new(x, y, z);
            let momentum = Vector3::new(0.3, -0.7, 1.1);
            let s = w.cross_matrix() / 2.0;
            let next = (Matrix3::identity() + s).try_inverse().unwrap() * (Matrix3::identity() - s) * momentum;
            prop_assert!((cayley(w) * next - momentum).norm() < 1e-14);
        }
    }
}
