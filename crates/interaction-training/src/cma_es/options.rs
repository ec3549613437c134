//! Options of a descent.

use serde::{Deserialize, Serialize};

/// Form of the adapted covariance.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// Full: n² numbers and n³/3 operations every n/10 generations or so.
    #[default]
    Full,
    /// Diagonal: n numbers.
    Separable,
    /// A product of 4 + 3 ln n directions (LM-MA-ES): n ln n numbers, captures couplings of many parameters.
    LowRank,
}

/// Options of a descent.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct CmaOptions {
    /// Form of the adapted covariance.
    pub covariance: Covariance,
    /// λ: candidates of a generation, 0 for 4 + 3 ln n.
    pub population: usize,
    /// Seed of all draws.
    pub seed: u64,
    /// Values that differ by less count as equal.
    pub value_tolerance: f64,
    /// Candidates that are closer, in units of the first σ, count as equal.
    pub width_tolerance: f64,
}

impl Default for CmaOptions {
    fn default() -> Self {
        Self {
            covariance: Covariance::Full,
            population: 0,
            seed: 1,
            value_tolerance: 1e-12,
            width_tolerance: 1e-11,
        }
    }
}
