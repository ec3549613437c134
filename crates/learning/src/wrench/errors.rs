//! How far predicted wrenches are from measured ones.

use serde::Serialize;

/// Root mean squares over moments, and what they are to be seen against.
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
    /// Moments.
    pub count: usize,
}

impl WrenchErrors {
    /// Of predictions against what was measured, pair by pair.
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

    /// What training makes small: mean squares of force and torque, each of the measured ones' [-]. One where nothing is
    /// predicted.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost_against(self.measured)
    }

    /// The same against other root mean squares of force and torque [N, N·m]: those of all moments, where these are a few.
    #[must_use]
    pub fn cost_against(&self, measured: [f64; 2]) -> f64 {
        let share = |error: f64, measured: f64| (error / measured.max(1e-12)).powi(2);
        (share(self.force, measured[0]) + share(self.torque, measured[1])) / 2.0
    }
}
