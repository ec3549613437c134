//! Wedging (Whitney 1982): two friction cones hold the peg, whatever force pushes it.
//!
//! ```text
//! each contact lies in the other's cone iff l ≤ μ d:    5.00, 7.50, 9.99, 14.99 mm for μ = 0.10, 0.15, 0.20, 0.30
//! ```
//!
//! Rigid bodies carry no preload, so wedging is tested with the force that both cones can hold: straight
//! down along the peg's side, M = r F_z. Its boundary in the jamming diagram is λ = 1, which is l = μ d. The
//! depth at the boundary is found by bisection, from rest.

use super::Verdict;
use super::peg_fit::{CLEARANCE, DIAMETER, TwoPoint};
use super::trial::threshold;
use crate::SceneError;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let depth = |friction: f64| {
        let truth = friction * DIAMETER;
        let measured = threshold([1.3 * truth, 0.7 * truth], 1e-6, |depth| {
            TwoPoint { clearance: CLEARANCE, depth }.is_stuck(friction, 0.0, 1.0)
        })?;
        let name = format!("{case}.{friction:.2}");
        Ok(Verdict::within_part(name, "mm", truth * 1e3, measured * 1e3, 0.01))
    };
    [0.10, 0.15, 0.20, 0.30].into_iter().map(depth).collect()
}
