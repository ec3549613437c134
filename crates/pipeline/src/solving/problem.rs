//! The velocity problem of one stage: contacts, allowed approach speeds, and the response of the bodies to impulses.

use nalgebra::{Matrix6, Vector3};

use crate::make_room;
use crate::records::{Contacts, WrenchRow};

/// Find V and p with V = V_f + W Σ Jᵢᵀpᵢ and the contact law at every contact (docs/design/math.md §3.2).
#[derive(Clone, Copy, Debug)]
pub struct VelocityProblem<'a> {
    /// Candidate contacts.
    pub contacts: &'a Contacts,
    /// b ≥ 0: allowed approach speed of each contact [m/s].
    pub approach: &'a [f64],
    /// V_f: velocities at the end of the step without contact, stacked [v; ω] per body, world axes [m/s, rad/s].
    pub free_velocity: &'a [f64],
    /// W of each body: change of [v; ω] per generalised impulse, world axes. Not symmetric in general;
    /// its symmetric part is positive definite.
    pub response: &'a [Matrix6<f64>],
    /// Conditions on whole bodies beside the contacts; only the sweeping solvers use them.
    pub rows: &'a [WrenchRow],
}

impl VelocityProblem<'_> {
    /// V_f + W P for the generalised impulse P = Σ Jᵀp, into `velocity`.
    pub fn respond(&self, generalised: &[f64], velocity: &mut Vec<f64>) {
        velocity.clear();
        velocity.extend_from_slice(self.free_velocity);
        for (body, response) in self.response.iter().enumerate() {
            for row in 0..6 {
                for column in 0..6 {
                    velocity[6 * body + row] += response[(row, column)] * generalised[6 * body + column];
                }
            }
        }
    }
}

/// Impulse of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse {
    /// Index of the contact in the record.
    pub contact: usize,
    /// Impulse on the first body, world axes [N·s].
    pub impulse: Vector3<f64>,
}

/// Options of [`super::solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// ε: softness of the law [-]. Contacts yield by ε dᵢ pₙ: 1e-6 of the speed that they stop.
    pub softness: f64,
    /// Largest √(rᵀA⁻¹r) accepted, per unit of max(1, speed scale |V_f|_A) [√J]. Rounding leaves
    /// 1e-16/ε of that scale.
    pub tolerance: f64,
    /// Approach speed beyond b that counts as a violation [m/s].
    pub violation: f64,
    /// Steps of the mixed Newton method before the next level.
    pub mixed_iterations: u32,
    /// Highest level that may be used, 0..=4.
    pub highest_level: u8,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self { softness: 1e-6, tolerance: 1e-9, violation: 1e-9, mixed_iterations: 22, highest_level: 4 }
    }
}

/// Report of one solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveReport {
    /// Highest level used: 0 mixed Newton, 1 continuation, 2 arclength from it, 3 arclength from soft, 4
    /// slow continuation.
    pub level: u8,
    /// Linear systems solved.
    pub iterations: u32,
    /// Passes over the working set.
    pub evaluations: u32,
    /// Contacts in the working set at the end.
    pub working_set: usize,
    /// Contacts with an impulse.
    pub active: usize,
    /// Number of solves of the working set.
    pub rounds: u32,
    /// Whether the residual is below tolerance and no contact is violated. When false the impulses still obey the law
    /// at the velocity reached, but they do not lead to that velocity.
    pub converged: bool,
}

/// Start of the next solve: plain data, sorted by contact identity. The default is a cold start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmStart {
    /// Root of the last solve, stacked [v; ω] [m/s, rad/s]; empty when cold.
    pub velocity: Vec<f64>,
    /// Identities of the contacts that carried an impulse, ascending.
    pub ids: Vec<u32>,
    /// Their impulses on the first body, world axes [N·s].
    pub impulses: Vec<Vector3<f64>>,
}

impl WarmStart {
    /// Clears everything and keeps the memory.
    pub fn clear(&mut self) {
        self.velocity.clear();
        self.ids.clear();
        self.impulses.clear();
    }

    /// Copies another one and keeps its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.velocity.clone_from(&other.velocity);
        self.ids.clone_from(&other.ids);
        self.impulses.clone_from(&other.impulses);
    }

    /// Reserves memory for `bodies` bodies and `contacts` contacts.
    pub fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.velocity, 6 * bodies);
        make_room(&mut self.ids, contacts);
        make_room(&mut self.impulses, contacts);
    }

    /// Stores the root and the impulses of a solve; `order` is scratch memory.
    pub(super) fn store(
        &mut self,
        contacts: &Contacts,
        root: &[f64],
        impulses: &[ContactImpulse],
        order: &mut Vec<(u32, u32)>,
    ) {
        self.clear();
        self.velocity.extend_from_slice(root);
        order.clear();
        order.extend(impulses.iter().enumerate().map(|(k, entry)| (contacts.id[entry.contact], k as u32)));
        order.sort_unstable();
        for &(id, k) in order.iter() {
            self.ids.push(id);
            self.impulses.push(impulses[k as usize].impulse);
        }
    }

    /// Impulse [N·s] carried by contact `id` in the last solve.
    #[must_use]
    pub fn impulse(&self, id: u32) -> Option<Vector3<f64>> {
        self.ids.binary_search(&id).ok().map(|place| self.impulses[place])
    }
}
