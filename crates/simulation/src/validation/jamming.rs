//! The jamming diagram (Whitney 1982): which applied forces slide a peg in two-point contact.
//!
//! ```text
//! slides iff M/rF_z < λ + μ(1 + λ) F_x/F_z          λ = l/2rμ = 2.668 for l = 20 mm, μ = 0.15
//! ```
//!
//! The moment at the boundary is found by bisection, from rest. Whitney's formula ignores the tilt of the normals;
//! the tilt of 3.3 mrad of the 65 µm fit moves the boundary by 0.3 to 0.8 %. `tilted` includes it in the statics.

use super::Verdict;
use super::peg_fit::{CLEARANCE, RADIUS, TwoPoint};
use super::trial::threshold;
use crate::SceneError;

const FRICTION: f64 = 0.15;
const DEPTH: f64 = 20e-3;
/// F_x/F_z of the points of the diagram, and their names.
const POINTS: [(&str, f64); 4] = [("0", 0.0), ("+1", 1.0), ("-1", -1.0), ("+3", 3.0)];

/// Compares with Whitney's formula.
pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let lambda = DEPTH / (2.0 * RADIUS * FRICTION);
    borders(case, |across| lambda + FRICTION * (1.0 + lambda) * across)
}

/// Compares with the same statics with the tilt in the mouth's normal.
pub(super) fn tilted(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let pose = TwoPoint { clearance: CLEARANCE, depth: DEPTH };
    borders(case, |across| pose.jamming_moment(FRICTION, across))
}

fn borders(case: &str, truth: impl Fn(f64) -> f64) -> Result<Vec<Verdict>, SceneError> {
    let pose = TwoPoint { clearance: CLEARANCE, depth: DEPTH };
    let border = |(name, across): (&str, f64)| {
        let truth = truth(across);
        let measured =
            threshold([0.7 * truth, 1.3 * truth], 1e-4, |moment| pose.is_stuck(FRICTION, across, moment))?;
        Ok(Verdict::within_part(format!("{case}.{name}"), "-", truth, measured, 0.01))
    };
    POINTS.into_iter().map(border).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tilted_statics_approach_whitneys_for_zero_clearance() {
        let pose = TwoPoint { clearance: 1e-9, depth: DEPTH };
        for (_, across) in POINTS {
            let lambda = DEPTH / (2.0 * RADIUS * FRICTION);
            let whitney = lambda + FRICTION * (1.0 + lambda) * across;
            assert!((pose.jamming_moment(FRICTION, across) - whitney).abs() < 1e-5 * whitney);
        }
    }
}
