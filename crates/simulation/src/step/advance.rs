//! The pose moves, contacts are found anew, and what is still inside is pushed out once. Where that can be foreseen, it is
//! pushed out before (`early_push.rs`).
//!
//! The push is linear, the surfaces are not: one that leaves the parts deeper in one another is taken back.

use tightfit_pipeline::integration::{advance_pose, twist_angle};
use tightfit_pipeline::records::Contacts;
use tightfit_pipeline::solving::pose_projection::project;
use tightfit_robot::JointVector;

use super::Workspace;
use super::workspace::Environment;
use crate::state::unwrapped;
use crate::{Certificate, Limit, Limits, State};

/// Deeper nodes are corrected after the step [m]: the projection is linear, the surfaces are not.
pub(super) const CORRECTED: f64 = 0.2e-6;
/// What is left deeper than this is not the rest of a linearisation but a part that sinks in [m].
const SUNK: f64 = 10e-6;

/// What a push changed, as it was before.
pub(super) struct Push {
    /// Depth that it undoes [m].
    depth: f64,
    /// [J].
    tank: f64,
    work: f64,
    limits: Limits,
    /// What the joints of an arm were to be moved along with pushes before it [rad].
    joints: JointVector,
}

impl Environment<'_> {
    pub(super) fn advance(&mut self, state: &mut State, certificate: &mut Certificate) {
        self.choose_asked(state);
        self.advance_arm(state, certificate);
        for (index, motion) in state.motions.iter_mut().enumerate() {
            let next = motion.with_world_velocity(&self.scratch.end[6 * index..6 * index + 6]).twist;
            advance_pose(motion, &self.scratch.pose_velocity[6 * index..6 * index + 6], self.duration);
            motion.twist = next;
        }
        for (pose, next) in state.kinematic.iter_mut().zip(&self.input.kinematic) {
            *pose = match self.duration < self.left {
                true => pose.towards(next, self.duration / self.left),
                false => *next,
            };
        }
        self.is_under_way = false;
        certificate.stage_seconds.integration += self.lap();

        // the contacts of this pose are those of the next step
        state.step += 1;
        let push = self.push_early(state, certificate);
        self.find(state, push, certificate);
        if self.parameters.methods.projection {
            if self.deepest() > CORRECTED {
                self.correct(state, certificate);
            }
            if self.deepest() > SUNK {
                certificate.limits.insert(Limit::ProjectionIncomplete);
            }
        }
        state.step -= 1;
        for (spin, motion) in state.spins.iter_mut().zip(&state.motions) {
            *spin = unwrapped(twist_angle(&motion.rotation), *spin);
        }
        certificate.penetration = self.deepest();
        self.certify_arm(state, certificate);
    }

    /// Moves the pose out of the contacts it is inside of, and finds those of the pose that it comes to.
    fn correct(&mut self, state: &mut State, certificate: &mut Certificate) {
        let contacts = std::mem::take(&mut self.scratch.contacts);
        let push = self.push_out(&contacts, state, certificate);
        self.scratch.contacts = contacts;
        if push.is_some() {
            self.find(state, push, certificate);
        }
    }

    /// Moves the pose out of contacts it is inside of.
    pub(super) fn push_out(
        &mut self,
        contacts: &Contacts,
        state: &mut State,
        certificate: &mut Certificate,
    ) -> Option<Push> {
        let depth = (-contacts.smallest_gap()).max(0.0);
        let reach = self.scratch.detected.map_or(0.0, |detected| detected.looked);
        let scratch = &mut *self.scratch;
        scratch.pose_velocity.fill(0.0);
        scratch.wanted.clone_from(&scratch.pose_velocity);
        let Workspace { mass, pose_velocity, projection, .. } = scratch;
        // a horizon of one second makes velocities displacements
        let report = project(contacts, &contacts.gap, 1.0, reach, mass, pose_velocity, projection);
        if report.pivots == 0 {
            return None;
        }
        scratch.uncorrected.clone_from(&state.motions);
        let joints = scratch.arm.shift;
        let (tank, work, limits) = (state.tank, certificate.projection_work, certificate.limits);
        let push = Push { depth, tank, work, limits, joints };
        self.charge(state, 1.0, certificate);
        for (index, motion) in state.motions.iter_mut().enumerate() {
            let twist = motion.twist;
            advance_pose(motion, &self.scratch.pose_velocity[6 * index..6 * index + 6], 1.0);
            motion.twist = twist;
        }
        Some(push)
    }

    /// Finds the contacts of the pose, and takes a push back that brought parts deeper into one another.
    fn find(&mut self, state: &mut State, push: Option<Push>, certificate: &mut Certificate) {
        // elsewhere the same velocity may close gaps a little faster: the next step would look again
        let margin = self.margin(state, None);
        self.look(state, margin, certificate);
        if let Some(Push { tank, work, limits, joints, .. }) = push.filter(|push| self.deepest() > push.depth)
        {
            state.motions.clone_from(&self.scratch.uncorrected);
            state.tank = tank;
            (certificate.projection_work, certificate.limits) = (work, limits);
            self.scratch.arm.shift = joints;
            let margin = self.margin(state, None);
            self.look(state, margin, certificate);
        }
    }

    /// Depth of the deepest node [m].
    fn deepest(&self) -> f64 {
        (-self.scratch.contacts.smallest_gap()).max(0.0)
    }
}
