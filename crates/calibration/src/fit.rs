//! Robust least squares of measured wrenches.
//!
//! ```text
//! J(x) = 1/τ Σ ρ(r/σ) + ½ Σ prior²          ρ(u) = k² (√(1 + u²/k²) − 1)       r errors of force and of torque over the lever
//! (H + λ diag H) dx = −g                      H = Σ w jᵀj/(σ²τ) + prior,  w = 1/√(1 + u²/k²)
//! ```
//!
//! σ robust spread of the errors (1.4826 times their median magnitude), τ their correlation time in samples: neighbouring samples
//! err alike, and n of them tell as much as n/τ independent ones. Both follow the fit from step to step. Slopes j come from the
//! contacts (`sensitivity`) or, where contacts remember how they got there, from differences (`linear`): to one side at first, to both in the
//! last rounds. Costs come from the simulator.
//!
//! Stiffnesses of the hold, friction and delay that the data leave open return to their start, and the others are fitted anew without them: along an
//! open direction wrong slopes would carry a hold away, and its value would spoil predictions elsewhere. Those that are most open go
//! first: without them the data may tell the others.
//!
//! Wear comes last. Hundreds of coefficients can follow a wrong size down a wrong valley, so sizes, poses and hold are fitted without
//! them first, and all together from there. Holds that are open beside wear keep what was found and are refused: wear would take the part
//! of a hold that returned to a wrong start.
//!
//! D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11, 1963. P. Huber, "Robust
//! estimation of a location parameter", Ann. Math. Stat. 35, 1964. C. Geyer, "Practical Markov chain Monte Carlo", Stat. Sci. 7,
//! 1992 (correlation time).

use std::path::PathBuf;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use tightfit_learning::recordings::{Recording, fingerprint};

use crate::checkpoint::Checkpoint;
use crate::linear::Slopes;
use crate::noise::{noise_of, robust_cost};
use crate::normal::Normal;
use crate::prior::Prior;
use crate::{
    CalibrationError, Experiment, Follower, Prediction, Quantity, Setup, Solution, Unknown, WearChart,
};

/// λ at the start, and the largest.
const DAMPING: f64 = 1e-2;
const MOST_DAMPING: f64 = 1e5;
/// Decrease of the cost below which the fit ends: a fifth of a standard deviation.
const ENOUGH: f64 = 0.02;
/// Decrease of the cost for which the fit goes on from another place, and how often at most.
const WORTH_A_JUMP: f64 = 0.5;
const MOST_JUMPS: usize = 3;
/// Factor by which one trial may cost more than all of them are allowed to before it is given up [-].
const HOPELESS: f64 = 1.5;

/// Options of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Iterations at most.
    pub iterations: usize,
    /// Samples between compared ones.
    pub stride: usize,
    /// Whether dimensions are searched for around their start.
    pub scan: bool,
    /// Standard deviation of the recorded poses along and about an axis [m, rad]; told from the recordings where it is not given.
    pub pose_noise: Option<[f64; 2]>,
    /// File that lets an interrupted fit go on.
    pub checkpoint: Option<PathBuf>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { iterations: 25, stride: 2, scan: true, pose_noise: None, checkpoint: None }
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
    pub(crate) options: FitOptions,
}

/// Predictions and errors at some coordinates.
pub(crate) struct Evaluation {
    pub(crate) setup: Setup,
    pub(crate) predictions: Vec<Vec<Prediction>>,
    /// Six per prediction [N].
    pub(crate) residuals: Vec<Vec<f64>>,
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
        let is_wear = |index: &usize| matches!(self.unknowns[*index].quantity, Quantity::Wear(_));
        let wear: Vec<usize> = (0..self.unknowns.len()).filter(is_wear).collect();
        let has_others = wear.len() < self.unknowns.len();
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
                    start: coordinates.clone(),
                    coordinates,
                    damping: DAMPING,
                    costs: Vec::new(),
                    slopes: Slopes::Forward,
                    held: if has_others { wear.clone() } else { Vec::new() },
                    waits_for_wear: has_others && !wear.is_empty(),
                    jumps: 0,
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
            let share = match (wear.is_empty(), state.waits_for_wear) {
                (true, _) => 0.2 + 0.8 * done,
                (false, true) => 0.2 + 0.4 * done,
                (false, false) => 0.6 + 0.4 * done,
            };
            follow(FitProgress { share, iteration: state.iteration, spread: noise.spread });
            if state.is_done || state.iteration >= self.options.iterations {
                let shifts = self.shifts(&state.coordinates, &here)?;
                let linear =
                    self.linearise(&state.coordinates, &here, noise, Slopes::Central, &shifts, &state.held);
                let prior = Prior::new(&self.unknowns, self.wear, &linear.apart);
                let cost = |x: &[f64]| match self.evaluate(x, &all) {
                    Ok(found) => robust_cost(&found.residuals, noise) + prior.cost(x),
                    Err(_) => f64::INFINITY,
                };
                let normal = Normal::new(self, &state.coordinates, &linear, &prior);
                let profiles = self.profiles(&state.coordinates, &normal.inverse, &state.held, cost);
                let is_over = state.iteration >= self.options.iterations;
                if let Some((least, lower)) = profiles.lower.filter(|_| !is_over && state.jumps < MOST_JUMPS)
                {
                    let before = robust_cost(&here.residuals, noise) + prior.cost(&state.coordinates);
                    if before - least > WORTH_A_JUMP {
                        (state.coordinates, state.is_done) = (lower, false);
                        (state.jumps, state.damping) = (state.jumps + 1, DAMPING);
                        here = self.evaluate(&state.coordinates, &all)?;
                        continue;
                    }
                }
                let solution = Solution::new(
                    self,
                    &state.coordinates,
                    here,
                    &linear,
                    &normal,
                    &profiles.sigmas,
                    &state.held,
                    noise,
                    state.iteration,
                );
                if state.waits_for_wear {
                    // what the wear explains widens all ranges until then
                    state.held.retain(|index| !wear.contains(index));
                    (state.waits_for_wear, state.jumps) = (false, 0);
                } else {
                    // beside wear, which would take their part, open ones are refused by their ranges alone
                    let open = if wear.is_empty() { solution.open_holds(&state.held) } else { Vec::new() };
                    if open.is_empty() {
                        return Ok(solution);
                    }
                    // the others begin anew, as if those had not been asked for: an open direction may have led them astray
                    state.held.extend(open);
                    state.coordinates.clone_from(&state.start);
                }
                (state.iteration, state.is_done, state.damping) = (0, false, DAMPING);
                state.slopes = Slopes::Forward;
                here = self.evaluate(&state.coordinates, &all)?;
                continue;
            }
            let linear = self.linearise(&state.coordinates, &here, noise, state.slopes, &[], &state.held);
            let prior = Prior::new(&self.unknowns, self.wear, &linear.apart);
            let cost = |found: &Evaluation, x: &[f64]| robust_cost(&found.residuals, noise) + prior.cost(x);
            let before = cost(&here, &state.coordinates);
            let (mut normal, mut gradient) = (linear.normal, linear.gradient);
            prior.add(&state.coordinates, &mut normal, &mut gradient);
            let better = self.descend(&state.coordinates, &normal, &gradient, &mut state.damping, |x| {
                let found = self.evaluate_below(x, &all, |own| robust_cost(own, noise), before)?;
                let after = cost(&found, x);
                (after < before).then_some((after, found))
            });
            match better {
                Some((x, (after, found))) => {
                    state.is_done = before - after < ENOUGH;
                    state.costs.push(after);
                    state.coordinates = x;
                    here = found;
                }
                None => state.is_done = true,
            }
            state.iteration += 1;
            // the last rounds by better slopes
            if state.is_done && state.slopes == Slopes::Forward {
                (state.slopes, state.is_done, state.damping) = (Slopes::Central, false, DAMPING);
            }
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
        let follow =
            |trial: usize| Follower::default().follow(self.experiment, &setup, trial, &self.trials[trial]);
        let predictions = self.each_trial(trials, |trial| Some(follow(trial))).unwrap_or_default();
        Ok(self.evaluation(setup, predictions))
    }

    /// The same; `None` where there is no valid scene, or where a trial alone costs clearly more than `most`, which ends it early: parts that
    /// cannot go into each other are simulated slowly. `cost` of six errors per prediction, all of the data's where none is left out.
    pub(crate) fn evaluate_below(
        &self,
        x: &[f64],
        trials: &[usize],
        cost: impl Fn(&[Vec<f64>]) -> f64 + Sync,
        most: f64,
    ) -> Option<Evaluation> {
        let setup = Setup::new(self.experiment, &self.unknowns, self.wear, x, true).ok()?;
        let stride = self.options.stride as f64;
        let follow = |trial: usize| {
            let (mut sum, mut is_hopeless) = (0.0, false);
            let goes_on = |stretch: &[Prediction]| {
                sum += cost(&[self.residuals(stretch)]) / stride;
                is_hopeless = sum > HOPELESS * most;
                !is_hopeless
            };
            let mut follower = Follower::default();
            let all = follower.follow_while(self.experiment, &setup, trial, &self.trials[trial], goes_on);
            (!is_hopeless).then_some(all)
        };
        let predictions = self.each_trial(trials, follow)?;
        Some(self.evaluation(setup, predictions))
    }

    /// Thinned predictions of each trial that is named; `None` where one has none.
    fn each_trial(
        &self,
        trials: &[usize],
        follow: impl Fn(usize) -> Option<Vec<Prediction>> + Sync,
    ) -> Option<Vec<Vec<Prediction>>> {
        let of = |trial: usize| match trials.contains(&trial) {
            true => follow(trial).map(|all| self.thinned(all)),
            false => Some(Vec::new()),
        };
        (0..self.trials.len()).into_par_iter().map(of).collect()
    }

    fn evaluation(&self, setup: Setup, predictions: Vec<Vec<Prediction>>) -> Evaluation {
        let residuals = predictions.iter().map(|all| self.residuals(all)).collect();
        Evaluation { setup, predictions, residuals }
    }

    /// The predictions that are compared.
    pub(crate) fn thinned(&self, all: Vec<Prediction>) -> Vec<Prediction> {
        all.into_iter().step_by(self.options.stride).collect()
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
