//! Quasi-velocities, in which the kinetic energy has no matrix (MATH 7).
//!
//! ```text
//! M = L Lᵀ,   ν = Lᵀq̇,   E = ½|ν|²,        ν̇ + Q ν = L⁻¹τ
//! Q = A − Φ(A + Aᵀ)ᵀ,   A = L⁻¹ C L⁻ᵀ        Φ: lower triangle with halved diagonal;  L̇ = L Φ(L⁻¹ṀL⁻ᵀ),  Ṁ = C + Cᵀ
//! ```
//!
//! Term by term Q is the part of A below the diagonal less its transpose: skew in every bit, so that no choice of where
//! L and Q are taken can make energy (A. Jain, G. Rodriguez, "Diagonalized Lagrangian robot dynamics", IEEE T-RA 11(4),
//! 1995, for the quasi-velocities).

use nalgebra::Cholesky;

use crate::{Dynamics, JointMatrix, JointVector};

/// L and L Q Lᵀ at one posture.
pub(super) struct QuasiVelocity {
    /// L, lower triangular.
    pub(super) factor: JointMatrix,
    /// L Q Lᵀ, skew.
    pub(super) gyroscopic: JointMatrix,
}

/// L of a mass matrix; none where it is not positive definite.
pub(super) fn factor(mass: JointMatrix) -> Option<JointMatrix> {
    Cholesky::new(mass).map(|cholesky| cholesky.l())
}

impl QuasiVelocity {
    pub(super) fn of(dynamics: &Dynamics) -> Option<Self> {
        let factor = factor(dynamics.mass)?;
        // A = L⁻¹ (L⁻¹ Cᵀ)ᵀ
        let half = factor.solve_lower_triangular(&dynamics.coriolis.transpose())?.transpose();
        let below = factor.solve_lower_triangular(&half)?.lower_triangle();
        let mut turned = factor * below * factor.transpose();
        // diagonal entries of `below` cancel in the difference
        turned -= turned.transpose();
        Some(Self { factor, gyroscopic: turned })
    }
}

/// q̇ = L⁻ᵀν.
pub(super) fn speeds(factor: &JointMatrix, quasi: &JointVector) -> Option<JointVector> {
    factor.tr_solve_lower_triangular(quasi)
}
