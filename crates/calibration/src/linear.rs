//! The fit's linearisation: normal equations of the data, whole and block by block.
//!
//! Slopes by poses, stiffness and friction are differences of simulated forces. Contacts are at nodes: a round peg rests in a corner between
//! two of them or on one, and slopes from the contacts jump between a held and a free direction every few micrometres. A
//! contact that sticks remembers where it stopped, which slopes at one moment do not know. All other slopes come from the
//! contacts (`sensitivity`).

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_simulation::SIDES;

use crate::fit::{Evaluation, Fit};
use crate::noise::{Noise, weight};
use crate::prior::Apart;
use crate::sensitivity::{ContactPlace, Sensitivity, sensitivity};
use crate::{Follower, Quantity, Setup};

/// Sections of a trial that are taken as independent.
const STRETCHES: usize = 8;
/// Trials from which whole trials are taken as independent instead.
const ENOUGH_TRIALS: usize = 8;
/// Rows of derivatives that are multiplied at once.
const ROWS: usize = 40;
/// Half the difference of a pose for its slopes [m], and as an angle over the lever: some nodes of a round fit.
const POSE_STEP: f64 = 5e-6;
/// Half the difference of the logarithm of a stiffness or a friction [-].
const LOGARITHM_STEP: f64 = 0.05;

/// Standard deviation of all gaps of one side together [m]: the simulator leaves up to 0.2 um, evenly.
const GAP_ERROR: f64 = 0.2e-6 * 0.577;

/// How slopes are differenced.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum Slopes {
    /// To one side: half as many simulations, good enough for a descent.
    Forward,
    /// To both sides: for uncertainties.
    Central,
}

/// The experiment with one unknown moved to either side, or to one.
struct Moved {
    unknown: usize,
    /// The only trial that it changes, where it is one.
    trial: Option<usize>,
    above: Setup,
    below: Option<Setup>,
    width: f64,
}

/// Linearisation of the data, in the units of J.
pub(crate) struct Linear {
    pub(crate) normal: DMatrix<f64>,
    pub(crate) gradient: DVector<f64>,
    /// Parts of both whose errors are independent of those of the others.
    pub(crate) blocks: Vec<Block>,
    /// Gradients that each of the given shifts of the predictions makes, and then the gaps of each side.
    pub(crate) shifts: Vec<DVector<f64>>,
    pub(crate) apart: Apart,
    pub(crate) places: Vec<ContactPlace>,
}

/// A part of the data.
pub(crate) struct Block {
    pub(crate) normal: DMatrix<f64>,
    pub(crate) gradient: DVector<f64>,
}

impl Block {
    fn new(count: usize) -> Self {
        Self { normal: DMatrix::zeros(count, count), gradient: DVector::zeros(count) }
    }
}

impl Linear {
    fn new(fit: &Fit, shifts: usize) -> Self {
        let count = fit.unknowns.len();
        let Block { normal, gradient } = Block::new(count);
        Self {
            normal,
            gradient,
            blocks: Vec::new(),
            shifts: vec![DVector::zeros(count); shifts + SIDES],
            apart: Apart::new(&fit.unknowns, fit.wear),
            places: Vec::new(),
        }
    }
}

impl Fit<'_> {
    /// Normal equations of the data. `shifts` are changes of the predictions (kind, trial, six per prediction) [N]; `held` unknowns
    /// change nothing.
    pub(crate) fn linearise(
        &self,
        x: &[f64],
        here: &Evaluation,
        noise: Noise,
        slopes: Slopes,
        shifts: &[Vec<Vec<f64>>],
        held: &[usize],
    ) -> Linear {
        let moved = self.moved_setups(x, slopes, held);
        let of_trial = |trial: usize| self.linearise_trial(here, noise, &moved, shifts, held, trial);
        let trials: Vec<Linear> = (0..self.trials.len()).into_par_iter().map(of_trial).collect();
        // in order: the sum does not depend on the number of threads
        let mut sum = Linear::new(self, shifts.len());
        for own in trials {
            for block in &own.blocks {
                sum.normal += &block.normal;
                sum.gradient += &block.gradient;
            }
            match self.trials.len() < ENOUGH_TRIALS {
                true => sum.blocks.extend(own.blocks),
                false => sum.blocks.extend(own.blocks.into_iter().reduce(|mut sum, own| {
                    sum.normal += own.normal;
                    sum.gradient += own.gradient;
                    sum
                })),
            }
            sum.shifts.iter_mut().zip(&own.shifts).for_each(|(sum, own)| *sum += own);
            sum.apart.join(&own.apart);
            sum.places.extend(own.places);
        }
        sum
    }

    fn linearise_trial(
        &self,
        here: &Evaluation,
        noise: Noise,
        moved: &[Moved],
        shifts: &[Vec<Vec<f64>>],
        held: &[usize],
        trial: usize,
    ) -> Linear {
        let count = self.unknowns.len();
        let (predictions, residuals) = (&here.predictions[trial], &here.residuals[trial]);
        let mut own = Linear::new(self, shifts.len());
        let stretches = if self.trials.len() < ENOUGH_TRIALS { STRETCHES } else { 1 };
        let per_stretch = predictions.len().div_ceil(stretches).max(1);
        let differences = self.difference_slopes(here, moved, trial);
        for (stretch, samples) in predictions.chunks(per_stretch).enumerate() {
            let mut block = Block::new(count);
            for (part, few) in samples.chunks(ROWS).enumerate() {
                let mut rows = DMatrix::zeros(6 * few.len(), count);
                for (place, prediction) in few.iter().enumerate() {
                    let number = stretch * per_stretch + part * ROWS + place;
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
                    held.iter().for_each(|index| own_rows.column_mut(*index).fill(0.0));
                    for axis in 0..6 {
                        let residual = residuals[6 * number + axis];
                        let weight = weight(residual / noise.spread) / noise.information();
                        let unit = if axis < 3 { 1.0 } else { 1.0 / self.experiment.lever };
                        let slope = own_rows.row(axis).transpose() * unit;
                        block.gradient.axpy(weight * residual, &slope, 1.0);
                        for (sum, shift) in own.shifts.iter_mut().zip(shifts) {
                            let change = shift[trial].get(6 * number + axis).copied().unwrap_or(0.0);
                            sum.axpy(weight * change, &slope, 1.0);
                        }
                        for (sum, side) in own.shifts[shifts.len()..].iter_mut().zip(&per_side) {
                            sum.axpy(weight * unit * GAP_ERROR * side[axis], &slope, 1.0);
                        }
                        rows.set_row(6 * place + axis, &(slope * weight.sqrt()).transpose());
                    }
                    if let Some(wear) = self.wear {
                        places.iter().for_each(|place| own.apart.add(wear, place));
                    }
                    own.places.extend(places);
                }
                block.normal.gemm_tr(1.0, &rows, &rows, 1.0);
            }
            own.blocks.push(block);
        }
        own
    }

    /// The experiment beside `x`, for the slopes by poses, stiffness and friction.
    fn moved_setups(&self, x: &[f64], slopes: Slopes, held: &[usize]) -> Vec<Moved> {
        let of = |unknown: usize| {
            if held.contains(&unknown) {
                return None;
            }
            let of_pose = |axis: usize| if axis < 3 { POSE_STEP } else { POSE_STEP / self.experiment.lever };
            let quantity = &self.unknowns[unknown].quantity;
            let step = match *quantity {
                Quantity::FixedPose(axis) | Quantity::InHand(axis) | Quantity::Drift { axis, .. } => {
                    of_pose(axis)
                }
                Quantity::Stiffness(_) | Quantity::Friction => LOGARITHM_STEP,
                _ => return None,
            };
            let trial = match *quantity {
                Quantity::Drift { trial, .. } => Some(trial),
                _ => None,
            };
            let at = |shift: f64| {
                let mut moved = x.to_vec();
                moved[unknown] += shift;
                Setup::new(self.experiment, &self.unknowns, self.wear, &moved, false).ok()
            };
            let (below, width) = match slopes {
                Slopes::Forward => (None, step),
                Slopes::Central => (Some(at(-step)?), 2.0 * step),
            };
            Some(Moved { unknown, trial, above: at(step)?, below, width })
        };
        (0..self.unknowns.len()).into_par_iter().filter_map(of).collect()
    }

    /// Slopes by the unknowns of `moved`: unknown, six per prediction.
    fn difference_slopes(
        &self,
        here: &Evaluation,
        moved: &[Moved],
        trial: usize,
    ) -> Vec<(usize, Vec<[f64; 6]>)> {
        let wrenches = |setup: &Setup| -> Vec<[f64; 6]> {
            let all = Follower::default().follow(self.experiment, setup, trial, &self.trials[trial]);
            self.thinned(all).into_iter().map(|own| own.wrench).collect()
        };
        let of = |moved: &Moved| {
            let above = wrenches(&moved.above);
            let below = match &moved.below {
                Some(setup) => wrenches(setup),
                None => here.predictions[trial].iter().map(|own| own.wrench).collect(),
            };
            let slope = |(above, below): (&[f64; 6], &[f64; 6])| -> [f64; 6] {
                std::array::from_fn(|axis| (above[axis] - below[axis]) / moved.width)
            };
            (moved.unknown, above.iter().zip(&below).map(slope).collect())
        };
        moved.par_iter().filter(|own| own.trial.is_none_or(|own| own == trial)).map(of).collect()
    }
}
