//! Edges, once the motion is known.
//!
//! Free space around a convex edge is an OR: a node is free in front of either face. Detection takes the face that the
//! node was expected to be in front of; where that one presses although the node may pass in front of the other,
//!
//! ```text
//! p > 0   and   φ_other + T n_other·v ≥ −1 µm
//! ```
//!
//! the expectation was wrong: the other face takes its place, and the stage is solved again. A face that was given up
//! is not taken again in the step, so this ends. A ridge that leaves a nut would else be held by the nut's end plane
//! whenever the nut starts to turn.

use super::workspace::Environment;

/// How far behind the other face a node may end and still pass [m]; the pose projection closes it.
const PASSES: f64 = 1e-6;
/// Times that a stage is solved again.
pub(super) const EXCHANGES: u32 = 4;

/// Which velocity moves the pose during a stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mover {
    /// The one solved for: an impact.
    End,
    /// The mean of it and the one at the start: forces over the step.
    Middle,
}

impl Environment<'_> {
    /// Gives up faces that press where another one lets the node pass; whether there were any.
    pub(super) fn exchange_faces(&mut self, mover: Mover) -> bool {
        let is_clustered = self.is_clustered();
        let scratch = &mut *self.scratch;
        if scratch.contacts.others.is_empty() {
            return false;
        }
        scratch.pose_velocity.clear();
        scratch.pose_velocity.extend(scratch.start.iter().zip(&scratch.solver.velocity).map(
            |(start, end)| {
                if mover == Mover::End { *end } else { f64::midpoint(*start, *end) }
            },
        ));
        let contacts = &mut scratch.contacts;
        let mut exchanged = false;
        for entry in &scratch.solver.impulses {
            let Some(place) = contacts.other_face(entry.contact) else { continue };
            let v = contacts.relative_velocity(entry.contact, &scratch.pose_velocity);
            let other = &contacts.others[place];
            if other.gap + self.duration * other.normal.dot(&v) >= -PASSES {
                contacts.take_other_face(place);
                exchanged = true;
                // what a cluster stands for is projected by itself afterwards
                let (all, id) = (&mut scratch.all_contacts, contacts.id[entry.contact]);
                let source = is_clustered.then(|| all.id.iter().position(|own| *own == id)).flatten();
                if let Some(place) = source.and_then(|source| all.other_face(source)) {
                    all.take_other_face(place);
                }
            }
        }
        exchanged
    }
}
