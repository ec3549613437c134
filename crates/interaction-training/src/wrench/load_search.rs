//! Fits the part of the load that identification leaves open: the load whose predictions with all contacts match the
//! measured wrenches of training trials best.
//!
//! ```text
//! k [N/m] by axis, k [N·m/rad] by axis, μ  factors on the guess, searched for as logarithms
//! δ [m]                                    upward shift of the fixed parts
//!
//! x ← x − (JᵀJ + λ diag JᵀJ)⁻¹ Jᵀr         r errors of all wrenches, force and torque over the lever; J by differences
//! ```
//!
//! Damped Gauss-Newton (Levenberg, Marquardt) over eight unknowns; the damping of the spring follows from its
//! stiffness. Differences are wide: contacts open and close, and narrow differences would measure that. Several λ are
//! tried at once, since each costs as much as a column of J. The uncertainty of a recorded pose exceeds the deflection
//! of a stiff grasp: the best spring is then softer than the true one, and the height at which contact starts differs.
//! Predictions use all contacts and the ladder solver at settled parts, also for `followed`; every method then uses the
//! same load.
//!
//! D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11, 1963.

use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;
use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::Recording;
use tightfit_simulation::{Methods, Preset};

use super::{FittedLoad, LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use crate::LearningError;

/// Unit of δ in the search [m].
const RAISE: f64 = 0.5e-3;

/// Number of unknowns.
const UNKNOWNS: usize = 8;
/// Width of differences: two hundredths of a stiffness, 10 µm of height.
const DIFFERENCE: f64 = 0.02;
/// Largest change of an unknown in a round: a stiffness by a factor of e.
const FARTHEST: f64 = 1.0;
/// λ of the first round, and its factors for the candidates of a round.
const DAMPING: f64 = 1e-2;
const DAMPINGS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];
/// λ at which the search ends: nothing better is near.
const MOST_DAMPING: f64 = 1e6;
/// Samples between evaluated moments: neighbours carry the same information.
const EVERY: usize = 5;
/// Relative decrease of the cost below which the search ends [-].
const ENOUGH: f64 = 1e-3;

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadSearch {
    /// The guess, or a better load.
    pub load: FittedLoad,
    /// Its errors.
    pub errors: WrenchErrors,
    /// Cost J of the guess and of the result [-]; the second is never larger.
    pub costs: [f64; 2],
}

/// Searches from a first guess for at most `rounds` rounds; `follow` receives the round and the lowest cost so far. The
/// guess is evaluated like the candidates and kept unless one of them is better: none of them has its damping.
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
    let at = |x: &Unknowns| judged(load_at(x.as_slice(), &guess, recorded.scene.dt));
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
    // NaN loses.
    let found = if costs[1] < costs[0] || costs[0].is_nan() { best } else { guessed };
    Ok(LoadSearch { load: found.load, errors: found.errors, costs: [costs[0], found.cost(recorded)] })
}

type Unknowns = SVector<f64, UNKNOWNS>;
type Normal = SMatrix<f64, UNKNOWNS, UNKNOWNS>;

/// The load at the search's coordinates.
fn load_at(x: &[f64], guess: &HoldingSpring, step: f64) -> FittedLoad {
    let along = std::array::from_fn(|axis| guess.stiffness[axis] * libm::exp(x[axis]));
    let about = std::array::from_fn(|axis| guess.turning_stiffness[axis] * libm::exp(x[3 + axis]));
    FittedLoad {
        spring: HoldingSpring::settling(along, about, step),
        friction: libm::exp(x[6]),
        raise: x[7] * RAISE,
    }
}

/// The step to the next point; zero where it is not finite.
fn step(normal: &Normal, right: &Unknowns, damping: f64) -> Unknowns {
    let mut damped = *normal;
    let largest = normal.diagonal().max();
    for unknown in 0..UNKNOWNS {
        // Unknowns that the trials do not determine stay unchanged.
        damped[(unknown, unknown)] += damping * normal[(unknown, unknown)].max(1e-6 * largest);
    }
    let way = damped.cholesky().map(|factors| factors.solve(right));
    let way = way.filter(|way| way.iter().all(|own| own.is_finite())).unwrap_or_default();
    way * (FARTHEST / way.amax().max(FARTHEST))
}

/// Predictions of all contacts with a load, compared with the trials.
#[derive(Clone)]
struct Judged {
    load: FittedLoad,
    errors: WrenchErrors,
    /// Errors of force [N] and of torque over the lever [N], moment by moment.
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
    fn a_step_changes_only_determined_unknowns_within_its_limit() {
        // The first unknown is fully determined, the last not at all.
        let mut normal = Normal::identity() * 4.0;
        normal[(7, 7)] = 0.0;
        let right = Unknowns::from_fn(|row, _| if row == 0 { 2.0 } else { 0.0 });
        let way = step(&normal, &right, 1e-9);
        assert!((way[0] - 0.5).abs() < 1e-6 && way[7] == 0.0, "{way}");
        assert!((step(&normal, &(right * 100.0), 1e-9).amax() - FARTHEST).abs() < 1e-12);
        assert_eq!(step(&(normal * f64::NAN), &right, 1.0), Unknowns::zeros());
    }
}
