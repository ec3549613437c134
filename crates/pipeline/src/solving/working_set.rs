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
    /// Whether each contact of the record is in W.
    member: Vec<bool>,
}

impl WorkingSet {
    /// W of the contacts that carried an impulse in the last step.
    pub(super) fn start(&mut self, problem: &VelocityProblem<'_>, system: &mut System, warm: &WarmStart) {
        self.rows.clear();
        self.member.clear();
        self.member.resize(problem.contacts.len(), false);
        if warm.ids.is_empty() {
            return;
        }
        for (contact, &id) in problem.contacts.id.iter().enumerate() {
            if warm.ids.binary_search(&id).is_ok() {
                self.push(problem, system, contact);
            }
        }
    }

    /// Adds contacts that `velocity` violates by more than `violation` [m/s]; returns how many are violated.
    pub(super) fn grow(
        &mut self,
        problem: &VelocityProblem<'_>,
        system: &mut System,
        velocity: &[f64],
        violation: f64,
        round: u32,
    ) -> usize {
        let (mut worst, mut violated) = ((-violation, usize::MAX), 0);
        for contact in 0..problem.contacts.len() {
            let slack = slack(problem, contact, velocity);
            if slack < -violation && !self.member[contact] {
                violated += 1;
                if slack < worst.0 {
                    worst = (slack, contact);
                }
            }
        }
        let many = violated > MANY_VIOLATED && (self.rows.len() > LARGE_SET || round > PATIENT_ROUNDS);
        if many || round > MOST_SINGLE_ROUNDS {
            for contact in 0..problem.contacts.len() {
                if !self.member[contact] && slack(problem, contact, velocity) < -violation {
                    self.push(problem, system, contact);
                }
            }
        } else if violated > 0 {
            self.push(problem, system, worst.1);
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
        self.member[contact] = true;
        self.rows.push(row);
    }
}

/// Jₙ V − uₙ + b [m/s], without building the row.
#[inline]
fn slack(problem: &VelocityProblem<'_>, contact: usize, velocity: &[f64]) -> f64 {
    let normal = problem.contacts.normal.get(contact);
    normal.dot(&problem.contacts.relative_velocity(contact, velocity)) + problem.approach[contact]
}
