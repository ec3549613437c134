//! One descent by ask and tell.

use tightfit_network::Random;

use super::constants::Constants;
use super::covariance::Shape;
use super::generation::{Draw, Ranked};
use super::options::{CmaOptions, Covariance};
use super::stopping::{History, Stopped};
use crate::LearningError;

/// A running descent.
#[derive(Clone, Debug, PartialEq)]
pub struct CmaEs {
    pub(super) options: CmaOptions,
    constants: Constants,
    pub(super) mean: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) first_sigma: f64,
    pub(super) path_sigma: Vec<f64>,
    pub(super) path: Vec<f64>,
    pub(super) shape: Shape,
    pub(super) generation: u64,
    /// Number of this descent among those of the seed.
    pub(super) descent: u64,
    pub(super) history: History,
    pub(super) stopped: Option<Stopped>,
    draws: Vec<Draw>,
}

impl CmaEs {
    /// A descent from a point, with the standard deviation of its first candidates.
    ///
    /// # Errors
    /// When the point is empty or not finite, σ is not positive, or the population is one.
    pub fn new(mean: Vec<f64>, sigma: f64, options: CmaOptions) -> Result<Self, LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        if mean.is_empty() || mean.iter().any(|value| !value.is_finite()) {
            return wrong(
                "start of the search",
                format!("{} numbers", mean.len()),
                "one or more finite numbers",
            );
        }
        if !(sigma > 0.0 && sigma.is_finite()) {
            return wrong("sigma", sigma.to_string(), "a positive number");
        }
        let dimension = mean.len();
        let usual = 4 + (3.0 * libm::log(dimension as f64)) as usize;
        let population = if options.population == 0 { usual } else { options.population };
        if !(2..=1_000_000).contains(&population) {
            return wrong("population", population.to_string(), "2 to 1000000, or 0 for the usual one");
        }
        let options = CmaOptions { population, ..options };
        Ok(Self {
            options,
            constants: Constants::new(options.covariance, dimension, population),
            sigma,
            first_sigma: sigma,
            path_sigma: vec![0.0; dimension],
            path: vec![0.0; dimension],
            shape: Shape::new(options.covariance, dimension),
            generation: 0,
            descent: 0,
            history: History::default(),
            stopped: None,
            draws: Vec::new(),
            mean,
        })
    }

    /// The next candidates. Repeated calls before [`Self::tell`] return the same ones.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        let draw = |candidate: usize| {
            let number = (self.descent << 48) ^ (self.generation << 20) ^ candidate as u64;
            let mut random = Random::stream(self.options.seed, number);
            let z: Vec<f64> = self.mean.iter().map(|_| random.normal()).collect();
            Draw { y: self.shape.shaped(&z, self.generation), z }
        };
        self.draws = (0..self.options.population).map(draw).collect();
        let place = |draw: &Draw| self.mean.iter().zip(&draw.y).map(|(m, y)| m + self.sigma * y).collect();
        self.draws.iter().map(place).collect()
    }

    /// Takes the values of the candidates, in their order. NaN counts as the worst value.
    ///
    /// # Errors
    /// When there are not as many values as candidates.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), LearningError> {
        if values.len() != self.draws.len() || self.draws.is_empty() {
            return Err(LearningError::Option {
                option: "values of a generation",
                value: values.len().to_string(),
                allowed: "one for each candidate of `ask`",
            });
        }
        let worst_if_nan = |value: f64| if value.is_nan() { f64::INFINITY } else { value };
        let values: Vec<f64> = values.iter().copied().map(worst_if_nan).collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));

        let n = self.mean.len();
        let (mut mean_z, mut mean_y) = (vec![0.0; n], vec![0.0; n]);
        for (index, weight) in order.iter().zip(&self.constants.weights).take(self.constants.parents) {
            let draw = &self.draws[*index];
            mean_z.iter_mut().zip(&draw.z).for_each(|(sum, z)| *sum += weight * z);
            mean_y.iter_mut().zip(&draw.y).for_each(|(sum, y)| *sum += weight * y);
        }
        self.mean.iter_mut().zip(&mean_y).for_each(|(mean, y)| *mean += self.sigma * y);
        let stalled = self.follow_paths(&mean_z, &mean_y);
        let draws = std::mem::take(&mut self.draws);
        let ranked = Ranked { draws: &draws, order: &order, mean_z: &mean_z, path: &self.path, stalled };
        self.shape.adapt(&ranked, &self.constants);
        self.generation += 1;
        self.judge(&values, values[order[0]]);
        Ok(())
    }

    /// Updates both paths and the step size; returns whether p_c was stalled.
    fn follow_paths(&mut self, mean_z: &[f64], mean_y: &[f64]) -> bool {
        let constants = &self.constants;
        let n = self.mean.len() as f64;
        let is_directions = self.options.covariance == Covariance::LowRank;
        // LM-MA-ES adapts the step size faster for many parameters.
        let rate = if is_directions {
            (2.0 * self.options.population as f64 / n).min(constants.sigma_rate.max(0.3))
        } else {
            constants.sigma_rate
        };
        let gain = (rate * (2.0 - rate) * constants.effective).sqrt();
        self.path_sigma.iter_mut().zip(mean_z).for_each(|(p, z)| *p = (1.0 - rate) * *p + gain * z);
        let square: f64 = self.path_sigma.iter().map(|p| p * p).sum();
        let growth = if is_directions {
            rate / 2.0 * (square / n - 1.0)
        } else {
            rate / constants.sigma_damping * (square.sqrt() / constants.expected_norm - 1.0)
        };
        self.sigma *= libm::exp(growth.min(1.0));

        // Bias correction of a path that starts at zero.
        let begun = 1.0 - libm::pow(1.0 - rate, 2.0 * (self.generation + 1) as f64);
        let stalled = square.sqrt() / begun.sqrt() >= (1.4 + 2.0 / (n + 1.0)) * constants.expected_norm;
        let gain = match stalled {
            true => 0.0,
            false => (constants.path_rate * (2.0 - constants.path_rate) * constants.effective).sqrt(),
        };
        let kept = 1.0 - constants.path_rate;
        self.path.iter_mut().zip(mean_y).for_each(|(p, y)| *p = kept * *p + gain * y);
        stalled
    }

    fn judge(&mut self, values: &[f64], best: f64) {
        let (n, population) = (self.mean.len(), self.options.population);
        self.history.push(best, n, population);
        let width = self.sigma * self.shape.widest();
        self.stopped = if !width.is_finite() || width > 1e8 * self.first_sigma {
            Some(Stopped::Diverged)
        } else if width < self.options.width_tolerance * self.first_sigma {
            Some(Stopped::Narrow)
        } else if self.history.is_flat(values, n, population, self.options.value_tolerance) {
            Some(Stopped::Flat)
        } else {
            None
        };
    }

    /// Mean of the candidates' distribution.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// σ.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// λ.
    #[must_use]
    pub fn population(&self) -> usize {
        self.options.population
    }

    /// Number of finished generations.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Reason for the end of the descent, if it has ended.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}
