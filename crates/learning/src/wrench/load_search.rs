//! What identification leaves open of the load, found from training trials: that with which all contacts give the measured wrench
//! best.
//!
//! ```text
//! k_xy, k_z [N/m], k_turning [N·m/rad], μ      factors on what was identified, searched for as logarithms
//! δ [m]                                       how much higher the fixed parts stand
//! ```
//!
//! CMA-ES over five numbers; damping follows from stiffness. A recorded pose is known less well than a stiff grasp gives way: the
//! best spring is then softer than the true one, and with it the height at which contact begins is another. All contacts and the
//! ladder solver judge; every method then uses the same.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_simulation::{Methods, Preset};

use super::{HoldingSpring, LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use crate::LearningError;
use crate::cma_es::{CmaOptions, Search};
use crate::recordings::Recording;

/// Unit of δ in the search [m].
const RAISE: f64 = 0.5e-3;

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
        let [across, along, turning, friction] = [x[0], x[1], x[2], x[3]].map(libm::exp);
        let [kx, ky, kz] = guess.stiffness;
        Self {
            spring: HoldingSpring::settling(
                [kx * across, ky * across, kz * along],
                guess.turning_stiffness.map(|k| k * turning),
                step,
            ),
            friction,
            raise: x[4] * RAISE,
        }
    }
}

/// Searches from a first guess for so many generations; `follow` is told the generation and the cost.
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
) -> Result<(FittedLoad, WrenchErrors), LearningError> {
    let of = |x: &[f64]| FittedLoad::at(x, &guess, recorded.scene.step);
    let mut search = Search::new(vec![0.0; 5], 0.8, CmaOptions { seed, ..CmaOptions::default() }, 0)?;
    while search.generations() < generations && search.stopped().is_none() {
        let candidates = search.ask().to_vec();
        let values: Result<Vec<f64>, LearningError> =
            candidates.par_iter().map(|x| Ok(errors(recorded, model, trials, of(x))?.cost())).collect();
        search.tell(&values?)?;
        follow(search.generations(), search.best().map_or(f64::INFINITY, |(value, _)| value));
    }
    let found = search.best().map_or(FittedLoad::of(guess), |(_, x)| of(x));
    Ok((found, errors(recorded, model, trials, found)?))
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
        let predicted = moments.moments.iter().map(|moment| predictor.predict(moment));
        pairs.extend(predicted.zip(moments.measured.iter().copied()));
    }
    Ok(WrenchErrors::of(pairs.iter().map(|(predicted, measured)| (predicted, measured))))
}
