//! One step of time, on one page.
//!
//! ```text
//! State ─► predict, detect ─► (C-space) ─► (cluster) ─► impact ─► smooth ─► project ─► advance ─► correct ─► State
//!          V₀, M, contacts                              V₀ → V₀⁺  V_f → V₁  V̄ → U      pose       contacts   + Certificate
//! ```
//!
//! Stages in brackets are optional. Where pairs bounce the step is cut into pieces at the touches (`restitution.rs`), where
//! polyhedra in contact turn fast into pieces that turn little (`detection.rs`), where a pose cannot be projected into halves, and each
//! piece takes the same stages. An arm
//! stands behind the part that it holds in every stage (`arm.rs`). An attempt at the velocities is repeated when the motion
//! leaves the range that detection searched, or the arm comes out far from what was expected.
//!
//! A stage reads its arguments and writes its last ones; only this page sees the whole [`Workspace`].

mod advance;
mod arm;
mod body_views;
mod clusters;
mod contact_problem;
mod context;
mod correction;
mod cspace;
mod detection;
mod edge_faces;
mod free_motion;
mod gap_fields;
mod impact;
mod interaction;
mod pair_impulses;
mod projection;
mod restitution;
mod smooth;
mod vertex_contacts;
mod workspace;

pub use pair_impulses::PairImpulse;
pub use workspace::Workspace;
pub(crate) use workspace::{EnvironmentCache, placed};

use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::integration::IntegrationMethod;

use crate::arm::Passed;
use crate::stopwatch::Stopwatch;
use crate::{Certificate, Input, Limit, Parameters, Scene, StageSeconds, State};
use advance::{advance, count_turns};
use arm::{ArmExpectation, ArmPiece};
use body_views::BodyViews;
use contact_problem::ContactProblem;
use context::{Context, Cuts, Piece, Span};
use correction::{choose_early, correct, is_deep, is_sunk};
use detection::MOST_CUTS;
use free_motion::{fill_masses, start_velocities};
use impact::impact;
use projection::Projecting;
use restitution::MOST_PIECES;
use smooth::smooth;
use workspace::PieceMemory;

/// Parts that are deeper inside one another before the first step [m] were put there by mistake.
const BEGAN_INSIDE: f64 = 1e-5;
/// Depth from which a piece is taken again, half as long [m], and the shortest one that depth alone leads to, as a share of the step:
/// five halvings.
const TOO_DEEP: f64 = 1e-6;
const SHORTEST_IF_DEEP: f64 = 0.031;

/// Advances the state by one step. Trouble is named in the certificate; nothing panics.
pub fn step(
    scene: &Scene,
    parameters: &Parameters,
    state: &mut State,
    input: &Input,
    workspace: &mut Workspace,
) -> Certificate {
    workspace.prepare(scene, parameters, state);
    let Workspace { parts, memory, before, impulse, impact_impulse, pair_impulses, .. } = workspace;
    before.copy_from(state);
    impulse.clear();
    impact_impulse.clear();
    pair_impulses.clear();
    pair_impulses.resize(scene.contacts.len(), PairImpulse::default());
    let context = Context { scene, parameters, input, parts, start: before };
    let mut progress = Progress { clock: Stopwatch::start(), passed: Passed::default(), halves: true };
    let mut certificate = Certificate::flawless();
    let mut span = Span::whole(context.dt());
    for number in 1..=MOST_CUTS {
        let may =
            Cuts { may_wait: scene.bounces() && number < MOST_PIECES, may_turn_less: number < MOST_CUTS };
        let (end, piece) = take_piece(&context, span, may, state, &mut progress, memory);
        certificate.follow(piece);
        add(impulse, &memory.smooth.end.impulse);
        add(impact_impulse, &memory.impact.impulse);
        for stage in [&memory.impact, &memory.smooth.end] {
            pair_impulses.iter_mut().zip(&stage.pairs).for_each(|(sum, piece)| *sum += *piece);
        }
        if end.is_last() {
            break;
        }
        span = end.rest(context.dt());
    }

    let is_arm_stopped = certificate.limits.contains(Limit::ArmFailed);
    if is_arm_stopped || !state.is_finite() {
        state.copy_from(before);
        memory.candidates.search = None;
        certificate.limits.insert(if is_arm_stopped { Limit::ArmFailed } else { Limit::NotFinite });
        certificate.converged = false;
    }
    state.step_count += 1;
    certificate
}

/// What goes on from piece to piece.
struct Progress {
    clock: Stopwatch,
    /// Impulses that have passed through the hand of an arm.
    passed: Passed,
    /// Whether a piece whose pose cannot be projected is halved; not once the shortest one failed.
    halves: bool,
}

/// Advances the state by one piece of the step; one whose pose cannot be projected, or that ends deep, is taken again, half as long.
fn take_piece(
    context: &Context,
    mut span: Span,
    may: Cuts,
    state: &mut State,
    progress: &mut Progress,
    memory: &mut PieceMemory,
) -> (Span, Certificate) {
    // what has passed through an arm is not taken back
    let may_halve = progress.halves && may.may_turn_less && context.scene.arm.is_none();
    if may_halve {
        memory.begun.copy_from(state);
    }
    let mut seconds = StageSeconds::default();
    loop {
        let (end, mut certificate) = advance_piece(context, span, may, state, progress, memory);
        certificate.stage_seconds += seconds;
        let is_incomplete = certificate.limits.contains(Limit::ProjectionIncomplete);
        let is_deep = context.methods().projection && certificate.penetration > TOO_DEEP;
        if !(may_halve && (is_incomplete || is_deep)) {
            return (end, certificate);
        }
        let least = if is_incomplete { 1.0 / MOST_CUTS as f64 } else { SHORTEST_IF_DEEP };
        let half = 0.5 * end.duration;
        if half < least * context.dt() {
            progress.halves = false;
            return (end, certificate);
        }
        seconds = certificate.stage_seconds;
        state.copy_from(&memory.begun);
        memory.candidates.search = None;
        span = span.until(half);
    }
}

/// Advances the state by one piece of the step: up to its end, or to the first touch of a pair that bounces.
fn advance_piece(
    context: &Context,
    span: Span,
    may: Cuts,
    state: &mut State,
    progress: &mut Progress,
    memory: &mut PieceMemory,
) -> (Span, Certificate) {
    let piece = Piece { context: *context, state, span, may };
    let Attempt { span, mut certificate } = solve_piece(&piece, &mut progress.clock, memory);
    std::mem::swap(&mut state.warm, &mut memory.solver.warm);
    let PieceMemory {
        masses, candidates, detection, arm, smooth, pose_velocity, projection, correction, ..
    } = memory;
    state.tank += (-certificate.contact_work).max(0.0);

    let impulse = &smooth.end.impulse;
    let arm = arm.as_ref();
    let held = arm.map(|arm| (arm, arm.load(impulse)));
    let mut projecting =
        Projecting { context, span, masses, arm: held, memory: projection, is_incomplete: false };
    let payment = projecting.project_step(state, candidates, pose_velocity, &mut certificate);
    state.tank = payment.tank;
    let bend = choose_early(&projecting, state, candidates, correction);
    if let Some(arm) = arm {
        match arm.advance(context, span, impulse, &payment.joints, state, &mut progress.passed) {
            Ok(own) => certificate.arm = Some(own),
            Err(failure) => certificate.stop_arm(failure),
        }
    }
    advance(context, span, &projecting.memory.moved, &smooth.end.velocity, state);
    certificate.stage_seconds.integration += progress.clock.lap();

    let payment = correct(&mut projecting, bend, state, candidates, detection, correction);
    certificate.pay(&payment);
    if context.methods().projection
        && (is_sunk(candidates) || (projecting.is_incomplete && is_deep(candidates)))
    {
        certificate.limits.insert(Limit::ProjectionIncomplete);
    }
    count_turns(state);
    certificate.penetration = candidates.deepest();
    if let Some(arm) = arm {
        arm.certify(context, span, &payment.joints, &progress.passed, state, &mut certificate);
    }
    certificate.stage_seconds.detection += progress.clock.lap();
    (span, certificate)
}

/// What an attempt assumes, beside the state.
#[derive(Default)]
struct Assumptions {
    /// Distance that detection searches at least [m].
    margin: f64,
    /// Length of the piece, where it is cut [s].
    duration: Option<f64>,
    arm: ArmExpectation,
}

/// What an attempt came to, beside the velocities in the workspace.
struct Attempt {
    /// The piece, up to the first touch.
    span: Span,
    certificate: Certificate,
}

/// Solves the velocities of a piece, until an attempt comes out as it assumed.
fn solve_piece(piece: &Piece, clock: &mut Stopwatch, memory: &mut PieceMemory) -> Attempt {
    let mut assumed = Assumptions::default();
    let mut seconds = StageSeconds::default();
    loop {
        let piece = &piece.until(assumed.duration);
        let mut attempt = attempt(piece, &assumed, clock, memory);
        attempt.certificate.stage_seconds += seconds;
        let PieceMemory { candidates, arm, impact, smooth, pose_velocity, .. } = &mut *memory;
        let (start, end) = (&impact.velocity, &smooth.end);
        fill_pose_velocity(piece.integration(), start, &end.velocity, pose_velocity);
        let bodies = BodyViews::during(&piece.context, piece.state, piece.span);
        let surprise = |arm: &ArmPiece| arm.surprise(piece, attempt.span, start, end);
        if let Some(margin) = candidates.wider_margin(&bodies, pose_velocity) {
            assumed.margin = margin;
        } else if let Some(duration) =
            candidates.cut(&bodies, pose_velocity, attempt.span.duration).filter(|_| piece.may.may_turn_less)
        {
            assumed.duration = Some(duration);
        } else if let Some(arm) = arm.as_ref().and_then(surprise) {
            assumed = Assumptions { margin: 0.0, arm, ..assumed };
        } else {
            if candidates.is_outrun(&bodies, pose_velocity, attempt.span.duration) {
                attempt.certificate.limits.insert(Limit::TooFast);
            }
            return attempt;
        }
        // the failed attempt is discarded, but its time counts
        seconds = attempt.certificate.stage_seconds;
    }
}

/// One attempt at the velocities of a piece: contacts, impact, forces. It depends on the piece and the assumptions alone: an
/// attempt that is repeated starts from the same contacts and warm start as the first.
fn attempt(piece: &Piece, assumed: &Assumptions, clock: &mut Stopwatch, memory: &mut PieceMemory) -> Attempt {
    let PieceMemory { start, masses, candidates, detection, arm, cspace, clusters, allowed, solver, .. } =
        memory;
    let mut certificate = Certificate::flawless();
    solver.warm.copy_from(&piece.state.warm);
    start_velocities(piece.state, start);
    fill_masses(&piece.context, piece.state, masses);
    *arm = None;
    if piece.context.scene.arm.is_some() {
        *arm = ArmPiece::new(piece, assumed.arm, masses);
    }
    certificate.stage_seconds.integration += clock.lap();

    let bodies = BodyViews::during(&piece.context, piece.state, piece.span);
    candidates.update(&bodies, assumed.margin, detection);
    cspace.find(piece, masses);
    certificate.candidates = candidates.contacts.len();
    let is_start = piece.state.step_count == 0 && piece.span.elapsed == 0.0;
    if is_start && candidates.contacts.smallest_gap() < -BEGAN_INSIDE {
        certificate.limits.insert(Limit::BeganInside);
    }
    certificate.stage_seconds.detection += clock.lap();

    let is_clustered = piece.context.methods().clustering != ClusteringMethod::None;
    if is_clustered {
        clusters.choose(piece, start, candidates);
        certificate.stage_seconds.clustering += clock.lap();
    }
    let (solved, pair_ends, represented) = match is_clustered {
        true => (&mut clusters.contacts, &clusters.pair_ends, Some(&mut candidates.contacts)),
        false => (&mut candidates.contacts, &candidates.pair_ends, None),
    };
    let mut problem =
        ContactProblem { solved, pair_ends, represented, cspace, masses, allowed, is_exchanged: false };
    impact(piece, start, &mut problem, solver, &mut certificate, &mut memory.impact);
    if let Some(arm) = arm {
        arm.pass_on(&memory.impact.impulse, masses);
    }
    let after_impact = &memory.impact.velocity;
    let arm_mut = arm.as_mut();
    let span =
        smooth(piece, after_impact, arm_mut, &mut problem, solver, &mut certificate, &mut memory.smooth);
    candidates.is_exchanged |= problem.is_exchanged;
    certificate.stage_seconds.solving += clock.lap();
    Attempt { span, certificate }
}

/// Velocity that the pose moves with, from those at the start and at the end of a piece.
fn fill_pose_velocity(rule: IntegrationMethod, start: &[f64], end: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(start.iter().zip(end).map(|(start, end)| rule.pose_velocity(*start, *end)));
}

/// Adds the impulses of a piece to those of the step.
fn add(sum: &mut Vec<f64>, piece: &[f64]) {
    sum.resize(piece.len().max(sum.len()), 0.0);
    sum.iter_mut().zip(piece).for_each(|(sum, piece)| *sum += piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulation;

    /// Velocities, impulses, warm start and certificate of an attempt, without its time.
    fn outcome(piece: &Piece, assumed: &Assumptions, memory: &mut PieceMemory) -> (Vec<f64>, Certificate) {
        let attempt = attempt(piece, assumed, &mut Stopwatch::start(), memory);
        let PieceMemory { impact, smooth, solver, .. } = memory;
        let solutions = [impact, &mut smooth.end].map(|own| [&own.velocity, &own.impulse]);
        let warm = solver.warm.impulses.iter().flat_map(|impulse| impulse.iter().copied());
        let numbers = solutions.into_iter().flatten().flatten().copied().chain(warm).collect();
        (numbers, Certificate { stage_seconds: StageSeconds::default(), ..attempt.certificate })
    }

    /// An attempt is a function of state and assumptions: what an earlier attempt did to faces of edges, warm start or search
    /// leaves no trace. Along tasks in which attempts are repeated and faces exchanged.
    #[test]
    fn a_repeated_attempt_starts_from_the_same_values_as_the_first() {
        let mut exchanged = 0;
        for (name, steps) in [("bolting", 60), ("bolting-arm", 60), ("peg-in-hole", 150)] {
            let mut run = Simulation::new(Scene::find(name).expect("built in"), 1);
            for number in 0..steps {
                let mut state = run.state.clone();
                let input = run.input_of_next_step().clone();
                let mut workspace = Workspace::default();
                workspace.prepare(&run.scene, &run.parameters, &mut state);
                let Workspace { parts, memory, .. } = &mut workspace;
                let (scene, parameters) = (&run.scene, &run.parameters);
                let context = Context { scene, parameters, input: &input, parts, start: &run.state };
                let span = Span::whole(context.dt());
                let piece = Piece { context, state: &state, span, may: Cuts::default() };
                let assumed = Assumptions::default();
                let first = outcome(&piece, &assumed, memory);
                exchanged += usize::from(memory.candidates.is_exchanged);
                assert_eq!(outcome(&piece, &assumed, memory), first, "{name}, step {number}");
                let _ = run.step();
            }
        }
        assert!(exchanged > 10, "faces were exchanged in {exchanged} steps only");
    }
}
