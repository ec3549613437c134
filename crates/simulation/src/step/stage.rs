//! One of the two contact stages: its problem, and where it is solved, judged and kept from making energy.

use tightfit_pipeline::records::NOT_FREE;
use tightfit_pipeline::solving::passivity_filter::{passive_scale, work};
use tightfit_pipeline::solving::residual::coulomb_residual_from;
use tightfit_pipeline::solving::{
    SolverMethod, SolverOptions, SolverWorkspace, SweepWorkspace, VelocityProblem, WarmStart,
};

use super::Workspace;
use crate::{Certificate, Limit};

/// Coulomb residual below which a stage has converged [m/s].
const CONVERGED: f64 = 1e-5;

/// A stage as the workspace has it at present.
pub(super) struct Stage<'a> {
    problem: VelocityProblem<'a>,
    /// Velocities at the start of the step, before the stage [m/s, rad/s].
    start: &'a [f64],
    solver: &'a mut SolverWorkspace,
    sweeps: &'a mut SweepWorkspace,
}

impl Workspace {
    /// The impact at the start of the step.
    pub(super) fn impact_stage(&mut self) -> Stage<'_> {
        let problem = VelocityProblem {
            contacts: &self.contacts,
            approach: &self.approach.impact,
            free_velocity: &self.start,
            response: &self.inverse_mass,
            rows: &self.impact_rows,
        };
        Stage { problem, start: &self.start, solver: &mut self.solver, sweeps: &mut self.sweeps }
    }

    /// Forces over the step.
    pub(super) fn smooth_stage(&mut self) -> Stage<'_> {
        let problem = VelocityProblem {
            contacts: &self.contacts,
            approach: &self.approach.smooth,
            free_velocity: &self.free,
            response: &self.response,
            rows: &self.smooth_rows,
        };
        Stage { problem, start: &self.start, solver: &mut self.solver, sweeps: &mut self.sweeps }
    }
}

impl Stage<'_> {
    /// Solves it, and counts what that took; the number of contacts that carry.
    pub(super) fn solve(
        &mut self,
        method: SolverMethod,
        options: &SolverOptions,
        warm: &mut WarmStart,
        certificate: &mut Certificate,
    ) -> usize {
        let report = method.solve(&self.problem, self.start, options, warm, self.solver, self.sweeps);
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
        // the definition of converged: the Coulomb residual after the ladder
        if residuals.coulomb.is_nan() || residuals.coulomb > CONVERGED {
            certificate.converged = false;
            certificate.limits.insert(Limit::NotConverged);
        }
    }

    /// Shrinks the impulses until they are passive, and books their work.
    pub(super) fn filter(&mut self, certificate: &mut Certificate) {
        let solver = &mut *self.solver;
        let scale = passive_scale(&self.problem, self.start, &solver.impulses, &solver.generalised);
        if scale < 1.0 {
            solver.impulses.iter_mut().for_each(|contact| contact.impulse *= scale);
            solver.generalised.iter_mut().for_each(|value| *value *= scale);
            self.problem.respond(&solver.generalised, &mut solver.velocity);
        }
        let (linear, square) = self.work();
        let done = linear + square;
        certificate.energy_injected += done.max(0.0);
        certificate.contact_work += done;
        certificate.kinematic_work += self.supplied();
    }

    /// (a, q) of the work a + q that the impulses do [J].
    pub(super) fn work(&self) -> (f64, f64) {
        self.work_of(&self.solver.generalised)
    }

    /// The same of other generalised impulses, with the surfaces' part of the solution.
    pub(super) fn work_of(&self, generalised: &[f64]) -> (f64, f64) {
        work(&self.problem, self.start, &self.solver.impulses, generalised)
    }

    /// Work that moved surfaces do on the bodies: Σ pᵢ·uᵢ [J].
    pub(super) fn supplied(&self) -> f64 {
        let contacts = self.problem.contacts;
        let moved = self.solver.impulses.iter().filter(|entry| contacts.body_b[entry.contact] == NOT_FREE);
        moved.map(|entry| entry.impulse.dot(&contacts.surface(entry.contact))).sum()
    }
}
