//! What was measured about a step.

use std::ops::AddAssign;

use crate::arm::ArmFailure;
use crate::{ArmCertificate, Limit, Limits};

/// The certificate of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Deepest true penetration over the nodes of both parts after the step [m].
    pub penetration: f64,
    /// Largest Coulomb residual of both contact stages [m/s].
    pub coulomb: f64,
    /// Largest complementarity residual [m/s].
    pub complementarity: f64,
    /// Largest relative violation of the friction cone [-].
    pub cone: f64,
    /// Fastest approach beyond what is allowed, over all contacts, where clustering left some out of the solve [m/s].
    pub left_out: f64,
    /// Energy that contact impulses put into the bodies [J]; zero when passive.
    pub energy_injected: f64,
    /// Work of contact impulses on the bodies [J], negative when they dissipate; that of moved surfaces is not in it.
    pub contact_work: f64,
    /// Work that kinematic parts do on the bodies through contact [J]: whoever moves them supplies it.
    pub kinematic_work: f64,
    /// Energy that the pose projection put into springs and gravity [J].
    pub projection_work: f64,
    /// Candidate contacts, and those that carried an impulse.
    pub candidates: usize,
    /// Contacts with an impulse.
    pub active: usize,
    /// Highest level of the solver's ladder that was needed.
    pub level: u8,
    /// Newton iterations, or sweeps over the contacts, of both stages.
    pub iterations: u32,
    /// Passes of the solver over its working set, both stages.
    pub evaluations: u32,
    /// Whether the Coulomb residual of both stages is at most 1e-5 m/s, over the contacts that were solved.
    pub converged: bool,
    /// Limits that were hit.
    pub limits: Limits,
    /// The arm of the scene, where it has one.
    pub arm: Option<ArmCertificate>,
    /// Why the arm could not take the step, where it could not.
    pub arm_failure: Option<ArmFailure>,
    /// Time spent in the stages.
    pub stage_seconds: StageSeconds,
}

/// Time spent in the stages of a step [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// Finding contacts.
    pub detection: f64,
    /// Choosing those that stand for others.
    pub clustering: f64,
    /// Solving them, impact and smooth stage.
    pub solving: f64,
    /// Prediction, pose projection and advance.
    pub integration: f64,
}

impl StageSeconds {
    /// Times in the order of the stages [s].
    #[must_use]
    pub fn in_order(&self) -> [f64; 4] {
        [self.detection, self.clustering, self.solving, self.integration]
    }

    /// Of all stages [s].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.in_order().iter().sum()
    }
}

impl AddAssign for StageSeconds {
    fn add_assign(&mut self, other: Self) {
        self.detection += other.detection;
        self.clustering += other.clustering;
        self.solving += other.solving;
        self.integration += other.integration;
    }
}

impl Certificate {
    /// Of a step in which nothing has gone wrong yet.
    pub(crate) fn flawless() -> Self {
        Self { converged: true, ..Self::default() }
    }

    /// The arm cannot take the step.
    pub(crate) fn stop_arm(&mut self, failure: ArmFailure) {
        self.limits.insert(Limit::ArmFailed);
        self.arm_failure = Some(failure);
    }

    /// Continues with the certificate of a later piece of the same step.
    pub(crate) fn follow(&mut self, later: Self) {
        self.penetration = later.penetration;
        self.coulomb = self.coulomb.max(later.coulomb);
        self.complementarity = self.complementarity.max(later.complementarity);
        self.cone = self.cone.max(later.cone);
        self.left_out = self.left_out.max(later.left_out);
        self.energy_injected += later.energy_injected;
        self.contact_work += later.contact_work;
        self.kinematic_work += later.kinematic_work;
        self.projection_work += later.projection_work;
        self.candidates = self.candidates.max(later.candidates);
        self.active = later.active;
        self.level = self.level.max(later.level);
        self.iterations += later.iterations;
        self.evaluations += later.evaluations;
        self.converged &= later.converged;
        self.limits.join(later.limits);
        self.arm_failure = self.arm_failure.or(later.arm_failure);
        match (&mut self.arm, later.arm) {
            (Some(own), Some(later)) => own.follow(&later),
            (own, later) => *own = later,
        }
        self.stage_seconds += later.stage_seconds;
    }
}
