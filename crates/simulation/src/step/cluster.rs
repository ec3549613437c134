//! Clustering within the step: the chosen few are solved, all contacts are projected and certified.

use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::records::Contacts;
use tightfit_spatial::{Vectorise, vectorised};

use super::workspace::Environment;
use crate::{Certificate, State};

impl Environment<'_> {
    /// Puts the contacts that stand for all in the place of all, until [`Self::uncluster`].
    pub(super) fn cluster(&mut self, state: &State, certificate: &mut Certificate) {
        let method = self.parameters.methods.clustering;
        if method == ClusteringMethod::None {
            return;
        }
        std::mem::swap(&mut self.scratch.contacts, &mut self.scratch.all_contacts);
        let mut contacts = std::mem::take(&mut self.scratch.contacts);
        let all = std::mem::take(&mut self.scratch.all_contacts);
        contacts.clear();
        let mut first = 0;
        for pair in 0..self.scratch.pair_ends.len() {
            let end = self.scratch.pair_ends[pair];
            let scene = self.scene;
            let network = scene.interaction.as_ref().filter(|own| own.is_of(&scene.contacts[pair]));
            match network.filter(|_| method == ClusteringMethod::Interaction) {
                Some(own) => self.interact(own, pair, first..end, &all, &mut contacts, state),
                None => {
                    let clustering = &mut self.scratch.clustering;
                    clustering.chosen.clear();
                    method.choose(&all, first..end, clustering);
                    clustering.chosen.iter().for_each(|index| contacts.push_from(&all, *index as usize));
                }
            }
            first = end;
        }
        self.scratch.contacts = contacts;
        self.scratch.all_contacts = all;
        certificate.stage_seconds.clustering += self.lap();
    }

    /// All contacts again.
    pub(super) fn uncluster(&mut self) {
        if self.is_clustered() {
            std::mem::swap(&mut self.scratch.contacts, &mut self.scratch.all_contacts);
        }
    }

    pub(super) fn is_clustered(&self) -> bool {
        self.parameters.methods.clustering != ClusteringMethod::None
    }

    /// Books how fast contacts that were left out of the impact close beyond what they may.
    pub(super) fn judge_left_out_of_impact(&self, certificate: &mut Certificate) {
        self.judge_left_out(certificate, |closing, _| closing);
    }

    /// The same of the smooth stage.
    pub(super) fn judge_left_out_of_smooth(&self, certificate: &mut Certificate) {
        let integration = self.parameters.methods.integration;
        self.judge_left_out(certificate, |closing, start| integration.allowed_approach(closing, start));
    }

    /// Books the largest −(vₙ + b) of all contacts, b from φ⁺/T and v₀ₙ [m/s].
    fn judge_left_out(&self, certificate: &mut Certificate, allowed: impl Fn(f64, f64) -> f64) {
        if !self.is_clustered() {
            return;
        }
        let contacts = &self.scratch.all_contacts;
        let (mut at_start, mut at_end) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for first in (0..contacts.len()).step_by(TOGETHER) {
            let count = TOGETHER.min(contacts.len() - first);
            let speeds = [(&self.scratch.start, &mut at_start), (&self.scratch.solver.velocity, &mut at_end)];
            for (velocity, out) in speeds {
                vectorised(NormalSpeeds { contacts, first, velocity, out: &mut out[..count] });
            }
            for place in (0..count).filter(|place| !self.waits(contacts, first + place)) {
                let closing = contacts.gap[first + place].max(0.0) / self.duration;
                let beyond = -(at_end[place] + allowed(closing, at_start[place]));
                certificate.left_out = certificate.left_out.max(beyond);
            }
        }
    }
}

/// Contacts whose speeds are taken together: they stay in the nearest cache.
const TOGETHER: usize = 256;

/// vₙ of the contacts from `first` on [m/s].
struct NormalSpeeds<'a> {
    contacts: &'a Contacts,
    first: usize,
    /// Stacked [v; ω] [m/s, rad/s].
    velocity: &'a [f64],
    out: &'a mut [f64],
}

impl Vectorise for NormalSpeeds<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { contacts, first, velocity, out } = self;
        let one_body = velocity.as_array().filter(|_| contacts.surface_velocity.is_empty());
        let Some(&[vx, vy, vz, wx, wy, wz]) = one_body else {
            for (place, speed) in out.iter_mut().enumerate() {
                let relative = contacts.relative_velocity(first + place, velocity);
                *speed = contacts.normal.get(first + place).dot(&relative);
            }
            return;
        };
        // one free body against parts that stand: every row names it alone, so the columns can be read straight through
        let block = first..first + out.len();
        let (normal, arm) = (&contacts.normal, &contacts.arm_a);
        let (nx, ny, nz) = (&normal.x[block.clone()], &normal.y[block.clone()], &normal.z[block.clone()]);
        let (rx, ry, rz) = (&arm.x[block.clone()], &arm.y[block.clone()], &arm.z[block]);
        for (i, speed) in out.iter_mut().enumerate() {
            *speed = nx[i] * (vx + wy * rz[i] - wz * ry[i])
                + ny[i] * (vy + wz * rx[i] - wx * rz[i])
                + nz[i] * (vz + wx * ry[i] - wy * rx[i]);
        }
    }
}
