//! A torque-free symmetric top.
//!
//! ```text
//! Ω = (J₃ − J₁)/J₁ ω₃         the transverse rate rotates in body axes; midpoint rule: 2/T atan(ΩT/2)
//! ```
//!
//! The transverse rate keeps its magnitude. With the paper's C(ω_k) it falls from 0.6 to 0.436 in a second.

use std::f64::consts::TAU;

use tightfit_spatial::Vector3;

use super::Verdict;
use super::trial::Trial;
use crate::SceneError;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = Trial::from_toml(
        r#"
        name = "symmetric-top"
        [parts.top]
        shape = { kind = "nodes", points_mm = [[0, 0, 0]], mass_kg = 1, inertia_kg_m2 = [1e-3, 1e-3, 2e-3] }
        nodes = { face_spacing_mm = 1, edge_spacing_mm = 1, start_spacing_mm = 1 }
        "#,
    )?;
    let (transverse, spin) = (0.6, 8.0);
    trial.body_mut().twist.angular_in_body = Vector3::new(transverse, 0.0, spin);
    let (mut turned, mut last) = (0.0, 0.0);
    for _ in 0..100 {
        trial.step();
        let rate = trial.body().twist.angular_in_body;
        let angle = libm::atan2(rate.y, rate.x);
        let change = angle - last;
        turned += change - TAU * (change / TAU).round();
        last = angle;
    }
    let step = trial.scene.dt;
    // J₃ = 2 J₁, so Ω = ω₃
    let truth = 2.0 / step * libm::atan(spin * step / 2.0);
    let rate = trial.body().twist.angular_in_body;
    Ok(vec![
        Verdict::within_part(format!("{case}.rate"), "rad/s", truth, turned, 1e-5),
        Verdict::within_part(format!("{case}.transverse"), "rad/s", transverse, rate.x.hypot(rate.y), 1e-5),
    ])
}
