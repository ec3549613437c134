//! What both contact stages share: the contacts that are solved, what these allow, and one solve of them.

use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::{Contacts, NOT_FREE, WrenchRow};
use tightfit_pipeline::solving::passivity_filter::{passive_scale, work};
use tightfit_pipeline::solving::pose_projection::SLOP;
use tightfit_pipeline::solving::residual::coulomb_residual_from;
use tightfit_pipeline::solving::{
    ApproachSpeeds, SolverMethod, SolverOptions, SolverWorkspace, SweepWorkspace, VelocityProblem, WarmStart,
};

use super::context::{Context, Piece};
use super::cspace::CspaceContacts;
use super::free_motion::{FreeMotion, Masses};
use super::pair_impulses::{PairImpulse, sum_by_pairs};
use crate::{Certificate, CspaceMethod, Limit, Methods};

/// Coulomb residual below which a stage has converged [m/s].
const CONVERGED: f64 = 1e-5;

/// Gaps up to which contacts between several bodies are closed [m]. The projection of a pose leaves gaps of this size, and bodies
/// that lean on each other would stick and slip by nanometres to close them.
const CLOSED: f64 = 2.0 * SLOP;

/// Gap that counts as closed [m].
pub(super) fn closed_gap(context: &Context) -> f64 {
    if context.start.motions.len() > 1 { CLOSED } else { 0.0 }
}

/// The contacts of a piece while its stages are solved.
pub(super) struct ContactProblem<'a> {
    /// Contacts that are solved: all of them, or the representatives of clusters.
    pub(super) solved: &'a mut Contacts,
    /// Where those of each pair of bodies end.
    pub(super) pair_ends: &'a [usize],
    /// All contacts, where `solved` are representatives.
    pub(super) represented: Option<&'a mut Contacts>,
    /// Contacts of whole configurations, beside those of nodes.
    pub(super) cspace: &'a mut CspaceContacts,
    pub(super) masses: &'a Masses,
    pub(super) allowed: &'a mut Allowances,
    /// Whether faces of edges have been exchanged.
    pub(super) is_exchanged: bool,
}

/// What the contacts of a piece allow in both stages.
#[derive(Debug, Default)]
pub(super) struct Allowances {
    /// b of every contact [m/s].
    pub(super) approach: ApproachSpeeds,
    /// The C-space rows of the impact and of the smooth stage.
    impact_rows: Vec<WrenchRow>,
    smooth_rows: Vec<WrenchRow>,
}

/// Buffers of the solvers, and the result of the last solve.
#[derive(Debug, Default)]
pub(super) struct SolverMemory {
    pub(super) solver: SolverWorkspace,
    pub(super) sweeps: SweepWorkspace,
    /// Warm start of the smooth stage, and what it leaves for the next.
    pub(super) warm: WarmStart,
    /// That of an impact, which has nothing to do with the one before: only its memory is reused.
    pub(super) impact_warm: WarmStart,
    /// An impact with rebound, while the plastic one is solved.
    pub(super) rebound: StageSolution,
    /// Velocity that the pose moves with, by the last solve.
    pub(super) moving: Vec<f64>,
}

/// What a stage leads to, stacked per free body in world axes.
#[derive(Debug, Default)]
pub(super) struct StageSolution {
    /// [m/s, rad/s].
    pub(super) velocity: Vec<f64>,
    /// Generalised contact impulse [N·s, N·m·s]; empty where nothing was solved.
    pub(super) impulse: Vec<f64>,
    /// Contact impulse of each pair of bodies; empty likewise.
    pub(super) pairs: Vec<PairImpulse>,
}

impl Allowances {
    pub(super) fn make_room(&mut self, contacts: usize) {
        self.approach.make_room(contacts);
    }

    pub(super) fn make_room_for_rows(&mut self) {
        make_room(&mut self.impact_rows, CspaceMethod::MOST_ROWS as usize);
        make_room(&mut self.smooth_rows, CspaceMethod::MOST_ROWS as usize);
    }
}

impl SolverMemory {
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize, pairs: usize) {
        self.solver.make_room(bodies, contacts);
        self.warm.make_room(bodies, contacts);
        self.impact_warm.make_room(bodies, contacts);
        self.rebound.make_room(bodies, pairs);
        make_room(&mut self.moving, 6 * bodies);
    }
}

impl StageSolution {
    pub(super) fn make_room(&mut self, bodies: usize, pairs: usize) {
        make_room(&mut self.velocity, 6 * bodies);
        make_room(&mut self.impulse, 6 * bodies);
        make_room(&mut self.pairs, pairs);
    }

    /// Becomes the result of the last solve.
    pub(super) fn take(&mut self, piece: &Piece, problem: &ContactProblem, solver: &SolverWorkspace) {
        self.velocity.clone_from(&solver.velocity);
        self.impulse.clone_from(&solver.generalised);
        sum_by_pairs(piece, problem, &solver.impulses, &mut self.pairs);
    }
}

impl ContactProblem<'_> {
    /// Sets b of both stages for velocities at the start of the piece; returns min(v₀ₙ + φ⁺/T), at most zero.
    pub(super) fn allow(&mut self, piece: &Piece, start: &[f64]) -> f64 {
        let (rule, contacts) = (piece.integration(), &*self.solved);
        let Allowances { approach, impact_rows, smooth_rows } = &mut *self.allowed;
        let mut worst = approach.fill(contacts, piece.span.duration, start, closed_gap(&piece.context));
        if !matches!(rule, IntegrationMethod::Midpoint | IntegrationMethod::PaperMidpoint) {
            for (index, (smooth, closing)) in approach.smooth.iter_mut().zip(&approach.impact).enumerate() {
                let speed = contacts.normal.get(index).dot(&contacts.relative_velocity(index, start));
                *smooth = rule.allowed_approach(*closing, speed);
            }
        }
        let anticipates = piece.context.methods().anticipation;
        if !anticipates {
            approach.smooth.fill(0.0);
        }
        impact_rows.clear();
        smooth_rows.clear();
        for (body, contact) in &self.cspace.found {
            let closing = contact.gap.max(0.0) / piece.span.duration;
            let row = WrenchRow { body: *body, direction: contact.normal, approach: closing };
            let speed = row.speed(start);
            worst = worst.min(speed + closing);
            impact_rows.push(row);
            let allowed = if anticipates { rule.allowed_approach(closing, speed) } else { 0.0 };
            smooth_rows.push(WrenchRow { approach: allowed, ..row });
        }
        worst
    }

    /// The impact at the start of the piece.
    pub(super) fn impact<'a>(&'a self, start: &'a [f64]) -> VelocityProblem<'a> {
        VelocityProblem {
            contacts: self.solved,
            approach: &self.allowed.approach.impact,
            free_velocity: start,
            response: &self.masses.inverse,
            rows: &self.allowed.impact_rows,
        }
    }

    /// Forces over the piece.
    pub(super) fn smooth<'a>(&'a self, free: &'a FreeMotion) -> VelocityProblem<'a> {
        VelocityProblem {
            contacts: self.solved,
            approach: &self.allowed.approach.smooth,
            free_velocity: &free.velocity,
            response: &free.response,
            rows: &self.allowed.smooth_rows,
        }
    }
}

/// A stage with its solution in `solver`.
pub(super) struct Stage<'a> {
    pub(super) problem: VelocityProblem<'a>,
    /// Velocities at the start of the piece, before the stage [m/s, rad/s].
    pub(super) start: &'a [f64],
    pub(super) solver: &'a mut SolverWorkspace,
}

impl Stage<'_> {
    /// Solves it; returns the number of contacts with an impulse.
    pub(super) fn solve(
        &mut self,
        method: SolverMethod,
        options: &SolverOptions,
        warm: &mut WarmStart,
        sweeps: &mut SweepWorkspace,
        certificate: &mut Certificate,
    ) -> usize {
        let report = method.solve(&self.problem, self.start, options, warm, self.solver, sweeps);
        certificate.level = certificate.level.max(report.level);
        certificate.iterations += report.iterations;
        certificate.evaluations += report.evaluations;
        report.active
    }

    /// Judges the impulses. The residuals are those of the solver: scaling impulses for passivity changes the force, not
    /// the verdict on it.
    pub(super) fn judge(&self, certificate: &mut Certificate) {
        let SolverWorkspace { impulses, velocity, slowest_open, .. } = &*self.solver;
        let residuals = coulomb_residual_from(&self.problem, impulses, velocity, *slowest_open);
        certificate.coulomb = certificate.coulomb.max(residuals.coulomb);
        certificate.complementarity = certificate.complementarity.max(residuals.complementarity);
        certificate.cone = certificate.cone.max(residuals.cone);
        // this defines "converged": the Coulomb residual after the solver's last fallback
        if residuals.coulomb.is_nan() || residuals.coulomb > CONVERGED {
            certificate.converged = false;
            certificate.limits.insert(Limit::NotConverged);
        }
    }

    /// Shrinks the impulses until they are passive, where the filter is on, and books their work.
    pub(super) fn make_passive(&mut self, methods: &Methods, certificate: &mut Certificate) {
        let solver = &mut *self.solver;
        let scale = match methods.passivity_filter {
            true => passive_scale(&self.problem, self.start, &solver.impulses, &solver.generalised),
            false => 1.0,
        };
        if scale < 1.0 {
            solver.impulses.iter_mut().for_each(|contact| contact.impulse *= scale);
            solver.generalised.iter_mut().for_each(|value| *value *= scale);
            self.problem.respond(&solver.generalised, &mut solver.velocity);
        }
        let (linear, square) = self.work(&self.solver.generalised);
        let done = linear + square;
        certificate.energy_injected += done.max(0.0);
        certificate.contact_work += done;
        certificate.kinematic_work += self.supplied();
    }

    /// (a, q) of the work a + q that generalised impulses do, with the contact impulses of the solution [J].
    pub(super) fn work(&self, generalised: &[f64]) -> (f64, f64) {
        work(&self.problem, self.start, &self.solver.impulses, generalised)
    }

    /// Work that moved surfaces do on the bodies: Σ pᵢ·uᵢ [J].
    pub(super) fn supplied(&self) -> f64 {
        let contacts = self.problem.contacts;
        let moved = self.solver.impulses.iter().filter(|entry| contacts.body_b[entry.contact] == NOT_FREE);
        moved.map(|entry| entry.impulse.dot(&contacts.surface(entry.contact))).sum()
    }
}
