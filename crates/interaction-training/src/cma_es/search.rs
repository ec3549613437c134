//! Successive descents, each with twice the population of the previous one (IPOP).

use serde::{Deserialize, Serialize};
use tightfit_network::Random;

use super::{CmaEs, CmaOptions, Stopped};
use crate::LearningError;

/// A search with restarts, by ask and tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub(super) descent: CmaEs,
    pub(super) progress: Progress,
    pub(super) start: Vec<f64>,
    pub(super) best: Vec<f64>,
    asked: Vec<Vec<f64>>,
}

/// State of a search beside the running descent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Progress {
    /// Options of the first descent.
    pub(super) options: CmaOptions,
    /// σ at the start of every descent.
    pub(super) sigma: f64,
    /// Remaining restarts.
    pub(super) restarts: u32,
    /// Number of evaluated values.
    pub(super) evaluations: u64,
    /// Lowest value; `None` before the first.
    pub(super) best_value: Option<f64>,
    /// Generations of all descents.
    pub(super) generations: u64,
}

impl Search {
    /// A search from a point, with the standard deviation of its first candidates and a number of restarts.
    ///
    /// # Errors
    /// As [`CmaEs::new`].
    pub fn new(
        start: Vec<f64>,
        sigma: f64,
        options: CmaOptions,
        restarts: u32,
    ) -> Result<Self, LearningError> {
        let descent = CmaEs::new(start.clone(), sigma, options)?;
        let options = descent.options;
        let progress =
            Progress { options, sigma, restarts, evaluations: 0, best_value: None, generations: 0 };
        Ok(Self { descent, progress, best: start.clone(), start, asked: Vec::new() })
    }

    pub(super) fn restored(descent: CmaEs, progress: Progress, start: Vec<f64>, best: Vec<f64>) -> Self {
        Self { descent, progress, start, best, asked: Vec::new() }
    }

    /// The next candidates. Repeated calls before [`Self::tell`] return the same ones.
    pub fn ask(&mut self) -> &[Vec<f64>] {
        self.asked = self.descent.ask();
        &self.asked
    }

    /// Takes the values of the candidates, in their order. The next descent starts when one ends and restarts remain.
    ///
    /// # Errors
    /// When there are not as many values as candidates.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), LearningError> {
        self.descent.tell(values)?;
        self.progress.evaluations += values.len() as u64;
        self.progress.generations += 1;
        for (value, candidate) in values.iter().zip(&self.asked) {
            if self.progress.best_value.is_none_or(|best| *value < best) && value.is_finite() {
                self.progress.best_value = Some(*value);
                self.best.clone_from(candidate);
            }
        }
        if self.descent.stopped().is_some() && self.progress.restarts > 0 {
            self.progress.restarts -= 1;
            self.restart()?;
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), LearningError> {
        let number = self.descent.descent + 1;
        let options = CmaOptions { population: 2 * self.descent.population(), ..self.progress.options };
        let mut random = Random::stream(options.seed, u64::MAX - number);
        let start = self.start.iter().map(|x| x + self.progress.sigma * random.normal()).collect();
        self.descent = CmaEs::new(start, self.progress.sigma, options)?;
        self.descent.descent = number;
        Ok(())
    }

    /// The running descent.
    #[must_use]
    pub fn descent(&self) -> &CmaEs {
        &self.descent
    }

    /// Lowest value and its candidate.
    #[must_use]
    pub fn best(&self) -> Option<(f64, &[f64])> {
        self.progress.best_value.map(|value| (value, &self.best[..]))
    }

    /// Number of evaluated values.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.progress.evaluations
    }

    /// Generations of all descents.
    #[must_use]
    pub fn generations(&self) -> u64 {
        self.progress.generations
    }

    /// Reason for the end of the search; `None` while restarts remain.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.descent.stopped()
    }
}
