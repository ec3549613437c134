//! A spring and damper between a body and a moving target, consistent with the midpoint rule.
//!
//! ```text
//! e   = [x − x_d;  swing and twist of R_dᵀR]                           error at the start of the step
//! F   = −K (e + T/2 (V̄ − V̄_d)) − B (V̄ − V̄_d)                          linear in the midpoint velocity V̄
//! ```
//!
//! The rotation error is the tilt of the axis as a vector in x and y, and the twist about z counted over whole turns: a
//! drive that is wound up by more than half a turn keeps pulling in the same direction.
//!
//! So K T/2 + B joins the left-hand side, which is unconditionally stable, and the work of the spring over a step is
//! exactly −Δ(½ eᵀKe) when the pose advances with V̄ (docs/design/math.md §1.4).

use std::f64::consts::TAU;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use tightfit_spatial::{Pose, rotation_vector};

/// Spring and damper to a target; diagonal in world axes (translation) and body axes (rotation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// Translational stiffness, world axes [N/m].
    pub stiffness: Vector3<f64>,
    /// Translational damping, world axes [N s/m].
    pub damping: Vector3<f64>,
    /// Rotational stiffness, body axes [N·m/rad].
    pub turning_stiffness: Vector3<f64>,
    /// Rotational damping, body axes [N·m·s/rad].
    pub turning_damping: Vector3<f64>,
    /// Target of the centre of mass and of the body's axes at the start of the step.
    pub target: Pose,
    /// The same at the end of the step.
    pub next_target: Pose,
    /// Twist about z by which the body is ahead of its target, to within half a turn [rad].
    pub twist: f64,
}

impl Coupling {
    /// e: translation in world axes [m], rotation as a vector in body axes [rad], against a target.
    #[must_use]
    pub fn error(
        &self,
        center: Vector3<f64>,
        rotation: &UnitQuaternion<f64>,
        target: &Pose,
    ) -> [Vector3<f64>; 2] {
        let relative = target.rotation.inverse() * rotation;
        let angle = twist_angle(&relative);
        let (sin, cos) = libm::sincos(angle / 2.0);
        let twist = UnitQuaternion::new_normalize(Quaternion::new(cos, 0.0, 0.0, sin));
        // The tilt precedes the twist, which turns it into body axes.
        let tilt = twist.inverse() * rotation_vector(&(relative * twist.inverse()));
        let turns = ((self.twist - angle) / TAU).round();
        [center - target.translation, Vector3::new(tilt.x, tilt.y, angle + TAU * turns)]
    }

    /// V̄_d: velocity of the target over a step of `step` seconds, world and body axes.
    #[must_use]
    pub fn target_velocity(&self, step: f64) -> [Vector3<f64>; 2] {
        let turn = self.target.rotation.inverse() * self.next_target.rotation;
        [(self.next_target.translation - self.target.translation) / step, rotation_vector(&turn) / step]
    }

    /// The coupling over a part of the step, from one fraction of it to another [-]; the target moves at constant
    /// velocity.
    #[must_use]
    pub fn during(&self, [from, until]: [f64; 2]) -> Self {
        let at = |part: f64| self.target.towards(&self.next_target, part);
        Self { target: at(from), next_target: at(until), ..*self }
    }

    /// Energy of the springs for an error [J].
    #[must_use]
    pub fn potential(&self, [shift, turn]: [Vector3<f64>; 2]) -> f64 {
        let half_square = |k: Vector3<f64>, e: Vector3<f64>| k.dot(&e.component_mul(&e)) / 2.0;
        half_square(self.stiffness, shift) + half_square(self.turning_stiffness, turn)
    }
}

/// Angle of the twist about z in (−π, π] [rad]: the rotation is a tilt after this twist.
#[must_use]
pub fn twist_angle(rotation: &UnitQuaternion<f64>) -> f64 {
    let angle = 2.0 * libm::atan2(rotation.k, rotation.w);
    angle - TAU * (angle / TAU).round()
}
