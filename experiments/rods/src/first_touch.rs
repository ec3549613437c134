//! The first contact force of a rod on a plate, and its uncertainty.
//!
//! ```text
//! F_k, k = 0 where |F| exceeds the noise           mean of three rows above 4 N, walked back to 3 σ of the rows before
//! f = mean F_k − mean F_before,   0 ≤ kΔ < 40 ms   two periods of the arm's ringing
//! half = ∠(mean of the first 20 ms, mean of the second)   uncertainty by ringing and change of the contact
//! noise = σ(means of 40 ms before the contact) / |f|      uncertainty by the moving wrist
//! ```
//!
//! No prediction can be expected to be closer to f than these two angles.

use tightfit_learning::identification::median;
use tightfit_learning::recordings::Trial;
use tightfit_spatial::Vector3;

/// Force that counts as contact [N], about six times the noise of the moving wrist.
const TOUCH: f64 = 4.0;
/// Multiples of the noise before the contact at which it begins.
const ONSET: f64 = 3.0;
/// Time after zeroing that gives the bias [s].
const QUIET: f64 = 0.12;
/// Length of the first force [s].
const WINDOW: f64 = 0.04;
/// Rows before a contact that give noise and bias, farthest and nearest.
const BEFORE: [usize; 2] = [105, 12];

/// The first force of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// Row at which the force exceeds the noise.
    pub row: usize,
    /// Last row of the window.
    pub last: usize,
    /// Mean force on the rod over the window [N], world.
    pub force: Vector3<f64>,
    /// Angle between the means of the window's halves [rad].
    pub halves: f64,
    /// Angle of the force by the wrist's noise before the contact [rad], one standard deviation along one axis.
    pub noise: f64,
}

/// Force or torque of the log minus its bias at the quiet start, world axes.
pub(crate) fn unbiased(trial: &Trial, in_tool: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let world = |row: usize| trial.world_from_tool[row].rotation * in_tool[row];
    let quiet: Vec<usize> = (0..trial.len())
        .filter(|row| trial.has_wrench(*row) && trial.time[*row] < trial.wrench_from + QUIET)
        .collect();
    let bias = Vector3::from_fn(|axis, _| median(quiet.iter().map(|row| world(*row)[axis]).collect()));
    (0..trial.len()).map(|row| world(row) - bias).collect()
}

fn mean(force: &[Vector3<f64>]) -> Vector3<f64> {
    force.iter().sum::<Vector3<f64>>() / force.len().max(1) as f64
}

/// The first contact of a trial, if its force exceeds the threshold.
pub(crate) fn first_touch(trial: &Trial, force: &[Vector3<f64>]) -> Option<FirstTouch> {
    let [farthest, nearest] = BEFORE;
    let last = trial.len().checked_sub(2)?;
    let mut row = (farthest..last).find(|row| {
        trial.time[*row] > trial.wrench_from + QUIET && mean(&force[row - 1..=row + 1]).norm() > TOUCH
    })?;
    let before = &force[row - farthest..row - nearest];
    let bias = mean(before);
    let variance = before.iter().map(|own| (own - bias).norm_squared()).sum::<f64>() / before.len() as f64;
    let earliest = row - nearest;
    while row > earliest && (force[row - 1] - bias).norm() > ONSET * variance.sqrt() {
        row -= 1;
    }
    let rows = force[row..].iter().zip(&trial.time[row..]);
    let window: Vec<Vector3<f64>> = rows
        .take_while(|(_, time)| **time < trial.time[row] + WINDOW - 1e-6)
        .map(|(own, _)| own - bias)
        .collect();
    if window.len() < 4 {
        return None;
    }
    let (first, second) = window.split_at(window.len() / 2);
    let mean_force = mean(&window);
    let sway: Vec<f64> = before
        .chunks_exact(window.len().min(before.len()))
        .map(|chunk| (mean(chunk) - bias).norm_squared() / 3.0)
        .collect();
    let sway = (sway.iter().sum::<f64>() / sway.len().max(1) as f64).sqrt();
    Some(FirstTouch {
        row,
        last: row + window.len() - 1,
        force: mean_force,
        halves: mean(first).angle(&mean(second)),
        noise: sway / mean_force.norm(),
    })
}
