//! What identification leaves open of the load, found from training trials: that with which all contacts give the measured wrench
//! best.
//!
//! ```text
//! k [N/m] by axis, k [N·m/rad] by axis, μ     factors on the guess, searched for as logarithms
//! δ [m]                                       how much higher the fixed parts stand
//! ```
//!
//! CMA-ES over eight numbers; damping follows from stiffness. A recorded pose is known less well than a stiff grasp gives way: the
//! best spring is then softer than the true one, and with it the height at which contact begins is another. All contacts and the
//! ladder solver judge, where the part follows by the steps themselves; every method then uses the same. The search ends when neither the
//! cost nor the candidates differ by a thousandth any more.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_simulation::{Methods, Preset};

use super::{HoldingSpring, LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use crate::LearningError;
use crate::cma_es::{CmaOptions, Search};
use crate::recordings::Recording;

/// Unit of δ in the search [m].
const RAISE: f64 = 0.5e-3;

/// Numbers that are searched for.
const UNKNOWNS: usize = 8;
/// Differences of cost, and of candidates in units of the first step, that no longer matter.
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

/// Searches from a first guess for so many generations; `follow` is told the generation and the least cost so far. The guess is
/// judged like the candidates and stays unless one of them is better: none of them has its damping.
///
/// # Errors
/// When the trials are too short.
pub fn identify_load(
    recorded: &RecordedScene,
    model: LoadModel,
    trials: &[&Recording],
    guess: HoldingSpring,
    generations: u64,
    seed: u64,
    mut follow: impl FnMut(u64, f64),
) -> Result<LoadSearch, LearningError> {
    let judged = |load: FittedLoad| errors(recorded, model, trials, load);
    let guessed = judged(FittedLoad::of(guess))?.cost(recorded.lever);
    let of = |x: &[f64]| FittedLoad::at(x, &guess, recorded.scene.step);
    let options =
        CmaOptions { seed, value_tolerance: ENOUGH, width_tolerance: ENOUGH, ..CmaOptions::default() };
    let mut search = Search::new(vec![0.0; UNKNOWNS], 0.5, options, 0)?;
    while search.generations() < generations && search.stopped().is_none() {
        let candidates = search.ask().to_vec();
        let values: Result<Vec<f64>, LearningError> =
            candidates.par_iter().map(|x| Ok(judged(of(x))?.cost(recorded.lever))).collect();
        search.tell(&values?)?;
        follow(search.generations(), search.best().map_or(guessed, |(value, _)| value.min(guessed)));
    }
    let better = search.best().filter(|(value, _)| guessed.is_nan() || *value < guessed);
    let load = better.map_or(FittedLoad::of(guess), |(_, x)| of(x));
    let errors = judged(load)?;
    Ok(LoadSearch { load, errors, costs: [guessed, errors.cost(recorded.lever)] })
}

fn errors(
    recorded: &RecordedScene,
    model: LoadModel,
    trials: &[&Recording],
    load: FittedLoad,
) -> Result<WrenchErrors, LearningError> {
    let (recorded, spring) = (&recorded.fitted(&load), load.spring);
    let mut predictor = WrenchPredictor::new(recorded, Methods::from(Preset::Tight), spring);
    let mut pairs = Vec::new();
    for trial in trials {
        let moments = model.moments(recorded, &spring, trial)?;
        let mut predicted = moments.followed;
        if predicted.is_empty() {
            predicted = moments.moments.iter().map(|moment| predictor.predict(moment)).collect();
        }
        pairs.extend(predicted.into_iter().zip(moments.measured));
    }
    Ok(WrenchErrors::of(pairs.iter().map(|(predicted, measured)| (predicted, measured))))
}
