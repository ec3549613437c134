//! Restitution: Newton's law for impacts, kept from making energy, at the time of the touch.
//!
//! ```text
//! vₙ⁺ = −e vₙ⁻  at contacts that touch and approach; the impact requires  vₙ⁺ ≥ e |vₙ⁻|,  that is  b = −e |vₙ⁻|
//!
//! V(λ) = V_p + λ (V_e − V_p)         V_p plastic impact, V_e with rebound, both with Coulomb friction
//! w(λ) = w_p + λ (w_e − w_p − q) + λ² q ≤ 0        q = ½ DᵀM⁻¹D,  D = P_e − P_p
//! ```
//!
//! e coefficient of restitution [-], w work of the impact on the bodies [J]: the change of their kinetic energy less
//! what moved surfaces supply. Newton's law makes energy in some impacts with friction [Kane & Levinson 1985]; w_p ≤ 0
//! always, so the largest λ with w(λ) ≤ 0 exists. Cones and normal conditions are convex, so V(λ) keeps them.
//!
//! A plastic impact may come early or late within a step, since it ends at rest on the surface either way. A rebound
//! may not: a ball that turns back Tv above the ground rises too high. So contacts of pairs that bounce wait until
//! they touch, and the step is cut there:
//!
//! ```text
//! φ + τ v₀ₙ + ½ τ² (v₁ₙ − v₀ₙ)/T = 0,  the first τ in (0, T)
//! ```
//!
//! V₀, V₁ velocities at the start of the piece after its impact and at its end, support included. In the last of
//! [`MOST_PIECES`] nothing waits; contacts are plastic there until they touch.

use tightfit_pipeline::records::Contacts;

use super::contact_problem::{ContactProblem, SolverMemory, Stage};
use super::context::Piece;
use super::impact::solve_impact;
use crate::{Certificate, Scene};

/// A smaller gap counts as touching [m].
const TOUCHING: f64 = 1e-6;
/// Slower approaches do not rebound [m/s]: they would rise by less than 0.05 µm.
const SLOWEST_REBOUND: f64 = 1e-3;
/// b of contacts that wait for their touch [m/s]: faster than anything.
const WAITING: f64 = 1e9;
/// Pieces that a step is cut into at most.
pub(super) const MOST_PIECES: usize = 8;
/// A touch this near to the end of the step is left to the next [-].
const AT_THE_END: f64 = 1e-6;

impl Scene {
    /// Whether any pair bounces.
    pub(super) fn bounces(&self) -> bool {
        self.contacts.iter().any(|pair| pair.restitution > 0.0)
    }
}

/// Whether a contact is of a pair that bounces and does not touch yet.
pub(super) fn is_before_touch(contacts: &Contacts, index: usize) -> bool {
    contacts.restitution[index] > 0.0 && contacts.gap[index] > TOUCHING
}

/// Takes contacts that wait for their touch out of a stage, by b.
pub(super) fn let_wait(piece: &Piece, contacts: &Contacts, approach: &mut [f64]) {
    if piece.may.may_wait {
        let waiting = approach.iter_mut().enumerate().filter(|(index, _)| is_before_touch(contacts, *index));
        waiting.for_each(|(_, approach)| *approach = WAITING);
    }
}

/// Sets b of the impact for pairs that bounce; returns min(v₀ₙ + b), at most zero.
pub(super) fn require_rebound(piece: &Piece, start: &[f64], problem: &mut ContactProblem) -> f64 {
    let (contacts, approach) = (&*problem.solved, &mut problem.allowed.approach.impact);
    let_wait(piece, contacts, approach);
    let mut worst = 0.0_f64;
    for (index, approach) in approach.iter_mut().enumerate() {
        let speed = contacts.normal.get(index).dot(&contacts.relative_velocity(index, start));
        let restitution = contacts.restitution[index];
        if restitution > 0.0 && !is_before_touch(contacts, index) && speed < -SLOWEST_REBOUND {
            *approach = restitution * speed;
        }
        worst = worst.min(speed + *approach);
    }
    worst
}

/// When the first contact that waits will touch [s after the start of the piece].
pub(super) fn first_touch(piece: &Piece, contacts: &Contacts, start: &[f64], end: &[f64]) -> Option<f64> {
    if !piece.may.may_wait {
        return None;
    }
    let duration = piece.span.duration;
    let waiting = (0..contacts.len()).filter(|index| is_before_touch(contacts, *index));
    let touches = waiting.filter_map(|index| {
        let normal = contacts.normal.get(index);
        let [start, end] =
            [start, end].map(|velocity| normal.dot(&contacts.relative_velocity(index, velocity)));
        touch(contacts.gap[index], start, (end - start) / duration)
    });
    let first = touches.fold(f64::INFINITY, f64::min);
    (first < duration * (1.0 - AT_THE_END)).then_some(first)
}

/// Goes from the plastic impact towards the one just solved as far as that makes no energy; returns the share of the way.
pub(super) fn calm_rebound(
    piece: &Piece,
    start: &[f64],
    problem: &mut ContactProblem,
    memory: &mut SolverMemory,
    certificate: &mut Certificate,
) -> f64 {
    let stage = Stage { problem: problem.impact(start), start, solver: &mut memory.solver };
    let (linear, square) = stage.work(&stage.solver.generalised);
    let (rebound_work, rebound_supplied) = (linear + square, stage.supplied());
    memory.rebound.take(piece, problem, &memory.solver);
    problem.allow(piece, start);
    let_wait(piece, problem.solved, &mut problem.allowed.approach.impact);
    let before = [certificate.contact_work, certificate.kinematic_work];
    memory.impact_warm.clear();
    solve_impact(piece, start, problem, memory, certificate);
    let SolverMemory { solver, rebound, .. } = memory;
    let mut stage = Stage { problem: problem.impact(start), start, solver };
    stage.make_passive(piece.context.methods(), certificate);
    let plastic_work = certificate.contact_work - before[0];
    let plastic_supplied = certificate.kinematic_work - before[1];

    let difference = &mut rebound.impulse;
    difference.iter_mut().zip(&stage.solver.generalised).for_each(|(own, plastic)| *own -= plastic);
    let (_, square) = stage.work(difference);
    let linear = rebound_work - plastic_work - square;
    let part = largest_passive_part(plastic_work, linear, square);
    for (own, difference) in solver.generalised.iter_mut().zip(difference) {
        *own += part * *difference;
    }
    for (own, rebound) in solver.velocity.iter_mut().zip(&rebound.velocity) {
        *own += part * (rebound - *own);
    }
    let done = plastic_work + part * (linear + part * square);
    certificate.contact_work = before[0] + done;
    certificate.energy_injected += done.max(0.0);
    certificate.kinematic_work = before[1] + plastic_supplied + part * (rebound_supplied - plastic_supplied);
    part
}

/// First time at which a gap closes that starts with a speed and an acceleration [m, m/s, m/s² → s].
fn touch(gap: f64, speed: f64, acceleration: f64) -> Option<f64> {
    let square = speed * speed - 2.0 * acceleration * gap;
    if square < 0.0 {
        return None;
    }
    let root = square.sqrt();
    if speed < 0.0 {
        Some(2.0 * gap / (root - speed))
    } else {
        (acceleration < 0.0).then(|| (speed + root) / -acceleration)
    }
}

/// Largest λ in [0, 1] with w + λ l + λ² q ≤ 0, for w ≤ 0 and q ≥ 0.
fn largest_passive_part(work: f64, linear: f64, square: f64) -> f64 {
    let root = (linear * linear - 4.0 * square * work).max(0.0).sqrt();
    // the form without cancellation, whichever sign the linear part has
    let part = if linear > 0.0 {
        -2.0 * work / (linear + root)
    } else if square > 0.0 {
        (root - linear) / (2.0 * square)
    } else {
        1.0
    };
    part.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_closes_when_the_parabola_reaches_zero() {
        let at = |gap: f64, speed: f64, acceleration: f64, time: f64| {
            gap + speed * time + acceleration * time * time / 2.0
        };
        for (speed, acceleration) in [(-1.0, -9.81), (-1.0, 3.0), (0.5, -9.81), (-1.0, 0.0)] {
            let time = touch(1e-3, speed, acceleration).expect("a touch");
            assert!(time > 0.0 && at(1e-3, speed, acceleration, time).abs() < 1e-17);
        }
        assert_eq!(touch(1e-3, 1.0, 0.0), None);
        assert_eq!(touch(1e-3, -0.01, 9.81), None);
    }

    #[test]
    fn the_passive_part_is_the_largest_that_makes_no_energy() {
        for (work, linear, square) in
            [(-1.0, 0.5, 2.0), (-1.0, -0.5, 4.0), (-0.3, 2.0, 0.0), (-1.0, 3.0, 1e-9)]
        {
            let part = largest_passive_part(work, linear, square);
            assert!((0.0..1.0).contains(&part));
            assert!((work + part * (linear + part * square)).abs() < 1e-12);
        }
        assert_eq!(largest_passive_part(-1.0, 0.1, 0.1), 1.0);
        assert_eq!(largest_passive_part(0.0, 1.0, 1.0), 0.0);
    }
}
