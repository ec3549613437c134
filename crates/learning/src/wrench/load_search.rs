//! What identification leaves open of the load, found from training trials: that with which all contacts give the measured wrench
//! best.
//!
//! ```text
//! k [N/m] by axis, k [N·m/rad] by axis, μ     factors on the guess, searched for as logarithms
//! δ [m]                                       how much higher the fixed parts stand
//!
//! x ← x − (JᵀJ + λ diag JᵀJ)⁻¹ Jᵀr            r errors of all wrenches, force and torque over the lever; J by differences
//! ```
//!
//! Damped Gauss-Newton (Levenberg, Marquardt) over eight numbers; damping of the spring follows from stiffness. Differences are
//! wide: contacts come and go, and narrow ones would measure that. Several λ are tried at once, since each costs as much as a column
//! of J. A recorded pose is known less well than a stiff grasp gives way: the best spring is then softer than the true one, and with
//! it the height at which contact begins is another. All contacts and the ladder solver judge, at parts that have settled also where
//! predictions follow; every method then uses the same.
//!
//! D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11, 1963.

use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_simulation::{Methods, Preset};

use super::{HoldingSpring, LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use crate::LearningError;
use crate::recordings::Recording;

/// Unit of δ in the search [m].
const RAISE: f64 = 0.5e-3;

/// Numbers that are searched for.
const UNKNOWNS: usize = 8;
/// Width of differences: two hundredths of a stiffness, 10 µm of height.
const DIFFERENCE: f64 = 0.02;
/// Farthest that a number goes in a round: a stiffness by a factor of e.
const FARTHEST: f64 = 1.0;
/// λ of the first round, and what it is multiplied by for the candidates of a round.
const DAMPING: f64 = 1e-2;
const DAMPINGS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];
/// λ from which on there is no better place near by.
const MOST_DAMPING: f64 = 1e6;
/// Samples from one moment that is judged to the next: neighbours tell the same.
const EVERY: usize = 5;
/// Share of the cost that a round must gain.
const ENOUGH: f64 = 1e-3;

/// What a search found.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct FittedLoad {
    /// The spring.
    pub spring: HoldingSpring,
    /// Factor on every friction coefficient [-].
    #[serde(default = "unchanged")]
    pub friction: f64,
    /// δ: how much higher the fixed parts stand, world z [m].
    #[serde(default)]
    pub raise: f64,
}

fn unchanged() -> f64 {
    1.0
}

impl Default for FittedLoad {
    fn default() -> Self {
        Self::of(HoldingSpring::default())
    }
}

impl FittedLoad {
    /// This spring, and the scene as it is.
    #[must_use]
    pub fn of(spring: HoldingSpring) -> Self {
        Self { spring, friction: 1.0, raise: 0.0 }
    }

    /// From the search's coordinates.
    fn at(x: &[f64], guess: &HoldingSpring, step: f64) -> Self {
        let along = std::array::from_fn(|axis| guess.stiffness[axis] * libm::exp(x[axis]));
        let about = std::array::from_fn(|axis| guess.turning_stiffness[axis] * libm::exp(x[3 + axis]));
        Self {
            spring: HoldingSpring::settling(along, about, step),
            friction: libm::exp(x[6]),
            raise: x[7] * RAISE,
        }
    }
}

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadSearch {
    /// The guess, or what is better.
    pub load: FittedLoad,
    /// Its errors.
    pub errors: WrenchErrors,
    /// Cost J of the guess and of what was found [-]; the second is never the larger.
    pub costs: [f64; 2],
}

/// Searches from a first guess for so many rounds; `follow` is told the round and the least cost so far. The guess is
/// judged like the candidates and stays unless one of them is better: none of them has its damping.
///
/// # Errors
/// When the trials are too short.
pub fn identify_load(
    recorded: &RecordedScene,
    model: LoadModel,
    trials: &[&Recording],
    guess: HoldingSpring,
    rounds: u64,
    mut follow: impl FnMut(u64, f64),
) -> Result<LoadSearch, LearningError> {
    let judged = |load: FittedLoad| Judged::of(recorded, model.smooth(), trials, load);
    let at = |x: &Unknowns| judged(FittedLoad::at(x.as_slice(), &guess, recorded.scene.step));
    let guessed = judged(FittedLoad::of(guess))?;
    let mut x = Unknowns::zeros();
    let mut best = if rounds > 0 { at(&x)? } else { guessed.clone() };
    let mut damping = DAMPING;
    for round in 0..rounds {
        let slopes: Vec<Vec<f64>> = (0..UNKNOWNS)
            .into_par_iter()
            .map(|unknown| {
                let mut moved = x;
                moved[unknown] += DIFFERENCE;
                let both = at(&moved)?.residuals.into_iter().zip(&best.residuals);
                Ok(both.map(|(moved, own)| (moved - own) / DIFFERENCE).collect())
            })
            .collect::<Result<_, LearningError>>()?;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let normal = Normal::from_fn(|row, column| product(&slopes[row], &slopes[column]));
        let right = Unknowns::from_fn(|row, _| -product(&slopes[row], &best.residuals));
        let candidates: Vec<(f64, Unknowns, Judged)> = DAMPINGS
            .into_par_iter()
            .map(|factor| {
                let to = x + step(&normal, &right, damping * factor);
                Ok((damping * factor, to, at(&to)?))
            })
            .collect::<Result<_, LearningError>>()?;
        let cost = best.cost(recorded);
        let least = candidates
            .into_iter()
            .filter(|(_, _, judged)| judged.cost(recorded) < cost)
            .min_by(|(_, _, one), (_, _, other)| one.cost(recorded).total_cmp(&other.cost(recorded)));
        match least {
            Some(better) => (damping, x, best) = better,
            None => damping *= DAMPINGS[DAMPINGS.len() - 1],
        }
        let now = best.cost(recorded);
        follow(round + 1, now.min(guessed.cost(recorded)));
        if damping > MOST_DAMPING || now < cost && cost - now < ENOUGH * cost {
            break;
        }
    }
    let costs = [guessed.cost(recorded), best.cost(recorded)];
    // what is not a number loses
    let found = if costs[1] < costs[0] || costs[0].is_nan() { best } else { guessed };
    Ok(LoadSearch { load: found.load, errors: found.errors, costs: [costs[0], found.cost(recorded)] })
}

type Unknowns = SVector<f64, UNKNOWNS>;
type Normal = SMatrix<f64, UNKNOWNS, UNKNOWNS>;

/// The way to the next place; none where the numbers allow none.
fn step(normal: &Normal, right: &Unknowns, damping: f64) -> Unknowns {
    let mut damped = *normal;
    let largest = normal.diagonal().max();
    for unknown in 0..UNKNOWNS {
        // what the trials do not tell stays where it is
        damped[(unknown, unknown)] += damping * normal[(unknown, unknown)].max(1e-6 * largest);
    }
    let way = damped.cholesky().map(|factors| factors.solve(right));
    let way = way.filter(|way| way.iter().all(|own| own.is_finite())).unwrap_or_default();
    way * (FARTHEST / way.amax().max(FARTHEST))
}

/// What all contacts make of the trials with a load.
#[derive(Clone)]
struct Judged {
    load: FittedLoad,
    errors: WrenchErrors,
    /// Errors of force [N] and of torque over the lever [N], one after another.
    residuals: Vec<f64>,
}

impl Judged {
    fn of(
        recorded: &RecordedScene,
        model: LoadModel,
        trials: &[&Recording],
        load: FittedLoad,
    ) -> Result<Self, LearningError> {
        let (recorded, spring) = (&recorded.fitted(&load), load.spring);
        let mut predictor = WrenchPredictor::new(recorded, Methods::from(Preset::Tight), spring);
        let mut pairs = Vec::new();
        for trial in trials {
            let moments = model.moments_every(EVERY, recorded, &spring, trial)?;
            let predicted = moments.moments.iter().map(|moment| predictor.predict(moment));
            pairs.extend(predicted.zip(moments.measured));
        }
        let errors = WrenchErrors::of(pairs.iter().map(|(predicted, measured)| (predicted, measured)));
        let residuals = pairs.iter().flat_map(|(predicted, measured)| {
            let unit = |axis: usize| if axis < 3 { 1.0 } else { recorded.lever };
            (0..6).map(move |axis| (predicted[axis] - measured[axis]) / unit(axis))
        });
        Ok(Self { load, errors, residuals: residuals.collect() })
    }

    fn cost(&self, recorded: &RecordedScene) -> f64 {
        self.errors.cost(recorded.lever)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_follows_the_data_as_far_as_they_tell_and_no_farther() {
        // the first number is told exactly, the last not at all
        let mut normal = Normal::identity() * 4.0;
        normal[(7, 7)] = 0.0;
        let right = Unknowns::from_fn(|row, _| if row == 0 { 2.0 } else { 0.0 });
        let way = step(&normal, &right, 1e-9);
        assert!((way[0] - 0.5).abs() < 1e-6 && way[7] == 0.0, "{way}");
        assert!((step(&normal, &(right * 100.0), 1e-9).amax() - FARTHEST).abs() < 1e-12);
        assert_eq!(step(&(normal * f64::NAN), &right, 1.0), Unknowns::zeros());
    }
}
