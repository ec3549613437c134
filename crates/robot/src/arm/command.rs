//! What the drives of an arm do during one step, as an affine function of its speed.
//!
//! ```text
//! τ(q̄̇) = forward + s [back + T/2 led − T/2 K q̄̇] − r D q̄̇,          s = r = 1 where the drives have the effort
//! ```
//!
//! Feedback is taken at the middle of the step, as the springs of free bodies are: the drives' own loop runs a hundred
//! times faster than the step, and a torque held over 10 ms would shake the arm. `saturation` says what happens where a
//! drive has not the effort.

use crate::{JointMatrix, JointVector};

/// Effort of the drives over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmCommand {
    /// Effort that does not depend on the error: weight, inertia of the wanted motion [N·m or N].
    pub forward: JointVector,
    /// Effort of the error at the start of the step [N·m or N].
    pub back: JointVector,
    /// What the motion of the target adds to it [N·m/s or N/s].
    pub led: JointVector,
    /// K: stiffness [N·m/rad]; its symmetric part may not be negative.
    pub stiffness: JointMatrix,
    /// D: damping [N·m·s/rad]; its symmetric part may not be negative.
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

    /// The command for what is left of a step after `elapsed` seconds of it, in which the joints have gone `way` [rad or m].
    #[must_use]
    pub fn after(&self, elapsed: f64, way: &JointVector) -> Self {
        Self { back: self.back + self.led * elapsed - self.stiffness * way, ..*self }
    }
}
