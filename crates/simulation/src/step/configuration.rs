//! The C-space rows within the step (paper section 4.3, Algorithm 1).
//!
//! ```text
//! 0 ≤ λ_C ⊥ N_CᵀV + b_C ≥ 0        b_C of φ_C as of any gap:  impact φ⁺/T,  smooth max(0, 2φ⁺/T + N_CᵀV₀)
//! ```
//!
//! A body that collides in C-space (φ_C ≤ 0) has the paper's row: the body as a whole must not go deeper than its nearest
//! contact allows. At 10 ms that comes too late, since it crosses its play within a step; so a stage whose motion would
//! end in collision is solved again with the row of the contact that the motion comes to. What has come in already is not
//! pushed out, as it is not at nodes.

use nalgebra::Vector6;
use tightfit_pipeline::configuration::{FreeBody, LocalField, colliding_contact, coming_contact};
use tightfit_pipeline::records::WrenchRow;

use super::workspace::Environment;
use crate::audit::pose;
use crate::{Certificate, CspaceMethod, State};

/// Depth that asks for no further row [m].
const ALLOWED: f64 = 0.2e-6;

/// Which velocity a motion is followed with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leading {
    /// That at the start of the step.
    Start,
    /// That which an impact leads to.
    End,
    /// That which the pose moves with.
    Middle,
}

impl Environment<'_> {
    /// Finds the contact in C-space that is nearest to the pose of the state, if the body collides there.
    pub(super) fn find_configuration(&mut self, state: &State, certificate: &mut Certificate) {
        self.scratch.configurations.clear();
        if !self.uses_cspace() {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch.configuration_scratch);
        if let Some((body, mut field)) = self.local_field(state, &mut scratch) {
            // a network that was built can be evaluated: errors are of those that do not fit
            let nearest = colliding_contact(&mut field).ok().flatten();
            self.scratch.configurations.extend(nearest.map(|contact| (body, contact)));
        }
        self.scratch.configuration_scratch = scratch;
        certificate.stage_seconds.detection += self.lap();
    }

    /// Adds the row of the contact that a stage's motion comes to; whether there is one, and room for it.
    pub(super) fn adds_row(&mut self, state: &State, leading: Leading) -> bool {
        if !self.uses_cspace()
            || self.scratch.configurations.len() >= self.parameters.methods.cspace.rows() as usize
        {
            return false;
        }
        let mut scratch = std::mem::take(&mut self.scratch.configuration_scratch);
        let found = self.local_field(state, &mut scratch).and_then(|(body, mut field)| {
            let first = 6 * body as usize;
            let (start, end) = (&self.scratch.start[first..], &self.scratch.solver.velocity[first..]);
            let rule = self.parameters.methods.integration;
            let velocity = |k: usize| match leading {
                Leading::Start => start[k],
                Leading::End => end[k],
                Leading::Middle => rule.pose_velocity(start[k], end[k]),
            };
            let displacement = Vector6::from_fn(|k, _| self.duration * velocity(k));
            let contact = coming_contact(&mut field, &displacement, ALLOWED).ok().flatten()?;
            Some((body, contact))
        });
        self.scratch.configuration_scratch = scratch;
        self.scratch.configurations.extend(found);
        found.is_some()
    }

    /// The field that answers for the pose of the state, and the free body that it is of.
    fn local_field<'a>(
        &'a self,
        state: &State,
        scratch: &'a mut tightfit_network::InferenceScratch,
    ) -> Option<(u32, LocalField<'a>)> {
        let pair = self.scene.cspace.as_ref()?;
        let index = self.scene.free_index(pair.moving)?;
        let inertia = self.parameters.bodies[pair.moving].inertia?;
        let world_from_fixed = pose(self.scene, self.parameters, state, pair.fixed);
        let body = FreeBody {
            world_from_part: pose(self.scene, self.parameters, state, pair.moving),
            center_in_part: inertia.center_of_mass,
            mass: inertia.mass,
            inverse_mass: self.scratch.inverse_mass[index],
        };
        let fixed_from_part = world_from_fixed.inverse() * body.world_from_part;
        let field = pair.space.field_at(&fixed_from_part, body.center_in_part)?;
        Some((index as u32, LocalField::new(field, world_from_fixed, body, scratch)))
    }

    /// The rows of both stages for the velocities at the start; returns min(N_CᵀV₀ + b) of the impact, at most zero.
    pub(super) fn fill_rows(&mut self) -> f64 {
        let rule = self.parameters.methods.integration;
        let scratch = &mut *self.scratch;
        scratch.impact_rows.clear();
        scratch.smooth_rows.clear();
        let mut worst = 0.0_f64;
        for (body, contact) in &scratch.configurations {
            let closing = contact.gap.max(0.0) / self.duration;
            let row = WrenchRow { body: *body, direction: contact.normal, approach: closing };
            let speed = row.speed(&scratch.start);
            worst = worst.min(speed + closing);
            scratch.impact_rows.push(row);
            scratch.smooth_rows.push(WrenchRow { approach: rule.allowed_approach(closing, speed), ..row });
        }
        worst
    }

    /// Whether the step has C-space rows: not where pairs bounce, since a row would keep them from touching.
    fn uses_cspace(&self) -> bool {
        let methods = &self.parameters.methods;
        methods.cspace != CspaceMethod::None
            && methods.solver.sweeps()
            && self.scratch.knows_configurations
            && !self.scene.bounces()
    }
}
