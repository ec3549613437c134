//! Bias of the sensor, mass on the sensor and its centre, and rotation of the sensor's axes relative to the tool's.
//!
//! ```text
//! f = S (b_f + m Rᵀg)          τ = S (b_τ + c × m Rᵀg)          free of contact, slow
//!
//! f, τ   as logged, tool axes [N, N·m]      m   mass on the sensor minus the mass already compensated [kg]
//! S      sensor axes in tool axes           c   centre of that mass from the sensor's origin, tool axes [m]
//! R      world from tool                    b   bias, one per trial
//! ```
//!
//! The zero of a sensor drifts by about 0.03 N within a trial; the reported uncertainty accounts for that, for any
//! number of rows. Undetermined parameters keep their ideal value. The fit also selects the rows without contact: first
//! those that match the first rows, then all that the fit explains.

use tightfit_spatial::{UnitQuaternion, Vector3};

use super::Answer;
use super::least_squares::{Parameter, Problem};
use super::statistics::median;
use crate::recordings::Trial;

/// Gravity [m/s²], world axes.
pub(super) const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
/// Time at the start that is assumed free of contact [s].
const QUIET: f64 = 0.3;
/// Tolerance for free rows in the first round [N, N·m].
const FIRST: [f64; 2] = [1.0, 0.05];
/// Tolerance for free rows in later rounds [N, N·m].
const LATER: [f64; 2] = [0.3, 0.012];
/// Weight of a torque relative to a force [1/m].
const PER_METRE: f64 = 20.0;
/// Drift of a sensor's zero within a trial [N]. It does not average out with the number of rows.
const DRIFT: f64 = 0.03;
/// Maximum number of rows of a trial.
const ROWS: usize = 400;

/// Mass on the sensor, and its bias.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorLoad {
    /// S.
    pub tool_from_sensor: UnitQuaternion<f64>,
    /// m [kg]; negative where the log overcompensates.
    pub mass: f64,
    /// c [m], tool axes.
    pub center: Vector3<f64>,
    /// b of each trial: force [N] and torque [N·m].
    pub bias: Vec<[Vector3<f64>; 2]>,
}

impl SensorLoad {
    /// A sensor without mass, with the bias of the first rows.
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

    /// The same sensor in other trials, with the bias of their free rows.
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

    /// Adds the median residual of free rows to a trial's bias.
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
            // The rows of a trial together are no more accurate than its drift.
            noise: DRIFT * (rows.iter().map(Vec::len).sum::<usize>() as f64 / trials.len() as f64).sqrt(),
            iterations: 25,
        }
        .solve();
        load = SensorLoad::from_values(&solution.values, trials.len());
        // Undetermined parameters keep their ideal value.
        let mut axis = load.tool_from_sensor.scaled_axis();
        for index in (0..7).filter(|index| solution.open[*index].is_some()) {
            match index {
                0 => load.mass = 0.0,
                1..=3 => load.center[index - 1] = 0.0,
                _ => axis[index - 4] = 0.0,
            }
        }
        load.tool_from_sensor = UnitQuaternion::from_scaled_axis(axis);
        // Refit the bias for those values.
        for (index, (trial, rows)) in trials.iter().zip(&rows).enumerate() {
            load.shift_bias(trial, index, rows);
        }
        answer = solution.answer(7);
        let used: usize = rows.iter().map(Vec::len).sum();
        answer.add("free rows used", "-", used as f64, 0.0);
        answer.add("force left in free rows", "N", solution.spread, 0.0);
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

/// Rows that the load explains, subsampled.
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
    /// Acceleration of the tool's point, tool axes [m/s²].
    pub(super) acceleration: Vector3<f64>,
    /// ω, tool axes [rad/s].
    pub(super) turning: Vector3<f64>,
    /// α, tool axes [rad/s²].
    pub(super) turning_acceleration: Vector3<f64>,
    /// Force reading in tool axes [N].
    pub(super) force: Vector3<f64>,
    /// Torque reading in tool axes [N·m].
    pub(super) torque: Vector3<f64>,
}

/// Half the time over which motion is differenced [s].
const REACH: f64 = 0.02;
/// Residual of the static load below which a row counts as free [N, N·m]; wide enough to keep swings.
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
