//! A ball on a plane: rolling, slipping, and the transition from slipping to rolling.
//!
//! ```text
//! rolls iff μ ≥ 2/7 tan θ:   a = 5/7 g sin θ                    ω̇ = a/R
//! slips otherwise:           a = g (sin θ − μ cos θ)            ω̇ = 5 μ g cos θ/2R
//! level plane:               v → 5/7 v₀                         whatever μ > 0
//! ```
//!
//! R radius [m], J = 2/5 m R².

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

const RADIUS: f64 = 0.03;

/// A slope of twenty degrees, with friction for rolling and for slipping.
pub(super) fn slope(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let angle = 20_f64.to_radians();
    let (sin, cos) = libm::sincos(angle);
    let mut verdicts = Vec::new();
    for (name, friction) in [("rolling", 0.3), ("slipping", 0.05)] {
        let (truth, spin_truth) = match friction >= 2.0 / 7.0 * sin / cos {
            true => (5.0 / 7.0 * GRAVITY * sin, 5.0 / 7.0 * GRAVITY * sin / RADIUS),
            false => (GRAVITY * (sin - friction * cos), 2.5 * friction * GRAVITY * cos / RADIUS),
        };
        let mut trial = ball([GRAVITY * sin, -GRAVITY * cos], friction)?;
        trial.run(1.0);
        let velocity = trial.body().world_velocity();
        let measured = |value: f64, truth, what: &str, unit| {
            Verdict::within_part(format!("{case}.{name}.{what}"), unit, truth, value, 1e-6)
        };
        verdicts.push(measured(velocity[0], truth, "acceleration", "m/s2"));
        verdicts.push(measured(velocity[4], spin_truth, "spin-up", "rad/s2"));
    }
    Ok(verdicts)
}

/// Starts at 1 m/s without spin and ends rolling.
pub(super) fn to_rolling(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = ball([0.0, -GRAVITY], 0.2)?;
    trial.body_mut().twist.linear_in_world.x = 1.0;
    trial.run(2.0);
    let speed = trial.body().twist.linear_in_world.x;
    Ok(vec![Verdict::within_part(format!("{case}.speed"), "m/s", 5.0 / 7.0, speed, 1e-6)])
}

fn ball([along, down]: [f64; 2], friction: f64) -> Result<Trial, SceneError> {
    Trial::from_toml(&format!(
        r#"
        name = "ball"
        gravity_m_s2 = [{along:e}, 0, {down:e}]
        friction = {friction}
        [parts.ball]
        shape = {{ kind = "sphere", diameter_mm = {} }}
        mass_kg = 1
        position_mm = [0, 0, {}]
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#,
        2e3 * RADIUS,
        1e3 * RADIUS
    ))
}
