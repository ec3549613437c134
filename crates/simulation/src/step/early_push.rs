//! Where a part turns while it moves across, its surfaces bend away from the planes that the step was solved with:
//!
//! ```text
//! e = ½ |ω| T w
//! ```
//!
//! ω angular velocity of one part against the other [rad/s], T step [s], w by how much gaps may close within it [m]
//! (`margin.rs`): none where a turn or a screw maps the parts to themselves. Where e is several times what is corrected, the
//! pose is likely to end inside the other part. Then the nodes that were to be near contact are asked first, and the pose
//! is pushed out of what they answer, so that all contacts have to be found once instead of twice. At an edge a push by
//! micrometres brings nodes in front of another face: those that it left near are asked once more.

use tightfit_pipeline::detection::detect_again;

use super::advance::{CORRECTED, Push};
use super::workspace::Environment;
use crate::{Certificate, State};

/// Bend from which on nodes are asked [m]: where a nut on its thread bends less, its pose is hardly ever to be corrected.
const BENT: f64 = 5.0 * CORRECTED;
/// Nodes that were to be within so many bends of the surface are asked [-], and count within so many of it.
const NEAR: f64 = 2.0;
const COUNTED: f64 = 4.0;
/// Most contacts that are asked again; where more are near, all are found at once.
pub(super) const MOST_ASKED: usize = 128;
/// How often the pose is pushed.
const PUSHES: usize = 2;

impl Environment<'_> {
    /// Chooses the contacts that are asked again, while they are known by the pose at the start of the step.
    pub(super) fn choose_asked(&mut self, state: &State) {
        self.scratch.asked.clear();
        // nothing closes more than detection has looked, so most steps are told by how fast parts turn
        let known = self.scratch.detected.map_or(0.0, |detected| detected.looked);
        let turning = self.scratch.pose_velocity.chunks_exact(6).map(|velocity| norm(&velocity[3..]));
        let most = 0.5 * self.duration * turning.fold(0.0, f64::max) * known;
        if !self.parameters.methods.projection || (most < BENT && state.kinematic.is_empty()) {
            return;
        }
        let bend = self.bend(state);
        self.scratch.bend = bend;
        if bend < BENT {
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

    /// Asks them, and pushes the pose out of what they answer; the last push.
    pub(super) fn push_early(&mut self, state: &mut State, certificate: &mut Certificate) -> Option<Push> {
        let mut answers = std::mem::take(&mut self.scratch.answers);
        let mut last = None;
        for _ in 0..PUSHES {
            if self.scratch.asked.is_empty() {
                break;
            }
            answers.clear();
            for (sides, options) in self.pairs(state, COUNTED * self.scratch.bend) {
                detect_again([&sides[0], &sides[1]], &options, &self.scratch.asked, &mut answers);
            }
            certificate.stage_seconds.detection += self.lap();
            if answers.smallest_gap() > -CORRECTED {
                break;
            }
            let Some(push) = self.push_out(&answers, state, certificate) else { break };
            last = Some(push);
            let scratch = &mut *self.scratch;
            scratch.asked.clear();
            let near = scratch.projection.left_within(scratch.bend, 1.0);
            scratch.asked.extend(near.filter_map(|contact| answers.id.get(contact).copied()));
        }
        self.scratch.answers = answers;
        last
    }
}

/// Length of a vector.
fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}
