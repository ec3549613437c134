//! The chart in which a policy moves the part: position, tilt and angle in the frame of the fixed part.
//!
//! ```text
//! fixed_from_part = (x, exp([a b 0]) Rz(θ))      x [m], tilt (a, b) [rad], angle θ [rad], counted over whole turns
//! ```

use tightfit_pipeline::integration::twist_angle;
use tightfit_simulation::Waypoint;
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

/// A pose of the driven part against the fixed one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SetPoint {
    /// Position of the part's frame [m].
    pub position: Vector3<f64>,
    /// Tilt about x and y [rad].
    pub tilt: [f64; 2],
    /// Angle about the part's z axis, counted over whole turns [rad].
    pub angle: f64,
}

impl SetPoint {
    /// The chart of a pose; its angle is the one nearest to `near` [rad].
    #[must_use]
    pub fn of(fixed_from_part: &Pose, near: f64) -> Self {
        let twist = twist_angle(&fixed_from_part.rotation);
        let tau = std::f64::consts::TAU;
        let angle = twist + tau * ((near - twist) / tau).round();
        let swing = fixed_from_part.rotation * about_z(-twist);
        // the rotation vector of the shorter way
        let sign = if swing.w < 0.0 { -1.0 } else { 1.0 };
        let sin = libm::sqrt(swing.i * swing.i + swing.j * swing.j + swing.k * swing.k);
        let scale = if sin > 1e-12 { 2.0 * libm::atan2(sin, swing.w * sign) / sin } else { 2.0 };
        let tilt = [swing.i, swing.j].map(|part| part * sign * scale);
        Self { position: fixed_from_part.translation, tilt, angle }
    }

    /// The rotation of the tilt alone.
    #[must_use]
    pub fn swing(&self) -> UnitQuaternion<f64> {
        let [a, b] = self.tilt;
        let norm = libm::sqrt(a * a + b * b);
        let (sin, cos) = libm::sincos(norm / 2.0);
        let share = if norm > 1e-12 { sin / norm } else { 0.5 };
        UnitQuaternion::new_normalize(Quaternion::new(cos, a * share, b * share, 0.0))
    }

    /// The pose in the fixed part's frame.
    #[must_use]
    pub fn pose(&self) -> Pose {
        Pose::new(self.position, self.swing() * about_z(self.angle))
    }

    /// The pose as a set-point of a drive at a time [s].
    #[must_use]
    pub fn waypoint(&self, time: f64, world_from_fixed: &Pose) -> Waypoint {
        Waypoint {
            time,
            position: world_from_fixed.transform_point(self.position),
            angle: self.angle,
            rotation: world_from_fixed.rotation * self.swing(),
        }
    }

    /// All six numbers [m, rad].
    #[must_use]
    pub fn numbers(&self) -> [f64; 6] {
        let [x, y, z] = self.position.into();
        [x, y, z, self.tilt[0], self.tilt[1], self.angle]
    }

    /// The set-point of six numbers [m, rad].
    #[must_use]
    pub fn from_numbers([x, y, z, a, b, angle]: [f64; 6]) -> Self {
        Self { position: Vector3::new(x, y, z), tilt: [a, b], angle }
    }
}

fn about_z(angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    UnitQuaternion::new_normalize(Quaternion::new(cos, 0.0, 0.0, sin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chart_and_pose_are_inverse_to_each_other_over_whole_turns() {
        for numbers in [[0.0; 6], [1e-3, -2e-3, 0.04, 0.03, -0.02, -13.0], [0.0, 0.0, 0.0, -0.3, 0.4, 7.5]] {
            let point = SetPoint::from_numbers(numbers);
            let again = SetPoint::of(&point.pose(), point.angle + 1.0).numbers();
            for (own, other) in numbers.into_iter().zip(again) {
                assert!((own - other).abs() < 1e-12, "{numbers:?} became {again:?}");
            }
        }
    }
}
