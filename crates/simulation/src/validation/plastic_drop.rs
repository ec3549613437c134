//! A block falls on a plane without rebound.
//!
//! ```text
//! no rebound, no penetration, and the work of contacts and projection is −m g h            all to 1 nm
//! ```
//!
//! h height of the fall [m]. With the paper's velocity-level rule the block sinks 7 mm into the plane at T = 10 ms.

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

/// Height of the drop [m]: not a multiple of any step.
const HEIGHT: f64 = 20.3e-3;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "plastic-drop"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = 0.3
        [parts.block]
        shape = {{ kind = "nodes", points_mm = [[50, 50, -25], [50, -50, -25], [-50, 50, -25], [-50, -50, -25]], mass_kg = 1, inertia_kg_m2 = [1.04e-3, 1.04e-3, 1.67e-3] }}
        position_mm = [0, 0, {}]
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#,
        25.0 + 1e3 * HEIGHT
    ))?;
    let (mut rebound, mut work) = (0.0_f64, 0.0);
    let mut has_landed = false;
    for _ in 0..60 {
        let certificate = trial.step();
        let height = trial.body().center.z - 0.025;
        work += certificate.contact_work + certificate.projection_work;
        if has_landed {
            rebound = rebound.max(height);
        }
        has_landed |= height < 1e-6;
    }
    let end = trial.body().center.z - 0.025;
    let rebound = if has_landed { rebound } else { f64::NAN };
    Ok(vec![
        Verdict::within(format!("{case}.rebound"), "m", 0.0, rebound, 1e-9),
        Verdict::within(format!("{case}.penetration"), "m", 0.0, end.min(0.0), 1e-9),
        Verdict::within(format!("{case}.work"), "J", -GRAVITY * (HEIGHT - end), work, GRAVITY * 1e-9),
    ])
}
