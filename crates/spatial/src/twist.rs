//! The mixed twist V = [v; ω]: linear velocity in world axes, angular velocity in body axes.

use std::ops::{Add, Mul, Sub};

use nalgebra::{UnitQuaternion, Vector3, Vector6};

/// Velocity of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// v: velocity of the centre of mass in world axes [m/s].
    pub linear_in_world: Vector3<f64>,
    /// ω: angular velocity in body axes [rad/s].
    pub angular_in_body: Vector3<f64>,
}

impl Twist {
    /// Twist from its two parts.
    #[must_use]
    pub fn new(linear_in_world: Vector3<f64>, angular_in_body: Vector3<f64>) -> Self {
        Self { linear_in_world, angular_in_body }
    }

    /// The twist of a body at rest.
    #[must_use]
    pub fn zero() -> Self {
        Self::new(Vector3::zeros(), Vector3::zeros())
    }

    /// [v; ω] as one column.
    #[must_use]
    pub fn to_vector(&self) -> Vector6<f64> {
        let (v, w) = (self.linear_in_world, self.angular_in_body);
        Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z)
    }

    /// Twist from a column [v; ω].
    #[must_use]
    pub fn from_vector(column: &Vector6<f64>) -> Self {
        Self::new(column.fixed_rows::<3>(0).into(), column.fixed_rows::<3>(3).into())
    }

    /// World velocity [m/s] of the body point at `arm_in_world` = point − centre of mass [m].
    #[must_use]
    pub fn velocity_at(
        &self,
        world_from_body: &UnitQuaternion<f64>,
        arm_in_world: Vector3<f64>,
    ) -> Vector3<f64> {
        self.linear_in_world + (world_from_body * self.angular_in_body).cross(&arm_in_world)
    }
}

impl Add for Twist {
    type Output = Twist;
    fn add(self, other: Twist) -> Twist {
        Twist::new(self.linear_in_world + other.linear_in_world, self.angular_in_body + other.angular_in_body)
    }
}

impl Sub for Twist {
    type Output = Twist;
    fn sub(self, other: Twist) -> Twist {
        self + other * -1.0
    }
}

impl Mul<f64> for Twist {
    type Output = Twist;
    fn mul(self, factor: f64) -> Twist {
        Twist::new(self.linear_in_world * factor, self.angular_in_body * factor)
    }
}
