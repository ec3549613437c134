//! Friction from a tip that slides on the plane: tangential over normal force, where friction opposes the slip.
//!
//! ```text
//! μ = |F_t| / F_n          rows with |v_t| > 5 mm/s and cos(F_t, v_t) < −0.9
//! ```
//!
//! The value is the median over the rows of all trials; its standard deviation comes from the scatter of the trials'
//! medians.

use tightfit_spatial::Vector3;

use super::statistics::median;
use super::{Answer, Landing, Mouth};
use crate::recordings::Trial;

/// Least slip [m/s].
const SLIP: f64 = 5e-3;
/// Largest cosine between friction and slip.
const OPPOSED: f64 = -0.9;
/// Fewest rows of a trial, and fewest trials.
const FEWEST: [usize; 2] = [8, 3];

/// Friction coefficient of tip and plane.
#[must_use]
pub fn identify_friction(trials: &[Trial], landings: &[Vec<Landing>], mouth: &Mouth) -> Answer {
    let normal = Vector3::new(mouth.slope.x, mouth.slope.y, 1.0).normalize();
    let mut by_trial: Vec<Vec<f64>> = Vec::new();
    for (trial, rows) in trials.iter().zip(landings) {
        let ratio = |landing: &Landing| {
            let pose = &trial.world_from_tool[landing.row];
            let point = landing.point_at(mouth.sensor_to_tip);
            let arm = pose.rotation * Vector3::new(point.x, point.y, mouth.tool_to_tip);
            let velocity = trial.twist_at(landing.row, 2).velocity_at(&pose.rotation, arm);
            let force = pose.rotation * landing.force;
            let lift = force.dot(&normal);
            let (across, slip) = (force - normal * lift, velocity - normal * velocity.dot(&normal));
            let cosine = across.dot(&slip) / (across.norm() * slip.norm());
            (slip.norm() > SLIP && cosine < OPPOSED).then(|| across.norm() / lift)
        };
        by_trial.push(rows.iter().filter_map(ratio).collect());
    }
    let medians: Vec<f64> = by_trial
        .iter()
        .filter(|ratios| ratios.len() >= FEWEST[0])
        .map(|ratios| median(ratios.clone()))
        .collect();
    let all: Vec<f64> = by_trial.into_iter().flatten().collect();
    if medians.len() < FEWEST[1] {
        let reason = format!(
            "{} trials have {} or more rows that slide on the plane with friction against the slip; {} are needed: rub the tip over the plane",
            medians.len(),
            FEWEST[0],
            FEWEST[1]
        );
        return Answer::refused("friction", reason);
    }
    let mean = medians.iter().sum::<f64>() / medians.len() as f64;
    let scatter =
        medians.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (medians.len() - 1) as f64;
    let mut answer = Answer::default();
    answer.add("friction", "-", median(all.clone()), (scatter / medians.len() as f64).sqrt());
    answer.add("scatter of friction between trials", "-", scatter.sqrt(), 0.0);
    answer.add("sliding rows used", "-", all.len() as f64, 0.0);
    answer
}
