//! Newton on r(V) = 0 at a fixed softness, with a halving line search on the merit √(rᵀA⁻¹r) (docs/design/math.md
//! §3.2).
//!
//! ```text
//! H d = −r        V ← V + t d        t = 1, ½, ¼ … until merit² falls by the share 1e-4 t
//! ```
//!
//! When no t suffices, the best one is taken: across a kink the merit must rise before it falls.

use super::row_blocks::RowBlocks;
use super::system::System;
use crate::make_room;

/// Limits of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewtonLimits {
    /// Steps.
    pub(super) iterations: u32,
    /// Step lengths tried in each.
    pub(super) halvings: u32,
}

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct NewtonBuffers {
    direction: Vec<f64>,
    trial: Vec<f64>,
}

impl NewtonBuffers {
    /// Reserves memory for `bodies` bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.direction, 6 * bodies);
        make_room(&mut self.trial, 6 * bodies);
    }
}

/// Newton from `velocity`, which becomes the last iterate; true when that is a root.
pub(super) fn solve(
    rows: &RowBlocks,
    system: &mut System,
    softness: f64,
    limits: NewtonLimits,
    velocity: &mut [f64],
    buffers: &mut NewtonBuffers,
) -> bool {
    let accepted = system.accepted();
    let mut merit = system.evaluate_with_jacobian(rows, velocity, softness);
    for _ in 0..limits.iterations {
        if merit < accepted {
            return true;
        }
        if system.factor() == 0.0 {
            return false;
        }
        buffers.direction.clear();
        buffers.direction.extend(system.residual.iter().map(|r| -r));
        system.lu.solve(&mut buffers.direction);

        let (mut best, mut length, mut found) = ((f64::MAX, 1.0), 1.0, false);
        for _ in 0..limits.halvings {
            let reached = evaluate_along(rows, system, softness, velocity, length, buffers);
            if reached < (1.0 - 1e-4 * length) * merit {
                (merit, found) = (reached, true);
                break;
            }
            if reached < best.0 {
                best = (reached, length);
            }
            length *= 0.5;
        }
        if !found {
            merit = evaluate_along(rows, system, softness, velocity, best.1, buffers);
        }
        velocity.copy_from_slice(&buffers.trial);
    }
    merit < accepted
}

/// Evaluates at V + t d, which is stored in `trial`.
fn evaluate_along(
    rows: &RowBlocks,
    system: &mut System,
    softness: f64,
    velocity: &[f64],
    length: f64,
    buffers: &mut NewtonBuffers,
) -> f64 {
    let NewtonBuffers { direction, trial } = buffers;
    trial.clear();
    trial.extend(velocity.iter().zip(direction.iter()).map(|(v, d)| v + length * d));
    system.evaluate_with_jacobian(rows, trial, softness)
}
