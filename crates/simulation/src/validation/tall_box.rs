//! A tall box on an incline with enough friction to prevent sliding.
//!
//! ```text
//! tips iff tan θ > w/h:   θ_c = atan(40/100) = 21.8014°
//! ```
//!
//! Beyond θ_c the tilt grows as cosh(11.7 t): after 1.5 s an excess of a millionth of a degree is measurable.

use super::trial::{Trial, threshold};
use super::{GRAVITY, Verdict};
use crate::SceneError;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let truth = libm::atan(0.4).to_degrees();
    let measured = threshold([truth - 0.5, truth + 0.5], 1e-4, |slope| Ok(tilt(slope)? > 1.0))?;
    Ok(vec![Verdict::within(format!("{case}.angle"), "deg", truth, measured, 0.01)])
}

/// Tilt after 1.5 s on a slope, both in degrees.
fn tilt(slope: f64) -> Result<f64, SceneError> {
    let (sin, cos) = libm::sincos(slope.to_radians());
    let (along, down) = (GRAVITY * sin, -GRAVITY * cos);
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "tall-box"
        gravity_m_s2 = [{along:e}, 0, {down:e}]
        friction = 1
        [parts.box]
        shape = {{ kind = "block", size_mm = [40, 40, 100] }}
        nodes = {{ face_spacing_mm = 20, edge_spacing_mm = 20 }}
        mass_kg = 1
        position_mm = [0, 0, 50]
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#
    ))?;
    trial.run(1.5);
    Ok(trial.body().rotation.angle().to_degrees())
}
