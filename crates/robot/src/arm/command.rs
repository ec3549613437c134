//! Effort of an arm's drives during one step, as an affine function of the joint speeds.
//!
//! ```text
//! τ(q̄̇) = forward + s [back + T/2 led − T/2 K q̄̇] − r D q̄̇,          s = r = 1 within the effort limits
//! ```
//!
//! Feedback is evaluated at the middle of the step, as for the springs of free bodies: the control loop of the drives
//! runs a hundred times faster than the step, and a torque held constant over 10 ms would make the arm oscillate.
//! `saturation` handles commands beyond the effort limits.

use crate::{JointMatrix, JointVector};

/// Effort of the drives over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmCommand {
    /// Feed-forward effort, independent of the error: weight, inertia of the desired motion [N·m or N].
    pub forward: JointVector,
    /// Feedback effort for the error at the start of the step [N·m or N].
    pub back: JointVector,
    /// Rate at which the motion of the target changes `back` [N·m/s or N/s].
    pub led: JointVector,
    /// K: stiffness [N·m/rad]; its symmetric part must be positive semidefinite.
    pub stiffness: JointMatrix,
    /// D: damping [N·m·s/rad]; its symmetric part must be positive semidefinite.
    pub damping: JointMatrix,
}

impl ArmCommand {
    /// Drives switched off.
    #[must_use]
    pub fn none() -> Self {
        Self::of_effort(JointVector::zeros())
    }

    /// A constant effort [N·m or N].
    #[must_use]
    pub fn of_effort(forward: JointVector) -> Self {
        Self {
            forward,
            back: JointVector::zeros(),
            led: JointVector::zeros(),
            stiffness: JointMatrix::zeros(),
            damping: JointMatrix::zeros(),
        }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let vectors = self.forward.iter().chain(&self.back).chain(&self.led);
        vectors.chain(&self.stiffness).chain(&self.damping).all(|value| value.is_finite())
    }

    /// The command for the rest of a step, after `elapsed` seconds and a joint displacement of `way` [rad or m].
    #[must_use]
    pub fn after(&self, elapsed: f64, way: &JointVector) -> Self {
        Self { back: self.back + self.led * elapsed - self.stiffness * way, ..*self }
    }
}
