//! Self-locking of a loaded thread.
//!
//! ```text
//! the nut runs down under the load iff μ < μ_c = tan λ/(g cos λ) = 0.030804
//! ```
//!
//! The nut is free to turn under 100 N. The tolerance follows from: 0.030 runs and 0.031 locks, so 0.031 − μ_c.

use tightfit_spatial::Vector3;

use super::Verdict;
use super::threaded_pair::{Nodes, lead, pair, slopes};
use super::trial::threshold;
use crate::SceneError;

/// Rotation in half a second above which the nut counts as running [rad].
const RUNS: f64 = 1e-3;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let (tangent, gradient) = slopes();
    let truth = tangent * (1.0 + tangent * tangent).sqrt() / gradient;
    let measured = threshold([0.02, 0.04], 1e-5, |friction| Ok(turned(friction)? < RUNS))?;
    Ok(vec![Verdict::within(format!("{case}.friction"), "-", truth, measured, 0.031 - truth)])
}

/// Rotation in the second half of one second under load [rad].
fn turned(friction: f64) -> Result<f64, SceneError> {
    let mut trial = pair(friction, Nodes::PitchRadius)?;
    let mut turned = 0.0;
    for step in 0..100 {
        lead(&mut trial, None);
        trial.load(Vector3::new(0.0, 0.0, -100.0), Vector3::zeros());
        trial.step();
        if step >= 50 {
            turned += trial.body().twist.angular_in_body.z.abs() * trial.scene.dt;
        }
    }
    Ok(turned)
}
