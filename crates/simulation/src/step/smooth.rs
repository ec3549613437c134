//! The smooth stage: forces over the piece, from the velocity after the impact (docs/design/math.md §4.3).
//!
//! ```text
//! b = max(0, 2φ⁺/T + v₀ₙ⁺)        V_f → V₁        φ⁺ = max(φ − c, 0)
//! ```
//!
//! c is the gap that counts as closed (`contact_problem.rs`). The condition is φ⁺ + T v̄ₙ ≥ 0: the pose that advances with V̄
//! does not penetrate to first order. b ≥ φ⁺/T ≥ 0 and b ≥ v₀ₙ⁺ make it passive and plastic. Under another rule of integration the pose moves with another velocity, and b follows it.

use tightfit_pipeline::solving::SolverOptions;

use super::arm::ArmPiece;
use super::clusters::judge_left_out;
use super::contact_problem::{ContactProblem, SolverMemory, Stage, StageSolution};
use super::context::{Piece, Span};
use super::edge_faces::{EXCHANGES, exchange_faces};
use super::fill_pose_velocity;
use super::free_motion::{FreeMotion, predict};
use super::restitution::{first_touch, let_wait};
use crate::Certificate;

/// The motion of a piece under forces.
#[derive(Debug, Default)]
pub(super) struct SmoothMotion {
    pub(super) free: FreeMotion,
    /// V₁ and the contact impulse over the piece.
    pub(super) end: StageSolution,
}

/// Writes the free motion, V₁ and the impulse to `out`; returns the span of the piece, which ends at the first touch of a
/// pair that bounces.
pub(super) fn smooth(
    piece: &Piece,
    after_impact: &[f64],
    mut arm: Option<&mut ArmPiece>,
    problem: &mut ContactProblem,
    memory: &mut SolverMemory,
    certificate: &mut Certificate,
    out: &mut SmoothMotion,
) -> Span {
    let mut piece = *piece;
    let rule = piece.integration();
    predict(&piece, after_impact, arm.as_deref_mut(), &mut out.free);
    certificate.active = solve_smooth(&piece, after_impact, &out.free, problem, memory, certificate);
    for _ in 0..EXCHANGES {
        let SolverMemory { solver, moving, .. } = memory;
        fill_pose_velocity(rule, after_impact, &solver.velocity, moving);
        if !exchange_faces(problem, &solver.impulses, moving, piece.span.duration) {
            break;
        }
        problem.allow(&piece, after_impact);
        certificate.active = solve_smooth(&piece, after_impact, &out.free, problem, memory, certificate);
    }
    loop {
        let SolverMemory { solver, moving, .. } = memory;
        fill_pose_velocity(rule, after_impact, &solver.velocity, moving);
        if !problem.cspace.add_coming(&piece, problem.masses, moving) {
            break;
        }
        problem.allow(&piece, after_impact);
        certificate.active = solve_smooth(&piece, after_impact, &out.free, problem, memory, certificate);
    }
    if let Some(touch) = first_touch(&piece, problem.solved, after_impact, &memory.solver.velocity) {
        piece.span = piece.span.until(touch);
        problem.allow(&piece, after_impact);
        predict(&piece, after_impact, arm, &mut out.free);
        certificate.active = solve_smooth(&piece, after_impact, &out.free, problem, memory, certificate);
    }
    let solver = &mut memory.solver;
    let anticipates = piece.context.methods().anticipation;
    judge_left_out(&piece, problem, after_impact, &solver.velocity, certificate, |closing, start| {
        if anticipates { rule.allowed_approach(closing, start) } else { 0.0 }
    });
    let mut stage = Stage { problem: problem.smooth(&out.free), start: after_impact, solver };
    stage.judge(certificate);
    stage.make_passive(piece.context.methods(), certificate);
    out.end.take(&piece, problem, &memory.solver);
    piece.span
}

/// Solves the smooth stage for b as it stands; returns the number of contacts with an impulse.
fn solve_smooth(
    piece: &Piece,
    after_impact: &[f64],
    free: &FreeMotion,
    problem: &mut ContactProblem,
    memory: &mut SolverMemory,
    certificate: &mut Certificate,
) -> usize {
    let_wait(piece, problem.solved, &mut problem.allowed.approach.smooth);
    let SolverMemory { solver, sweeps, warm, .. } = memory;
    let mut stage = Stage { problem: problem.smooth(free), start: after_impact, solver };
    stage.solve(piece.context.methods().solver, &SolverOptions::default(), warm, sweeps, certificate)
}
