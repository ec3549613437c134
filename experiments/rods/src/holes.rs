//! Positions of the holes of a plate, from inserted rods, and friction during insertion.
//!
//! ```text
//! c = p_xy + u_xy (p_z − h_t)/(−u_z)       inside the hole a rod tilts about one height h_t: c is the hole's middle
//! −f·u / |f + (f·−u) u|                   axial over transverse force: at most μ where one side carries
//!
//! p, u   rod's tip and axis (tool point and tool's z), world
//! ```

use nalgebra::Vector2;
use tightfit_learning::identification::least_squares::{Parameter, Problem};
use tightfit_learning::identification::{Answer, median};
use tightfit_learning::recordings::{Split, Trial};
use tightfit_spatial::Vector3;

/// A rod is inside from this far below the plate, up to this far above the lowest position [m].
const INSIDE: [f64; 2] = [4e-3, 1.5e-3];

/// Middles of the holes.
pub(crate) struct Holes {
    /// Middle of each hole [m], world; `None` without a training rod in it.
    pub middles: Vec<Option<Vector2<f64>>>,
    /// Scatter of rods in their holes [m].
    pub scatter: f64,
    /// Results with uncertainties.
    pub answer: Answer,
}

/// Tip [m] and axis of a rod in the hole of this number.
type RodInside = (Vector3<f64>, Vector3<f64>, usize);

/// Middles of the holes [m], from inserted rods.
pub(crate) fn holes(trials: &[Trial], split: &Split, plate: f64, names: &[&str]) -> Holes {
    let lowest = trials
        .iter()
        .flat_map(|trial| &trial.world_from_tool)
        .map(|pose| pose.translation.z)
        .fold(plate, f64::min);
    let rows = |index: usize| -> Vec<RodInside> {
        let trial = &trials[index];
        let hole = names.iter().position(|name| *name == trial.session).unwrap_or(0);
        let inside = trial
            .world_from_tool
            .iter()
            .filter(|pose| pose.translation.z < plate - INSIDE[0] && pose.translation.z > lowest + INSIDE[1]);
        inside.step_by(20).map(|pose| (pose.translation, pose.rotation * Vector3::z(), hole)).collect()
    };
    let all: Vec<Vec<RodInside>> = split.train.iter().map(|index| rows(*index)).collect();
    let mut parameters =
        vec![Parameter::new("height about which rods turn in their holes", "m", plate, 5e-3)];
    for (hole, name) in names.iter().enumerate() {
        let own: Vec<Vector3<f64>> =
            all.iter().flatten().filter(|row| row.2 == hole).map(|row| row.0).collect();
        for (axis, letter) in ["x", "y"].into_iter().enumerate() {
            let start = median(own.iter().map(|place| place[axis]).collect());
            let start = if start.is_finite() { start } else { 0.0 };
            parameters.push(Parameter::new(format!("middle of hole {name} {letter}"), "m", start, 0.5e-3));
        }
    }
    let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        for (place, axis, hole) in &all[trial] {
            let crossing = place.xy() - axis.xy() * ((place.z - values[0]) / axis.z);
            out.extend((0..2).map(|k| (crossing[k] - values[1 + 2 * hole + k]) * 1e3));
        }
    };
    let solution = Problem {
        parameters,
        trials: all.len(),
        residuals: &residuals,
        loss: 0.1,
        noise: 0.05,
        iterations: 30,
    }
    .solve();
    let middle = |hole: usize| {
        let has_rods = all.iter().flatten().any(|row| row.2 == hole);
        has_rods.then(|| Vector2::new(solution.values[1 + 2 * hole], solution.values[2 + 2 * hole]))
    };
    let mut answer = solution.answer(solution.values.len());
    answer.add("scatter of rods in their holes", "m", solution.spread * 1e-3, 0.0);
    Holes { middles: (0..names.len()).map(middle).collect(), scatter: solution.spread * 1e-3, answer }
}

/// Axial over transverse force of a sliding rod: at most μ where one side carries, more where two do.
pub(crate) fn inside_friction(
    trials: &[Trial],
    forces: &[Vec<Vector3<f64>>],
    split: &Split,
    plate: f64,
) -> Answer {
    let mut medians = Vec::new();
    for index in &split.train {
        let trial = &trials[*index];
        let ratio = |row: usize| {
            let pose = &trial.world_from_tool[row];
            let axis = pose.rotation * Vector3::z();
            let force = forces[*index][row];
            let along = -force.dot(&axis);
            let across = (force + axis * along).norm();
            let is_sliding = trial.has_wrench(row)
                && pose.translation.z < plate - INSIDE[0]
                && trial.twist_at(row, 2).linear_in_world.z < -0.015
                && across > 6.0;
            is_sliding.then(|| along / across)
        };
        let ratios: Vec<f64> = (0..trial.len()).filter_map(ratio).collect();
        if ratios.len() >= 25 {
            medians.push(median(ratios));
        }
    }
    if medians.len() < 4 {
        let reason =
            format!("{} trials slide down a hole with 6 N across the rod; 4 are needed", medians.len());
        return Answer::refused("friction in the hole", reason);
    }
    let value = median(medians.clone());
    let scatter = 1.4826 * median(medians.iter().map(|own| (own - value).abs()).collect());
    let mut answer = Answer::default();
    answer.add("friction in the hole", "-", value, scatter / (medians.len() as f64).sqrt());
    answer.add("scatter of that friction between trials", "-", scatter, 0.0);
    answer
}
