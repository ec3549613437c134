//! The few contacts that a solve looks at (HOTPATH 3).
//!
//! ```text
//! W₀ = active in the last step ∪ worst violated at the guess
//! solve on W → V;   W ← active of W ∪ worst violated at V;   until Jₙ V − uₙ + b ≥ −1 nm/s everywhere
//! ```
//!
//! Of a thousand candidates two or three carry load. Adding the single worst keeps W small; when the violated
//! ones are few against W, or violated by no more than W gives way, all that are as bad come in at once. Contacts that
//! a solve leaves open go out again: on thread flanks one nanometre decides who carries load, and Newton would flip the
//! idle ones to and fro. The last search is over every contact, so the answer is that of the full set.

use super::contact_law::ContactRow;
use super::normal_speed::{self, Slowest, Speeds};
use super::problem::{VelocityProblem, WarmStart};
use super::system::System;
use crate::make_room;
use crate::records::NOT_FREE;
use nalgebra::Vector3;
use tightfit_spatial::{Vectorise, vectorised};

/// Contacts looked at together when the active ones of the last step are sought.
const BLOCK: usize = 64;
/// Violated contacts are added all at once when they are at most this many times those in W.
const FEW_VIOLATED: usize = 4;
/// Violated contacts are added all at once when none is violated by more than this many times what the contacts in W
/// give way.
const YIELD: f64 = 4.0;
/// Contacts that are added together are violated by at least this share of the worst.
const ALIKE: f64 = 0.5;
/// After this many rounds all violated contacts are added at once, however many, and none goes out any more:
/// W then only grows, and the rounds end.
const PATIENT_ROUNDS: u32 = 40;

/// Rows of the contacts in W, and who is in it.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    /// Contacts in W, in the order of their coming.
    pub(super) rows: Vec<ContactRow>,
    /// b − uₙ of each contact of the record [m/s]; infinite for those in W.
    offset: Vec<f64>,
    /// Jₙ V − uₙ + b of each contact at the last search [m/s]; infinite for those in W.
    slack: Speeds,
}

/// The smallest and the largest of some numbers.
struct Extremes<'a>(&'a [u32]);

impl Vectorise for Extremes<'_> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run(self) -> [u32; 2] {
        let mut extremes = [u32::MAX, 0];
        for &id in self.0 {
            extremes = [extremes[0].min(id), extremes[1].max(id)];
        }
        extremes
    }
}

impl WorkingSet {
    /// Makes room for so many contacts.
    pub(super) fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.rows, contacts);
        make_room(&mut self.offset, contacts);
        self.slack.make_room(contacts);
    }

    /// W of the contacts that carried an impulse in the last step, and those impulses.
    pub(super) fn start(
        &mut self,
        problem: &VelocityProblem<'_>,
        system: &mut System,
        warm: &WarmStart,
        impulses: &mut Vec<Vector3<f64>>,
    ) {
        impulses.clear();
        let contacts = problem.contacts;
        self.rows.clear();
        normal_speed::fill_offset(contacts, problem.approach, 1.0, &mut self.offset);
        if warm.ids.is_empty() {
            return;
        }
        // detection lists nodes roughly by identity: most blocks hold none of the few active ones
        for (block, ids) in contacts.id.chunks(BLOCK).enumerate() {
            let [least, most] = vectorised(Extremes(ids));
            let first = warm.ids.partition_point(|&active| active < least);
            let last = first + warm.ids[first..].partition_point(|&active| active <= most);
            if first == last {
                continue;
            }
            for (place, id) in ids.iter().enumerate() {
                if let Ok(active) = warm.ids[first..last].binary_search(id) {
                    self.push(problem, system, block * BLOCK + place);
                    impulses.push(warm.impulses[first + active]);
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
        let Slowest { speed: worst, violated } =
            normal_speed::fill(problem.contacts, &self.offset, velocity, -violation, &mut self.slack);
        if violated == 0 {
            return 0;
        }
        let few = round > 0 && violated <= FEW_VIOLATED * self.rows.len();
        // contacts that are violated by little more than the active ones give way share their load
        let shared = round > 0 && -worst <= YIELD * self.deepest(velocity);
        let limit = if round > PATIENT_ROUNDS {
            -violation
        } else if few || shared {
            (ALIKE * worst).min(-violation)
        } else {
            worst
        };
        let slack = std::mem::take(&mut self.slack);
        let at_once = if limit == worst { 1 } else { usize::MAX };
        for contact in slack.at_most(limit).take(at_once) {
            self.push(problem, system, contact);
        }
        self.slack = slack;
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
                // most stay where they are
                if place > kept {
                    self.rows.swap(place, kept);
                    states.swap(place, kept);
                }
                kept += 1;
            } else {
                self.offset[row.contact as usize] = row.approach - row.normal.dot(&row.drift);
            }
        }
        self.rows.truncate(kept);
        states.truncate(kept);
    }

    /// How much the contacts in W give way at most [m/s].
    pub(super) fn deepest(&self, velocity: &[f64]) -> f64 {
        self.rows.iter().map(|row| row.depth(&row.velocity(velocity))).fold(0.0, f64::max)
    }

    /// Smallest Jₙ V − uₙ + b of all contacts outside W [m/s], or any positive number.
    pub(super) fn slowest(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64]) -> f64 {
        normal_speed::fill(problem.contacts, &self.offset, velocity, 0.0, &mut self.slack).speed
    }

    /// Appends the row of one contact.
    fn push(&mut self, problem: &VelocityProblem<'_>, system: &mut System, contact: usize) {
        let contacts = problem.contacts;
        self.offset[contact] = f64::INFINITY;
        let body_b = contacts.body_b[contact];
        let drift = contacts.surface(contact);
        let mut row = ContactRow {
            arm_a: contacts.arm_a.get(contact),
            arm_b: contacts.second_arm(contact),
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
        if row.drift != Vector3::zeros() {
            system.scale = system.scale.max(row.drift.norm() * row.inverse_compliance.sqrt());
        }
        self.rows.push(row);
    }
}
