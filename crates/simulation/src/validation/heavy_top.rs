//! The heavy symmetric top (Lagrange) in steady precession, slow root.
//!
//! ```text
//! J₁ cos θ Ω² − J₃ ω₃ Ω + m g l = 0          ω = Ω sin θ across the axis, ω₃ along it
//! ```
//!
//! J about the fixed point [kg m²], l from it to the centre of mass [m], θ from the vertical. The top turns
//! about its fixed point: the body has J about that point and does not translate. The weight acts as the
//! torque l ẑ_b × m g at the attitude in the middle of the step.

use std::f64::consts::TAU;

use tightfit_spatial::{Vector3, Wrench, cayley};

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;
use crate::drive::about;

const MOMENT: f64 = 2.0e-3;
const AXIAL_MOMENT: f64 = 1.0e-3;
/// m l [kg m].
const UNBALANCE: f64 = 0.01;
/// ω₃ [rad/s].
const SPIN: f64 = 60.0;
const TILT: f64 = 0.5;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "heavy-top"
        step_ms = 1
        [parts.top]
        shape = {{ kind = "nodes", points_mm = [[0, 0, 0]], mass_kg = 1, inertia_kg_m2 = [{MOMENT}, {MOMENT}, {AXIAL_MOMENT}] }}
        nodes = {{ face_spacing_mm = 1, edge_spacing_mm = 1, start_spacing_mm = 1 }}
        "#
    ))?;
    let (sin, cos) = libm::sincos(TILT);
    let [a, b, c] = [MOMENT * cos, AXIAL_MOMENT * SPIN, UNBALANCE * GRAVITY];
    let truth = 2.0 * c / (b + (b * b - 4.0 * a * c).sqrt());
    let body = trial.body_mut();
    // The top leans towards +x: the vertical has −sin θ along the body's x axis.
    body.rotation = about(Vector3::y(), TILT);
    body.twist.angular_in_body = Vector3::new(-truth * sin, 0.0, SPIN);
    let (mut turned, mut last) = (0.0, 0.0);
    for _ in 0..1000 {
        let body = trial.body();
        let middle = body.rotation * cayley(body.twist.angular_in_body * (trial.scene.dt / 2.0));
        let down = middle.inverse() * Vector3::new(0.0, 0.0, -GRAVITY);
        trial.input.wrenches[0] = Wrench::new(Vector3::zeros(), Vector3::z().cross(&down) * UNBALANCE);
        trial.step();
        let axis = trial.body().rotation * Vector3::z();
        let angle = libm::atan2(axis.y, axis.x);
        let change = angle - last;
        turned += change - TAU * (change / TAU).round();
        last = angle;
    }
    let axis = trial.body().rotation * Vector3::z();
    Ok(vec![
        Verdict::within_part(format!("{case}.precession"), "rad/s", truth, turned, 1e-3),
        Verdict::within_part(format!("{case}.tilt"), "rad", TILT, libm::acos(axis.z), 1e-3),
    ])
}
