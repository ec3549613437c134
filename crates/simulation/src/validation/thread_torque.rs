//! Torque that turns a loaded nut (power screw; Shigley, Mechanical Engineering Design).
//!
//! ```text
//! T_raise/W = r₂ (tan λ + μ g cos λ)/(1 − μ g sin λ)      T_lower/W = r₂ (μ g cos λ − tan λ)/(1 + μ g sin λ)
//! g = √(1 + tan²30° + tan²λ)                              tan λ = P/2πr₂ = 0.035564
//! ```
//!
//! T torque about the axis [N·m], W axial load [N], r₂ pitch radius [m]. Exact for contact at r₂. Contact along
//! whole flanks may act anywhere between the radii of the ridge, 21.5 to 24 mm: ±7 %.

use tightfit_spatial::Vector3;

use super::Verdict;
use super::threaded_pair::{Nodes, PITCH_RADIUS, lead, pair, slopes};
use crate::SceneError;

/// W [N].
const LOAD: f64 = 50.0;
/// Half a turn per second [rad/s].
const RATE: f64 = std::f64::consts::PI;

/// Contact at the pitch radius, five coefficients of friction, both directions.
pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut verdicts = Vec::new();
    for friction in [0.05, 0.10, 0.15, 0.20, 0.30] {
        verdicts.extend(both_ways(case, friction, Nodes::PitchRadius, 1e-3)?);
    }
    Ok(verdicts)
}

/// Contact at all nodes of the parts.
pub(super) fn full_flanks(case: &str) -> Result<Vec<Verdict>, SceneError> {
    both_ways(case, 0.15, Nodes::All, 0.07)
}

fn both_ways(case: &str, friction: f64, nodes: Nodes, part: f64) -> Result<Vec<Verdict>, SceneError> {
    let (tangent, gradient) = slopes();
    let cos = 1.0 / (1.0 + tangent * tangent).sqrt();
    let mut verdicts = Vec::new();
    for (name, sign) in [("raise", 1.0), ("lower", -1.0)] {
        let grip = friction * gradient * cos;
        let truth = PITCH_RADIUS * (grip + sign * tangent) / (1.0 - sign * grip * tangent);
        let measured = -sign * torque_per_load(friction, nodes, sign * RATE)?;
        let name = format!("{case}.{name}-{friction:.2}");
        verdicts.push(Verdict::within_part(name, "mm", truth * 1e3, measured * 1e3, part));
    }
    Ok(verdicts)
}

/// Contact torque over contact force, both along the axis, in the steady second half of half a turn [m].
fn torque_per_load(friction: f64, nodes: Nodes, rate: f64) -> Result<f64, SceneError> {
    let mut trial = pair(friction, nodes)?;
    let (mut force, mut torque) = (0.0, 0.0);
    for step in 0..100 {
        lead(&mut trial, Some(rate));
        trial.load(Vector3::new(0.0, 0.0, -LOAD), Vector3::zeros());
        trial.step();
        if step >= 50 {
            let [contact_force, contact_torque] = trial.contact_wrench();
            force += contact_force.z;
            torque += contact_torque.z;
        }
    }
    Ok(torque / force)
}
