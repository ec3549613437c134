//! Bias of the sensor, weight that hangs on it, where that weight is, and how the sensor's axes lie to the tool's.
//!
//! ```text
//! f = S (b_f + m Rᵀg)          τ = S (b_τ + c × m Rᵀg)          free of contact, slow
//!
//! f, τ   as logged, tool axes [N, N·m]      m   mass on the sensor less what was already taken off [kg]
//! S      sensor axes in tool axes           c   centre of that mass from the sensor's origin, tool axes [m]
//! R      world from tool                    b   bias, one per trial
//! ```
//!
//! The zero of a sensor drifts by some 0.03 N within a trial; the stated uncertainty never promises more than that allows, however many
//! rows there are. What the data leave open stays as it would be ideally. Which rows are free of contact is found with the fit: first those that show what the first rows show, then all that the fit explains.

use tightfit_spatial::{UnitQuaternion, Vector3};

use super::Answer;
use super::least_squares::{Parameter, Problem};
use super::sliding::median;
use crate::recordings::Trial;

/// Gravity [m/s²], world axes.
pub(super) const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
/// Time at the start that is taken to be free of contact [s].
const QUIET: f64 = 0.3;
/// Free rows are those whose force and torque are explained to within this at first [N], [N·m].
const FIRST: [f64; 2] = [1.0, 0.05];
/// The same afterwards.
const LATER: [f64; 2] = [0.3, 0.012];
/// A torque counts as much as a force of this arm [1/m].
const PER_METRE: f64 = 20.0;
/// Drift of a sensor's zero within a trial [N]: it does not average out, however many rows there are.
const DRIFT: f64 = 0.03;
/// Rows of a trial that are used at most.
const ROWS: usize = 400;

/// What hangs on the sensor, and what it shows without.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorLoad {
    /// S.
    pub tool_from_sensor: UnitQuaternion<f64>,
    /// m [kg]; negative where the log has more taken off than there is.
    pub mass: f64,
    /// c [m], tool axes.
    pub center: Vector3<f64>,
    /// b of each trial: force [N] and torque [N·m].
    pub bias: Vec<[Vector3<f64>; 2]>,
}

impl SensorLoad {
    /// A sensor without weight, with the bias that the first rows show.
    #[must_use]
    pub fn of_first_rows(trials: &[Trial]) -> Self {
        let bias = trials.iter().map(|trial| {
            let rows = first_rows(trial);
            let mean = |of: &[Vector3<f64>]| {
                rows.iter().map(|row| of[*row]).sum::<Vector3<f64>>() / rows.len().max(1) as f64
            };
            [mean(&trial.force), mean(&trial.torque)]
        });
        let bias = bias.collect();
        Self { tool_from_sensor: UnitQuaternion::identity(), mass: 0.0, center: Vector3::zeros(), bias }
    }

    /// Contact force [N] and torque [N·m] about the sensor's origin of a row, tool axes.
    #[must_use]
    pub fn contact(&self, trial: &Trial, index: usize, row: usize) -> [Vector3<f64>; 2] {
        let weight = trial.world_from_tool[row].rotation.inverse() * GRAVITY * self.mass;
        let tool = self.tool_from_sensor;
        let [force, torque] = self.bias[index];
        [
            tool * trial.force[row] - force - weight,
            tool * trial.torque[row] - torque - self.center.cross(&weight),
        ]
    }

    /// The same sensor in other trials, whose bias their own free rows show.
    #[must_use]
    pub fn in_trials(&self, trials: &[Trial]) -> Self {
        let mut load = Self { bias: vec![[Vector3::zeros(); 2]; trials.len()], ..self.clone() };
        for (index, trial) in trials.iter().enumerate() {
            for within in [None, Some(FIRST), Some(LATER), Some(LATER)] {
                let rows =
                    within.map_or_else(|| first_rows(trial), |within| free_rows(trial, index, &load, within));
                load.shift_bias(trial, index, &rows);
            }
        }
        load
    }

    /// Adds to a trial's bias what rows without contact show on the median.
    fn shift_bias(&mut self, trial: &Trial, index: usize, rows: &[usize]) {
        let left = |of: usize, k: usize| {
            median(rows.iter().map(|row| self.contact(trial, index, *row)[of][k]).collect())
        };
        let more = [0, 1].map(|of| Vector3::from_fn(|k, _| left(of, k)));
        self.bias[index] = [self.bias[index][0] + more[0], self.bias[index][1] + more[1]];
    }

    /// From the values of the problem, in its order.
    fn from_values(values: &[f64], trials: usize) -> Self {
        let vector = |at: usize| Vector3::new(values[at], values[at + 1], values[at + 2]);
        Self {
            mass: values[0],
            center: vector(1),
            tool_from_sensor: UnitQuaternion::from_scaled_axis(vector(4)),
            bias: (0..trials).map(|trial| [vector(7 + 6 * trial), vector(10 + 6 * trial)]).collect(),
        }
    }
}

/// Rows of the quiet start, after the sensor was zeroed.
fn first_rows(trial: &Trial) -> Vec<usize> {
    let counted: Vec<usize> = (0..trial.len()).filter(|row| trial.has_wrench(*row)).collect();
    let start = counted.first().map_or(0.0, |row| trial.time[*row]);
    counted.into_iter().take_while(|row| trial.time[*row] <= start + QUIET).collect()
}

/// Finds the load of a sensor from rows without contact.
#[must_use]
pub fn identify_sensor(trials: &[Trial]) -> (SensorLoad, Answer) {
    let mut load = SensorLoad::of_first_rows(trials);
    let mut answer = Answer::default();
    for within in [FIRST, LATER, LATER] {
        let rows: Vec<Vec<usize>> =
            trials.iter().enumerate().map(|(index, trial)| free_rows(trial, index, &load, within)).collect();
        let residuals = |values: &[f64], index: usize, out: &mut Vec<f64>| {
            let (trial, load) = (&trials[index], SensorLoad::from_values(values, trials.len()));
            for row in &rows[index] {
                let [force, torque] = load.contact(trial, index, *row);
                out.extend(force.iter().copied().chain(torque.iter().map(|value| value * PER_METRE)));
            }
        };
        let solution = Problem {
            parameters: parameters(&load),
            trials: trials.len(),
            residuals: &residuals,
            loss: 0.1,
            // a trial's rows together say no more than its drift allows
            noise: DRIFT * (rows.iter().map(Vec::len).sum::<usize>() as f64 / trials.len() as f64).sqrt(),
            iterations: 25,
        }
        .solve();
        load = SensorLoad::from_values(&solution.values, trials.len());
        // what the data leave open stays as if it were ideal
        let mut axis = load.tool_from_sensor.scaled_axis();
        for index in (0..7).filter(|index| solution.open[*index].is_some()) {
            match index {
                0 => load.mass = 0.0,
                1..=3 => load.center[index - 1] = 0.0,
                _ => axis[index - 4] = 0.0,
            }
        }
        load.tool_from_sensor = UnitQuaternion::from_scaled_axis(axis);
        // the bias that goes with what was set aside
        for (index, (trial, rows)) in trials.iter().zip(&rows).enumerate() {
            load.shift_bias(trial, index, rows);
        }
        answer = solution.answer(7);
        let used: usize = rows.iter().map(Vec::len).sum();
        answer.give("free rows used", "-", used as f64, 0.0);
        answer.give("force left in free rows", "N", solution.spread, 0.0);
    }
    (load, answer)
}

fn parameters(load: &SensorLoad) -> Vec<Parameter> {
    let axis = load.tool_from_sensor.scaled_axis();
    let mut all = vec![Parameter::new("mass on the sensor", "kg", load.mass, 0.05)];
    for (index, letter) in ["x", "y", "z"].into_iter().enumerate() {
        all.push(Parameter::new(format!("centre of that mass {letter}"), "m", load.center[index], 0.03));
    }
    for (index, letter) in ["x", "y", "z"].into_iter().enumerate() {
        all.push(Parameter::new(format!("turn of the sensor about {letter}"), "rad", axis[index], 0.04));
    }
    for (trial, [force, torque]) in load.bias.iter().enumerate() {
        for (what, unit, vector, limit) in [("force", "N", force, 1.0), ("torque", "N·m", torque, 0.05)] {
            for axis in 0..3 {
                let name = format!("bias of {what} {axis} in trial {trial}");
                all.push(Parameter::new(name, unit, vector[axis], limit).of_trial(trial));
            }
        }
    }
    all
}

/// Rows that the load explains, thinned.
fn free_rows(trial: &Trial, index: usize, load: &SensorLoad, [force, torque]: [f64; 2]) -> Vec<usize> {
    let is_free = |row: &usize| {
        let [f, t] = load.contact(trial, index, *row);
        trial.has_wrench(*row) && f.norm() < force && t.norm() < torque
    };
    let all: Vec<usize> = (0..trial.len()).filter(is_free).collect();
    let every = all.len().div_ceil(ROWS).max(1);
    let mut kept: Vec<usize> = all.into_iter().step_by(every).collect();
    if kept.is_empty() {
        kept = first_rows(trial);
    }
    kept
}

/// A row without contact, with the motion of the sensor's origin.
pub(super) struct FreeRow {
    pub(super) time: f64,
    pub(super) tool_from_world: UnitQuaternion<f64>,
    /// Of the tool's point, tool axes [m/s²].
    pub(super) acceleration: Vector3<f64>,
    /// ω, tool axes [rad/s].
    pub(super) turning: Vector3<f64>,
    /// α, tool axes [rad/s²].
    pub(super) turning_acceleration: Vector3<f64>,
    /// As the sensor shows it, turned to tool axes [N].
    pub(super) force: Vector3<f64>,
    /// The same [N·m].
    pub(super) torque: Vector3<f64>,
}

/// Half the time over which motion is differenced [s].
const REACH: f64 = 0.02;
/// Rows count as free of contact here when what the static load leaves is below this [N], [N·m]: swings are to stay in.
const SWINGING: [f64; 2] = [1.0, 0.05];

/// The rows of a trial without contact, with accelerations.
pub(super) fn free_motion(trial: &Trial, index: usize, load: &SensorLoad) -> Vec<FreeRow> {
    let reach = ((REACH / trial.period().max(1e-6)).round() as usize).max(1);
    let is_free = |row: usize| {
        let [force, torque] = load.contact(trial, index, row);
        trial.has_wrench(row) && force.norm() < SWINGING[0] && torque.norm() < SWINGING[1]
    };
    let mut rows = Vec::new();
    for row in 2 * reach..trial.len().saturating_sub(2 * reach) {
        if !is_free(row) {
            continue;
        }
        let (before, after) = (trial.twist_at(row - reach, reach), trial.twist_at(row + reach, reach));
        let passed = trial.time[row + reach] - trial.time[row - reach];
        let tool_from_world = trial.world_from_tool[row].rotation.inverse();
        rows.push(FreeRow {
            time: trial.time[row],
            tool_from_world,
            acceleration: tool_from_world * (after.linear_in_world - before.linear_in_world) / passed,
            turning: trial.twist_at(row, reach).angular_in_body,
            turning_acceleration: (after.angular_in_body - before.angular_in_body) / passed,
            force: load.tool_from_sensor * trial.force[row],
            torque: load.tool_from_sensor * trial.torque[row],
        });
    }
    rows
}
