//! The few contacts that a solve looks at (HOTPATH 3).
//!
//! ```text
//! W₀ = active in the last step ∪ worst violated at the guess
//! solve on W → V;   W ← active of W ∪ worst violated at V;   until Jₙ V − uₙ + b ≥ −1 nm/s everywhere
//! ```
//!
//! Of a thousand candidates two or three carry load. Adding the single worst keeps W small; when the violated
//! ones are few against W all of them come in at once. Contacts that a solve leaves open go out again: on thread
//! flanks one nanometre decides who carries load, and Newton would flip the idle ones to and fro. The last
//! search is over every contact, so the answer is that of the full set.

use super::contact_law::ContactRow;
use super::near_contacts::NearContacts;
use super::normal_speed;
use super::problem::{VelocityProblem, WarmStart};
use super::system::System;
use crate::make_room;
use crate::records::NOT_FREE;
use nalgebra::Vector3;

/// Contacts looked at together when the active ones of the last step are sought.
const BLOCK: usize = 64;
/// Violated contacts are added all at once when they are at most this many times those in W.
const FEW_VIOLATED: usize = 4;
/// After this many rounds all violated contacts are added at once, however many, and none goes out any more:
/// W then only grows, and the rounds end.
const PATIENT_ROUNDS: u32 = 40;

/// Rows of the contacts in W, and who is in it.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    /// Contacts in W, in the order of their coming.
    pub(super) rows: Vec<ContactRow>,
    /// b − uₙ of each contact of the record [m/s]; of use with several bodies.
    offset: Vec<f64>,
    /// Search with one free body.
    near: NearContacts,
    /// Jₙ V − uₙ + b of each contact at the last search with several bodies [m/s]; infinite for those in W.
    slack: Vec<f64>,
}

impl WorkingSet {
    /// Makes room for so many contacts.
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.rows, contacts);
        if bodies == 1 {
            self.near.make_room(contacts);
        } else {
            make_room(&mut self.offset, contacts);
            make_room(&mut self.slack, contacts);
        }
    }

    /// W of the contacts that carried an impulse in the last step.
    pub(super) fn start(&mut self, problem: &VelocityProblem<'_>, system: &mut System, warm: &WarmStart) {
        let contacts = problem.contacts;
        self.rows.clear();
        if problem.response.len() == 1 {
            self.near.start();
        } else {
            normal_speed::fill_offset(contacts, problem.approach, 1.0, &mut self.offset);
        }
        if warm.ids.is_empty() {
            return;
        }
        // detection lists nodes roughly by identity: most blocks hold none of the few active ones
        for (block, ids) in contacts.id.chunks(BLOCK).enumerate() {
            let (mut least, mut most) = (u32::MAX, 0);
            for &id in ids {
                least = least.min(id);
                most = most.max(id);
            }
            let first = warm.ids.partition_point(|&active| active < least);
            let last = first + warm.ids[first..].partition_point(|&active| active <= most);
            if first == last {
                continue;
            }
            for (place, id) in ids.iter().enumerate() {
                if warm.ids[first..last].binary_search(id).is_ok() {
                    self.push_contact(problem, system, block * BLOCK + place);
                }
            }
        }
    }

    /// Adds contacts that `velocity` violates by more than `violation` [m/s]; returns how many are violated,
    /// contacts that are not numbers among them; those are never added.
    pub(super) fn grow(
        &mut self,
        problem: &VelocityProblem<'_>,
        system: &mut System,
        velocity: &[f64],
        violation: f64,
        round: u32,
    ) -> usize {
        self.search(problem, velocity);
        let slack = std::mem::take(if velocity.len() == 6 { &mut self.near.slack } else { &mut self.slack });
        // what is not a number is violated too
        let fine: usize = slack.iter().map(|&slack| usize::from(slack >= -violation)).sum();
        let violated = slack.len() - fine;
        if violated > 0 {
            let few = round > 0 && violated <= FEW_VIOLATED * self.rows.len();
            if few || round > PATIENT_ROUNDS {
                for (place, _) in slack.iter().enumerate().filter(|(_, slack)| **slack < -violation) {
                    self.push(problem, system, place);
                }
            } else {
                let (worst, place) = normal_speed::smallest(&slack);
                if worst < -violation {
                    self.push(problem, system, place);
                }
            }
        }
        *(if velocity.len() == 6 { &mut self.near.slack } else { &mut self.slack }) = slack;
        violated
    }

    /// Takes the contacts that `velocity` leaves open out of W; `states` are the rows' companions.
    pub(super) fn shrink<T>(&mut self, velocity: &[f64], round: u32, states: &mut Vec<T>) {
        if round > PATIENT_ROUNDS {
            return;
        }
        let mut kept = 0;
        for place in 0..self.rows.len() {
            let row = &self.rows[place];
            if row.depth(&row.velocity(velocity)) > 0.0 {
                self.rows.swap(place, kept);
                states.swap(place, kept);
                kept += 1;
            } else if velocity.len() == 6 {
                self.near.set_offset(row.contact, row.approach - row.normal.dot(&row.drift));
            }
        }
        self.rows.truncate(kept);
        states.truncate(kept);
    }

    /// Smallest Jₙ V − uₙ + b of all contacts outside W [m/s], or any positive number.
    pub(super) fn slowest(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64]) -> f64 {
        self.search(problem, velocity);
        normal_speed::minimum(if velocity.len() == 6 { &self.near.slack } else { &self.slack })
    }

    /// Slack of all contacts that `velocity` may violate; infinite for those in W.
    fn search(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64]) {
        if let Some(velocity) = velocity.as_array() {
            if self.near.refresh(problem, velocity) {
                for row in &self.rows {
                    self.near.set_offset(row.contact, f64::INFINITY);
                }
            }
            self.near.fill_slack(velocity);
        } else {
            normal_speed::fill(problem.contacts, &self.offset, velocity, &mut self.slack);
            for row in &self.rows {
                self.slack[row.contact as usize] = f64::INFINITY;
            }
        }
    }

    /// Appends the row of the contact found at `place` of the last search.
    fn push(&mut self, problem: &VelocityProblem<'_>, system: &mut System, place: usize) {
        if problem.response.len() == 1 {
            let contact = self.near.contact(place);
            self.near.set_offset(contact as u32, f64::INFINITY);
            self.push_contact(problem, system, contact);
        } else {
            self.push_contact(problem, system, place);
        }
    }

    /// Appends the row of one contact.
    fn push_contact(&mut self, problem: &VelocityProblem<'_>, system: &mut System, contact: usize) {
        let contacts = problem.contacts;
        let body_b = contacts.body_b[contact];
        let drift = contacts.surface_velocity.get(contact);
        let mut row = ContactRow {
            arm_a: contacts.arm_a.get(contact),
            arm_b: contacts.arm_b.get(contact),
            normal: contacts.normal.get(contact),
            drift: if body_b == NOT_FREE { drift } else { Vector3::zeros() },
            approach: problem.approach[contact],
            inverse_compliance: 0.0,
            friction: contacts.friction[contact],
            body_a: contacts.body_a[contact],
            body_b,
            contact: contact as u32,
        };
        row.inverse_compliance = 1.0 / system.compliance(&row);
        system.scale = system.scale.max(row.drift.norm() * row.inverse_compliance.sqrt());
        self.rows.push(row);
    }
}
