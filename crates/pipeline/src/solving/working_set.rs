//! The few contacts that a solve looks at (HOTPATH 3).
//!
//! ```text
//! W₀ = active in the last step ∪ worst violated at the guess
//! solve on W → V;   W ← W ∪ worst violated at V;   until Jₙ V − uₙ + b ≥ −1 nm/s everywhere
//! ```
//!
//! Of a thousand candidates two or three carry load. Adding the single worst keeps W small; when many are
//! violated and W is large already (thread flanks) all of them come in at once. The last pass runs over
//! every contact, so the answer is that of the full set.

use super::contact_law::ContactRow;
use super::normal_speed;
use super::problem::{VelocityProblem, WarmStart};
use super::system::System;
use crate::records::NOT_FREE;
use nalgebra::Vector3;

/// W counts as large above this many contacts.
const LARGE_SET: usize = 64;
/// Fewer violated contacts than this are added one by one.
const MANY_VIOLATED: usize = 24;
/// After this many rounds many violated contacts are added at once even to a small W.
const PATIENT_ROUNDS: u32 = 3;
/// After this many rounds all violated contacts are added at once, however few.
const MOST_SINGLE_ROUNDS: u32 = 40;

/// Rows of the contacts in W, and who is in it.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    /// Contacts in W, in the order of their coming.
    pub(super) rows: Vec<ContactRow>,
    /// b − uₙ of each contact of the record [m/s]; infinite for those in W.
    offset: Vec<f64>,
    /// Jₙ V − uₙ + b of each contact at the last search [m/s]; infinite for those in W.
    slack: Vec<f64>,
}

impl WorkingSet {
    /// W of the contacts that carried an impulse in the last step.
    pub(super) fn start(&mut self, problem: &VelocityProblem<'_>, system: &mut System, warm: &WarmStart) {
        let contacts = problem.contacts;
        self.rows.clear();
        normal_speed::fill_offset(contacts, problem.approach, 1.0, &mut self.offset);
        if warm.ids.is_empty() {
            return;
        }
        // detection lists nodes in runs of ascending identity: within a run the two lists are merged
        let (mut cursor, mut last) = (0, 0);
        for (contact, &id) in contacts.id.iter().enumerate() {
            if id < last {
                cursor = warm.ids.partition_point(|&active| active < id);
            }
            last = id;
            while warm.ids.get(cursor).is_some_and(|&active| active < id) {
                cursor += 1;
            }
            if warm.ids.get(cursor) == Some(&id) {
                self.push(problem, system, contact);
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
        normal_speed::fill(problem.contacts, &self.offset, velocity, &mut self.slack);
        let violated =
            self.slack.iter().map(|&slack| usize::from(slack < -violation || slack.is_nan())).sum();
        if violated == 0 {
            return 0;
        }
        let many = violated > MANY_VIOLATED && (self.rows.len() > LARGE_SET || round > PATIENT_ROUNDS);
        if many || round > MOST_SINGLE_ROUNDS {
            for contact in 0..self.slack.len() {
                if self.slack[contact] < -violation {
                    self.push(problem, system, contact);
                }
            }
        } else {
            let (slack, worst) = normal_speed::smallest(&self.slack);
            if slack < -violation {
                self.push(problem, system, worst);
            }
        }
        violated
    }

    /// Appends the row of one contact.
    fn push(&mut self, problem: &VelocityProblem<'_>, system: &mut System, contact: usize) {
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
        self.offset[contact] = f64::INFINITY;
        self.rows.push(row);
    }
}
