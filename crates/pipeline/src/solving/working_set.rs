//! The few contacts that a solve works on (docs/design/hot-path.md §3).
//!
//! ```text
//! W₀ = active in the last step ∪ worst violated at the guess
//! solve on W → V;   W ← active of W ∪ worst violated at V;   until Jₙ V − uₙ + b ≥ −1 nm/s everywhere
//! ```
//!
//! Of a thousand candidates two or three carry load. Adding only the worst keeps W small; when the violated contacts
//! are few compared with W, or violated by no more than the contacts in W yield, all that are similarly bad are added
//! at once. Of several bodies every pair is judged by its own worst contact, since a stack passes on its load pair by pair.
//! Contacts that a solve leaves open are removed again: on thread flanks one nanometre decides which contacts
//! carry load, and Newton's method would switch the idle ones on and off. The last search covers every contact, so the
//! solution is that of the full set.

use super::contact_law::ContactRow;
use super::normal_speed::{self, Slowest, Speeds};
use super::problem::{VelocityProblem, WarmStart};
use super::system::System;
use crate::make_room;
use nalgebra::Vector3;
use tightfit_spatial::{Vectorise, vectorised};

/// Contacts of a block in the search for the active ones of the last step.
const BLOCK: usize = 64;
/// Violated contacts are added together when they are at most this many times those in W.
const FEW_VIOLATED: usize = 4;
/// Violated contacts are added together when none is violated by more than this many times the yield of W.
const YIELD: f64 = 4.0;
/// Contacts that are added together are violated by at least this share of the worst.
const ALIKE: f64 = 0.5;
/// Pairs of bodies with at most so many contacts, as flush blocks have, add all that are alike from the first round on.
const FEW_IN_PAIR: usize = 16;
/// After this many rounds all violated contacts are added and none is removed: W then only grows, so the rounds end.
const PATIENT_ROUNDS: u32 = 40;

/// The contacts in W.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    /// Rows of the contacts in W, in the order in which they were added.
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
    /// Reserves memory for `contacts` contacts.
    pub(super) fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.rows, contacts);
        make_room(&mut self.offset, contacts);
        self.slack.make_room(contacts);
    }

    /// Starts W with the contacts that carried an impulse in the last step, and loads those impulses.
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
        // Detection lists nodes roughly by identity, so most blocks contain none of the few active ones.
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

    /// Adds contacts that `velocity` violates by more than `violation` [m/s]; returns the number of violated contacts,
    /// including those whose data are NaN, which are never added.
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
        // Contacts that are violated by little more than the active ones yield share their load.
        let shared = round > 0 && -worst <= YIELD * self.deepest(velocity);
        let limit = if round > PATIENT_ROUNDS {
            -violation
        } else if few || shared {
            (ALIKE * worst).min(-violation)
        } else {
            worst
        };
        if problem.response.len() > 1 && round <= PATIENT_ROUNDS {
            self.grow_pairs(problem, system, violation, limit > worst);
            return violated;
        }
        let slack = std::mem::take(&mut self.slack);
        let at_once = if limit == worst { 1 } else { usize::MAX };
        for contact in slack.at_most(limit).take(at_once) {
            self.push(problem, system, contact);
        }
        self.slack = slack;
        violated
    }

    /// Adds the worst contact of every pair of bodies, and those that are violated alike where `alike`.
    fn grow_pairs(
        &mut self,
        problem: &VelocityProblem<'_>,
        system: &mut System,
        violation: f64,
        alike: bool,
    ) {
        let contacts = problem.contacts;
        let slack = std::mem::take(&mut self.slack);
        let mut first = 0;
        while first < contacts.len() {
            let bodies = |contact: usize| (contacts.body_a[contact], contacts.body_b[contact]);
            let own = bodies(first);
            let end =
                (first..contacts.len()).find(|&contact| bodies(contact) != own).unwrap_or(contacts.len());
            let worst = slack.all[first..end].iter().copied().fold(f64::INFINITY, f64::min);
            if worst < -violation {
                let all = alike || end - first <= FEW_IN_PAIR;
                let limit = if all { (ALIKE * worst).min(-violation) } else { worst };
                let near = (first..end).filter(|&contact| slack.all[contact] <= limit);
                for contact in near.take(if all { usize::MAX } else { 1 }) {
                    self.push(problem, system, contact);
                }
            }
            first = end;
        }
        self.slack = slack;
    }

    /// Removes the contacts that `velocity` leaves open from W, and their entries of `states`.
    pub(super) fn shrink<T>(&mut self, velocity: &[f64], round: u32, states: &mut Vec<T>) {
        if round > PATIENT_ROUNDS {
            return;
        }
        let mut kept = 0;
        for place in 0..self.rows.len() {
            let row = &self.rows[place];
            if row.depth(&row.velocity(velocity)) > 0.0 {
                // Most rows stay in their place.
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

    /// Largest yield of the contacts in W [m/s].
    pub(super) fn deepest(&self, velocity: &[f64]) -> f64 {
        self.rows.iter().map(|row| row.depth(&row.velocity(velocity))).fold(0.0, f64::max)
    }

    /// Smallest Jₙ V − uₙ + b of all contacts outside W [m/s]; ∞ without any.
    pub(super) fn slowest(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64]) -> f64 {
        normal_speed::fill(problem.contacts, &self.offset, velocity, 0.0, &mut self.slack).speed
    }

    /// Appends the row of one contact.
    fn push(&mut self, problem: &VelocityProblem<'_>, system: &mut System, contact: usize) {
        self.offset[contact] = f64::INFINITY;
        let mut row = ContactRow::new(problem, contact);
        row.inverse_compliance = 1.0 / system.compliance(&row);
        if row.drift != Vector3::zeros() {
            system.scale = system.scale.max(row.drift.norm() * row.inverse_compliance.sqrt());
        }
        self.rows.push(row);
    }
}
