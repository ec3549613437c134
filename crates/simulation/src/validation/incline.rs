//! A block on an incline: Coulomb friction.
//!
//! ```text
//! slips iff tan θ > μ:   θ_c = atan 0.3 = 16.6992°        a = g (sin θ − μ cos θ),  x = ½ a t²
//! ```
//!
//! θ slope [rad], μ friction [-]. Gravity is tilted instead of the plane. A naive solver creeps: SOR with 400
//! sweeps moves 18 µm in a second at θ_c − 0.01°.

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

const FRICTION: f64 = 0.3;
/// Distance from the critical angle [rad].
const BESIDE: f64 = 0.001 / 180.0 * std::f64::consts::PI;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let critical = libm::atan(FRICTION);
    let below = slid(critical - BESIDE)?;
    let above = slid(critical + BESIDE)?;
    let slope = critical + BESIDE;
    let truth = GRAVITY * (libm::sin(slope) - FRICTION * libm::cos(slope)) / 2.0;
    // 0.001° corresponds to 89 µm, a micrometre to 1e-5°.
    Ok(vec![
        Verdict::within(format!("{case}.below"), "um", 0.0, below * 1e6, 1.0),
        Verdict::within(format!("{case}.above"), "um", truth * 1e6, above * 1e6, 1.0),
    ])
}

/// Displacement of the block in one second [m].
fn slid(slope: f64) -> Result<f64, SceneError> {
    let (down, along) = (-GRAVITY * libm::cos(slope), GRAVITY * libm::sin(slope));
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "incline"
        gravity_m_s2 = [{along:e}, 0, {down:e}]
        friction = {FRICTION}
        [parts.block]
        shape = {{ kind = "nodes", points_mm = [[50, 50, -25], [50, -50, -25], [-50, 50, -25], [-50, -50, -25]], mass_kg = 1, inertia_kg_m2 = [1.04e-3, 1.04e-3, 1.67e-3] }}
        position_mm = [0, 0, 25]
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#
    ))?;
    trial.run(1.0);
    Ok(trial.body().center.x)
}
