//! The faces of convex edges, once the motion is known.
//!
//! Free space around a convex edge is an OR: a node is free in front of either face. Detection takes the face that the
//! node was expected to be in front of. The expectation was wrong where that face presses although the node may pass in front
//! of the other:
//!
//! ```text
//! p > 0   and   φ_other + T n_other·v ≥ −1 µm
//! ```
//!
//! Then the other face replaces it, and the stage is solved again. A face that was given up is not taken again in the
//! step, so this ends. Otherwise the nut's end plane would catch a ridge whenever the nut starts to turn.

use tightfit_pipeline::solving::ContactImpulse;

use super::contact_problem::ContactProblem;

/// How far behind the other face a node may end and still pass [m]; the pose projection closes it.
const PASSES: f64 = 1e-6;
/// How far a corner must pass the edge of a face, or an edge the end of another, to be free of it [m].
const PASSED: f64 = 0.1e-6;
/// A smaller gap touches [m].
const TOUCHES: f64 = 1e-6;
/// Times that a stage is solved again.
pub(super) const EXCHANGES: u32 = 4;

/// Gives up faces that press where another one lets the node pass; whether there were any. The pose moves with `velocity` for
/// `duration` seconds.
pub(super) fn exchange_faces(
    problem: &mut ContactProblem,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    duration: f64,
) -> bool {
    let ContactProblem { solved, represented, .. } = problem;
    if solved.others.is_empty() {
        return false;
    }
    let mut is_exchanged = false;
    for entry in impulses {
        let Some(place) = solved.other_face(entry.contact) else { continue };
        let v = solved.relative_velocity(entry.contact, velocity);
        let other = &solved.others[place];
        // what touches at the start carries until it has passed; the next step finds it gone
        if other.opens && solved.gap[entry.contact] <= TOUCHES {
            continue;
        }
        let needed = if other.opens { PASSED } else { -PASSES };
        if other.gap + duration * other.normal.dot(&v) >= needed {
            solved.take_other_face(place);
            is_exchanged = true;
            // the projection sees the contact itself, not its representative
            if let Some(all) = represented {
                let id = solved.id[entry.contact];
                let source = all.id.iter().position(|own| *own == id);
                if let Some(place) = source.and_then(|source| all.other_face(source)) {
                    all.take_other_face(place);
                }
            }
        }
    }
    problem.is_exchanged |= is_exchanged;
    is_exchanged
}
