//! The wrench dual to the mixed twist: force in world axes, torque about the centre of mass in body axes.

use std::ops::{Add, Mul};

use nalgebra::{UnitQuaternion, Vector3};

use crate::Twist;

/// Force and torque on a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Force in world axes [N].
    pub force_in_world: Vector3<f64>,
    /// Torque about the centre of mass in body axes [N·m].
    pub torque_in_body: Vector3<f64>,
}

impl Wrench {
    /// Wrench from its two parts.
    #[must_use]
    pub fn new(force_in_world: Vector3<f64>, torque_in_body: Vector3<f64>) -> Self {
        Self { force_in_world, torque_in_body }
    }

    /// Zero force and torque.
    #[must_use]
    pub fn zero() -> Self {
        Self::new(Vector3::zeros(), Vector3::zeros())
    }

    /// The wrench of a force [N, world] that acts at `arm_in_world` = point − centre of mass [m].
    #[must_use]
    pub fn from_force_at(
        world_from_body: &UnitQuaternion<f64>,
        arm_in_world: Vector3<f64>,
        force_in_world: Vector3<f64>,
    ) -> Self {
        let torque_in_world = arm_in_world.cross(&force_in_world);
        Self::new(force_in_world, world_from_body.inverse() * torque_in_world)
    }

    /// Power on a moving body [W], positive when the wrench adds energy to the body.
    #[must_use]
    pub fn power(&self, twist: &Twist) -> f64 {
        self.force_in_world.dot(&twist.linear_in_world) + self.torque_in_body.dot(&twist.angular_in_body)
    }
}

impl Add for Wrench {
    type Output = Wrench;
    fn add(self, other: Wrench) -> Wrench {
        Wrench::new(self.force_in_world + other.force_in_world, self.torque_in_body + other.torque_in_body)
    }
}

impl Mul<f64> for Wrench {
    type Output = Wrench;
    fn mul(self, factor: f64) -> Wrench {
        Wrench::new(self.force_in_world * factor, self.torque_in_body * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cayley;

    #[test]
    fn power_of_a_force_is_force_times_velocity_of_the_point_of_application() {
        let attitude = cayley(Vector3::new(0.5, -0.3, 0.8));
        let arm = Vector3::new(0.02, -0.01, 0.03);
        let force = Vector3::new(3.0, -7.0, 2.0);
        let twist = Twist::new(Vector3::new(0.1, 0.2, -0.3), Vector3::new(1.0, -2.0, 0.5));
        let wrench = Wrench::from_force_at(&attitude, arm, force);
        assert!((wrench.power(&twist) - force.dot(&twist.velocity_at(&attitude, arm))).abs() < 1e-14);
    }
}
