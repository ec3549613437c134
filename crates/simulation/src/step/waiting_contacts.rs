//! The contacts of an environment that waits for its turn, in as little memory as they need.
//!
//! A lane has one record with room for all contacts that the nodes can have, and lends it to its environments one after
//! another. What a step found at its end is what the next one starts from, so it is worth keeping: as long as there is room, and
//! where the rows of a pair differ in place, normal, gap and identity alone (one free body against fixed ones). Otherwise
//! they are found again, to the same bits.

use tightfit_pipeline::make_room;
use tightfit_pipeline::records::{Contacts, NOT_FREE, OtherFace};
use tightfit_spatial::Columns3;

/// Memory of an environment beside its own state [bytes]: what its own nodes leave of it is for contacts.
const MEMORY: usize = 240 << 10;
/// Most contacts that are kept: more than an engaged nut has, its first steps aside.
const MOST: usize = 2048;
/// Contacts per face beside that of a row that there is room for.
const PER_OTHER_FACE: usize = 4;
/// Bytes of a contact: place, normal, gap, identity, and its share of the other faces.
const BYTES: usize = 7 * size_of::<f64>() + size_of::<u32>() + size_of::<OtherFace>() / PER_OTHER_FACE;

/// Contacts of one pair of one free body.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingContacts {
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
    pub(super) fn make_room(&mut self, own: usize, most: usize) {
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
    }

    /// Keeps the contacts; false when they do not fit.
    pub(super) fn keep(&mut self, contacts: &Contacts) -> bool {
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
    pub(super) fn put_back(&self, contacts: &mut Contacts) {
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
    pub(crate) fn bytes(&self) -> usize {
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
