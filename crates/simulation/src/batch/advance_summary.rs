//! The certificates and impulses of several steps together: a policy acts once in many steps and must not miss one.

use crate::{Certificate, Limits};

/// All steps of the last [`Batch::advance`](super::Batch::advance) of one environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdvanceSummary {
    /// Steps taken; fewer than requested where the environment was frozen.
    pub steps: usize,
    /// Steps that did not converge.
    pub unconverged: usize,
    /// Deepest penetration by the certificates [m].
    pub penetration: f64,
    /// Deepest penetration by the audit [m], where there is one.
    pub audited: Option<f64>,
    /// Largest Coulomb residual [m/s].
    pub coulomb: f64,
    /// Limits that any step hit.
    pub limits: Limits,
    /// Contact impulse over all steps, impacts included, six numbers per free body [N·s, N·m·s].
    pub impulse: Vec<f64>,
    /// Largest contact force of a step, one number per free body [N].
    pub peak_force: Vec<f64>,
}

impl AdvanceSummary {
    pub(super) fn new(free_bodies: usize) -> Self {
        Self { impulse: vec![0.0; 6 * free_bodies], peak_force: vec![0.0; free_bodies], ..Self::default() }
    }

    /// Forgets all steps and keeps the memory.
    pub(super) fn clear(&mut self) {
        let Self { impulse, peak_force, .. } = self;
        impulse.fill(0.0);
        peak_force.fill(0.0);
        (self.steps, self.unconverged, self.penetration, self.coulomb) = (0, 0, 0.0, 0.0);
        self.limits = Limits::default();
        self.audited = None;
    }

    /// Adds a step of `dt` seconds with its impulse [N·s, N·m·s].
    pub(super) fn add(&mut self, certificate: &Certificate, impulse: &[f64], dt: f64) {
        self.steps += 1;
        self.unconverged += usize::from(!certificate.converged);
        self.penetration = self.penetration.max(certificate.penetration);
        self.coulomb = self.coulomb.max(certificate.coulomb);
        self.limits.join(certificate.limits);
        for (sum, own) in self.impulse.iter_mut().zip(impulse) {
            *sum += own;
        }
        for (peak, own) in self.peak_force.iter_mut().zip(impulse.chunks_exact(6)) {
            let force = (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]).sqrt() / dt;
            *peak = peak.max(force);
        }
    }

    /// Adds the audited penetration of a step [m].
    pub(super) fn add_audit(&mut self, penetration: f64) {
        self.audited = Some(self.audited.unwrap_or(0.0).max(penetration));
    }

    pub(super) fn bytes(&self) -> usize {
        (self.impulse.capacity() + self.peak_force.capacity()) * size_of::<f64>()
    }
}
