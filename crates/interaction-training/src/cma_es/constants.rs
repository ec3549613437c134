//! Weights and rates, from the dimension n and the population λ.
//!
//! N. Hansen, arXiv:1604.00772, Table 1 and eqs. (49) to (58); for the diagonal R. Ros, N. Hansen, "A simple
//! modification in CMA-ES achieving linear time and space complexity", PPSN 2008: c₁ and c_μ are (n + 2)/3 times as
//! fast.

use super::options::Covariance;

/// Constants of a descent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constants {
    /// wᵢ of the ranked candidates; the better half is positive and sums to one.
    pub(super) weights: Vec<f64>,
    /// Candidates with a positive weight.
    pub(super) parents: usize,
    /// μ_eff = 1/Σwᵢ² of the positive weights.
    pub(super) effective: f64,
    /// c_σ and d_σ of the step size.
    pub(super) sigma_rate: f64,
    pub(super) sigma_damping: f64,
    /// c_c, c₁ and c_μ of the covariance.
    pub(super) path_rate: f64,
    pub(super) rank_one: f64,
    pub(super) rank_many: f64,
    /// E|N(0, I)|.
    pub(super) expected_norm: f64,
}

impl Constants {
    pub(super) fn new(covariance: Covariance, dimension: usize, population: usize) -> Self {
        let (n, parents) = (dimension as f64, population / 2);
        let half = libm::log((population as f64 + 1.0) / 2.0);
        let raw: Vec<f64> = (1..=population).map(|rank| half - libm::log(rank as f64)).collect();
        let sums =
            |raw: &[f64]| (raw.iter().map(|w| w.abs()).sum::<f64>(), raw.iter().map(|w| w * w).sum::<f64>());
        let (better, better_squares) = sums(&raw[..parents]);
        let (worse, worse_squares) = sums(&raw[parents..]);
        let effective = better * better / better_squares;
        let effective_worse = worse * worse / worse_squares;

        let sigma_rate = (effective + 2.0) / (n + effective + 5.0);
        let sigma_damping = 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + sigma_rate;
        let path_rate = (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n);
        let faster = if covariance == Covariance::Separable { (n + 2.0) / 3.0 } else { 1.0 };
        let rank_one = (faster * 2.0 / ((n + 1.3).powi(2) + effective)).min(0.5);
        let many = 2.0 * (0.25 + effective + 1.0 / effective - 2.0) / ((n + 2.0).powi(2) + effective);
        let rank_many = (faster * many).min(1.0 - rank_one);

        // Negative weights are scaled so that C stays positive definite.
        let share = (1.0 + rank_one / rank_many)
            .min(1.0 + 2.0 * effective_worse / (effective + 2.0))
            .min((1.0 - rank_one - rank_many) / (n * rank_many))
            .max(0.0);
        let weight = |w: &f64| if *w > 0.0 { w / better } else { share * w / worse };
        Self {
            weights: raw.iter().map(weight).collect(),
            parents,
            effective,
            sigma_rate,
            sigma_damping,
            path_rate,
            rank_one,
            rank_many,
            expected_norm: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }

    /// wᵢ° of the candidate of a rank, |z|² given. Long steps get no larger negative weight than usual ones.
    pub(super) fn outer_weight(&self, rank: usize, z_squared: f64, dimension: usize) -> f64 {
        let weight = self.weights[rank];
        if weight < 0.0 { weight * dimension as f64 / z_squared.max(1e-300) } else { weight }
    }

    /// Factor on C in a generation; `stalled` while a growing step size holds the path back.
    pub(super) fn kept(&self, stalled: bool) -> f64 {
        let held_back = if stalled { self.path_rate * (2.0 - self.path_rate) } else { 0.0 };
        1.0 - self.rank_one * (1.0 - held_back) - self.rank_many * self.weights.iter().sum::<f64>()
    }
}
