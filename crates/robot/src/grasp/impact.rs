//! Impulse response of a held part, including the inertia of the arm.
//!
//! ```text
//! V⁺ = V + W_i p,     W_i = M⁻¹ − M⁻¹ X M⁻¹,     X = (J M_q⁻¹ Jᵀ + M⁻¹)⁻¹,      q̇⁺ = q̇ + M_q⁻¹ Jᵀ X M⁻¹ p
//! ```
//!
//! M, M_q   mass matrices of part and arm at the start of the step, J there; p the impulse on the part [N·s].
//! A rigid grasp transmits the impulse to the arm at once. A compliant grasp does not: W_i is then M⁻¹.

use nalgebra::{Matrix6, Vector6};

use crate::{Chain, Jacobian, JointMatrix, JointVector, Posture};

/// A held part at the instant of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactCondensation {
    /// W_i: change of the part's velocity per impulse, world axes; replaces M⁻¹.
    pub response: Matrix6<f64>,
    speeds_per_impulse: nalgebra::SMatrix<f64, { crate::MAX_JOINTS }, 6>,
}

impl ImpactCondensation {
    /// The held part and its arm; `None` if the arm's mass matrix is not positive definite.
    #[must_use]
    pub fn new(
        chain: &Chain,
        posture: &Posture,
        jacobian: &Jacobian,
        inverse_mass: &Matrix6<f64>,
    ) -> Option<Self> {
        let arm_inverse: JointMatrix = chain.mass_matrix(posture).cholesky()?.inverse();
        let answer = arm_inverse * jacobian.transpose();
        let inverse = (jacobian * answer + inverse_mass).try_inverse()?;
        let passed_on = inverse * inverse_mass;
        Some(Self {
            response: inverse_mass - inverse_mass * passed_on,
            speeds_per_impulse: answer * passed_on,
        })
    }

    /// Change of the joint speeds under an impulse on the part [rad/s or m/s].
    #[must_use]
    pub fn speed_change(&self, impulse: &Vector6<f64>) -> JointVector {
        self.speeds_per_impulse * impulse
    }
}
