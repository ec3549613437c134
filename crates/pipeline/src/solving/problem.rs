//! The velocity problem of one stage: contacts, what they allow, and how the bodies answer an impulse.

use nalgebra::{Matrix6, Vector3};

use crate::make_room;
use crate::records::{Contacts, WrenchRow};

/// Find V and p with V = V_f + W Σ Jᵢᵀpᵢ and the contact law at every contact (MATH 3.2).
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
    /// Conditions on whole bodies beside the contacts; the solvers that sweep keep them, the ladder does not look at
    /// them.
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
    /// Place of the contact in the record.
    pub contact: usize,
    /// Impulse on the first body, world axes [N·s].
    pub impulse: Vector3<f64>,
}

/// Which W the solver takes for its residual r(V) = A (V − V_f) − P. The answer V₁ = V_f + W P always takes all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseModel {
    /// A = sym(W)⁻¹: the skew part of W counts to first order, through V₁ alone (MATH 3.2). V₁ then misses the
    /// contact law by |skew(W) P|: 1 % of skew in a wedge is 1e-4 m/s.
    Symmetric,
    /// A = W⁻¹: V₁ obeys the contact law as closely as the softness allows, at the same cost.
    #[default]
    Full,
}

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// ε: softness of the law [-]. Contacts give way by ε dᵢ pₙ: 1e-6 of the speed that they stop.
    pub softness: f64,
    /// Largest √(rᵀA⁻¹r) accepted, per unit of max(1, speed scale |V_f|_A) [√J]. Rounding leaves
    /// 1e-16/ε of that scale.
    pub tolerance: f64,
    /// Approach beyond b that counts as violated [m/s].
    pub violation: f64,
    /// Steps of the mixed Newton before the next level is tried.
    pub mixed_iterations: u32,
    /// Which W enters the residual.
    pub response: ResponseModel,
    /// Highest level tried, 0..=4; lower it to see what a level is good for.
    pub highest_level: u8,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            softness: 1e-6,
            tolerance: 1e-9,
            violation: 1e-9,
            mixed_iterations: 22,
            response: ResponseModel::default(),
            highest_level: 4,
        }
    }
}

/// What one solve took.
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
    /// Times that the working set was solved.
    pub rounds: u32,
    /// Whether the residual is below tolerance and no contact is violated. When false the impulses still
    /// obey the law at the velocity reached, but that is not the velocity they lead to.
    pub converged: bool,
}

/// What one solve leaves for the next: plain data, sorted by contact identity. Default is a cold start.
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
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.velocity.clear();
        self.ids.clear();
        self.impulses.clear();
    }

    /// Becomes a copy of another one and keeps its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.velocity.clone_from(&other.velocity);
        self.ids.clone_from(&other.ids);
        self.impulses.clone_from(&other.impulses);
    }

    /// Makes room for so many bodies and contacts.
    pub fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.velocity, 6 * bodies);
        make_room(&mut self.ids, contacts);
        make_room(&mut self.impulses, contacts);
    }

    /// Impulse [N·s] carried by contact `id` in the last solve.
    #[must_use]
    pub fn impulse(&self, id: u32) -> Option<Vector3<f64>> {
        self.ids.binary_search(&id).ok().map(|place| self.impulses[place])
    }
}
