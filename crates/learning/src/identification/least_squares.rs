//! Robust least squares with an uncertainty for correlated rows, and detection of undetermined directions.
//!
//! ```text
//! min Σ ρ(r_i(x)),  ρ(r) = 2 s² (√(1 + r²/s²) − 1)        damped Gauss-Newton, weights w = 1/√(1 + r²/s²)
//! H = Σ w JᵀJ       g_b = Σ_{i in b} w Jᵀr                 scores of a group b of rows
//! C = H⁻¹ (Σ_b g_b g_bᵀ) H⁻¹                               sandwich: valid for rows that are correlated within a group
//! ```
//!
//! Groups are sections of a trial and whole trials; the larger variance is reported, at least the Gauss-Newton variance
//! σ² H⁻¹. A parameter whose standard deviation exceeds its limit counts as not determined; the weakest direction of H
//! (in units of those limits) shows together with which others.
//!
//! H. White, "A heteroskedasticity-consistent covariance matrix estimator", Econometrica 48, 1980. K.-Y. Liang, S.
//! Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::Answer;

/// Sections of a trial for the covariance.
const STRETCHES: usize = 12;
/// Fewest trials whose scatter enters the uncertainty.
const ENOUGH_TRIALS: usize = 8;
/// Damping relative to the diagonal of H at the start.
const DAMPING: f64 = 1e-4;

/// An unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Start value.
    pub start: f64,
    /// Standard deviation above which it counts as not determined; a thousandth of it is the step of differences.
    pub limit: f64,
    /// The trial that it belongs to, if only one.
    pub trial: Option<usize>,
}

impl Parameter {
    /// An unknown of all trials.
    #[must_use]
    pub fn new(name: impl Into<String>, unit: &'static str, start: f64, limit: f64) -> Self {
        Self { name: name.into(), unit, start, limit, trial: None }
    }

    /// Assigns the unknown to one trial.
    #[must_use]
    pub fn of_trial(self, trial: usize) -> Self {
        Self { trial: Some(trial), ..self }
    }
}

/// Appends the residuals of a trial at the given parameters; their number is constant, in the order of time.
pub type Residuals<'a> = dyn Fn(&[f64], usize, &mut Vec<f64>) + Sync + 'a;

/// A least-squares problem.
pub struct Problem<'a> {
    /// Unknowns.
    pub parameters: Vec<Parameter>,
    /// Number of trials.
    pub trials: usize,
    /// Their residuals.
    pub residuals: &'a Residuals<'a>,
    /// s: larger residuals count linearly.
    pub loss: f64,
    /// Lower bound of a residual's standard deviation.
    pub noise: f64,
    /// Maximum number of steps.
    pub iterations: usize,
}

/// Solution of a problem.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Unknowns as given.
    pub parameters: Vec<Parameter>,
    /// Their values.
    pub values: Vec<f64>,
    /// Covariance.
    pub covariance: DMatrix<f64>,
    /// Half the robust sum of squares.
    pub cost: f64,
    /// Robust standard deviation of the residuals: 1.4826 times the median magnitude.
    pub spread: f64,
    /// For each unknown, the reason why it is not determined.
    pub open: Vec<Option<String>>,
}

/// Sums over one trial.
struct Sums {
    normal: DMatrix<f64>,
    /// Derivative of the scores: the curvature of the loss is larger than its weights.
    curvature: DMatrix<f64>,
    scores: Vec<DVector<f64>>,
    cost: f64,
}

impl Problem<'_> {
    /// Columns that a trial depends on.
    fn columns(&self, trial: usize) -> Vec<usize> {
        let own = |index: &usize| self.parameters[*index].trial.is_none_or(|own| own == trial);
        (0..self.parameters.len()).filter(own).collect()
    }

    fn of(&self, values: &[f64], trial: usize) -> Vec<f64> {
        let mut residuals = Vec::new();
        (self.residuals)(values, trial, &mut residuals);
        residuals
    }

    fn weight(&self, residual: f64) -> f64 {
        (1.0 + (residual / self.loss).powi(2)).sqrt().recip()
    }

    fn cost_of(&self, residuals: &[f64]) -> f64 {
        let scale = self.loss * self.loss;
        residuals.iter().map(|r| scale * ((1.0 + r * r / scale).sqrt() - 1.0)).sum()
    }

    fn cost(&self, values: &[f64]) -> f64 {
        (0..self.trials)
            .into_par_iter()
            .map(|trial| self.cost_of(&self.of(values, trial)))
            .collect::<Vec<_>>()
            .iter()
            .sum()
    }

    fn sums(&self, values: &[f64], trial: usize) -> Sums {
        let columns = self.columns(trial);
        let residuals = self.of(values, trial);
        let mut moved = values.to_vec();
        let slopes: Vec<Vec<f64>> = columns
            .iter()
            .map(|column| {
                let step = 1e-3 * self.parameters[*column].limit;
                let mut at = |shift: f64| {
                    moved[*column] = values[*column] + shift;
                    self.of(&moved, trial)
                };
                let (above, below) = (at(step), at(-step));
                moved[*column] = values[*column];
                above.iter().zip(below).map(|(above, below)| (above - below) / (2.0 * step)).collect()
            })
            .collect();
        let count = self.parameters.len();
        let mut normal = DMatrix::zeros(count, count);
        let mut curvature = DMatrix::zeros(count, count);
        let mut scores = vec![DVector::zeros(count); STRETCHES];
        let per_stretch = residuals.len().div_ceil(STRETCHES).max(1);
        for (row, residual) in residuals.iter().enumerate() {
            let weight = self.weight(*residual);
            for (first, slope) in columns.iter().zip(&slopes) {
                let weighted = weight * slope[row];
                if weighted == 0.0 {
                    continue;
                }
                scores[row / per_stretch][*first] += weighted * residual;
                for (second, other) in columns.iter().zip(&slopes) {
                    normal[(*first, *second)] += weighted * other[row];
                    curvature[(*first, *second)] += weight * weight * weighted * other[row];
                }
            }
        }
        Sums { normal, curvature, scores, cost: self.cost_of(&residuals) }
    }

    /// Sums of all trials, in order: the result does not depend on the number of threads.
    fn all_sums(&self, values: &[f64]) -> Vec<Sums> {
        (0..self.trials).into_par_iter().map(|trial| self.sums(values, trial)).collect()
    }

    /// The fit.
    #[must_use]
    pub fn solve(self) -> Solution {
        let mut values: Vec<f64> = self.parameters.iter().map(|parameter| parameter.start).collect();
        let mut damping = DAMPING;
        let count = values.len();
        let mut sums = self.all_sums(&values);
        for _ in 0..self.iterations {
            let cost: f64 = sums.iter().map(|sum| sum.cost).sum();
            let (normal, gradient) = totals(&sums, count);
            let Some(better) = self.descend(&values, &normal, &gradient, cost, &mut damping) else { break };
            let small = better
                .iter()
                .zip(&values)
                .zip(&self.parameters)
                .all(|((new, old), parameter)| (new - old).abs() < 1e-6 * parameter.limit);
            values = better;
            sums = self.all_sums(&values);
            if small {
                break;
            }
        }
        self.judge(values, &sums)
    }

    /// A step that lowers the cost, or `None`.
    fn descend(
        &self,
        values: &[f64],
        normal: &DMatrix<f64>,
        gradient: &DVector<f64>,
        cost: f64,
        damping: &mut f64,
    ) -> Option<Vec<f64>> {
        for _ in 0..12 {
            let mut damped = normal.clone();
            for index in 0..values.len() {
                // A direction without data must not move.
                let least = 1e-12 * (self.noise / self.parameters[index].limit).powi(2);
                damped[(index, index)] += *damping * normal[(index, index)] + least;
            }
            if let Some(step) = damped.cholesky().map(|factor| factor.solve(gradient)) {
                let trial: Vec<f64> =
                    values.iter().zip(step.iter()).map(|(value, step)| value - step).collect();
                if self.cost(&trial) < cost {
                    *damping = (*damping * 0.2).max(1e-9);
                    return Some(trial);
                }
            }
            *damping *= 8.0;
        }
        None
    }

    fn judge(self, values: Vec<f64>, sums: &[Sums]) -> Solution {
        let count = values.len();
        let (normal, _) = totals(sums, count);
        let mut magnitudes: Vec<f64> = (0..self.trials)
            .flat_map(|trial| self.of(&values, trial))
            .filter(|residual| *residual != 0.0)
            .map(f64::abs)
            .collect();
        magnitudes.sort_by(f64::total_cmp);
        let spread = 1.4826 * magnitudes.get(magnitudes.len() / 2).copied().unwrap_or(0.0);
        let variance = spread.max(self.noise).powi(2);
        // In units of the limits, so that rounding is treated equally for all.
        let limits = DVector::from_iterator(count, self.parameters.iter().map(|parameter| parameter.limit));
        let scaled = DMatrix::from_fn(count, count, |i, j| normal[(i, j)] * limits[i] * limits[j]);
        let eigen = scaled.symmetric_eigen();
        let floor = 1e-14 * eigen.eigenvalues.amax().max(f64::MIN_POSITIVE);
        let inverse = {
            let vectors = &eigen.eigenvectors;
            let weights = eigen.eigenvalues.map(|value| value.max(floor).recip());
            vectors * DMatrix::from_diagonal(&weights) * vectors.transpose()
        };
        // Sandwich of grouped scores between the inverse of their derivative, which is (1 + r²/s²)^(−3/2).
        let bread = {
            let sum = sums.iter().fold(DMatrix::zeros(count, count), |sum, own| sum + &own.curvature);
            let scaled = DMatrix::from_fn(count, count, |i, j| sum[(i, j)] * limits[i] * limits[j]);
            let eigen = scaled.symmetric_eigen();
            let weights = eigen.eigenvalues.map(|value| value.max(floor).recip());
            &eigen.eigenvectors * DMatrix::from_diagonal(&weights) * eigen.eigenvectors.transpose()
        };
        let sandwich = |groups: &[DVector<f64>]| {
            let mut middle = DMatrix::zeros(count, count);
            for score in groups {
                let score = score.component_mul(&limits);
                middle += &score * score.transpose();
            }
            &bread * middle * &bread
        };
        let stretches: Vec<DVector<f64>> = sums.iter().flat_map(|sum| sum.scores.iter().cloned()).collect();
        let mut covariance = &inverse * variance;
        let mut candidates = vec![sandwich(&stretches)];
        if self.trials >= ENOUGH_TRIALS {
            let whole: Vec<DVector<f64>> = sums.iter().map(|sum| sum.scores.iter().sum()).collect();
            candidates.push(sandwich(&whole));
        }
        for candidate in candidates {
            for index in 0..count {
                let ratio = (candidate[(index, index)] / covariance[(index, index)]).sqrt();
                if ratio > 1.0 {
                    // Keep the correlations and widen the parameter.
                    covariance.row_mut(index).scale_mut(ratio);
                    covariance.column_mut(index).scale_mut(ratio);
                }
            }
        }
        let weakest = eigen.eigenvalues.imin();
        let direction = eigen.eigenvectors.column(weakest);
        let named: Vec<&str> = (0..count)
            .filter(|index| direction[*index].abs() > 0.3)
            .map(|index| self.parameters[index].name.as_str())
            .collect();
        let open = (0..count)
            .map(|index| {
                let sigma = covariance[(index, index)].sqrt();
                (sigma.is_nan() || sigma > 1.0).then(|| {
                    let parameter = &self.parameters[index];
                    format!(
                        "its standard deviation would be {:.3e} {}, more than {:.1e}; the weakest direction of the data is {}",
                        sigma * parameter.limit,
                        parameter.unit,
                        parameter.limit,
                        named.join(" with ")
                    )
                })
            })
            .collect();
        let covariance = DMatrix::from_fn(count, count, |i, j| covariance[(i, j)] * limits[i] * limits[j]);
        let cost = sums.iter().map(|sum| sum.cost).sum();
        Solution { parameters: self.parameters, values, covariance, cost, spread, open }
    }
}

fn totals(sums: &[Sums], count: usize) -> (DMatrix<f64>, DVector<f64>) {
    let mut normal = DMatrix::zeros(count, count);
    let mut gradient = DVector::zeros(count);
    for sum in sums {
        normal += &sum.normal;
        sum.scores.iter().for_each(|score| gradient += score);
    }
    (normal, gradient)
}

impl Solution {
    /// Standard deviation of a parameter.
    #[must_use]
    pub fn sigma(&self, index: usize) -> f64 {
        self.covariance[(index, index)].sqrt()
    }

    /// Values and refusals by name, of the first `count` parameters.
    #[must_use]
    pub fn answer(&self, count: usize) -> Answer {
        let mut answer = Answer::default();
        for (index, parameter) in self.parameters.iter().enumerate().take(count) {
            match &self.open[index] {
                None => answer.add(&parameter.name, parameter.unit, self.values[index], self.sigma(index)),
                Some(reason) => answer.refuse(&parameter.name, reason),
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_spatial::SplitMix;

    /// y = a + b t over trials, each with an offset.
    fn line(times: &[f64], outliers: bool) -> Solution {
        let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
            let mut random = SplitMix::stream(trial as u64);
            for (row, time) in times.iter().enumerate() {
                let noise: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                let wild = if outliers && row % 10 == 3 { 50.0 } else { 0.0 };
                let seen = 3.0 * time + trial as f64 + 0.1 * noise + wild;
                out.push(values[0] * time + values[1 + trial] - seen);
            }
        };
        let mut parameters = vec![Parameter::new("slope", "-", 0.0, 1.0)];
        parameters.extend(
            (0..4).map(|trial| Parameter::new(format!("offset {trial}"), "-", 0.0, 10.0).of_trial(trial)),
        );
        Problem { parameters, trials: 4, residuals: &residuals, loss: 0.2, noise: 1e-6, iterations: 30 }
            .solve()
    }

    #[test]
    fn a_line_is_found_within_its_uncertainty_in_spite_of_outliers() {
        let times: Vec<f64> = (0..200).map(|row| f64::from(row) * 0.01).collect();
        for outliers in [false, true] {
            let found = line(&times, outliers);
            assert!(
                (found.values[0] - 3.0).abs() < 4.0 * found.sigma(0),
                "{} {}",
                found.values[0],
                found.sigma(0)
            );
            assert!(found.sigma(0) < 0.05, "{}", found.sigma(0));
            assert!(found.open.iter().all(Option::is_none));
        }
    }

    #[test]
    fn a_slope_without_any_way_is_refused_by_name() {
        let found = line(&[0.5; 200], false);
        assert!(found.open[0].as_ref().is_some_and(|reason| reason.contains("slope")), "{:?}", found.open);
    }
}
