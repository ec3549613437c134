//! The two contact stages (MATH 4.3).
//!
//! ```text
//! impact   at t_k, only where v₀ₙ < −φ⁺/T:    W = M⁻¹,  b = φ⁺/T                      V₀ → V₀⁺
//! smooth   midpoint from V₀⁺:                 W,        b = max(0, 2φ⁺/T + v₀ₙ⁺)      V_free → V₁
//! ```
//!
//! φ⁺ = max(φ, 0). The smooth condition is φ⁺ + T v̄ₙ ≥ 0: the pose that advances with V̄ does not penetrate to
//! first order. b ≥ φ⁺/T ≥ 0 and b ≥ v₀ₙ⁺ make it passive and plastic. Both stages pass the passivity filter.

use std::time::Instant;

use tightfit_pipeline::solving::passivity_filter::{passive_scale, work};
use tightfit_pipeline::solving::residual::coulomb_residual_from;
use tightfit_pipeline::solving::{SolverOptions, SolverWorkspace, VelocityProblem, solve};

use super::workspace::Environment;
use crate::{Certificate, Limit, State};

/// Slower impacts are left to the smooth stage [m/s]: the pose error is at most half a step of it.
const SLOWEST_IMPACT: f64 = 1e-5;

/// Coulomb residual below which a stage has converged [m/s].
const CONVERGED: f64 = 1e-5;

impl Environment<'_> {
    /// Makes the velocity at the start of the step one that no contact forbids.
    pub(super) fn impact(&mut self, state: &State, certificate: &mut Certificate) {
        let clock = Instant::now();
        let step = self.scene.step;
        let scratch = &mut *self.scratch;
        let worst = scratch.approach.fill(&scratch.contacts, step, &scratch.start);
        if worst < -SLOWEST_IMPACT {
            scratch.impact_warm.clear();
            let problem = VelocityProblem {
                contacts: &scratch.contacts,
                approach: &scratch.approach.impact,
                free_velocity: &scratch.start,
                response: &scratch.inverse_mass,
            };
            let report =
                solve(&problem, &SolverOptions::default(), &mut scratch.impact_warm, &mut scratch.solver);
            let work = finish(&problem, &scratch.start, &mut scratch.solver, certificate);
            certificate.level = certificate.level.max(report.level);
            certificate.iterations += report.iterations;
            certificate.evaluations += report.evaluations;
            certificate.contact_work += work;
            scratch.start.clear();
            scratch.start.extend_from_slice(&scratch.solver.velocity);
            scratch.approach.fill(&scratch.contacts, step, &scratch.start);
            self.predict(state);
        }
        certificate.stage_seconds[1] += clock.elapsed().as_secs_f64();
    }

    /// Forces over the step.
    pub(super) fn smooth(&mut self, state: &mut State, certificate: &mut Certificate) {
        let clock = Instant::now();
        let scratch = &mut *self.scratch;
        let problem = VelocityProblem {
            contacts: &scratch.contacts,
            approach: &scratch.approach.smooth,
            free_velocity: &scratch.free,
            response: &scratch.response,
        };
        let report = solve(&problem, &SolverOptions::default(), &mut state.warm, &mut scratch.solver);
        let work = finish(&problem, &scratch.start, &mut scratch.solver, certificate);
        certificate.level = certificate.level.max(report.level);
        certificate.iterations += report.iterations;
        certificate.evaluations += report.evaluations;
        certificate.active = report.active;
        certificate.contact_work += work;
        scratch.end.clear();
        scratch.end.extend_from_slice(&scratch.solver.velocity);
        certificate.stage_seconds[1] += clock.elapsed().as_secs_f64();
    }
}

/// Filters the impulses of a stage, judges them, and returns their work on the bodies [J].
///
/// The residuals are those of the solver: scaling them for passivity changes the force, not the verdict on it.
fn finish(
    problem: &VelocityProblem,
    start: &[f64],
    solver: &mut SolverWorkspace,
    certificate: &mut Certificate,
) -> f64 {
    let residuals = coulomb_residual_from(problem, &solver.impulses, &solver.velocity, solver.slowest_open);
    certificate.coulomb = certificate.coulomb.max(residuals.coulomb);
    certificate.complementarity = certificate.complementarity.max(residuals.complementarity);
    certificate.cone = certificate.cone.max(residuals.cone);
    // the definition of converged: the Coulomb residual after the ladder
    if residuals.coulomb.is_nan() || residuals.coulomb > CONVERGED {
        certificate.converged = false;
        certificate.limits.insert(Limit::NotConverged);
    }
    let scale = passive_scale(problem, start, &solver.impulses, &solver.generalised);
    if scale < 1.0 {
        solver.impulses.iter_mut().for_each(|contact| contact.impulse *= scale);
        solver.generalised.iter_mut().for_each(|value| *value *= scale);
        problem.respond(&solver.generalised, &mut solver.velocity);
    }
    let (linear, square) = work(problem, start, &solver.impulses, &solver.generalised);
    let done = linear + square;
    certificate.energy_injected += done.max(0.0);
    done
}
