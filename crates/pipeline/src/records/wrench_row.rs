//! A frictionless condition on the velocity of a whole body.
//!
//! ```text
//! 0 ≤ λ ⊥ NᵀV + b ≥ 0        F = Nλ
//! ```
//!
//! The torque of a contact at a point is normal to its force; that of N need not be.

use nalgebra::Vector6;

/// One condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrenchRow {
    /// Free body.
    pub body: u32,
    /// N: direction of the wrench [force; torque about the centre of mass], world axes [-, m].
    pub direction: Vector6<f64>,
    /// b ≥ 0: allowed approach speed [m/s].
    pub approach: f64,
}

impl WrenchRow {
    /// NᵀV for the stacked body velocities [m/s].
    #[must_use]
    pub fn speed(&self, velocities: &[f64]) -> f64 {
        let own = &velocities[6 * self.body as usize..6 * self.body as usize + 6];
        self.direction.iter().zip(own).map(|(n, v)| n * v).sum()
    }
}
