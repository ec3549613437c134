//! Robust least squares of measured wrenches.
//!
//! ```text
//! J(x) = 1/τ Σ ρ(r/σ) + ½ Σ prior²          ρ(u) = k² (√(1 + u²/k²) − 1)       r errors of force and of torque over the lever
//! (H + λ diag H) dx = −g                      H = Σ w jᵀj/(σ²τ) + prior,  w = 1/√(1 + u²/k²)
//! ```
//!
//! σ robust spread of the errors (1.4826 times their median magnitude), τ their correlation time in samples: neighbouring samples
//! err alike, and n of them tell as much as n/τ independent ones. Both follow the fit from step to step. Slopes j come from the
//! contacts (`sensitivity`), costs from the simulator, so a wrong slope slows the fit; where the data leave a direction
//! open it can also move along it, and the solution refuses such quantities.
//!
//! D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11, 1963. P. Huber, "Robust
//! estimation of a location parameter", Ann. Math. Stat. 35, 1964. C. Geyer, "Practical Markov chain Monte Carlo", Stat. Sci. 7,
//! 1992 (correlation time).

use std::path::PathBuf;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use tightfit_learning::recordings::{Recording, fingerprint};
use tightfit_simulation::SIDES;

use crate::checkpoint::Checkpoint;
use crate::prior::{Apart, Prior};
use crate::sensitivity::{ContactPlace, Sensitivity, sensitivity};
use crate::{
    CalibrationError, Experiment, Follower, Prediction, Quantity, Setup, Solution, Unknown, WearChart,
};

/// k: errors beyond so many spreads count less [-].
const ROBUST: f64 = 2.0;
/// Least spread of errors [N].
const FINEST: f64 = 1e-3;
/// λ at the start, and the largest.
const DAMPING: f64 = 1e-2;
const MOST_DAMPING: f64 = 1e5;
/// Relative decrease of the cost below which the fit ends [-].
const ENOUGH: f64 = 5e-5;
/// Sections of a trial whose errors are taken as independent in the uncertainty.
const STRETCHES: usize = 8;
/// Rows of derivatives that are multiplied at once.
const BLOCK: usize = 40;

/// Half the difference of a pose for its slopes [m], and as an angle over the lever: some nodes of a round fit.
const POSE_STEP: f64 = 5e-6;

/// Half the difference of the logarithm of a stiffness [-].
const STIFFNESS_STEP: f64 = 0.05;

/// Errors of the model that are the same in all samples: gaps of the three sides, and all forces.
pub(crate) const SYSTEMATIC: usize = SIDES + 1;
/// Relative error of all forces [-], one standard deviation: finite steps, inertia of the grasp.
const FORCE_ERROR: f64 = 0.01;

/// Options of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Iterations at most.
    pub iterations: usize,
    /// Samples between compared ones.
    pub stride: usize,
    /// Whether dimensions are searched for around their start.
    pub scan: bool,
    /// Error of all gaps of one side that is the same in all samples [m], one standard deviation. Noise of poses pushes parts
    /// into one another and never pulls: half of its standard deviation is such an error.
    pub gap_error: f64,
    /// File that lets an interrupted fit go on.
    pub checkpoint: Option<PathBuf>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { iterations: 25, stride: 2, scan: true, gap_error: 1e-6, checkpoint: None }
    }
}

/// What a fit reports while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitProgress {
    /// Finished share, as far as it can be told [-].
    pub share: f64,
    /// Iterations done.
    pub iteration: usize,
    /// Spread of the errors [N].
    pub spread: f64,
}

/// A fit of unknowns to trials.
#[derive(Clone, Debug)]
pub struct Fit<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) wear: Option<WearChart>,
    pub(crate) trials: &'a [Recording],
    options: FitOptions,
}

/// Predictions and errors at some coordinates.
pub(crate) struct Evaluation {
    pub(crate) setup: Setup,
    pub(crate) predictions: Vec<Vec<Prediction>>,
    /// Six per prediction [N].
    pub(crate) residuals: Vec<Vec<f64>>,
}

/// Linearisation of the data, in the units of J.
pub(crate) struct Linear {
    pub(crate) normal: DMatrix<f64>,
    pub(crate) gradient: DVector<f64>,
    /// Gradients of stretches, trial by trial.
    pub(crate) scores: Vec<Vec<DVector<f64>>>,
    pub(crate) apart: Apart,
    pub(crate) places: Vec<ContactPlace>,
    /// Gradients that errors of the model would make, one standard deviation each.
    pub(crate) systematic: [DVector<f64>; SYSTEMATIC],
}

/// Spread and correlation time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    pub(crate) spread: f64,
    pub(crate) correlation: f64,
}

impl<'a> Fit<'a> {
    /// A fit of these unknowns.
    ///
    /// # Errors
    /// When there is nothing to fit or to fit to.
    pub fn new(
        experiment: &'a Experiment,
        unknowns: Vec<Unknown>,
        wear: Option<WearChart>,
        trials: &'a [Recording],
        options: FitOptions,
    ) -> Result<Self, CalibrationError> {
        let nothing = |problem: &str, remedy: &str| CalibrationError::Data {
            problem: problem.into(),
            remedy: remedy.into(),
        };
        if unknowns.is_empty() {
            return Err(nothing("nothing is to be fitted", "name quantities with --fit"));
        }
        if trials.iter().all(|trial| trial.samples.len() < 12) {
            return Err(nothing("no trial has twelve samples", "record for a second at least"));
        }
        let options = FitOptions { stride: options.stride.max(1), ..options };
        Ok(Self { experiment, unknowns, wear, trials, options })
    }

    /// Fits; `follow` is told of the progress.
    ///
    /// # Errors
    /// When the start is no valid scene, or the checkpoint cannot be used.
    pub fn solve(&self, mut follow: impl FnMut(FitProgress)) -> Result<Solution, CalibrationError> {
        let all: Vec<usize> = (0..self.trials.len()).collect();
        let purpose = self.purpose();
        let path = self.options.checkpoint.as_deref();
        let known = path.map(|path| Checkpoint::load(path, &purpose)).transpose()?.flatten();
        let start = vec![0.0; self.unknowns.len()];
        let mut state = match known {
            Some(known) => known,
            None => {
                let tell = |share: f64| FitProgress { share: 0.2 * share, iteration: 0, spread: f64::NAN };
                let coordinates = match self.options.scan {
                    true => self.scanned(start, |share| follow(tell(share)))?,
                    false => start,
                };
                Checkpoint {
                    purpose,
                    iteration: 0,
                    coordinates,
                    damping: DAMPING,
                    costs: Vec::new(),
                    is_done: false,
                }
            }
        };
        let mut here = self.evaluate(&state.coordinates, &all)?;
        loop {
            let noise = noise_of(&here.residuals);
            let done = if state.is_done {
                1.0
            } else {
                state.iteration as f64 / self.options.iterations.max(1) as f64
            };
            follow(FitProgress { share: 0.2 + 0.8 * done, iteration: state.iteration, spread: noise.spread });
            let linear = self.linearise(&state.coordinates, &here, noise);
            let prior = Prior::new(&self.unknowns, self.wear, &linear.apart);
            if state.is_done || state.iteration >= self.options.iterations {
                return Ok(Solution::new(
                    self,
                    &state.coordinates,
                    here,
                    &linear,
                    &prior,
                    noise,
                    state.iteration,
                ));
            }
            let cost = |found: &Evaluation, x: &[f64]| robust_cost(&found.residuals, noise) + prior.cost(x);
            let before = cost(&here, &state.coordinates);
            let (mut normal, mut gradient) = (linear.normal, linear.gradient);
            prior.add(&state.coordinates, &mut normal, &mut gradient);
            let better = self.descend(&state.coordinates, &normal, &gradient, &mut state.damping, |x| {
                let found = self.evaluate(x, &all).ok()?;
                let after = cost(&found, x);
                (after < before).then_some((after, found))
            });
            match better {
                Some((x, (after, found))) => {
                    state.is_done = before - after < ENOUGH * before;
                    state.costs.push(after);
                    state.coordinates = x;
                    here = found;
                }
                None => state.is_done = true,
            }
            state.iteration += 1;
            if let Some(path) = path {
                state.save(path)?;
            }
        }
    }

    /// The first damped step that `accept` takes.
    fn descend<T>(
        &self,
        x: &[f64],
        normal: &DMatrix<f64>,
        gradient: &DVector<f64>,
        damping: &mut f64,
        accept: impl Fn(&[f64]) -> Option<T>,
    ) -> Option<(Vec<f64>, T)> {
        while *damping < MOST_DAMPING {
            let mut damped = normal.clone();
            for index in 0..x.len() {
                damped[(index, index)] *= 1.0 + *damping;
            }
            if let Some(factors) = damped.cholesky() {
                let way = factors.solve(gradient);
                // no unknown moves by more than its prior in one step
                let longest = way.iter().zip(&self.unknowns).map(|(way, own)| (way / own.prior).abs());
                let shorter = 1.0 / longest.fold(1.0, f64::max);
                let to: Vec<f64> = x.iter().zip(way.iter()).map(|(x, way)| x - shorter * way).collect();
                if let Some(found) = accept(&to) {
                    *damping = (*damping * 0.2).max(1e-6);
                    return Some((to, found));
                }
            }
            *damping = (*damping * 8.0).max(1e-3);
        }
        None
    }

    /// Predicts some trials; those that are not named stay empty.
    pub(crate) fn evaluate(&self, x: &[f64], trials: &[usize]) -> Result<Evaluation, CalibrationError> {
        let setup = Setup::new(self.experiment, &self.unknowns, self.wear, x, true)?;
        let follow = |trial: usize| {
            if !trials.contains(&trial) {
                return Vec::new();
            }
            let all = Follower::default().follow(self.experiment, &setup, trial, &self.trials[trial]);
            all.into_iter().step_by(self.options.stride).collect()
        };
        let predictions: Vec<Vec<Prediction>> = (0..self.trials.len()).into_par_iter().map(follow).collect();
        let residuals = predictions.iter().map(|all| self.residuals(all)).collect();
        Ok(Evaluation { setup, predictions, residuals })
    }

    fn residuals(&self, predictions: &[Prediction]) -> Vec<f64> {
        let lever = self.experiment.lever;
        let of = |own: &Prediction| -> [f64; 6] {
            std::array::from_fn(|axis| {
                (own.wrench[axis] - own.measured[axis]) / if axis < 3 { 1.0 } else { lever }
            })
        };
        predictions.iter().flat_map(of).collect()
    }

    /// Normal equations of the data.
    pub(crate) fn linearise(&self, x: &[f64], here: &Evaluation, noise: Noise) -> Linear {
        let count = self.unknowns.len();
        let of_trial = |trial: usize| {
            let (predictions, residuals) = (&here.predictions[trial], &here.residuals[trial]);
            let mut own = Linear {
                normal: DMatrix::zeros(count, count),
                gradient: DVector::zeros(count),
                scores: vec![vec![DVector::zeros(count); STRETCHES]],
                apart: Apart::new(&self.unknowns, self.wear),
                places: Vec::new(),
                systematic: std::array::from_fn(|_| DVector::zeros(count)),
            };
            let differences = self.difference_slopes(x, trial);
            let per_stretch = predictions.len().div_ceil(STRETCHES).max(1);
            for (block, few) in predictions.chunks(BLOCK).enumerate() {
                let mut rows = DMatrix::zeros(6 * few.len(), count);
                for (place, prediction) in few.iter().enumerate() {
                    let number = block * BLOCK + place;
                    let Sensitivity { rows: mut own_rows, per_side, places } = sensitivity(
                        self.experiment,
                        &here.setup,
                        &self.unknowns,
                        self.wear,
                        trial,
                        prediction,
                    );
                    for (index, slopes) in &differences {
                        let slopes = slopes.get(number).copied().unwrap_or_default();
                        own_rows.column_mut(*index).copy_from_slice(&slopes);
                    }
                    for axis in 0..6 {
                        let residual = residuals[6 * number + axis];
                        let weight = weight(residual / noise.spread) / noise.information();
                        let unit = if axis < 3 { 1.0 } else { 1.0 / self.experiment.lever };
                        let slope = own_rows.row(axis).transpose() * unit;
                        own.scores[0][number / per_stretch].axpy(weight * residual, &slope, 1.0);
                        for (kind, sum) in own.systematic.iter_mut().enumerate() {
                            let error = match per_side.get(kind) {
                                Some(side) => self.options.gap_error * side[axis],
                                None => FORCE_ERROR * prediction.wrench[axis],
                            };
                            sum.axpy(weight * unit * error, &slope, 1.0);
                        }
                        rows.set_row(6 * place + axis, &(slope * weight.sqrt()).transpose());
                    }
                    if let Some(wear) = self.wear {
                        places.iter().for_each(|place| own.apart.add(wear, place));
                    }
                    own.places.extend(places);
                }
                own.normal.gemm_tr(1.0, &rows, &rows, 1.0);
            }
            own.gradient = own.scores[0].iter().fold(DVector::zeros(count), |sum, own| sum + own);
            own
        };
        let trials: Vec<Linear> = (0..self.trials.len()).into_par_iter().map(of_trial).collect();
        // in order: the sum does not depend on the number of threads
        let mut all = trials.into_iter();
        let first = all.next();
        let mut sum = first.unwrap_or_else(|| Linear {
            normal: DMatrix::zeros(count, count),
            gradient: DVector::zeros(count),
            scores: Vec::new(),
            apart: Apart::new(&self.unknowns, self.wear),
            places: Vec::new(),
            systematic: std::array::from_fn(|_| DVector::zeros(count)),
        });
        for own in all {
            sum.normal += own.normal;
            sum.gradient += own.gradient;
            sum.scores.extend(own.scores);
            sum.apart.join(&own.apart);
            sum.places.extend(own.places);
            sum.systematic.iter_mut().zip(&own.systematic).for_each(|(sum, own)| *sum += own);
        }
        sum
    }

    /// Slopes by poses and stiffness, as differences of simulated forces. Contacts are at nodes: a round peg rests in a corner
    /// between two of them or on one, and slopes from the contacts jump between a held and a free direction every few
    /// micrometres. A contact that sticks remembers where it stopped, which slopes at one moment do not know.
    fn difference_slopes(&self, x: &[f64], trial: usize) -> Vec<(usize, Vec<[f64; 6]>)> {
        let of = |(index, unknown): (usize, &Unknown)| {
            let of_pose = |axis: usize| if axis < 3 { POSE_STEP } else { POSE_STEP / self.experiment.lever };
            let step = match unknown.quantity {
                Quantity::FixedPose(axis) | Quantity::InHand(axis) => of_pose(axis),
                Quantity::Drift { trial: own, axis } if own == trial => of_pose(axis),
                Quantity::Stiffness(_) => STIFFNESS_STEP,
                _ => return None,
            };
            let at = |shift: f64| {
                let mut moved = x.to_vec();
                moved[index] += shift;
                let setup = Setup::new(self.experiment, &self.unknowns, self.wear, &moved, false).ok()?;
                let all = Follower::default().follow(self.experiment, &setup, trial, &self.trials[trial]);
                Some(all.into_iter().step_by(self.options.stride).map(|own| own.wrench).collect::<Vec<_>>())
            };
            let (above, below) = (at(step)?, at(-step)?);
            let slope = |(above, below): (&[f64; 6], &[f64; 6])| -> [f64; 6] {
                std::array::from_fn(|axis| (above[axis] - below[axis]) / (2.0 * step))
            };
            Some((index, above.iter().zip(&below).map(slope).collect()))
        };
        self.unknowns.iter().enumerate().filter_map(of).collect()
    }

    fn purpose(&self) -> String {
        let names: Vec<String> = self
            .unknowns
            .iter()
            .map(|own| format!("{} {:x}", own.quantity.name(), own.start.to_bits()))
            .collect();
        let FitOptions { iterations, stride, scan, .. } = self.options;
        let data = fingerprint(self.trials);
        let text = format!("{:?} {:?} {}", self.experiment.spring, names, self.experiment.source.text);
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!(
            "{} unknowns, {} trials {data:016x}, scene and starts {hash:016x}, {iterations} iterations, every {stride}, scan {scan}",
            self.unknowns.len(),
            self.trials.len()
        )
    }
}

impl Noise {
    /// σ²τ.
    fn information(self) -> f64 {
        self.spread * self.spread * self.correlation
    }
}

fn weight(u: f64) -> f64 {
    (1.0 + (u / ROBUST).powi(2)).sqrt().recip()
}

fn robust_cost(residuals: &[Vec<f64>], noise: Noise) -> f64 {
    let scale = ROBUST * ROBUST;
    let of = |r: &f64| scale * ((1.0 + (r / noise.spread).powi(2) / scale).sqrt() - 1.0);
    residuals.iter().flatten().map(of).sum::<f64>() / noise.correlation
}

/// Spread and correlation time of the errors; both from all trials.
pub(crate) fn noise_of(residuals: &[Vec<f64>]) -> Noise {
    let mut sizes: Vec<f64> = residuals.iter().flatten().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let spread = (1.4826 * sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)).max(FINEST);
    // clipped errors: an impact must not decide
    let clip = |r: f64| r.clamp(-3.0 * spread, 3.0 * spread);
    let longest = residuals.iter().map(|own| own.len() / 6 / 4).max().unwrap_or(0);
    let product = |lag: usize| -> f64 {
        let of = |own: &Vec<f64>| -> f64 {
            own.iter().zip(own.iter().skip(6 * lag)).map(|(a, b)| clip(*a) * clip(*b)).sum()
        };
        residuals.iter().map(of).sum()
    };
    let square = product(0).max(f64::MIN_POSITIVE);
    let mut correlation = 1.0;
    for lag in 1..longest {
        let own = product(lag) / square;
        if own < 0.05 {
            break;
        }
        correlation += 2.0 * own;
    }
    Noise { spread, correlation }
}
