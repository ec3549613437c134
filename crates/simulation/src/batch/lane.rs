//! What a lane keeps of an environment that waits for its turn, in as little memory as possible.
//!
//! A lane has one workspace with room for all contacts that the nodes can have, and lends it to its environments one after
//! another. The contacts that a step found at its end are those that the next one starts from. They are kept as long as there
//! is room, and where the rows of a pair differ in place, normal, gap and identity alone (one free body against fixed ones).
//! Otherwise they are detected again, to the same bits.

use std::sync::Arc;

use tightfit_pipeline::detection::NodeBlocks;
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::{Contacts, NOT_FREE, OtherFace};
use tightfit_pipeline::solving::WarmStart;
use tightfit_spatial::{Columns3, Vector3};

use crate::step::EnvironmentCache;
use crate::{Input, State, Workspace};

/// Contacts with an impulse that the state of an environment has room for from its first step on; more of them take memory
/// in the step that meets them.
const KEPT_WARM: usize = 32;

/// Memory of an environment beside its state, parameters and drives [bytes]: what its own nodes, the clearances of their tiles
/// and its impulses leave of it is for contacts.
const MEMORY: usize = 244 << 10;
/// Most contacts that are kept: more than an engaged nut has, its first steps aside.
const MOST: usize = 2048;
/// Contacts per face beside that of a row that there is room for.
const PER_OTHER_FACE: usize = 4;
/// Bytes of a contact: place, normal, gap, identity, and its share of the other faces.
const BYTES: usize = 7 * size_of::<f64>() + size_of::<u32>() + size_of::<OtherFace>() / PER_OTHER_FACE;

/// A workspace that environments take in turns.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) workspace: Workspace,
    /// Input of whichever environment has its turn, where its drive gives it.
    pub(super) input: Input,
    shared_nodes: Vec<Arc<NodeBlocks>>,
    /// Room for the warm start of whichever environment has its turn.
    lent_warm: WarmStart,
}

/// What is kept of a waiting environment; it spares the next step a detection and the placing of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    cache: EnvironmentCache,
    contacts: WaitingContacts,
}

impl Lane {
    /// A lane whose environments share the nodes of the scene's own parts.
    pub(super) fn sharing(nodes: &[Arc<NodeBlocks>]) -> Self {
        let shared_nodes = nodes.to_vec();
        Self { workspace: Workspace::sharing(nodes), shared_nodes, ..Self::default() }
    }

    /// Takes up what is known of an environment, and lends its state the room for a warm start.
    pub(super) fn take_up(&mut self, waiting: &mut Waiting, state: &mut State) {
        let candidates = self.workspace.exchange(&mut waiting.cache);
        if candidates.search.is_some() {
            waiting.contacts.put_back(&mut candidates.contacts);
        }
        self.lent_warm.copy_from(&state.warm);
        std::mem::swap(&mut state.warm, &mut self.lent_warm);
    }

    /// Puts what is known of an environment aside, as far as there is room for it, and takes back the lent room.
    pub(super) fn put_aside(&mut self, waiting: &mut Waiting, state: &mut State) {
        std::mem::swap(&mut state.warm, &mut self.lent_warm);
        let candidates = self.workspace.exchange(&mut waiting.cache);
        let most = waiting.cache.parts.most_contacts;
        // no more room than they need: a copy by itself would take twice that
        let kept = KEPT_WARM.min(most).max(self.lent_warm.ids.len());
        state.warm.make_room(state.motions.len(), kept);
        state.warm.copy_from(&self.lent_warm);
        // more impulses than usual leave less room for contacts
        let beyond = kept.saturating_sub(KEPT_WARM) * (size_of::<Vector3<f64>>() + size_of::<u32>());
        let own = own_bytes(&waiting.cache.parts.nodes, &self.shared_nodes);
        waiting.contacts.make_room(own + waiting.cache.bytes() + beyond, most);
        if !waiting.contacts.keep(&candidates.contacts) {
            waiting.cache.search = None;
        }
    }
}

impl Waiting {
    /// Memory that no other environment shares [bytes].
    pub(super) fn bytes(&self, shared: &[Arc<NodeBlocks>]) -> usize {
        own_bytes(&self.cache.parts.nodes, shared) + self.cache.bytes() + self.contacts.bytes()
    }
}

/// Memory of the nodes that are not among the shared ones [bytes].
fn own_bytes(nodes: &[Arc<NodeBlocks>], shared: &[Arc<NodeBlocks>]) -> usize {
    let is_own = |nodes: &&Arc<NodeBlocks>| !shared.iter().any(|other| Arc::ptr_eq(other, nodes));
    nodes.iter().filter(is_own).map(|nodes| nodes.bytes()).sum()
}

/// Contacts of one pair of one free body.
#[derive(Clone, Debug, Default)]
struct WaitingContacts {
    arm: Columns3,
    normal: Columns3,
    gap: Vec<f64>,
    id: Vec<u32>,
    others: Vec<OtherFace>,
    body: u32,
    friction: f64,
    restitution: f64,
}

impl WaitingContacts {
    /// Takes all memory that it will ever have, beside `own` bytes of the environment's nodes and impulses and for at most `most`
    /// contacts. Where these have become more, it gives some back, and what it kept is lost.
    fn make_room(&mut self, own: usize, most: usize) {
        let count = (MEMORY.saturating_sub(own) / BYTES).min(most).min(MOST);
        if self.gap.capacity() > count {
            *self = Self::default();
        }
        if self.gap.capacity() > 0 {
            return;
        }
        self.arm.reserve_total(count);
        self.normal.reserve_total(count);
        make_room(&mut self.gap, count);
        make_room(&mut self.id, count);
        make_room(&mut self.others, count / PER_OTHER_FACE);
        // memory that is only reserved would be taken page by page, as contacts come: thousands of environments would grow for hours
        let columns =
            [&mut self.arm, &mut self.normal].map(|columns| [&mut columns.x, &mut columns.y, &mut columns.z]);
        columns.into_iter().flatten().chain([&mut self.gap]).for_each(|column| {
            column.resize(count, 0.0);
            column.clear();
        });
    }

    /// Keeps the contacts; false when they do not fit.
    fn keep(&mut self, contacts: &Contacts) -> bool {
        let first = |column: &[f64]| column.first().copied().unwrap_or(0.0);
        let (friction, restitution) = (first(&contacts.friction), first(&contacts.restitution));
        let body = contacts.body_a.first().copied().unwrap_or(NOT_FREE);
        let fits = contacts.len() <= self.gap.capacity()
            && contacts.others.len() <= self.others.capacity()
            && contacts.body_a.iter().all(|own| *own == body)
            && contacts.arm_b.is_empty()
            && contacts.friction.iter().all(|own| *own == friction)
            && contacts.restitution.iter().all(|own| *own == restitution)
            && contacts.surface_velocity.is_empty();
        if fits {
            copy(&contacts.arm_a, &mut self.arm);
            copy(&contacts.normal, &mut self.normal);
            self.gap.clone_from(&contacts.gap);
            self.id.clone_from(&contacts.id);
            self.others.clone_from(&contacts.others);
            (self.body, self.friction, self.restitution) = (body, friction, restitution);
        }
        fits
    }

    /// Puts the contacts back into a record.
    fn put_back(&self, contacts: &mut Contacts) {
        let count = self.gap.len();
        contacts.clear();
        copy(&self.arm, &mut contacts.arm_a);
        copy(&self.normal, &mut contacts.normal);
        contacts.gap.extend_from_slice(&self.gap);
        contacts.id.extend_from_slice(&self.id);
        contacts.others.extend_from_slice(&self.others);
        contacts.body_a.resize(count, self.body);
        contacts.body_b.resize(count, NOT_FREE);
        contacts.friction.resize(count, self.friction);
        contacts.restitution.resize(count, self.restitution);
    }

    /// Memory that was taken [bytes].
    fn bytes(&self) -> usize {
        let columns = |columns: &Columns3| columns.x.capacity() + columns.y.capacity() + columns.z.capacity();
        (columns(&self.arm) + columns(&self.normal) + self.gap.capacity()) * size_of::<f64>()
            + self.id.capacity() * size_of::<u32>()
            + self.others.capacity() * size_of::<OtherFace>()
    }
}

fn copy(from: &Columns3, to: &mut Columns3) {
    to.x.clone_from(&from.x);
    to.y.clone_from(&from.y);
    to.z.clone_from(&from.z);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_an_environment_takes_is_taken_from_its_contacts() {
        let mut kept = WaitingContacts::default();
        for own in [100_000, 120_000, 110_000, MEMORY + 1] {
            kept.make_room(own, 100_000);
            assert!(kept.bytes() + own.min(MEMORY) <= MEMORY, "{} bytes beside {own}", kept.bytes());
        }
    }
}
