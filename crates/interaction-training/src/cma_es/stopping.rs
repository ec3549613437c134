//! Stopping criteria of a descent.

use serde::{Deserialize, Serialize};

/// Reason for the end of a descent.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// The best values of many generations and all of the last one are equal to within the tolerance.
    Flat,
    /// The candidates are within the tolerance of one another.
    Narrow,
    /// The step size has grown without bound, or is NaN.
    Diverged,
}

/// Best values of the last generations.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct History {
    best: Vec<f64>,
}

impl History {
    /// Adds the best value of a generation; keeps the last `10 + 30 n/λ`.
    pub(super) fn push(&mut self, best: f64, dimension: usize, population: usize) {
        let length = 10 + 30 * dimension / population;
        self.best.push(best);
        if self.best.len() > length {
            self.best.remove(0);
        }
    }

    /// Whether the last `10 + 30 n/λ` best values differ by no more than `tolerance`, nor those of the generation.
    pub(super) fn is_flat(
        &self,
        values: &[f64],
        dimension: usize,
        population: usize,
        tolerance: f64,
    ) -> bool {
        let is_long = self.best.len() >= 10 + 30 * dimension / population;
        let all = self.best.iter().chain(values);
        let (low, high) =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        is_long && high - low <= tolerance
    }
}
