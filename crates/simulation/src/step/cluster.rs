//! Clustering within the step: the chosen few are solved, all contacts are projected and certified.

use std::time::Instant;

use tightfit_pipeline::clustering::ClusteringMethod;

use super::workspace::Environment;
use crate::Certificate;

impl Environment<'_> {
    /// Puts the contacts that stand for all in the place of all, until [`Self::uncluster`].
    pub(super) fn cluster(&mut self, certificate: &mut Certificate) {
        let method = self.parameters.methods.clustering;
        if method == ClusteringMethod::None {
            return;
        }
        let clock = Instant::now();
        let scratch = &mut *self.scratch;
        scratch.clustering.chosen.clear();
        let mut first = 0;
        for &end in &scratch.pair_ends {
            method.choose(&scratch.contacts, first..end, &mut scratch.clustering);
            first = end;
        }
        std::mem::swap(&mut scratch.contacts, &mut scratch.all_contacts);
        scratch.contacts.clear();
        for index in &scratch.clustering.chosen {
            scratch.contacts.push_from(&scratch.all_contacts, *index as usize);
        }
        certificate.stage_seconds.clustering += clock.elapsed().as_secs_f64();
    }

    /// All contacts again.
    pub(super) fn uncluster(&mut self) {
        if self.is_clustered() {
            std::mem::swap(&mut self.scratch.contacts, &mut self.scratch.all_contacts);
        }
    }

    fn is_clustered(&self) -> bool {
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
        for index in (0..contacts.len()).filter(|index| !self.waits(contacts, *index)) {
            let normal = contacts.normal.get(index);
            let speed = |velocity: &[f64]| normal.dot(&contacts.relative_velocity(index, velocity));
            let closing = contacts.gap[index].max(0.0) / self.duration;
            let approach = allowed(closing, speed(&self.scratch.start));
            let beyond = -(speed(&self.scratch.solver.velocity) + approach);
            certificate.left_out = certificate.left_out.max(beyond);
        }
    }
}
