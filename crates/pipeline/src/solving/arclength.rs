//! Levels 2 and 3: pseudo-arclength following of the roots V(ε) (docs/design/hot-path.md §3).
//!
//! For b ≥ 0 the impulses do no positive work, so a root exists for every ε (Brouwer) with |V|_A ≤ |V_f|_A. In
//! wedged states the path of roots folds back in ε; it is followed in the unknowns (V, λ = ln ε):
//!
//! ```text
//! ∂r/∂λ = F                               exact in all three states of the law
//! tangent  λ̇ = −sign(det H),   V̇ = −H⁻¹F λ̇,   scaled to (V̇ᵀAV̇)/s² + λ̇² = 1
//! predict  y + δ ẏ;   correct by Newton on [r;  plane through the prediction, normal to ẏ]
//! ```
//!
//! s velocity scale [√J], δ step of the path [-]. The sign rule alone orients the path, also across kinks.
//! At a kink the corrector fails for every δ: then the tangent of the piece beyond is evaluated at y + δẏ, and the
//! corrector starts along it. [Allgower & Georg, Numerical Continuation Methods, 1990]

use super::primal_newton::{self, NewtonBuffers, NewtonLimits};
use super::row_blocks::RowBlocks;
use super::system::System;
use crate::make_room;

/// Largest number of corrector steps; a prediction that needs more is too far away.
const CORRECTIONS: u32 = 8;
/// A corrected point farther from its prediction than this share of the step lies on another piece.
const LARGEST_CORRECTION: f64 = 0.6;
/// Below this step a failing corrector indicates a kink.
const KINK_STEP: f64 = 0.05;
/// Below this step the path is lost.
const SHORTEST_STEP: f64 = 1e-8;
/// Newton at the target softness, from the point where the path crosses it.
const LANDING: NewtonLimits = NewtonLimits { iterations: 8, halvings: 4 };

/// How to follow a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// ε_f [-].
    pub(super) target: f64,
    /// s relative to the problem's scale [-].
    pub(super) relative_scale: f64,
    /// Largest δ.
    pub(super) longest_step: f64,
    /// Steps before giving up.
    pub(super) steps: u32,
}

/// Direction of the path at a point.
#[derive(Clone, Debug, Default)]
struct Tangent {
    velocity: Vec<f64>,
    log_softness: f64,
    /// sign(det H), 0 when singular.
    sign: f64,
}

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct PathBuffers {
    point: Vec<f64>,
    predicted: Vec<f64>,
    corrected: Vec<f64>,
    by_residual: Vec<f64>,
    by_force: Vec<f64>,
    tangent: Tangent,
    beyond: Tangent,
    arrived: Tangent,
    newton: NewtonBuffers,
}

impl PathBuffers {
    /// Reserves memory for `bodies` bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        let Self { point, predicted, corrected, by_residual, by_force, tangent, beyond, arrived, newton } =
            self;
        let directions = [tangent, beyond, arrived].map(|tangent| &mut tangent.velocity);
        for buffer in [point, predicted, corrected, by_residual, by_force].into_iter().chain(directions) {
            make_room(buffer, 6 * bodies);
        }
        newton.make_room(bodies);
    }
}

/// Follows the path from the root `start` at softness `softness`; on success `velocity` is the root at the target.
pub(super) fn solve(
    rows: &RowBlocks,
    system: &mut System,
    path: Path,
    start: &[f64],
    softness: f64,
    velocity: &mut [f64],
    buffers: &mut PathBuffers,
) -> bool {
    let target = libm::log(path.target);
    let scale = system.scale.max(1e-6) * path.relative_scale;
    let mut lambda = libm::log(softness);
    buffers.point.clear();
    buffers.point.extend_from_slice(start);
    let mut step = 1.0_f64;
    for _ in 0..path.steps {
        set_tangent(rows, system, &buffers.point, lambda, scale, &mut buffers.tangent);
        if buffers.tangent.sign == 0.0 {
            return false;
        }
        let mut moved = None;
        while step > SHORTEST_STEP {
            let rate = buffers.tangent.log_softness;
            if rate < 0.0 && lambda + step * rate <= target {
                let landing = (target - lambda) / rate;
                along(&buffers.point, landing, &buffers.tangent.velocity, &mut buffers.predicted);
                let guess = &mut buffers.predicted;
                if primal_newton::solve(rows, system, path.target, LANDING, guess, &mut buffers.newton) {
                    velocity.copy_from_slice(&buffers.predicted);
                    return true;
                }
                step *= 0.5;
                continue;
            }
            along(&buffers.point, step, &buffers.tangent.velocity, &mut buffers.predicted);
            moved = correct(rows, system, lambda + step * rate, step, scale, false, buffers);
            if moved.is_none() && step < KINK_STEP {
                moved = cross_kink(rows, system, lambda, target, &mut step, scale, buffers);
            }
            if moved.is_some() {
                break;
            }
            step *= 0.4;
        }
        let Some(reached) = moved else { return false };
        lambda = reached;
        std::mem::swap(&mut buffers.point, &mut buffers.corrected);
        step = (2.0 * step).min(path.longest_step);
    }
    false
}

/// Starts the corrector along the tangent of the piece beyond the kink; returns λ of the point reached.
fn cross_kink(
    rows: &RowBlocks,
    system: &mut System,
    lambda: f64,
    target: f64,
    step: &mut f64,
    scale: f64,
    buffers: &mut PathBuffers,
) -> Option<f64> {
    let outside = lambda + *step * buffers.tangent.log_softness;
    set_tangent(rows, system, &buffers.predicted, outside, scale, &mut buffers.beyond);
    if buffers.beyond.sign == 0.0 {
        return None;
    }
    for stretch in [1.0, 3.0] {
        let length = stretch * *step;
        let predicted = lambda + length * buffers.beyond.log_softness;
        if predicted <= target {
            continue;
        }
        along(&buffers.point, length, &buffers.beyond.velocity, &mut buffers.predicted);
        let Some(reached) = correct(rows, system, predicted, length, scale, true, buffers) else { continue };
        set_tangent(rows, system, &buffers.corrected, reached, scale, &mut buffers.arrived);
        if buffers.arrived.sign == buffers.beyond.sign {
            *step = length;
            return Some(reached);
        }
    }
    None
}

/// Newton on r = 0 in the plane through the prediction, normal to a tangent; returns λ of the point in `corrected`.
fn correct(
    rows: &RowBlocks,
    system: &mut System,
    lambda: f64,
    step: f64,
    scale: f64,
    beyond: bool,
    buffers: &mut PathBuffers,
) -> Option<f64> {
    let PathBuffers { predicted, corrected, by_residual, by_force, .. } = buffers;
    let tangent = if beyond { &buffers.beyond } else { &buffers.tangent };
    let squared = scale * scale;
    corrected.clear();
    corrected.extend_from_slice(predicted);
    let mut reached = lambda;
    for _ in 0..CORRECTIONS {
        let merit = system.evaluate_with_jacobian(rows, corrected, libm::exp(reached));
        by_residual.clear();
        by_residual.extend(corrected.iter().zip(predicted.iter()).map(|(v, p)| v - p));
        let off_plane =
            system.dot(&tangent.velocity, by_residual) / squared + tangent.log_softness * (reached - lambda);
        if merit < 1e-14 * squared && off_plane.abs() < 1e-10 {
            let moved = system.dot(by_residual, by_residual) / squared + (reached - lambda).powi(2);
            return (moved < (LARGEST_CORRECTION * step).powi(2)).then_some(reached);
        }
        if system.factor() == 0.0 {
            return None;
        }
        by_residual.copy_from_slice(&system.residual);
        by_force.clear();
        by_force.extend_from_slice(&system.force);
        system.lu.solve(by_residual);
        system.lu.solve(by_force);
        let denominator = tangent.log_softness - system.dot(&tangent.velocity, by_force) / squared;
        let change = (system.dot(&tangent.velocity, by_residual) / squared - off_plane) / denominator;
        // A change of the softness by e⁵ is no correction; NaN ends here too.
        if change.is_nan() || change.abs() > 5.0 {
            return None;
        }
        for (v, (r, f)) in corrected.iter_mut().zip(by_residual.iter().zip(by_force.iter())) {
            *v -= r + f * change;
        }
        reached += change;
    }
    None
}

/// Unit tangent of the path at (V, λ).
fn set_tangent(
    rows: &RowBlocks,
    system: &mut System,
    velocity: &[f64],
    lambda: f64,
    scale: f64,
    tangent: &mut Tangent,
) {
    system.evaluate_with_jacobian(rows, velocity, libm::exp(lambda));
    tangent.sign = system.factor();
    if tangent.sign == 0.0 {
        return;
    }
    tangent.velocity.clear();
    tangent.velocity.extend_from_slice(&system.force);
    system.lu.solve(&mut tangent.velocity);
    let length = (system.dot(&tangent.velocity, &tangent.velocity) / (scale * scale) + 1.0).max(1.0).sqrt();
    for component in &mut tangent.velocity {
        *component *= tangent.sign / length;
    }
    tangent.log_softness = -tangent.sign / length;
}

/// out ← point + length · direction.
fn along(point: &[f64], length: f64, direction: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(point.iter().zip(direction).map(|(p, d)| p + length * d));
}
