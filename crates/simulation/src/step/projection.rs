//! The pose projection: what velocity-level contact leaves open is closed at the level of the pose.
//!
//! ```text
//! min ½|U − V̄|²_M   s.t.   φᵢ + T Jₙᵢ U ≥ 0 over all candidate nodes,        V̄ = ½(V₀⁺ + V₁), or as the rule has it
//! ```
//!
//! It moves the pose, not the velocity, so it changes only the energy of springs and weight. What it adds is
//! taken from a tank that contact dissipation fills; when the tank is empty the projection is cut short.

use std::ops::AddAssign;

use nalgebra::Vector6;
use tightfit_pipeline::integration::advance_pose;
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::Contacts;
use tightfit_pipeline::solving::pose_projection::{ProjectionReport, ProjectionWorkspace, project};
use tightfit_robot::JointVector;

use super::arm::ArmPiece;
use super::context::{Context, Span};
use super::detection::Candidates;
use super::free_motion::Masses;
use crate::{Certificate, Limit, State};

/// What a displacement of the poses beyond the wanted one costs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Payment {
    /// Energy that it puts into springs, weight and the load of an arm [J].
    pub(super) work: f64,
    /// Energy left in the tank [J].
    pub(super) tank: f64,
    /// Whether the tank held less than it needed, so that it was cut short.
    pub(super) is_cut_short: bool,
    /// How far the joints of an arm move along [rad or m].
    pub(super) joints: JointVector,
}

impl AddAssign for Payment {
    /// Adds a payment that follows; `tank` is what that one left.
    fn add_assign(&mut self, later: Self) {
        self.work += later.work;
        self.tank = later.tank;
        self.is_cut_short |= later.is_cut_short;
        self.joints += later.joints;
    }
}

impl Certificate {
    /// Books what a projection costs.
    pub(super) fn pay(&mut self, payment: &Payment) {
        self.projection_work += payment.work;
        if payment.is_cut_short {
            self.limits.insert(Limit::TankEmpty);
        }
    }
}

/// Reads and writes of a projection beside the contacts.
pub(super) struct Projecting<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) span: Span,
    pub(super) masses: &'a Masses,
    /// The arm, with the load of the smooth stage on the part that it holds [N, N·m].
    pub(super) arm: Option<(&'a ArmPiece, Option<Vector6<f64>>)>,
    pub(super) memory: &'a mut ProjectionMemory,
    /// Whether the projection of the step left rows open.
    pub(super) is_incomplete: bool,
}

/// Buffers of the projection.
#[derive(Debug, Default)]
pub(super) struct ProjectionMemory {
    pub(super) rows: ProjectionWorkspace,
    /// Velocity of the pose that was wanted, and the projected one [m/s, rad/s].
    wanted: Vec<f64>,
    pub(super) moved: Vec<f64>,
}

impl ProjectionMemory {
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        self.rows.make_room(bodies, contacts);
        make_room(&mut self.wanted, 6 * bodies);
        make_room(&mut self.moved, 6 * bodies);
    }
}

impl Projecting<'_> {
    /// Writes the velocity of the poses over the piece to `memory.moved`: `wanted`, projected where the method says so.
    pub(super) fn project_step(
        &mut self,
        state: &State,
        candidates: &Candidates,
        wanted: &[f64],
        certificate: &mut Certificate,
    ) -> Payment {
        if !self.context.methods().projection {
            self.memory.moved.clear();
            self.memory.moved.extend_from_slice(wanted);
            return Payment { tank: state.tank, ..Payment::default() };
        }
        let (contacts, reach) = (&candidates.contacts, candidates.margin());
        let (report, payment) = self.project(state, contacts, reach, wanted, self.span.duration);
        self.is_incomplete = !report.complete;
        certificate.pay(&payment);
        payment
    }

    /// Projects the velocity `wanted` of the pose over `time` seconds into `memory.moved`, and charges the tank of the state for the
    /// difference. Contacts are known within `reach` [m].
    pub(super) fn project(
        &mut self,
        state: &State,
        contacts: &Contacts,
        reach: f64,
        wanted: &[f64],
        time: f64,
    ) -> (ProjectionReport, Payment) {
        let ProjectionMemory { rows, wanted: kept, moved } = &mut *self.memory;
        for copy in [&mut *kept, &mut *moved] {
            copy.clear();
            copy.extend_from_slice(wanted);
        }
        let report = project(contacts, &contacts.gap, time, reach, &self.masses.own, moved, rows);
        let unpaid = Payment { tank: state.tank, ..Payment::default() };
        (report, if report.pivots > 0 { self.charge(state, time) } else { unpaid })
    }

    /// Pays for the difference between the wanted velocity and the projected one.
    fn charge(&mut self, state: &State, time: f64) -> Payment {
        let without = self.potential(state, &self.memory.wanted, time);
        let cost = self.potential(state, &self.memory.moved, time) - without;
        let is_cut_short = cost > state.tank;
        if is_cut_short {
            let keep = (state.tank / cost).max(0.0);
            let ProjectionMemory { wanted, moved, .. } = &mut *self.memory;
            for (own, wanted) in moved.iter_mut().zip(wanted) {
                *own = *wanted + (*own - *wanted) * keep;
            }
        }
        let ProjectionMemory { wanted, moved, .. } = &*self.memory;
        let work = self.potential(state, moved, time) - without;
        Payment {
            work,
            tank: (state.tank - work.max(0.0)).max(0.0),
            is_cut_short,
            joints: self.arm.map_or_else(JointVector::zeros, |(arm, _)| {
                arm.displacement([wanted, moved], self.masses, time)
            }),
        }
    }

    /// Energy of springs, weight and the load of an arm after moving with a velocity for `time` seconds [J].
    fn potential(&self, state: &State, velocity: &[f64], time: f64) -> f64 {
        let Context { scene, parameters, .. } = *self.context;
        let held = self.arm.and_then(|(arm, load)| Some((arm.index, load?)));
        let mut total = 0.0;
        for (index, (motion, inertia)) in state.motions.iter().zip(parameters.free_inertia()).enumerate() {
            let velocity = &velocity[6 * index..6 * index + 6];
            let mut moved = *motion;
            advance_pose(&mut moved, velocity, time);
            total -= inertia.mass * scene.gravity.dot(&moved.center);
            if let Some((_, load)) = held.filter(|(held, _)| *held == index) {
                total -= load.iter().zip(velocity).map(|(force, speed)| force * (speed * time)).sum::<f64>();
            }
            if let Some(coupling) = self.context.coupling(index, self.span) {
                let error = coupling.error(moved.center, &moved.rotation, &coupling.next_target);
                total += coupling.potential(error);
            }
        }
        total
    }
}
