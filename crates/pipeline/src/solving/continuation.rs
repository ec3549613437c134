//! Levels 1 and 4: roots of ever stiffer laws, each from the root of the last (docs/design/math.md §3.2).
//!
//! ```text
//! ε = ε₀, f ε₀, f² ε₀, … , ε_f        V(ε₀) from the given start
//! ```
//!
//! It continues after a failed stage, since the next may converge again. Where the path V(ε) folds back (wedged states)
//! no monotone sequence can follow it; `arclength.rs` continues from the last root before the failure.

use super::primal_newton::{self, NewtonBuffers, NewtonLimits};
use super::row_blocks::RowBlocks;
use super::system::System;

/// A falling sequence of softnesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// ε₀ [-].
    pub(super) first: f64,
    /// f [-], below one.
    pub(super) factor: f64,
    /// ε_f [-].
    pub(super) last: f64,
    /// Newton at each softness.
    pub(super) limits: NewtonLimits,
}

/// Follows the schedule from `velocity`, which becomes the last iterate. Returns whether the final stage converged, and
/// the softness of the last root before any failure; that root is stored in `root`.
pub(super) fn solve(
    rows: &RowBlocks,
    system: &mut System,
    schedule: Schedule,
    velocity: &mut [f64],
    root: &mut Vec<f64>,
    buffers: &mut NewtonBuffers,
) -> (bool, Option<f64>) {
    let (mut softness, mut prefix, mut unbroken) = (schedule.first, None, true);
    loop {
        let solved = primal_newton::solve(rows, system, softness, schedule.limits, velocity, buffers);
        if softness <= schedule.last {
            return (solved, prefix);
        }
        unbroken &= solved;
        if unbroken {
            root.clear();
            root.extend_from_slice(velocity);
            prefix = Some(softness);
        }
        let next = softness * schedule.factor;
        // A factor that misses ε_f by rounding would cost one more stage.
        softness = if next < schedule.last * 1.0001 { schedule.last } else { next };
    }
}
