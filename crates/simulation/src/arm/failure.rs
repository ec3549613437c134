//! Why an arm could not take a step.

use tightfit_robot::arm::ArmError;
use tightfit_robot::control::ControlError;

/// What stopped an arm; the step was not taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ArmFailure {
    /// The controller found no command.
    #[error("the controller of the arm failed: {0}")]
    Control(ControlError),
    /// The step is not made by the midpoint rule.
    #[error(
        "the arm needs `method.integration = \"midpoint\"`: arm and part are tied at the middle of the step"
    )]
    Method,
    /// The arm's own step has no answer.
    #[error("the arm could not be advanced: {0}")]
    Dynamics(ArmError),
    /// Arm and part cannot be made one body.
    #[error("the arm cannot lead the part: their equations have no solution; look at the gains")]
    Grasp,
    /// A joint ran away.
    #[error(
        "joint {} of the arm ran away at {speed:.3e} rad/s or m/s, ten times what it may; look at gains and set-points",
        .joint + 1
    )]
    RanAway {
        /// Its place in the chain, from 0.
        joint: usize,
        /// Its speed [rad/s or m/s].
        speed: f64,
    },
}
