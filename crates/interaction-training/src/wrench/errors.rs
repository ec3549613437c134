//! Errors of predicted wrenches, and the cost of training.
//!
//! ```text
//! J = Σ (|ΔF|² + |Δτ|²/ℓ²) / Σ (|F|² + |τ|²/ℓ²)
//! ```
//!
//! F, τ measured force and torque, ΔF, Δτ errors, ℓ the lever of the part ([`super::RecordedScene::lever`]), sums over
//! moments. Δτ/ℓ is the force that makes this torque at a typical contact of the part: both terms are in newtons, and
//! the larger one counts more. Relative errors of each would not do: a nut that is turned on has much force and little
//! torque, and the small, poorly known torque would dominate.

use serde::Serialize;

/// Root mean square errors over moments, and the root mean square of the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WrenchErrors {
    /// Of |ΔF| [N].
    pub force: f64,
    /// Of |Δτ| [N·m].
    pub torque: f64,
    /// Of each component of ΔF [N] and then of Δτ [N·m].
    pub per_axis: [f64; 6],
    /// Of the measured |F| [N] and |τ| [N·m].
    pub measured: [f64; 2],
    /// Number of moments.
    pub count: usize,
}

impl WrenchErrors {
    /// Errors of pairs (predicted, measured).
    #[must_use]
    pub fn of<'a>(pairs: impl Iterator<Item = (&'a [f64; 6], &'a [f64; 6])>) -> Self {
        let (mut errors, mut measured, mut count) = ([0.0; 6], [0.0; 6], 0);
        for (predicted, own) in pairs {
            for axis in 0..6 {
                errors[axis] += (predicted[axis] - own[axis]).powi(2);
                measured[axis] += own[axis] * own[axis];
            }
            count += 1;
        }
        let root = |sum: f64| (sum / f64::from(count.max(1))).sqrt();
        let half = |sums: &[f64; 6], first: usize| root(sums[first..first + 3].iter().sum());
        Self {
            force: half(&errors, 0),
            torque: half(&errors, 3),
            per_axis: errors.map(root),
            measured: [half(&measured, 0), half(&measured, 3)],
            count: count as usize,
        }
    }

    /// J for a lever [m]: the cost that training minimises [-]. It is one for zero predictions.
    #[must_use]
    pub fn cost(&self, lever: f64) -> f64 {
        self.cost_against(self.measured, lever)
    }

    /// J against another root mean square of force and torque [N, N·m], such as that of all moments.
    #[must_use]
    pub fn cost_against(&self, measured: [f64; 2], lever: f64) -> f64 {
        let square = |force: f64, torque: f64| force * force + (torque / lever).powi(2);
        square(self.force, self.torque) / square(measured[0], measured[1]).max(1e-24)
    }
}
