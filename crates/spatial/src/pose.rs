//! A rigid pose, named by what it maps: `world_from_peg` takes peg coordinates to world coordinates.

use std::ops::Mul;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Position and attitude of one frame in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the inner frame in the outer frame [m].
    pub translation: Vector3<f64>,
    /// Attitude: takes vectors of the inner frame to the outer frame.
    pub rotation: UnitQuaternion<f64>,
}

impl Pose {
    /// Pose from its two parts.
    #[must_use]
    pub fn new(translation: Vector3<f64>, rotation: UnitQuaternion<f64>) -> Self {
        Self { translation, rotation }
    }

    /// The identity transform.
    #[must_use]
    pub fn identity() -> Self {
        Self::new(Vector3::zeros(), UnitQuaternion::identity())
    }

    /// A shift [m] without rotation.
    #[must_use]
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self::new(translation, UnitQuaternion::identity())
    }

    /// `peg_from_world` of `world_from_peg`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self::new(-(rotation * self.translation), rotation)
    }

    /// Interpolates towards another pose: `part` is 0 at `self` and 1 at `other`. Linear in translation, spherical
    /// (slerp) in rotation.
    #[must_use]
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        let translation = self.translation + (other.translation - self.translation) * part;
        let turn = self.rotation.inverse() * other.rotation;
        // rotate through the smaller angle
        let (cos, axis) = if turn.w < 0.0 { (-turn.w, -turn.imag()) } else { (turn.w, turn.imag()) };
        let length = axis.norm();
        let (sin, cos) = libm::sincos(part * libm::atan2(length, cos));
        let axis = if length > 0.0 { axis / length } else { axis };
        let turn = UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin));
        Self::new(translation, self.rotation * turn)
    }

    /// `p_in_outer` of `p_in_inner` [m].
    #[must_use]
    pub fn transform_point(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.translation
    }

    /// Rotates a free vector (normal, velocity, force) into the outer frame.
    #[must_use]
    pub fn transform_vector(&self, vector: Vector3<f64>) -> Vector3<f64> {
        self.rotation * vector
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.iter().chain(self.rotation.coords.iter()).all(|value| value.is_finite())
    }
}

impl Mul for Pose {
    type Output = Pose;

    /// Inner frames cancel: `world_from_peg * peg_from_node` is `world_from_node`.
    fn mul(self, inner: Pose) -> Pose {
        Pose::new(self.transform_point(inner.translation), self.rotation * inner.rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cayley;

    #[test]
    fn composition_and_inverse_are_consistent() {
        let world_from_peg = Pose::new(Vector3::new(0.1, -0.2, 0.3), cayley(Vector3::new(0.4, 0.1, -0.9)));
        let peg_from_node = Pose::new(Vector3::new(0.01, 0.02, 0.0), cayley(Vector3::new(0.0, 0.7, 0.2)));
        let point_in_node = Vector3::new(0.003, -0.004, 0.005);
        let direct = (world_from_peg * peg_from_node).transform_point(point_in_node);
        let stepwise = world_from_peg.transform_point(peg_from_node.transform_point(point_in_node));
        assert!((direct - stepwise).norm() < 1e-16);
        let back = (world_from_peg.inverse() * world_from_peg).transform_point(point_in_node);
        assert!((back - point_in_node).norm() < 1e-16);
    }

    #[test]
    fn interpolation_is_uniform_and_reaches_both_ends() {
        let here = Pose::new(Vector3::new(0.1, -0.2, 0.3), cayley(Vector3::new(0.4, 0.1, -0.9)));
        let there = Pose::new(Vector3::new(0.5, 0.0, 0.1), cayley(Vector3::new(-0.4, 0.8, 0.3)));
        let whole = here.rotation.angle_to(&there.rotation);
        for part in [0.0, 0.25, 1.0] {
            let on_the_way = here.towards(&there, part);
            assert!((here.rotation.angle_to(&on_the_way.rotation) - part * whole).abs() < 1e-15);
            assert!((on_the_way.rotation.angle_to(&there.rotation) - (1.0 - part) * whole).abs() < 1e-15);
            assert!((on_the_way.translation.x - 0.1 - 0.4 * part).abs() < 1e-16);
        }
        assert_eq!(here.towards(&here, 0.3).translation, here.translation);
    }
}
