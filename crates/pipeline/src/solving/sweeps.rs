//! Solvers that visit one contact after another: block SOR (paper Algorithm 1, docs/design/math.md §3.1) and projected
//! Gauss-Seidel.
//!
//! ```text
//! V = V_f + W Σ Jⱼᵀpⱼ kept up to date; at contact i, in its frame [n t₁ t₂]:
//! sor   c = JᵢV − Dᵢpᵢ,  p* = single(Dᵢ, c, JᵢV₀, bᵢ)                            p ← α p* + (1 − α) p
//! pgs   pₙ ← (pₙ − α (vₙ + b)/Dₙₙ)⁺,  then  pₜ ← pₜ − α vₜ/max(D₁₁, D₂₂),  |pₜ| cut to μpₙ
//! rows  s = NᵀV − d λ,  d = NᵀWN,  λ* = max(0, −(s + b)/d)                      λ ← α λ* + (1 − α) λ,  at least 0
//! end   max |diag(Dᵢ) δpᵢ|, |d δλ| ≤ tolerance, or out of sweeps
//!       or: max (vₙ + b)⁻, |vₙ + b| where pₙ > 0, |vₜ| where |pₜ| < μpₙ ≤ tolerance         (the paper's test)
//! ```
//!
//! The rows N over whole bodies (C-space) follow the contacts in every sweep, as in the paper. α > 1 leaves the cone;
//! such impulses are scaled back radially. Both methods stall where contacts oppose one another (a wedge): the change
//! per sweep becomes small long before the law holds, so only `residual` measures the quality of the solution. The
//! impulses depend on the order of the contacts; the velocity does not, once it has converged. Jᵢ and WJᵢᵀ are computed
//! once per solve in the contact's frame, so a visit is two small products and the rule of a single contact.

use nalgebra::{Matrix3, Vector2, Vector3, Vector6};
use tightfit_spatial::Scalar;

use super::contact_frame::frame_and_delassus;
use super::ladder::SolverWorkspace;
use super::maximum_dissipation;
use super::method::{SlipRule, SweepOptions, SweepStop};
use super::problem::{ContactImpulse, SolveReport, VelocityProblem, WarmStart};
use super::single_contact::SingleContact;
use super::sweep_body::SweepBody;
use crate::make_room;
use crate::records::NOT_FREE;

/// Number of rows over whole bodies for which memory is reserved.
const MOST_WRENCH_ROWS: usize = 16;

/// A contact sticks whose friction is below its limit by more than this share [-].
const STICKS: f64 = 1e-9;

/// A contact of the sweeps.
#[derive(Clone, Debug)]
struct Row {
    contact: usize,
    /// Columns [n t₁ t₂] in world axes.
    frame: Matrix3<f64>,
    /// The first body, and the second where that is free.
    first: SweepBody,
    second: Option<SweepBody>,
    /// Velocity of a kinematic second side, in that frame [m/s].
    surface: Vector3<f64>,
    /// D in that frame [1/kg].
    delassus: Matrix3<f64>,
    single: SingleContact<Scalar>,
    /// v₀ₜ [m/s].
    start_slip: Vector2<f64>,
    /// b [m/s].
    approach: f64,
    /// p in that frame [N·s].
    impulse: Vector3<f64>,
}

impl Row {
    /// Relative velocity in the contact's frame [m/s].
    #[inline(always)]
    fn relative_velocity(&self, velocity: &[f64]) -> Vector3<f64> {
        let own = self.first.velocity(velocity) - self.surface;
        self.second.as_ref().map_or(own, |second| own - second.velocity(velocity))
    }

    /// V += W Jᵀ δp.
    #[inline(always)]
    fn apply(&self, change: &Vector3<f64>, velocity: &mut [f64]) {
        self.first.push(change, velocity);
        if let Some(second) = &self.second {
            second.push(&-change, velocity);
        }
    }
}

/// A row over a whole body.
#[derive(Clone, Copy, Debug)]
struct BodyRow {
    /// Index of the body's first velocity component.
    first: usize,
    /// N, and W N.
    direction: Vector6<f64>,
    response: Vector6<f64>,
    /// d = NᵀWN [1/kg].
    gain: f64,
    /// b [m/s].
    approach: f64,
}

/// Buffers of the sweeps; a solve allocates nothing after `make_room`.
#[derive(Clone, Debug, Default)]
pub struct SweepWorkspace {
    rows: Vec<Row>,
    body_rows: Vec<BodyRow>,
    /// λ of the rows over whole bodies [N·s].
    multipliers: Vec<f64>,
}

impl SweepWorkspace {
    /// Reserves memory for `contacts` contacts.
    pub fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.rows, contacts);
        make_room(&mut self.body_rows, MOST_WRENCH_ROWS);
        make_room(&mut self.multipliers, MOST_WRENCH_ROWS);
    }

    /// λ of the rows over whole bodies in the last solve, in their order [N·s].
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Number of contacts that fit without an allocation.
    #[must_use]
    pub fn room(&self) -> usize {
        self.rows.capacity()
    }
}

/// Solves the problem from zero impulses, contact by contact with a slip rule or row by row without. Results are in
/// `workspace`.
pub(super) fn solve(
    problem: &VelocityProblem<'_>,
    start: &[f64],
    slip: Option<SlipRule>,
    options: &SweepOptions,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
    sweeps: &mut SweepWorkspace,
) -> SolveReport {
    let mut report = SolveReport::default();
    let is_sound = load(problem, start, 0..problem.contacts.len(), sweeps);
    workspace.velocity.clear();
    workspace.velocity.extend_from_slice(problem.free_velocity);
    sweeps.multipliers.clear();
    sweeps.multipliers.resize(problem.rows.len(), 0.0);
    for _ in 0..options.sweeps {
        let mut largest = 0.0_f64;
        for row in &mut sweeps.rows {
            largest = largest.max(visit(row, slip, options.relaxation, &mut workspace.velocity));
        }
        for (row, multiplier) in sweeps.body_rows.iter().zip(&mut sweeps.multipliers) {
            let change = visit_body(row, multiplier, options.relaxation, &mut workspace.velocity);
            largest = largest.max(change);
        }
        report.iterations += 1;
        report.evaluations += 1;
        if options.stopping == SweepStop::Constraints {
            largest = violation(sweeps, &workspace.velocity);
        }
        if largest <= options.tolerance * options.tolerance {
            report.converged = is_sound;
            break;
        }
    }
    finish(problem, warm, workspace, sweeps);
    report.working_set = sweeps.rows.len();
    report.active = workspace.impulses.len();
    report.rounds = 1;
    report
}

/// Largest squared violation of the constraints by velocities and impulses [m²/s²].
fn violation(sweeps: &SweepWorkspace, velocity: &[f64]) -> f64 {
    let unmet = |speed: f64, is_loaded: bool| if is_loaded { speed } else { speed.min(0.0) };
    let contact = |row: &Row| {
        let v = row.relative_velocity(velocity);
        let normal = unmet(v.x + row.approach, row.impulse.x > 0.0);
        let sticks = row.impulse.yz().norm() < (1.0 - STICKS) * row.single.friction() * row.impulse.x;
        normal * normal + if sticks { v.yz().norm_squared() } else { 0.0 }
    };
    let body = |(row, multiplier): (&BodyRow, &f64)| {
        let speed: f64 = row.direction.iter().zip(&velocity[row.first..]).map(|(n, v)| n * v).sum();
        unmet(speed + row.approach, *multiplier > 0.0).powi(2)
    };
    let contacts = sweeps.rows.iter().map(contact);
    contacts.chain(sweeps.body_rows.iter().zip(&sweeps.multipliers).map(body)).fold(0.0, f64::max)
}

/// Improves the impulses [N·s] of some contacts, in world axes, and the velocity that belongs to them, by a number of sweeps row
/// by row; false where the response of a contact is not positive definite.
pub(super) fn improve(
    problem: &VelocityProblem<'_>,
    contacts: impl Iterator<Item = usize>,
    impulses: &mut [Vector3<f64>],
    velocity: &mut Vec<f64>,
    sweeps: &mut SweepWorkspace,
    count: u32,
) -> bool {
    if !load(problem, problem.free_velocity, contacts, sweeps) {
        return false;
    }
    velocity.clear();
    velocity.extend_from_slice(problem.free_velocity);
    for (row, impulse) in sweeps.rows.iter_mut().zip(&*impulses) {
        row.impulse = row.frame.tr_mul(impulse);
        row.apply(&row.impulse.clone(), velocity);
    }
    for sweep in 0..count {
        // there and back: what one end of a chain of bodies carries reaches the other one
        let mut pass = |row: &mut Row| {
            visit(row, None, 1.0, velocity);
        };
        match sweep % 2 {
            0 => sweeps.rows.iter_mut().for_each(&mut pass),
            _ => sweeps.rows.iter_mut().rev().for_each(&mut pass),
        }
    }
    for (row, impulse) in sweeps.rows.iter().zip(impulses) {
        *impulse = row.frame * row.impulse;
    }
    true
}

/// Fills the rows of some contacts; false when the response of one is not positive definite.
fn load(
    problem: &VelocityProblem<'_>,
    start: &[f64],
    numbers: impl Iterator<Item = usize>,
    sweeps: &mut SweepWorkspace,
) -> bool {
    let contacts = problem.contacts;
    sweeps.rows.clear();
    let mut is_sound = true;
    for contact in numbers {
        let [frame, delassus] = frame_and_delassus(problem, contact);
        let Some(single) = SingleContact::of(&delassus, contacts.friction[contact]) else {
            is_sound = false;
            continue;
        };
        let start_slip = (frame.transpose() * contacts.relative_velocity(contact, start)).yz();
        let side = |body: u32, arm| SweepBody::new(body, &arm, &frame, &problem.response[body as usize]);
        let first = side(contacts.body_a[contact], contacts.arm_a.get(contact));
        let (second, surface) = match contacts.body_b[contact] {
            NOT_FREE => (None, frame.transpose() * contacts.surface(contact)),
            body => (Some(side(body, contacts.second_arm(contact))), Vector3::zeros()),
        };
        let (approach, impulse) = (problem.approach[contact], Vector3::zeros());
        sweeps.rows.push(Row {
            contact,
            frame,
            first,
            second,
            surface,
            delassus,
            single,
            start_slip,
            approach,
            impulse,
        });
    }
    sweeps.body_rows.clear();
    sweeps.body_rows.extend(problem.rows.iter().map(|row| {
        let response = problem.response[row.body as usize] * row.direction;
        BodyRow {
            first: 6 * row.body as usize,
            direction: row.direction,
            response,
            gain: row.direction.dot(&response),
            approach: row.approach,
        }
    }));
    is_sound
}

/// Solves one contact given the others; returns |diag(D) δp|² [m²/s²].
fn visit(row: &mut Row, slip: Option<SlipRule>, relaxation: f64, velocity: &mut [f64]) -> f64 {
    let v = row.relative_velocity(velocity);
    let is_loaded = row.impulse != Vector3::zeros();
    if !is_loaded && v.x + row.approach >= 0.0 {
        return 0.0;
    }
    let next = match slip {
        None => row_by_row(row, v, relaxation),
        Some(slip) => {
            let free = v - row.delassus * row.impulse;
            let solution = match slip {
                SlipRule::Dissipation => {
                    maximum_dissipation::solve(&row.single, free, row.start_slip, row.approach, &row.impulse)
                }
                SlipRule::Coulomb => row.single.solve(free, row.approach),
            };
            let blend = row.impulse + (solution - row.impulse) * relaxation;
            if relaxation > 1.0 { onto_cone(blend, row.single.friction()) } else { blend }
        }
    };
    let change = next - row.impulse;
    row.impulse = next;
    row.apply(&change, velocity);
    row.delassus.diagonal().component_mul(&change).norm_squared()
}

/// Solves one row over a whole body given all else; returns |d δλ|² [m²/s²].
fn visit_body(row: &BodyRow, multiplier: &mut f64, relaxation: f64, velocity: &mut [f64]) -> f64 {
    if row.gain <= 0.0 {
        return 0.0;
    }
    let own = &mut velocity[row.first..row.first + 6];
    let speed: f64 = row.direction.iter().zip(&*own).map(|(n, v)| n * v).sum();
    let alone = speed - row.gain * *multiplier;
    let wanted = (-(alone + row.approach) / row.gain).max(0.0);
    let change = (relaxation * (wanted - *multiplier)).max(-*multiplier);
    *multiplier += change;
    for (own, response) in own.iter_mut().zip(&row.response) {
        *own += response * change;
    }
    (row.gain * change).powi(2)
}

/// The normal, then friction. Both tangents take the same step size: with different ones, friction cut to the cone
/// would settle at an angle to the slip.
fn row_by_row(row: &Row, mut v: Vector3<f64>, relaxation: f64) -> Vector3<f64> {
    let d = &row.delassus;
    let normal = (row.impulse.x - relaxation * (v.x + row.approach) / d[(0, 0)]).max(0.0);
    v += d.column(0) * (normal - row.impulse.x);
    let stride = relaxation / d[(1, 1)].max(d[(2, 2)]);
    let tangential = row.impulse.yz() - v.yz() * stride;
    onto_cone(Vector3::new(normal, tangential.x, tangential.y), row.single.friction())
}

/// Removes a pulling impulse, and cuts friction to μpₙ.
fn onto_cone(p: Vector3<f64>, friction: f64) -> Vector3<f64> {
    let (normal, tangential) = (p.x.max(0.0), p.yz());
    let (size, most) = (tangential.norm(), friction * normal);
    let kept = if size > most { tangential * (most / size) } else { tangential };
    Vector3::new(normal, kept.x, kept.y)
}

/// Sums impulses, generalised impulse and velocity in the order of the record, and stores the warm start.
fn finish(
    problem: &VelocityProblem<'_>,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
    sweeps: &mut SweepWorkspace,
) {
    let SolverWorkspace { velocity, impulses, generalised, slowest_open, order, .. } = workspace;
    impulses.clear();
    generalised.clear();
    generalised.resize(problem.free_velocity.len(), 0.0);
    for row in sweeps.rows.iter().filter(|row| row.impulse != Vector3::zeros()) {
        let impulse = row.frame * row.impulse;
        impulses.push(ContactImpulse { contact: row.contact, impulse });
        problem.contacts.add_impulse(row.contact, impulse, generalised);
    }
    for (row, multiplier) in problem.rows.iter().zip(&sweeps.multipliers) {
        for (own, direction) in generalised[6 * row.body as usize..].iter_mut().zip(&row.direction) {
            *own += direction * multiplier;
        }
    }
    problem.respond(generalised, velocity);
    // Unknown, so the residual evaluates all contacts.
    *slowest_open = None;
    warm.store(problem.contacts, velocity, impulses, order);
}
