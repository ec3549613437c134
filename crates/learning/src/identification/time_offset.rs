//! Lag of the wrench behind the motion.
//!
//! ```text
//! e(δ) = Σ |f(t) − b − m (Rᵀg − a)(t − δ)|²        free rows; least at the lag δ, m and b refitted for each δ
//! ```
//!
//! The minimum is that of a parabola through the three lowest grid points; the standard deviation is the scatter of the
//! trials' minima over √n.

use tightfit_spatial::Vector3;

use super::sensor_load::{GRAVITY, free_motion};
use super::statistics::median;
use super::{Answer, SensorLoad};
use crate::recordings::Trial;

/// Largest lag [s], and the spacing of the grid [s].
const GRID: [f64; 2] = [0.12, 0.005];
/// Required relative depth of a minimum below the ends of the grid [-].
const DIP: f64 = 0.05;
/// Fewest trials with a minimum.
const FEWEST: usize = 3;

/// Lag of the wrench behind the motion [s], positive for a late wrench.
#[must_use]
pub fn identify_time_offset(trials: &[Trial], load: &SensorLoad) -> Answer {
    let lags: Vec<f64> =
        trials.iter().enumerate().filter_map(|(index, trial)| lag(trial, index, load)).collect();
    if lags.len() < FEWEST {
        let reason = format!(
            "{} of {} trials show a lag in their free rows, {FEWEST} are needed; shake the tool in free air",
            lags.len(),
            trials.len()
        );
        return Answer::refused("lag of the wrench", reason);
    }
    let middle = median(lags.clone());
    let scatter = 1.4826 * median(lags.iter().map(|lag| (lag - middle).abs()).collect());
    let mut answer = Answer::default();
    let sigma = (scatter / (lags.len() as f64).sqrt()).max(0.2 * GRID[1]);
    if sigma > 0.02 {
        answer.refuse("lag of the wrench", format!("the lags of the trials scatter by {scatter:.3} s"));
    } else {
        answer.add("lag of the wrench", "s", middle, sigma);
    }
    answer
}

/// The lag of one trial, if its free rows show one.
fn lag(trial: &Trial, index: usize, load: &SensorLoad) -> Option<f64> {
    let rows = free_motion(trial, index, load);
    let felt: Vec<(f64, Vector3<f64>)> =
        rows.iter().map(|row| (row.time, row.tool_from_world * GRAVITY - row.acceleration)).collect();
    let at = |time: f64| {
        let next = felt.partition_point(|(own, _)| *own < time);
        let (before, after) = (felt.get(next.checked_sub(1)?)?, felt.get(next)?);
        // Not across a contact.
        let gap = after.0 - before.0;
        (gap < 0.06).then(|| before.1 + (after.1 - before.1) * ((time - before.0) / gap))
    };
    let count = (2.0 * GRID[0] / GRID[1]).round() as i32;
    let lags: Vec<f64> = (0..=count).map(|step| -GRID[0] + GRID[1] * f64::from(step)).collect();
    // Use the same rows for every lag.
    let kept: Vec<usize> = (0..rows.len())
        .filter(|row| [-GRID[0], 0.0, GRID[0]].iter().all(|lag| at(rows[*row].time - lag).is_some()))
        .collect();
    if kept.len() < 60 {
        return None;
    }
    let misfit = |lag: f64| {
        let pairs: Vec<(Vector3<f64>, Vector3<f64>)> =
            kept.iter().filter_map(|row| Some((at(rows[*row].time - lag)?, rows[*row].force))).collect();
        let count = pairs.len() as f64;
        let [mean_felt, mean_force] = pairs
            .iter()
            .fold([Vector3::zeros(); 2], |[a, b], (felt, force)| [a + felt / count, b + force / count]);
        let (mut both, mut square, mut own) = (0.0, 0.0, 0.0);
        for (felt, force) in &pairs {
            let (felt, force) = (felt - mean_felt, force - mean_force);
            both += felt.dot(&force);
            square += felt.norm_squared();
            own += force.norm_squared();
        }
        (own - both * both / square.max(1e-12)) / own.max(1e-12)
    };
    let misfits: Vec<f64> = lags.iter().map(|lag| misfit(*lag)).collect();
    let best = (0..misfits.len()).min_by(|a, b| misfits[*a].total_cmp(&misfits[*b]))?;
    if best == 0 || best == misfits.len() - 1 {
        return None;
    }
    let ends = misfits[0].min(misfits[misfits.len() - 1]);
    let [before, least, after] = [misfits[best - 1], misfits[best], misfits[best + 1]];
    if ends - least < DIP {
        return None;
    }
    let bend = before - 2.0 * least + after;
    Some(lags[best] + 0.5 * GRID[1] * (before - after) / bend.max(1e-12))
}
