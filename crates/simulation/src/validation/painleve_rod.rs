//! A rod slides on its end: near the Painlevé paradox, where Coulomb friction and rigidity are inconsistent.
//!
//! ```text
//! pₙ = m g T/(D_nn ∓ μ D_nt),   D_nn = 1 + 3 cos²θ = 1.6,   D_nt = 3 sin θ cos θ = 1.2      at tan θ = 2
//! ```
//!
//! J = m a²/3, a half length [m], θ from the horizontal, pₙ normal impulse of the first step [N·s]; minus if
//! the end is pushed ahead of the rod (Painlevé 1895). At μ_c = 4/3 there is no finite solution.

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

/// Half length [m] and mass [kg].
const HALF: f64 = 0.1;
const MASS: f64 = 1.0;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut verdicts = Vec::new();
    for friction in [0.5, 1.0, 1.25] {
        for (name, direction) in [("pushed", 1.0), ("pulled", -1.0)] {
            let mut trial = rod(friction)?;
            // Fast enough that friction does not stop the end within the step.
            trial.body_mut().twist.linear_in_world.x = -10.0 * direction;
            trial.step();
            let measured = trial.contact_wrench()[0].z * trial.scene.dt;
            let truth = MASS * GRAVITY * trial.scene.dt / (1.6 - direction * 1.2 * friction);
            let name = format!("{case}.{name}-{friction}");
            verdicts.push(Verdict::within_part(name, "N s", truth, measured, 1e-6));
        }
    }
    Ok(verdicts)
}

/// A rod whose lower end touches the plane at the origin; it leans towards +x.
fn rod(friction: f64) -> Result<Trial, SceneError> {
    let (cos, sin) = (1.0 / 5_f64.sqrt(), 2.0 / 5_f64.sqrt());
    let [x, z] = [1e3 * HALF * cos, 1e3 * HALF * sin];
    let moment = MASS * HALF * HALF / 3.0;
    Trial::from_toml(&format!(
        r#"
        name = "painleve-rod"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = {friction}
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        [parts.rod]
        shape = {{ kind = "nodes", points_mm = [[-{x:e}, 0, -{z:e}]], mass_kg = {MASS}, inertia_kg_m2 = [{moment:e}, {moment:e}, {moment:e}] }}
        nodes = {{ face_spacing_mm = 1, edge_spacing_mm = 1, start_spacing_mm = 1 }}
        position_mm = [{x:e}, 0, {z:e}]
        "#
    ))
}
