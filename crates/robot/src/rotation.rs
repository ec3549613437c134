//! Conversions between rotations and axis-angle vectors, with elementary functions that are identical on every
//! machine.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Rotation about a unit axis by an angle [rad].
#[must_use]
pub fn rotation_about(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis * sin))
}

/// Rotation vector [rad] of a rotation: axis times angle, of at most half a turn.
#[must_use]
pub fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (cos, axis) =
        if rotation.w < 0.0 { (-rotation.w, -rotation.imag()) } else { (rotation.w, rotation.imag()) };
    let sin = axis.norm();
    // 2 atan2(s, c)/s tends to 2/c for small s.
    let per_sin = if sin > 1e-9 { 2.0 * libm::atan2(sin, cos) / sin } else { 2.0 / cos };
    axis * per_sin
}

/// Rotation of fixed-axis roll, pitch and yaw [rad], as in URDF.
pub(crate) fn from_roll_pitch_yaw([roll, pitch, yaw]: [f64; 3]) -> UnitQuaternion<f64> {
    let mut rotation = rotation_about(Vector3::z(), yaw)
        * rotation_about(Vector3::y(), pitch)
        * rotation_about(Vector3::x(), roll);
    rotation.renormalize();
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_rotation_vector_survives_the_round_trip(x in -1.8..1.8, y in -1.8..1.8, z in -1.8..1.8, small in 0_i32..12) {
            let vector = Vector3::new(x, y, z) * 10_f64.powi(-small);
            let rotation = rotation_about(vector.normalize(), vector.norm());
            prop_assert!((rotation_vector(&rotation) - vector).norm() <= 1e-14 * (1.0 + vector.norm()));
        }
    }
}
