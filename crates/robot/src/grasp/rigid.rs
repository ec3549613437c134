//! A part that an arm holds without play.
//!
//! ```text
//! V̄ = J q̄̇ + c + γ ε/T − δ Y λ
//! ```
//!
//! c is what the way of the arm over the step differs from J q̄̇, since it bends ([`super::Held::bend`]); γ undoes in every step a share of what has drifted. δ lets the part keep that share of its own response in directions
//! in which the arm cannot move at all, so that the contact problem stays solvable there; it takes T δ λᵀYλ of energy.

use nalgebra::Vector6;
use tightfit_pipeline::integration::FreeStep;

use super::Tie;

/// A rigid grasp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidGrasp {
    /// γ: share of the drift that a step undoes [-]; more than 0.2 makes load peaks.
    pub feedback: f64,
    /// δ: softness in units of the part's own response [-].
    pub softness: f64,
    /// Whether c is added. Without it the tie does no work at all, and drifts by what a step turns to the third power.
    pub follows_bend: bool,
}

impl Default for RigidGrasp {
    fn default() -> Self {
        Self { feedback: 0.2, softness: 1e-9, follows_bend: true }
    }
}

impl RigidGrasp {
    /// The tie over one step of `step` seconds, for the drift ε at its start, the bend c and the part's own step.
    #[must_use]
    pub fn tie(&self, error: &Vector6<f64>, bend: &Vector6<f64>, alone: &FreeStep, step: f64) -> Tie {
        Tie {
            compliance: alone.response * (self.softness * step / 2.0),
            catch_up: error * (self.feedback / step) + bend,
        }
    }
}
