//! Contacts near enough to be violated soon, for the many searches of one solve with one free body.
//!
//! ```text
//! sᵢ(V) = nᵢ·v + (ρᵢ × nᵢ)·ω + offsetᵢ        [m/s]
//! sᵢ(V) ≥ sᵢ(V*) − |v − v*| − R |ω − ω*|       R = max |ρᵢ|
//! ```
//!
//! At a velocity V* all contacts are looked at and those with s < reach are copied side by side. As long as V
//! stays so close to V* that nobody else can reach s < 0, a search over the copies is a search over all:
//! rounds of a solve move V ever less, so most of them read a few hundred contacts instead of ten thousand.

use super::normal_speed;
use super::problem::VelocityProblem;
use crate::make_room;
use crate::records::Contacts;

/// First reach [m/s]: 10 µm of gap over a step of 10 ms.
const FIRST_REACH: f64 = 2e-3;
/// A later reach is this many times the move that exceeded the last one.
const AHEAD: f64 = 2.0;
/// Contacts looked at together: they stay in the nearest cache.
const BLOCK: usize = 256;

/// The copies, and where they are valid.
#[derive(Clone, Debug, Default)]
pub(super) struct NearContacts {
    /// Place of each copy in the record, ascending.
    contact: Vec<u32>,
    normal: [Vec<f64>; 3],
    moment: [Vec<f64>; 3],
    /// Infinite for contacts that are in the working set.
    offset: Vec<f64>,
    /// s of each copy at the last search [m/s].
    pub(super) slack: Vec<f64>,
    /// V* [m/s, rad/s]; `None` before the first look.
    reference: Option<[f64; 6]>,
    reach: f64,
    radius: f64,
}

impl NearContacts {
    /// Makes room for so many contacts.
    pub(super) fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.contact, contacts);
        let columns = self.normal.iter_mut().chain(&mut self.moment);
        for column in columns.chain([&mut self.offset, &mut self.slack]) {
            make_room(column, contacts);
        }
    }

    /// Forgets the copies; every contact must be looked at again.
    pub(super) fn start(&mut self) {
        self.reference = None;
        self.reach = FIRST_REACH;
        self.radius = 0.0;
        self.contact.clear();
    }

    /// Looks at all contacts again where `velocity` asks for it; true when it did, and the copies know nothing
    /// of the working set.
    pub(super) fn refresh(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64; 6]) -> bool {
        let moved = self.reference.map_or(f64::INFINITY, |reference| {
            let d: [f64; 6] = std::array::from_fn(|k| velocity[k] - reference[k]);
            let length = |x: f64, y: f64, z: f64| (x * x + y * y + z * z).sqrt();
            length(d[0], d[1], d[2]) + self.radius * length(d[3], d[4], d[5])
        });
        if moved < self.reach {
            return false;
        }
        if moved.is_finite() {
            self.reach = (AHEAD * moved).max(FIRST_REACH);
        }
        self.look(problem, velocity);
        true
    }

    /// Fills `slack` with s at `velocity`.
    pub(super) fn fill_slack(&mut self, velocity: &[f64; 6]) {
        let count = self.contact.len();
        let [nx, ny, nz] = self.normal.each_ref().map(|column| &column[..count]);
        let [mx, my, mz] = self.moment.each_ref().map(|column| &column[..count]);
        let offset = &self.offset[..count];
        let [vx, vy, vz, wx, wy, wz] = *velocity;
        self.slack.resize(count, 0.0);
        for (i, slack) in self.slack[..count].iter_mut().enumerate() {
            *slack =
                (nx[i] * vx + ny[i] * vy + nz[i] * vz) + (mx[i] * wx + my[i] * wy + mz[i] * wz) + offset[i];
        }
    }

    /// Copies the contacts within reach of `velocity`.
    fn look(&mut self, problem: &VelocityProblem<'_>, velocity: &[f64; 6]) {
        let contacts = problem.contacts;
        let is_first = self.reference.is_none();
        self.reference = Some(*velocity);
        self.contact.clear();
        self.offset.clear();
        for column in self.normal.iter_mut().chain(&mut self.moment) {
            column.clear();
        }
        let mut block = [0.0; BLOCK];
        for start in (0..contacts.len()).step_by(BLOCK) {
            let end = (start + BLOCK).min(contacts.len());
            if is_first {
                self.widen(contacts, start..end);
            }
            let speeds = &mut block[..end - start];
            normal_speed::fill_relative(contacts, start, velocity, speeds);
            for (speed, approach) in speeds.iter_mut().zip(&problem.approach[start..end]) {
                *speed += approach;
            }
            // what is not a number is near too
            let far: usize = speeds.iter().map(|&speed| usize::from(speed >= self.reach)).sum();
            if far == speeds.len() {
                continue;
            }
            for (i, &speed) in speeds.iter().enumerate() {
                if speed < self.reach || speed.is_nan() {
                    self.copy(problem, start + i);
                }
            }
        }
        self.radius = if is_first { self.radius.sqrt() } else { self.radius };
    }

    /// R² over one more block.
    fn widen(&mut self, contacts: &Contacts, block: std::ops::Range<usize>) {
        let arm = &contacts.arm_a;
        let columns = arm.x[block.clone()].iter().zip(&arm.y[block.clone()]).zip(&arm.z[block]);
        let mut squares = [0.0; BLOCK];
        for (square, ((x, y), z)) in squares.iter_mut().zip(columns) {
            *square = -(x * x + y * y + z * z);
        }
        self.radius = self.radius.max(-normal_speed::minimum(&squares));
    }

    fn copy(&mut self, problem: &VelocityProblem<'_>, contact: usize) {
        let contacts = problem.contacts;
        let n = contacts.normal.get(contact);
        let moment = contacts.arm_a.get(contact).cross(&n);
        for axis in 0..3 {
            self.normal[axis].push(n[axis]);
            self.moment[axis].push(moment[axis]);
        }
        self.contact.push(contact as u32);
        self.offset.push(problem.approach[contact] - n.dot(&contacts.surface_velocity.get(contact)));
    }

    /// Place in the record of a copy.
    pub(super) fn contact(&self, copy: usize) -> usize {
        self.contact[copy] as usize
    }

    /// Sets the offset of a contact, if it is among the copies.
    pub(super) fn set_offset(&mut self, contact: u32, offset: f64) {
        if let Ok(copy) = self.contact.binary_search(&contact) {
            self.offset[copy] = offset;
        }
    }
}
