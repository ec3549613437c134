//! Contact impulses of each pair of bodies, impacts included.

use std::ops::AddAssign;

use nalgebra::Vector3;
use tightfit_pipeline::solving::ContactImpulse;

use super::contact_problem::ContactProblem;
use super::context::Piece;

/// Contact impulse of a pair, on its first body; the second has the opposite one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairImpulse {
    /// World axes [N·s].
    pub linear: Vector3<f64>,
    /// About the world's origin, world axes [N·m·s].
    pub angular: Vector3<f64>,
}

impl AddAssign for PairImpulse {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl PairImpulse {
    /// Goes a share of the way to another one.
    pub(super) fn mix(&mut self, other: &Self, share: f64) {
        self.linear += (other.linear - self.linear) * share;
        self.angular += (other.angular - self.angular) * share;
    }
}

/// Sums the impulses of contacts by pairs of the scene.
pub(super) fn sum_by_pairs(
    piece: &Piece,
    problem: &ContactProblem,
    impulses: &[ContactImpulse],
    out: &mut Vec<PairImpulse>,
) {
    let (scene, contacts) = (piece.context.scene, &*problem.solved);
    out.clear();
    out.resize(scene.contacts.len(), PairImpulse::default());
    for ContactImpulse { contact, impulse } in impulses {
        let pair = problem.pair_ends.partition_point(|end| end <= contact);
        let body = contacts.body_a[*contact] as usize;
        let position = piece.state.motions[body].center + contacts.arm_a.get(*contact);
        let is_first = scene.free_index(scene.contacts[pair].bodies[0]) == Some(body);
        let linear = if is_first { *impulse } else { -impulse };
        out[pair] += PairImpulse { linear, angular: position.cross(&linear) };
    }
}
