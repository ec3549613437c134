//! The whole solve: grow the working set, and use higher levels until it is solved (docs/design/hot-path.md §3).
//!
//! ```text
//! 0  mixed Newton from the last step's impulses            nearly every warm step
//!    of several bodies again, from impulses by sweeps      bodies that come to touch, dominoes that lean
//! 1  continuation in ε, a short one from the last V, then a long one from V_f
//! 2  arclength from the last root of level 1               folds: wedged two-point states
//! 3  arclength from ε = 10³, four velocity scales
//! 4  continuation by factors of 0.9
//! V₁ = V_f + W Σ Jᵀp                                       the full W: the energy identity is exact
//! ```
//!
//! Where rounding allows no harder law and contacts still yield, as under a body that is 10⁵ times as heavy as the one it rests on, the
//! soft law is centred at the impulses that were found, again and again (proximal points): p(V) = p̂ − ε⁻¹d⁻¹(v + b), so that nothing
//! yields once p = p̂.

use nalgebra::Vector3;

use super::arclength::{self, Path, PathBuffers};
use super::contact_law::ContactRow;
use super::continuation::{self, Schedule};
use super::extrapolation;
use super::mixed_newton::{self, MixedBuffers};
use super::primal_newton::{self, NewtonBuffers, NewtonLimits};
use super::problem::{ContactImpulse, SolveReport, SolverOptions, VelocityProblem, WarmStart};
use super::row_blocks::RowBlocks;
use super::sweeps::{self, SweepWorkspace};
use super::system::System;
use super::working_set::WorkingSet;
use crate::make_room;

/// Contacts that yield by more than this [m/s] are solved again with a harder law: a tenth of the convergence
/// threshold.
const TOO_SOFT: f64 = 1e-6;
/// Target yield of the contacts of conforming faces [m/s], and the largest softness of their law [-].
const SHARED: f64 = 0.5 * TOO_SOFT;
const SOFTEST_SHARED: f64 = 1e-4;
/// Contacts with a slower slip [m/s] may stick, and would creep by as much as they yield: their law stays hard.
const SLIDING: f64 = 1e-3;
/// Factor of the softness of a harder law, and the smallest softness that rounding allows [-].
const HARDER: f64 = 0.1;
const HARDEST: f64 = 1.01e-8;
/// Most times that the law is centred at the impulses found.
const MOST_CENTRED: u32 = 40;
/// Sweeps that guess which contacts of several bodies carry load: first, then more where the short continuation of level 1 fails too,
/// and the largest working set that they are used for.
const FEW_SWEEPS: u32 = 100;
const MORE_SWEEPS: [u32; 2] = [300, 900];
const MOST_SWEPT: usize = 256;
/// Largest number of rounds; each adds at least one contact.
const MOST_ROUNDS: u32 = 200;
/// ε at which the short continuation of level 1 starts: V changes little between rounds.
const NEAR_SOFTNESS: f64 = 1e-4;
/// ε at which level 3 starts: contacts so soft that Newton's method converges from V ≈ V_f.
const SOFTEST: f64 = 1e3;
/// Velocity scales and longest steps of level 3.
const SCALES: [(f64, f64); 4] = [(0.3, 1.5), (0.05, 1.0), (1.0, 0.5), (0.01, 0.5)];

/// Results and buffers of [`solve`].
#[derive(Clone, Debug, Default)]
pub struct SolverWorkspace {
    /// V₁ [m/s, rad/s], stacked [v; ω] per body.
    pub velocity: Vec<f64>,
    /// Contacts that carry an impulse, in the order of the record.
    pub impulses: Vec<ContactImpulse>,
    /// P = Σ Jᵀp [N·s, N·m·s], stacked per body.
    pub generalised: Vec<f64>,
    /// Smallest vₙ + b at `velocity` over the contacts without impulse [m/s], where it is known.
    pub slowest_open: Option<f64>,
    root: Vec<f64>,
    /// Root of the previous, softer law.
    softer: Vec<f64>,
    attempt: Vec<f64>,
    prefix: Vec<f64>,
    set: WorkingSet,
    system: System,
    /// The rows of the working set, for the passes.
    blocks: RowBlocks,
    mixed: MixedBuffers,
    sweeps: SweepWorkspace,
    /// Impulses that the sweeps came to [N·s].
    swept: Vec<Vector3<f64>>,
    /// Drifts of the rows before the law was last centred [m/s].
    drifts: Vec<Vector3<f64>>,
    newton: NewtonBuffers,
    path: PathBuffers,
    pub(super) order: Vec<(u32, u32)>,
}

impl SolverWorkspace {
    /// Reserves memory for `bodies` bodies and `contacts` contacts: then no solve allocates, whatever its level.
    pub fn make_room(&mut self, bodies: usize, contacts: usize) {
        let Self { velocity, generalised, root, softer, attempt, prefix, .. } = self;
        for buffer in [velocity, generalised, root, softer, attempt, prefix] {
            make_room(buffer, 6 * bodies);
        }
        make_room(&mut self.impulses, contacts);
        make_room(&mut self.order, contacts);
        make_room(&mut self.drifts, contacts);
        self.set.make_room(contacts);
        self.blocks.make_room(bodies, contacts);
        self.system.make_room(bodies);
        self.mixed.make_room(bodies, contacts);
        if bodies > 1 {
            self.sweeps.make_room(contacts.min(MOST_SWEPT));
            make_room(&mut self.swept, contacts.min(MOST_SWEPT));
        }
        self.newton.make_room(bodies);
        self.path.make_room(bodies);
    }

    /// Adds the workspace's counts to the report.
    fn complete(&self, report: SolveReport) -> SolveReport {
        SolveReport {
            iterations: self.system.iterations,
            evaluations: self.system.evaluations,
            working_set: self.set.rows.len(),
            active: self.impulses.len(),
            ..report
        }
    }
}

/// Solves the problem from `warm`, which is updated for the next step. Results are in `workspace`.
pub fn solve(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
) -> SolveReport {
    let mut report = SolveReport::default();
    workspace.impulses.clear();
    workspace.generalised.clear();
    workspace.generalised.resize(problem.free_velocity.len(), 0.0);
    workspace.velocity.clear();
    workspace.velocity.extend_from_slice(problem.free_velocity);
    workspace.root.clear();
    workspace.slowest_open = None;
    if !workspace.system.load(problem, options) {
        warm.clear();
        return report;
    }

    workspace.set.start(problem, &mut workspace.system, warm, &mut workspace.mixed.impulses);
    let warm_velocity = warm.velocity.len() == problem.free_velocity.len() && !workspace.set.rows.is_empty();
    workspace.root.extend_from_slice(if warm_velocity { &warm.velocity } else { problem.free_velocity });
    // Usually another node carries the load than in the last step.
    grow(problem, options, workspace, 0);
    let (wanted, mut options) = (options.softness, *options);
    if let Some(softness) = shared_softness(problem, wanted, warm, workspace) {
        let shared = SolverOptions { softness, violation: TOO_SOFT, ..options };
        solve_at(problem, &shared, warm, workspace, &mut report);
        let deepest = workspace.set.deepest(&workspace.root);
        if report.converged && deepest <= TOO_SOFT && workspace.set.rows.len() > extrapolation::FEW {
            finish(problem, &shared, true, warm, workspace);
            return workspace.complete(report);
        }
    }
    loop {
        solve_at(problem, &options, warm, workspace, &mut report);
        let is_harder = options.softness < wanted;
        if is_harder && !report.converged {
            // Return to the known root of the softer law.
            options.softness *= 1.0 / HARDER;
            workspace.root.clone_from(&workspace.softer);
            solve_at(problem, &options, warm, workspace, &mut report);
            break;
        }
        let deepest = workspace.set.deepest(&workspace.root);
        if !report.converged || deepest <= TOO_SOFT || options.softness <= HARDEST {
            break;
        }
        workspace.softer.clone_from(&workspace.root);
        options.softness *= HARDER;
    }
    let yields = report.converged && workspace.set.deepest(&workspace.root) > TOO_SOFT;
    if yields {
        centre(problem, &options, warm, workspace, &mut report);
    }
    finish(problem, &options, report.converged && !yields, warm, workspace);
    workspace.complete(report)
}

/// Centres the law at the impulses that it leads to until these yield no more.
fn centre(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    warm: &WarmStart,
    workspace: &mut SolverWorkspace,
    report: &mut SolveReport,
) {
    for _ in 0..MOST_CENTRED {
        workspace.softer.clone_from(&workspace.root);
        workspace.drifts.clear();
        let mut yields = 0.0_f64;
        for row in &mut workspace.set.rows {
            let own = ContactRow::new(problem, row.contact as usize).drift;
            let impulse = row.impulse(&row.velocity(&workspace.root), options.softness).unwrap_or_default();
            let drift = own + impulse * (options.softness / row.inverse_compliance);
            yields = yields.max((drift - row.drift).norm());
            workspace.drifts.push(std::mem::replace(&mut row.drift, drift));
        }
        let is_centred = yields <= TOO_SOFT;
        let is_solved = !is_centred && climb(problem, options, workspace).1;
        if is_solved {
            report.rounds += 1;
            grow(problem, options, workspace, MOST_ROUNDS);
            fill_impulses(problem, warm, workspace);
            continue;
        }
        // the last law whose root is known
        workspace.root.clone_from(&workspace.softer);
        for (row, drift) in workspace.set.rows.iter_mut().zip(&workspace.drifts) {
            row.drift = *drift;
        }
        return;
    }
}

/// ε for conforming faces: so soft that their contacts share the load and yield by what the certificate allows. `None`
/// where few contacts carried load in the last step, or some may stick.
///
/// Thousands of nodes of a thread's flank are within nanometres of carrying load. A hard law selects a few of them,
/// different ones in every step, and Newton's method exchanges them one by one.
fn shared_softness(
    problem: &VelocityProblem<'_>,
    wanted: f64,
    warm: &WarmStart,
    workspace: &SolverWorkspace,
) -> Option<f64> {
    let rows = &workspace.set.rows;
    if warm.ids.len() <= extrapolation::FEW || rows.len() <= extrapolation::FEW {
        return None;
    }
    let slides = |row: &ContactRow| {
        let v = row.velocity(&warm.velocity);
        (v - row.normal * row.normal.dot(&v)).norm() > SLIDING
    };
    if warm.velocity.len() != problem.free_velocity.len() || !rows.iter().all(slides) {
        return None;
    }
    // p d: the yield of a contact per softness.
    let stopped = rows
        .iter()
        .zip(&workspace.mixed.impulses)
        .map(|(row, impulse)| row.normal.dot(impulse) / row.inverse_compliance);
    let softness = SHARED / stopped.fold(0.0, f64::max);
    (softness > wanted).then_some(softness.min(SOFTEST_SHARED))
}

/// Grows the working set from `root` until its solution is that of all contacts.
fn solve_at(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    warm: &WarmStart,
    workspace: &mut SolverWorkspace,
    report: &mut SolveReport,
) {
    let first = report.rounds;
    loop {
        report.rounds += 1;
        let round = report.rounds - first;
        fill_impulses(problem, warm, workspace);
        let (level, solved) = climb(problem, options, workspace);
        report.level = report.level.max(level);
        report.converged = solved;
        if solved {
            workspace.set.shrink(&workspace.root, round, &mut workspace.mixed.impulses);
        }
        let known = workspace.set.rows.len();
        if grow(problem, options, workspace, round) == 0 {
            break;
        }
        // Contacts are violated but none can be added: their data are NaN.
        if round == MOST_ROUNDS || workspace.set.rows.len() == known {
            report.converged = false;
            break;
        }
    }
}

fn grow(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    workspace: &mut SolverWorkspace,
    round: u32,
) -> usize {
    let SolverWorkspace { set, system, root, .. } = workspace;
    set.grow(problem, system, root, options.violation, round)
}

/// Gives new contacts of the working set their impulse of the last step.
fn fill_impulses(problem: &VelocityProblem<'_>, warm: &WarmStart, workspace: &mut SolverWorkspace) {
    let known = workspace.mixed.impulses.len();
    for row in &workspace.set.rows[known..] {
        let impulse = warm.impulse(problem.contacts.id[row.contact as usize]).unwrap_or_default();
        workspace.mixed.impulses.push(impulse);
    }
}

/// Solves the working set from `root`, which becomes the solution; returns the last level used and whether it
/// converged.
fn climb(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    workspace: &mut SolverWorkspace,
) -> (u8, bool) {
    let SolverWorkspace {
        root,
        attempt,
        prefix,
        set,
        system,
        blocks,
        mixed,
        sweeps,
        swept,
        newton,
        path,
        ..
    } = workspace;
    let softness = options.softness;
    blocks.load(&set.rows);
    let rows = &*blocks;
    if set.rows.is_empty() {
        root.copy_from_slice(&system.free_velocity);
        return (0, true);
    }
    if mixed_newton::solve(&set.rows, rows, system, softness, options.mixed_iterations, root, mixed) {
        return (0, true);
    }
    let mut solve_from_sweeps = |system: &mut System, count: u32, attempt: &mut Vec<f64>| {
        if problem.response.len() == 1 || set.rows.len() > MOST_SWEPT {
            return false;
        }
        let contacts = set.rows.iter().map(|row| row.contact as usize);
        if !sweeps::improve(problem, contacts, &mut mixed.impulses, attempt, sweeps, count) {
            return false;
        }
        swept.clone_from(&mixed.impulses);
        let is_solved =
            mixed_newton::solve(&set.rows, rows, system, softness, options.mixed_iterations, attempt, mixed);
        if !is_solved {
            mixed.impulses.clone_from(swept);
        }
        is_solved
    };
    if solve_from_sweeps(system, FEW_SWEEPS, attempt) {
        root.copy_from_slice(attempt);
        return (0, true);
    }
    attempt.clear();
    attempt.extend_from_slice(root);
    let mut outcome = (0, false);
    if options.highest_level >= 1 {
        let limits = NewtonLimits { iterations: 12, halvings: 8 };
        let schedule = Schedule { first: NEAR_SOFTNESS, factor: 0.1, last: softness, limits };
        outcome = (1, continuation::solve(rows, system, schedule, attempt, prefix, newton).0);
        if !outcome.1 && MORE_SWEEPS.into_iter().any(|count| solve_from_sweeps(system, count, attempt)) {
            root.copy_from_slice(attempt);
            return (0, true);
        }
    }
    if !outcome.1 && options.highest_level >= 1 {
        attempt.copy_from_slice(&system.free_velocity);
        let limits = NewtonLimits { iterations: 12, halvings: 12 };
        let schedule = Schedule { first: 1e-2, factor: 0.1, last: softness, limits };
        let (solved, start) = continuation::solve(rows, system, schedule, attempt, prefix, newton);
        outcome = (1, solved);
        if let (false, Some(from), true) = (solved, start, options.highest_level >= 2) {
            let route = Path { target: softness, relative_scale: 0.3, longest_step: 1.5, steps: 200 };
            outcome = (2, arclength::solve(rows, system, route, prefix, from, attempt, path));
        }
    }
    if !outcome.1 && options.highest_level >= 3 {
        outcome = (3, follow_from_softest(softness, rows, system, attempt, prefix, newton, path));
    }
    if !outcome.1 && options.highest_level >= 4 {
        let limits = NewtonLimits { iterations: 40, halvings: 12 };
        let schedule = Schedule { first: 1.0, factor: 0.9, last: softness, limits };
        attempt.copy_from_slice(&system.free_velocity);
        outcome = (4, continuation::solve(rows, system, schedule, attempt, prefix, newton).0);
    }
    root.copy_from_slice(attempt);
    // The mixed Newton method of the next round starts from the impulses of the law.
    for (row, own) in set.rows.iter().zip(&mut mixed.impulses) {
        *own = row.impulse(&row.velocity(root), softness).unwrap_or_default();
    }
    outcome
}

/// Level 3.
fn follow_from_softest(
    softness: f64,
    rows: &RowBlocks,
    system: &mut System,
    attempt: &mut [f64],
    prefix: &mut Vec<f64>,
    newton: &mut NewtonBuffers,
    path: &mut PathBuffers,
) -> bool {
    prefix.clear();
    prefix.extend_from_slice(&system.free_velocity);
    let limits = NewtonLimits { iterations: 50, halvings: 12 };
    if !primal_newton::solve(rows, system, SOFTEST, limits, prefix, newton) {
        return false;
    }
    SCALES.iter().any(|&(relative_scale, longest_step)| {
        let route = Path { target: softness, relative_scale, longest_step, steps: 600 };
        arclength::solve(rows, system, route, prefix, SOFTEST, attempt, path)
    })
}

/// Computes impulses, generalised impulse and velocity at the root, and the warm start of the next step.
fn finish(
    problem: &VelocityProblem<'_>,
    options: &SolverOptions,
    is_solved: bool,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
) {
    let SolverWorkspace {
        velocity,
        impulses,
        generalised,
        slowest_open,
        root,
        attempt,
        set,
        system,
        blocks,
        ..
    } = workspace;
    let (softness, newton, order) = (options.softness, &mut workspace.newton, &mut workspace.order);
    let is_smooth =
        is_solved && extrapolation::solve_half(&set.rows, blocks, system, softness, root, attempt, newton);
    for is_extrapolated in [is_smooth, false] {
        impulses.clear();
        generalised.fill(0.0);
        for row in &set.rows {
            let impulse = match is_extrapolated {
                true => extrapolation::impulse(row, softness, root, attempt),
                false => row.impulse(&row.velocity(root), softness),
            };
            if let Some(impulse) = impulse {
                impulses.push(ContactImpulse { contact: row.contact as usize, impulse });
            }
        }
        // Sums in the order of the record do not depend on how the working set grew.
        impulses.sort_unstable_by_key(|entry| entry.contact);
        for entry in impulses.iter() {
            problem.contacts.add_impulse(entry.contact, entry.impulse, generalised);
        }
        problem.respond(generalised, velocity);
        if !is_extrapolated || extrapolation::is_closer(&set.rows, root, velocity) {
            break;
        }
    }
    let mut slowest = set.slowest(problem, velocity);
    for row in &set.rows {
        if row.depth(&row.velocity(root)) <= 0.0 {
            slowest = slowest.min(-row.depth(&row.velocity(velocity)));
        }
    }
    *slowest_open = Some(slowest);
    warm.store(problem.contacts, root, impulses, order);
}
