//! Quasi-velocities, in which the kinetic energy is ½|ν|² (`docs/design/math.md` §7).
//!
//! ```text
//! M = L Lᵀ,   ν = Lᵀq̇,   E = ½|ν|²,        ν̇ + Q ν = L⁻¹τ
//! Q = A − Φ(A + Aᵀ)ᵀ,   A = L⁻¹ C L⁻ᵀ        Φ: lower triangle with halved diagonal;  L̇ = L Φ(L⁻¹ṀL⁻ᵀ),  Ṁ = C + Cᵀ
//! ```
//!
//! Entry by entry, Q is the strict lower triangle of A minus its transpose: skew to the last bit. So Q creates no
//! energy, wherever L and Q are evaluated (quasi-velocities: A. Jain, G. Rodriguez, "Diagonalized Lagrangian robot
//! dynamics", IEEE T-RA 11(4), 1995).

use nalgebra::Cholesky;

use crate::{Dynamics, JointMatrix, JointVector};

/// L and L Q Lᵀ at one posture.
pub(super) struct QuasiVelocity {
    /// L, lower triangular.
    pub(super) factor: JointMatrix,
    /// L Q Lᵀ, skew.
    pub(super) gyroscopic: JointMatrix,
}

/// L of a mass matrix; `None` if the matrix is not positive definite.
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
        // The diagonal entries of `below` cancel in the difference.
        turned -= turned.transpose();
        Some(Self { factor, gyroscopic: turned })
    }
}

/// q̇ = L⁻ᵀν.
pub(super) fn speeds(factor: &JointMatrix, quasi: &JointVector) -> Option<JointVector> {
    factor.tr_solve_lower_triangular(quasi)
}
