//! The two contact stages (MATH 4.3).
//!
//! ```text
//! impact   at t_k, only where v₀ₙ < −φ⁺/T:    W = M⁻¹,  b = φ⁺/T                      V₀ → V₀⁺
//! smooth   midpoint from V₀⁺:                 W,        b = max(0, 2φ⁺/T + v₀ₙ⁺)      V_free → V₁
//! ```
//!
//! φ⁺ = max(φ, 0). The smooth condition is φ⁺ + T v̄ₙ ≥ 0: the pose that advances with V̄ does not penetrate to
//! first order. b ≥ φ⁺/T ≥ 0 and b ≥ v₀ₙ⁺ make it passive and plastic. Both stages pass the passivity filter. Under
//! another rule of integration the pose moves with another velocity, and b follows it.
//! Pairs that bounce ask more of the impact: see `bounce`.

use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_pipeline::solving::SolverOptions;

use super::configuration::Leading;
use super::faces::{EXCHANGES, Mover};
use super::workspace::Environment;
use crate::{Certificate, State};

/// Slower impacts are left to the smooth stage [m/s]: the pose error is at most half a step of it.
const SLOWEST_IMPACT: f64 = 1e-5;

/// Approach beyond what an impact allows that counts as violated [m/s].
const IMPACT_VIOLATION: f64 = 0.1 * SLOWEST_IMPACT;

/// Softness of impacts that bounce [-]: a body that gives way by ε of its speed rises too little by 2ε, and what
/// bounces is fast.
const REBOUND_SOFTNESS: f64 = 1e-7;

impl Environment<'_> {
    /// Makes the velocity at the start of the step one that no contact forbids.
    pub(super) fn impact(&mut self, state: &State, certificate: &mut Certificate) {
        self.scratch.struck.clear();
        let mut worst = self.fill_approach();
        let bounces = self.scene.bounces();
        if bounces {
            worst = self.ask_for_rebound();
        }
        // whether the velocity at the start leads into collision
        if self.adds_row(state, Leading::Start) {
            worst = self.fill_approach();
        }
        if worst < -SLOWEST_IMPACT {
            self.solve_impact(certificate);
            while self.adds_row(state, Leading::End) {
                self.fill_approach();
                self.solve_impact(certificate);
            }
            let mut rounds = 0;
            while !bounces && rounds < EXCHANGES && self.exchange_faces(Mover::End) {
                self.fill_approach();
                self.solve_impact(certificate);
                rounds += 1;
            }
            if bounces && self.gains_energy() {
                self.calm_rebound(certificate);
            } else {
                self.filter_impact(certificate);
            }
            let scratch = &mut *self.scratch;
            scratch.start.clear();
            scratch.start.extend_from_slice(&scratch.solver.velocity);
            scratch.struck.extend_from_slice(&scratch.solver.generalised);
            self.pass_impact_on();
            self.fill_approach();
            self.predict(state);
        }
        certificate.stage_seconds.solving += self.lap();
    }

    /// b of both stages for the velocities at the start, C-space included; returns min(v₀ₙ + φ⁺/T), at most zero.
    pub(super) fn fill_approach(&mut self) -> f64 {
        let rule = self.parameters.methods.integration;
        let scratch = &mut *self.scratch;
        let contacts = &scratch.contacts;
        let worst = scratch.approach.fill(contacts, self.duration, &scratch.start);
        if !matches!(rule, IntegrationMethod::Midpoint | IntegrationMethod::PaperMidpoint) {
            let both = scratch.approach.smooth.iter_mut().zip(&scratch.approach.impact);
            for (index, (smooth, closing)) in both.enumerate() {
                let start =
                    contacts.normal.get(index).dot(&contacts.relative_velocity(index, &scratch.start));
                *smooth = rule.allowed_approach(*closing, start);
            }
        }
        worst.min(self.fill_rows())
    }

    /// Solves the impact for the approach speeds as they stand, and judges the solution.
    pub(super) fn solve_impact(&mut self, certificate: &mut Certificate) {
        // what is slower than an impact is left to the smooth stage anyway
        let mut options = SolverOptions { violation: IMPACT_VIOLATION, ..SolverOptions::default() };
        if self.scene.bounces() {
            options = SolverOptions { softness: REBOUND_SOFTNESS, ..SolverOptions::default() };
        }
        // an impact has nothing to do with the last one: only the memory is used again
        let mut warm = std::mem::take(&mut self.scratch.impact_warm);
        warm.clear();
        let mut stage = self.scratch.impact_stage();
        stage.solve(self.parameters.methods.solver, &options, &mut warm, certificate);
        stage.judge(certificate);
        self.scratch.impact_warm = warm;
        self.judge_left_out_of_impact(certificate);
    }

    /// Makes the solved impact passive and books its work.
    pub(super) fn filter_impact(&mut self, certificate: &mut Certificate) {
        self.scratch.impact_stage().filter(certificate);
    }

    /// Forces over the step.
    pub(super) fn smooth(&mut self, state: &mut State, certificate: &mut Certificate) {
        self.solve_smooth(state, certificate);
        let mut rounds = 0;
        while rounds < EXCHANGES && self.exchange_faces(Mover::Middle) {
            self.fill_approach();
            self.solve_smooth(state, certificate);
            rounds += 1;
        }
        while self.adds_row(state, Leading::Middle) {
            self.fill_approach();
            self.solve_smooth(state, certificate);
        }
        if let Some(touch) = self.first_touch() {
            // the piece ends there
            self.duration = touch;
            self.fill_approach();
            self.predict(state);
            self.solve_smooth(state, certificate);
        }
        self.judge_left_out_of_smooth(certificate);
        let mut stage = self.scratch.smooth_stage();
        stage.judge(certificate);
        stage.filter(certificate);
        let scratch = &mut *self.scratch;
        scratch.end.clear();
        scratch.end.extend_from_slice(&scratch.solver.velocity);
        certificate.stage_seconds.solving += self.lap();
    }

    fn solve_smooth(&mut self, state: &mut State, certificate: &mut Certificate) {
        self.let_wait();
        let (method, options) = (self.parameters.methods.solver, SolverOptions::default());
        certificate.active =
            self.scratch.smooth_stage().solve(method, &options, &mut state.warm, certificate);
    }
}
