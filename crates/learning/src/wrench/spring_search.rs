//! The spring of the recorded hand, found from training trials: that with which all contacts give the measured wrench best.
//!
//! Four numbers, searched for as logarithms by CMA-ES. All contacts and the ladder solver judge it; every method then uses
//! the same.

use rayon::prelude::*;
use tightfit_simulation::{Methods, Preset};

use super::{HoldingSpring, LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use crate::LearningError;
use crate::cma_es::{CmaOptions, Search};
use crate::recordings::Recording;

/// Searches from a first guess for so many generations; `follow` is told the generation and the cost.
///
/// # Errors
/// When the trials are too short.
pub fn identify_spring(
    recorded: &RecordedScene,
    model: LoadModel,
    trials: &[&Recording],
    guess: HoldingSpring,
    generations: u64,
    seed: u64,
    mut follow: impl FnMut(u64, f64),
) -> Result<(HoldingSpring, WrenchErrors), LearningError> {
    let of = |x: &[f64]| HoldingSpring {
        stiffness: libm::exp(x[0]),
        damping: libm::exp(x[1]),
        turning_stiffness: libm::exp(x[2]),
        turning_damping: libm::exp(x[3]),
    };
    let HoldingSpring { stiffness, damping, turning_stiffness, turning_damping } = guess;
    let start: Vec<f64> =
        [stiffness, damping, turning_stiffness, turning_damping].into_iter().map(libm::log).collect();
    let mut search = Search::new(start.clone(), 1.0, CmaOptions { seed, ..CmaOptions::default() }, 0)?;
    while search.generations() < generations && search.stopped().is_none() {
        let candidates = search.ask().to_vec();
        let values: Result<Vec<f64>, LearningError> =
            candidates.par_iter().map(|x| Ok(errors(recorded, model, trials, of(x))?.cost())).collect();
        search.tell(&values?)?;
        follow(search.generations(), search.best().map_or(f64::INFINITY, |(value, _)| value));
    }
    let spring = search.best().map_or(guess, |(_, x)| of(x));
    Ok((spring, errors(recorded, model, trials, spring)?))
}

fn errors(
    recorded: &RecordedScene,
    model: LoadModel,
    trials: &[&Recording],
    spring: HoldingSpring,
) -> Result<WrenchErrors, LearningError> {
    let mut predictor = WrenchPredictor::new(recorded, Methods::from(Preset::Tight), spring);
    let mut pairs = Vec::new();
    for trial in trials {
        let moments = model.moments(recorded, &spring, trial)?;
        let predicted = moments.moments.iter().map(|moment| predictor.predict(moment));
        pairs.extend(predicted.zip(moments.measured.iter().copied()));
    }
    Ok(WrenchErrors::of(pairs.iter().map(|(predicted, measured)| (predicted, measured))))
}
