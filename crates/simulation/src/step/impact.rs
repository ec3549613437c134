//! The impact stage: the velocity at the start of the piece becomes one that no contact forbids (docs/design/math.md §4.3).
//!
//! ```text
//! at t_k, only where v₀ₙ < −φ⁺/T:    W = M⁻¹,  b = φ⁺/T        V₀ → V₀⁺        φ⁺ = max(φ − c, 0)
//! ```
//!
//! c is the gap that counts as closed (`contact_problem.rs`). Pairs that bounce require more (`restitution.rs`).

use tightfit_pipeline::solving::SolverOptions;

use super::clusters::judge_left_out;
use super::contact_problem::{ContactProblem, SolverMemory, Stage, StageSolution};
use super::context::Piece;
use super::edge_faces::{EXCHANGES, exchange_faces};
use super::restitution::{calm_rebound, require_rebound};
use crate::Certificate;

/// Slower impacts are left to the smooth stage [m/s]: the pose error is at most half a step of it.
const SLOWEST_IMPACT: f64 = 1e-5;
/// Approach beyond what an impact allows that counts as violated [m/s].
const IMPACT_VIOLATION: f64 = 0.1 * SLOWEST_IMPACT;
/// Softness of impacts that bounce [-]: a body that yields by ε of its speed rises too little by 2ε, and what bounces is
/// fast.
const REBOUND_SOFTNESS: f64 = 1e-7;

/// Writes V₀⁺ and the impulse of the impact to `out`, and leaves b for V₀⁺ in the problem.
pub(super) fn impact(
    piece: &Piece,
    start: &[f64],
    problem: &mut ContactProblem,
    memory: &mut SolverMemory,
    certificate: &mut Certificate,
    out: &mut StageSolution,
) {
    out.velocity.clear();
    out.velocity.extend_from_slice(start);
    out.impulse.clear();
    out.pairs.clear();
    let bounces = piece.context.scene.bounces();
    let mut worst = problem.allow(piece, start);
    if bounces {
        worst = require_rebound(piece, start, problem);
    }
    if !piece.context.methods().impact {
        return;
    }
    if problem.cspace.add_coming(piece, problem.masses, start) {
        worst = problem.allow(piece, start);
    }
    if worst >= -SLOWEST_IMPACT {
        return;
    }
    memory.impact_warm.clear();
    solve_impact(piece, start, problem, memory, certificate);
    while problem.cspace.add_coming(piece, problem.masses, &memory.solver.velocity) {
        problem.allow(piece, start);
        solve_impact(piece, start, problem, memory, certificate);
    }
    for _ in 0..if bounces { 0 } else { EXCHANGES } {
        let SolverMemory { solver, .. } = &*memory;
        if !exchange_faces(problem, &solver.impulses, &solver.velocity, piece.span.duration) {
            break;
        }
        problem.allow(piece, start);
        solve_impact(piece, start, problem, memory, certificate);
    }
    let mut stage = Stage { problem: problem.impact(start), start, solver: &mut memory.solver };
    let (linear, square) = stage.work(&stage.solver.generalised);
    if bounces && linear + square > 0.0 {
        let share = calm_rebound(piece, start, problem, memory, certificate);
        out.take(piece, problem, &memory.solver);
        let both = out.pairs.iter_mut().zip(&memory.rebound.pairs);
        both.for_each(|(own, rebound)| own.mix(rebound, share));
    } else {
        stage.make_passive(piece.context.methods(), certificate);
        out.take(piece, problem, &memory.solver);
    }
    problem.allow(piece, &out.velocity);
}

/// Solves the impact for b as it stands, and judges the solution. Several bodies start from the last solution of this impact.
pub(super) fn solve_impact(
    piece: &Piece,
    start: &[f64],
    problem: &ContactProblem,
    memory: &mut SolverMemory,
    certificate: &mut Certificate,
) {
    let options = match piece.context.scene.bounces() {
        true => SolverOptions { softness: REBOUND_SOFTNESS, ..SolverOptions::default() },
        // what is slower than an impact is left to the smooth stage anyway
        false => SolverOptions { violation: IMPACT_VIOLATION, ..SolverOptions::default() },
    };
    let SolverMemory { solver, sweeps, impact_warm, .. } = memory;
    if piece.state.motions.len() == 1 {
        impact_warm.clear();
    }
    let mut stage = Stage { problem: problem.impact(start), start, solver };
    stage.solve(piece.context.methods().solver, &options, impact_warm, sweeps, certificate);
    stage.judge(certificate);
    judge_left_out(piece, problem, start, &solver.velocity, certificate, |closing, _| closing);
}
