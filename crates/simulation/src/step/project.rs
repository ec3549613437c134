//! The pose projection: what velocity-level contact leaves open is closed at the level of the pose.
//!
//! ```text
//! min ½|U − V̄|²_M   s.t.   φᵢ + T Jₙᵢ U ≥ 0 over all candidate nodes,        V̄ = ½(V₀⁺ + V₁), or what the rule says
//! ```
//!
//! It moves the pose, not the velocity, so it changes only the energy of springs and weight. What it adds is
//! taken from a tank that contact dissipation fills; when the tank is empty the projection is cut short.

use tightfit_pipeline::integration::{BodyMotion, advance_pose};
use tightfit_pipeline::solving::pose_projection::project;

use super::workspace::Environment;
use crate::{Certificate, Limit, State};

impl Environment<'_> {
    /// Velocity of the pose over the step.
    pub(super) fn project(&mut self, state: &mut State, certificate: &mut Certificate) {
        state.tank += (-certificate.contact_work).max(0.0);
        let step = self.duration;
        self.book_impulse();
        self.fill_pose_velocity();
        if !self.parameters.methods.projection {
            certificate.stage_seconds.integration += self.lap();
            return;
        }
        let scratch = &mut *self.scratch;
        scratch.wanted.clone_from(&scratch.pose_velocity);
        let report = project(
            &scratch.contacts,
            &scratch.contacts.gap,
            step,
            scratch.detected.map_or(0.0, |detected| detected.looked),
            &scratch.mass,
            &mut scratch.pose_velocity,
            &mut scratch.projection,
        );
        if !report.complete {
            certificate.limits.insert(Limit::ProjectionIncomplete);
        }
        if report.pivots > 0 {
            self.charge(state, step, certificate);
        }
        certificate.stage_seconds.integration += self.lap();
    }

    /// Adds the impulses of the smooth stage and of the impact to those of the step.
    fn book_impulse(&mut self) {
        let scratch = &mut *self.scratch;
        scratch.impulse.resize(scratch.solver.generalised.len(), 0.0);
        scratch.impact_impulse.resize(scratch.struck.len(), 0.0);
        let forces = scratch.impulse.iter_mut().zip(&scratch.solver.generalised);
        for (sum, own) in forces.chain(scratch.impact_impulse.iter_mut().zip(&scratch.struck)) {
            *sum += own;
        }
    }

    /// Pays for the difference between the velocity that was wanted and the projected one.
    pub(super) fn charge(&mut self, state: &mut State, step: f64, certificate: &mut Certificate) {
        let without = self.potential(state, &self.scratch.wanted, step);
        let cost = self.potential(state, &self.scratch.pose_velocity, step) - without;
        if cost > state.tank {
            let keep = (state.tank / cost).max(0.0);
            let scratch = &mut *self.scratch;
            for (own, wanted) in scratch.pose_velocity.iter_mut().zip(&scratch.wanted) {
                *own = wanted + (*own - wanted) * keep;
            }
            certificate.limits.insert(Limit::TankEmpty);
        }
        self.shift_arm(step);
        let paid = self.potential(state, &self.scratch.pose_velocity, step) - without;
        state.tank = (state.tank - paid.max(0.0)).max(0.0);
        certificate.projection_work += paid;
    }

    /// Energy of springs, weight and the load of an arm after moving with a velocity for `step` seconds [J].
    fn potential(&self, state: &State, velocity: &[f64], step: f64) -> f64 {
        let mut total = 0.0;
        let arm = self.arm_load();
        for (index, (motion, inertia)) in state.motions.iter().zip(self.parameters.free_inertia()).enumerate()
        {
            let mut moved: BodyMotion = *motion;
            advance_pose(&mut moved, &velocity[6 * index..6 * index + 6], step);
            total -= inertia.mass * self.scene.gravity.dot(&moved.center);
            if let Some((_, load)) = arm.filter(|(held, _)| *held == index) {
                let way = velocity[6 * index..6 * index + 6].iter().map(|speed| speed * step);
                total -= load.iter().zip(way).map(|(force, way)| force * way).sum::<f64>();
            }
            if let Some(coupling) = self.coupling(index) {
                let error = coupling.error(moved.center, &moved.rotation, &coupling.next_target);
                total += coupling.potential(error);
            }
        }
        total
    }
}
