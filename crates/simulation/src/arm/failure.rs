//! Why an arm could not take a step.

use tightfit_robot::arm::ArmError;
use tightfit_robot::control::ControlError;

/// Failure of an arm; the step was not taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ArmFailure {
    /// The controller returned no command.
    #[error("the controller of the arm failed: {0}")]
    Control(ControlError),
    /// The integration method is not the midpoint rule.
    #[error(
        "the arm needs `method.integration = \"midpoint\"`: arm and part are tied at the middle of the step"
    )]
    Method,
    /// The equations of the arm have no solution.
    #[error("the arm could not be advanced: {0}")]
    Dynamics(ArmError),
    /// Arm and part cannot be condensed into one body.
    #[error("the arm cannot move the part: their equations have no solution; check the gains")]
    Grasp,
    /// A joint ran away: it exceeded ten times its speed limit.
    #[error(
        "joint {} of the arm ran away at {speed:.3e} rad/s or m/s, ten times its speed limit; check gains and set-points",
        .joint + 1
    )]
    RanAway {
        /// Its index in the chain, from 0.
        joint: usize,
        /// Its speed [rad/s or m/s].
        speed: f64,
    },
}
