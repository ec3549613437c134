//! A rigid grasp, without play.
//!
//! ```text
//! V̄ = J q̄̇ + c + γ ε/T − δ Y λ
//! ```
//!
//! c corrects for the curved motion of the arm over the step, which differs from J q̄̇ ([`super::Held::bend`]). γ is
//! the share of the drift that a step corrects. δ keeps that share of the part's response in directions in which the
//! arm cannot move at all, so that the contact problem stays solvable; it dissipates T δ λᵀYλ.

use nalgebra::Vector6;
use tightfit_pipeline::integration::FreeStep;

use super::Tie;

/// A rigid grasp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidGrasp {
    /// γ: share of the drift that a step corrects [-]; more than 0.2 causes load peaks.
    pub feedback: f64,
    /// δ: compliance relative to the part's response [-].
    pub softness: f64,
    /// Whether c is added. Without it the tie does no work, but drifts by the third power of the rotation per step.
    pub follows_bend: bool,
}

impl Default for RigidGrasp {
    fn default() -> Self {
        Self { feedback: 0.2, softness: 1e-9, follows_bend: true }
    }
}

impl RigidGrasp {
    /// The tie over one step of `step` seconds, for the drift ε at its start, the correction c and the step of the
    /// uncoupled part.
    #[must_use]
    pub fn tie(&self, error: &Vector6<f64>, bend: &Vector6<f64>, alone: &FreeStep, step: f64) -> Tie {
        Tie {
            compliance: alone.response * (self.softness * step / 2.0),
            catch_up: error * (self.feedback / step) + bend,
        }
    }
}
