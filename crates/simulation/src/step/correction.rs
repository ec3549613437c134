//! Contacts at the end of the piece, and poses pushed out of those that they are inside of.
//!
//! The projection is linear, the surfaces are not, so some nodes may end inside. They are pushed out once; a push that leaves the
//! parts deeper in one another is taken back. Where it can be foreseen it comes before the full detection. A part that turns
//! while it moves across bends away from the planes that the step was solved with:
//!
//! ```text
//! e = ½ |ω| T w
//! ```
//!
//! ω angular velocity of one part against the other [rad/s], T step [s], w by how much gaps may close within it [m]
//! (`closed_within`): none where a turn or a screw maps the parts to themselves. Where e is several times what is
//! corrected, the nodes that were to end near contact are detected first and the pose is pushed out of them, so that
//! all contacts have to be found once instead of twice. At an edge a push by micrometres brings nodes in front of another
//! face: those that it left near are detected once more.

use tightfit_pipeline::detection::redetect;
use tightfit_pipeline::integration::{BodyMotion, advance_pose};
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::Contacts;
use tightfit_shape::Part;

use super::body_views::BodyViews;
use super::context::Context;
use super::detection::{Candidates, DetectionMemory};
use super::gap_fields;
use super::projection::{Payment, Projecting};
use crate::State;

/// Deeper nodes are corrected [m].
const CORRECTED: f64 = 0.2e-6;
/// Corrections of one step, and the share of its depth that each must leave behind for another to follow [-]. One is enough
/// where parts turn slowly; a box that tumbles onto an edge needs three or four.
const CORRECTIONS: usize = 8;
const GAINED: f64 = 0.5;
/// What is left deeper than this is not the rest of a linearisation but a part that sinks in [m].
const SUNK: f64 = 10e-6;
/// Bend from which nodes are detected early [m]: a nut on its thread that bends less hardly ever needs a correction.
const BENT: f64 = 5.0 * CORRECTED;
/// Nodes that were to end within so many bends of the surface are detected early [-], and count within so many of it.
const NEAR: f64 = 2.0;
const COUNTED: f64 = 4.0;
/// Most nodes that are detected early; where more are near, all contacts are found at once.
const MOST_NEAR: usize = 128;
/// Early pushes.
const PUSHES: usize = 2;

/// Buffers of the correction.
#[derive(Debug, Default)]
pub(super) struct CorrectionMemory {
    /// Identities of the contacts whose nodes are detected early, and the contacts these have at the end.
    near: Vec<u32>,
    early: Contacts,
    /// Zero velocities: a push displaces poses that otherwise stay.
    still: Vec<f64>,
    /// Motions before a push that may be taken back.
    unpushed: Vec<BodyMotion>,
}

impl CorrectionMemory {
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.near, MOST_NEAR);
        make_room(&mut self.still, 6 * bodies);
        make_room(&mut self.unpushed, bodies);
    }

    pub(super) fn make_room_for_early_contacts(&mut self, both_move: bool) {
        self.early.make_room(MOST_NEAR * Part::MOST_PIECES as usize, both_move);
    }
}

/// A push of the poses out of contacts.
struct Push {
    /// Depth that it undoes [m].
    depth: f64,
    /// Tank before it [J].
    tank: f64,
    payment: Payment,
}

/// Chooses the nodes that are detected early; returns the bend of the motion with velocity `moved` [m]. The poses are still
/// those at the start of the piece.
pub(super) fn choose_early(
    projecting: &Projecting,
    state: &State,
    candidates: &Candidates,
    memory: &mut CorrectionMemory,
) -> f64 {
    memory.near.clear();
    let (moved, duration) = (&projecting.memory.moved, projecting.span.duration);
    // no gap closes by more than was searched, so most steps are decided by how fast parts turn
    let turning = moved.chunks_exact(6).map(|velocity| norm(&velocity[3..]));
    let most = 0.5 * duration * turning.fold(0.0, f64::max) * candidates.margin();
    if !projecting.context.methods().projection || (most < BENT && state.kinematic.is_empty()) {
        return 0.0;
    }
    let bodies = BodyViews::during(projecting.context, state, projecting.span);
    let bend = bodies.moving_with(moved).bend(duration);
    if bend >= BENT {
        let near = projecting.memory.rows.left_within(NEAR * bend, duration);
        let ids = near.filter_map(|contact| candidates.contacts.id.get(contact).copied());
        memory.near.extend(ids.take(MOST_NEAR));
        if memory.near.len() == MOST_NEAR {
            memory.near.clear();
        }
    }
    bend
}

/// Finds the contacts at the end of the piece and pushes poses out of them; returns what the pushes cost.
pub(super) fn correct(
    projecting: &mut Projecting,
    bend: f64,
    state: &mut State,
    candidates: &mut Candidates,
    detection: &mut DetectionMemory,
    memory: &mut CorrectionMemory,
) -> Payment {
    let context = projecting.context;
    let mut total = Payment::default();
    let push = push_early(projecting, bend, state, candidates.margin(), memory, &mut total);
    candidates.find(&BodyViews::after(context, state), detection);
    total += accept(context, push, state, candidates, detection, memory);
    if !context.methods().projection {
        return total;
    }
    let mut depth = f64::INFINITY;
    for _ in 0..CORRECTIONS {
        // what is left is not corrected where the last correction gained little
        if candidates.deepest() <= CORRECTED || candidates.deepest() > GAINED * depth {
            break;
        }
        depth = candidates.deepest();
        let push = push_out(projecting, &candidates.contacts, candidates.margin(), state, memory);
        if push.is_none() {
            break;
        }
        candidates.find(&BodyViews::after(context, state), detection);
        total += accept(context, push, state, candidates, detection, memory);
    }
    total
}

/// Whether parts sink into one another, beyond what a linearisation leaves.
pub(super) fn is_sunk(candidates: &Candidates) -> bool {
    candidates.deepest() > SUNK
}

/// Whether parts are deeper in one another than corrections leave them.
pub(super) fn is_deep(candidates: &Candidates) -> bool {
    candidates.deepest() > CORRECTED
}

/// Detects the chosen nodes and pushes the poses out of their contacts; returns the last push, adds those before to `total`.
fn push_early(
    projecting: &mut Projecting,
    bend: f64,
    state: &mut State,
    reach: f64,
    memory: &mut CorrectionMemory,
    total: &mut Payment,
) -> Option<Push> {
    let mut early = std::mem::take(&mut memory.early);
    let mut last: Option<Push> = None;
    for _ in 0..PUSHES {
        if memory.near.is_empty() {
            break;
        }
        early.clear();
        let counted = COUNTED * bend + gap_fields::farther(projecting.context);
        let pairs = &projecting.context.scene.contacts;
        for ((sides, options), pair) in BodyViews::after(projecting.context, state).pairs(counted).zip(pairs)
        {
            let (sides, from) = ([&sides[0], &sides[1]], early.len());
            redetect(sides, &options, &memory.near, &mut early);
            gap_fields::correct_gaps(projecting.context, pair.bodies, sides, from, &mut early);
        }
        if early.smallest_gap() > -CORRECTED {
            break;
        }
        let Some(push) = push_out(projecting, &early, reach, state, memory) else { break };
        *total += last.replace(push).map_or_else(Payment::default, |push| push.payment);
        memory.near.clear();
        let near = projecting.memory.rows.left_within(bend, 1.0);
        memory.near.extend(near.filter_map(|contact| early.id.get(contact).copied()));
    }
    memory.early = early;
    last
}

/// Moves the poses out of contacts that they are inside of, and pays from the tank.
fn push_out(
    projecting: &mut Projecting,
    contacts: &Contacts,
    reach: f64,
    state: &mut State,
    memory: &mut CorrectionMemory,
) -> Option<Push> {
    memory.still.clear();
    memory.still.resize(6 * state.motions.len(), 0.0);
    // a horizon of one second makes velocities displacements
    let (report, payment) = projecting.project(state, contacts, reach, &memory.still, 1.0);
    if report.pivots == 0 {
        return None;
    }
    memory.unpushed.clone_from(&state.motions);
    for (motion, moved) in state.motions.iter_mut().zip(projecting.memory.moved.chunks_exact(6)) {
        let twist = motion.twist;
        advance_pose(motion, moved, 1.0);
        motion.twist = twist;
    }
    let tank = std::mem::replace(&mut state.tank, payment.tank);
    Some(Push { depth: (-contacts.smallest_gap()).max(0.0), tank, payment })
}

/// Cost of a push, which is taken back if it brought parts deeper into one another.
fn accept(
    context: &Context,
    push: Option<Push>,
    state: &mut State,
    candidates: &mut Candidates,
    detection: &mut DetectionMemory,
    memory: &CorrectionMemory,
) -> Payment {
    let Some(Push { depth, tank, payment }) = push else { return Payment::default() };
    if candidates.deepest() <= depth {
        return payment;
    }
    state.motions.clone_from(&memory.unpushed);
    state.tank = tank;
    candidates.find(&BodyViews::after(context, state), detection);
    Payment::default()
}

/// Length of a vector.
fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}
