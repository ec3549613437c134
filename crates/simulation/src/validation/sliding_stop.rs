//! A sliding block comes to rest.
//!
//! ```text
//! x = v²/2μg = 42.4737 mm for v = 0.5 m/s, μ = 0.3             error of the last, partial step ≤ ⅛ μ g T² = 37 µm
//! ```

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

const FRICTION: f64 = 0.3;
const SPEED: f64 = 0.5;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "sliding-stop"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = {FRICTION}
        [parts.block]
        shape = {{ kind = "block", size_mm = [100, 100, 50] }}
        nodes = {{ face_spacing_mm = 25, edge_spacing_mm = 25 }}
        mass_kg = 1
        position_mm = [0, 0, 25]
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#
    ))?;
    trial.body_mut().twist.linear_in_world.x = SPEED;
    trial.run(0.4);
    let truth = SPEED * SPEED / (2.0 * FRICTION * GRAVITY);
    let last = FRICTION * GRAVITY * trial.scene.dt * trial.scene.dt / 8.0;
    let distance = trial.body().center.x;
    Ok(vec![Verdict::within(format!("{case}.distance"), "mm", truth * 1e3, distance * 1e3, last * 1e3)])
}
