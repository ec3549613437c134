//! Where a part turns while it moves across, its surfaces bend away from the planes that the step was solved with:
//!
//! ```text
//! e = ½ |ω| T w
//! ```
//!
//! ω angular velocity of one part against the other [rad/s], T step [s], w by how much gaps may close within it [m]
//! (`margin.rs`): none where a turn or a screw maps the parts to themselves. Where e is more than what is corrected, the
//! pose is likely to end inside the other part. Then the nodes that were to be near contact are asked first, and the pose
//! is pushed out of what they answer, so that all contacts have to be found once instead of twice.

use tightfit_pipeline::detection::detect_again;

use super::advance::{CORRECTED, Push};
use super::workspace::Environment;
use crate::{Certificate, State};

/// Nodes that were to be within so many bends of the surface are asked [-], and count within so many of it.
const NEAR: f64 = 2.0;
const COUNTED: f64 = 4.0;
/// Most contacts that are asked again; where more are near, all are found at once.
pub(super) const MOST_ASKED: usize = 128;

impl Environment<'_> {
    /// Chooses the contacts that are asked again, while they are known by the pose at the start of the step.
    pub(super) fn choose_asked(&mut self, state: &State) {
        self.scratch.asked.clear();
        // nothing closes more than detection has looked, so most steps are told by how fast parts turn
        let known = self.scratch.detected.map_or(0.0, |detected| detected.looked);
        let turning = self.scratch.pose_velocity.chunks_exact(6).map(|velocity| norm(&velocity[3..]));
        let most = 0.5 * self.duration * turning.fold(0.0, f64::max) * known;
        if !self.parameters.methods.projection || (most < CORRECTED && state.kinematic.is_empty()) {
            return;
        }
        let bend = self.bend(state);
        self.scratch.bend = bend;
        if bend < CORRECTED {
            return;
        }
        let scratch = &mut *self.scratch;
        let near = scratch.projection.left_within(NEAR * bend, self.duration);
        let ids = near.filter_map(|contact| scratch.contacts.id.get(contact).copied());
        scratch.asked.extend(ids.take(MOST_ASKED));
        if scratch.asked.len() == MOST_ASKED {
            scratch.asked.clear();
        }
    }

    /// Asks them, and pushes the pose out of what they answer.
    pub(super) fn push_early(&mut self, state: &mut State, certificate: &mut Certificate) -> Option<Push> {
        if self.scratch.asked.is_empty() {
            return None;
        }
        let mut answers = std::mem::take(&mut self.scratch.answers);
        answers.clear();
        for (sides, options) in self.pairs(state, COUNTED * self.scratch.bend) {
            detect_again([&sides[0], &sides[1]], &options, &self.scratch.asked, &mut answers);
        }
        certificate.stage_seconds.detection += self.lap();
        let push = match answers.smallest_gap() < -CORRECTED {
            true => self.push_out(&answers, state, certificate),
            false => None,
        };
        self.scratch.answers = answers;
        push
    }
}

/// Length of a vector.
fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}
