//! An arm and its held part as one body with six velocities (`docs/design/math.md` §7).
//!
//! ```text
//! arm    q̄̇ = q̄̇_f − H Jᵀλ                      part    V̄ = V̄_f + Y λ + ½ W p,     Y = T/2 W
//! tie    J q̄̇ − V̄ + b = S λ                     rigid: S → 0, b = γ ε/T;   spring: S = (T/2 K + B)⁻¹, b = S K ε
//!
//! λ = λ_f − ½ X W p,     λ_f = X (J q̄̇_f − V̄_f + b),     X = (J H Jᵀ + Y + S)⁻¹
//! V₁ = V_c + W_c p,      V_c = V_f + T W λ_f,           W_c = W − T/2 W X W
//! ```
//!
//! λ   wrench of the arm on the part [N, N·m], p impulse of contacts on it [N·s], both about its centre of mass
//! V_f, W   end velocity and response of the part alone; q̄̇_f, H those of the arm alone; J at the middle of the step
//! ε   grasp error, from the part to its nominal pose in the hand; γ the share of it that a step corrects
//!
//! The tie constrains midpoint velocities, so a rigid tie does no work except that of b. W_c is the Schur complement
//! of the whole system: the contact problem has the same six unknowns as without the arm. J H Jᵀ is never inverted,
//! so singular postures and arms with fewer than six joints need no special case.

use nalgebra::{Matrix6, Vector6};
use tightfit_pipeline::integration::{BodyMotion, FreeStep};

use crate::arm::ArmStep;
use crate::{Jacobian, JointVector};

/// How arm and part are tied over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// S: relative velocity of arm and part per load [m/s/N]; symmetric part positive semidefinite.
    pub compliance: Matrix6<f64>,
    /// b: velocity of the part that corrects the grasp error [m/s, rad/s].
    pub catch_up: Vector6<f64>,
}

/// The held part with the inertia and response of the arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condensation {
    /// V_c and W_c, which replace V_f and W of the part in the contact problem.
    pub free: FreeStep,
    jacobian: Jacobian,
    /// λ_f.
    free_load: Vector6<f64>,
    /// ½ X W.
    load_per_impulse: Matrix6<f64>,
}

impl Condensation {
    /// Arm and part over one step of `step` seconds; `None` if a number is not finite.
    ///
    /// `alone` is the step of the part without arm and contact, `jacobian` that of [`super::Held`] at the arm's middle.
    #[must_use]
    pub fn new(
        body: &BodyMotion,
        alone: &FreeStep,
        arm: &ArmStep,
        jacobian: &Jacobian,
        tie: &Tie,
        step: f64,
    ) -> Option<Self> {
        let response = alone.response;
        let end = Vector6::from(alone.velocity);
        let middle = (Vector6::from(body.world_velocity()) + end) / 2.0;
        let arm_response = jacobian * arm.response * jacobian.transpose();
        let inverse = (arm_response + response * (step / 2.0) + tie.compliance).try_inverse()?;
        let free_load = inverse * (jacobian * arm.free_speeds - middle + tie.catch_up);
        let load_per_impulse = inverse * response / 2.0;
        let velocity = end + response * free_load * step;
        let response = response - response * load_per_impulse * step;
        let is_finite = velocity.iter().chain(&response).chain(&free_load).all(|value| value.is_finite());
        let free = FreeStep { velocity: velocity.into(), response };
        is_finite.then_some(Self { free, jacobian: *jacobian, free_load, load_per_impulse })
    }

    /// λ: wrench of the arm on the part, under the impulse p of contacts on it [N·s, N·m·s].
    #[must_use]
    pub fn load(&self, impulse: &Vector6<f64>) -> Vector6<f64> {
        self.free_load - self.load_per_impulse * impulse
    }

    /// Effort of the part on the arm's joints under a load λ [N·m or N].
    #[must_use]
    pub fn effort(&self, load: &Vector6<f64>) -> JointVector {
        -self.jacobian.tr_mul(load)
    }
}
