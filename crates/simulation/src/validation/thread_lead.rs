//! Lead of an engaged nut.
//!
//! ```text
//! Δz = P Δψ/2π = 5.000 mm per turn
//! ```

use std::f64::consts::TAU;

use tightfit_spatial::Vector3;

use super::Verdict;
use super::threaded_pair::{Nodes, PITCH, lead, pair};
use crate::SceneError;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = pair(0.1, Nodes::All)?;
    let (mut turned, mut last) = (0.0, std::f64::consts::PI);
    let mut from = (0.0, 0.0);
    for step in 0..175 {
        lead(&mut trial, Some(-TAU));
        trial.load(Vector3::new(0.0, 0.0, -10.0), Vector3::zeros());
        trial.step();
        let x = trial.body().rotation * Vector3::x();
        let change = libm::atan2(x.y, x.x) - last;
        let change = change - TAU * (change / TAU).round();
        (turned, last) = (turned + change, last + change);
        if step == 24 {
            from = (trial.body().center.z, turned);
        }
    }
    let measured = (trial.body().center.z - from.0) / (turned - from.1) * TAU;
    Ok(vec![Verdict::within_part(format!("{case}.per-turn"), "mm", PITCH * 1e3, measured * 1e3, 1e-4)])
}
