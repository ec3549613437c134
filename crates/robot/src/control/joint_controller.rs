//! Spring and damper at every joint, scaled by the mass matrix of the arm.
//!
//! ```text
//! τ = g + C q̇_d + M q̈_d + M [ω² (q_d − q) + 2ζω (q̇_d − q̇)]         feedback at the middle of the step
//! ```
//!
//! With M in the gains every joint follows its target with the same frequency ω and damping ratio ζ.

use nalgebra::Vector3;

use super::ControlError;
use crate::arm::{ArmCommand, ArmState};
use crate::{Chain, JointVector};

/// Target of a joint controller over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTarget {
    /// q_d at the start of the step [rad or m].
    pub angles: JointVector,
    /// q̇_d over the step [rad/s or m/s].
    pub speeds: JointVector,
    /// q̈_d [rad/s² or m/s²].
    pub accelerations: JointVector,
}

impl JointTarget {
    /// A target at rest.
    #[must_use]
    pub fn still(angles: JointVector) -> Self {
        Self { angles, speeds: JointVector::zeros(), accelerations: JointVector::zeros() }
    }
}

/// Frequency and damping of the joints about their targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointController {
    frequency: f64,
    damping_ratio: f64,
}

impl JointController {
    /// ω [rad/s] and ζ [-], one for critical damping.
    ///
    /// # Errors
    /// When ω is not positive or ζ less than a hundredth.
    pub fn new(frequency: f64, damping_ratio: f64) -> Result<Self, ControlError> {
        ControlError::check_positive("frequency of the joint controller", frequency)?;
        ControlError::check_damping("damping ratio of the joint controller", damping_ratio, 0.25, 1.0)?;
        Ok(Self { frequency, damping_ratio })
    }

    /// Effort over a step under gravity [m/s²].
    ///
    /// # Errors
    /// When a number of the measurement or the target is not finite.
    pub fn command(
        &self,
        chain: &Chain,
        state: &ArmState,
        target: &JointTarget,
        gravity: Vector3<f64>,
    ) -> Result<ArmCommand, ControlError> {
        ControlError::check_finite("the measured state", state.angles.iter().chain(&state.speeds))?;
        let wanted = target.angles.iter().chain(&target.speeds).chain(&target.accelerations);
        ControlError::check_finite("the joint target", wanted)?;
        let dynamics = chain.dynamics(&chain.posture(&state.angles), &state.speeds, gravity);
        // M is one beyond the arm's joints; there must be no effort there.
        let mut mass = dynamics.mass;
        (chain.count()..mass.nrows()).for_each(|index| mass[(index, index)] = 0.0);
        let stiffness = mass * self.frequency.powi(2);
        let damping = mass * (2.0 * self.damping_ratio * self.frequency);
        let mut command = ArmCommand::of_effort(
            dynamics.gravity + dynamics.coriolis * target.speeds + mass * target.accelerations,
        );
        command.stiffness = stiffness;
        command.damping = damping;
        command.back = stiffness * (target.angles - state.angles) + damping * target.speeds;
        command.led = stiffness * target.speeds;
        Ok(command)
    }
}
