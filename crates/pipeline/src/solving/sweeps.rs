//! Solvers that go from contact to contact: block SOR (paper Algorithm 1, MATH 3.1) and projected Gauss-Seidel.
//!
//! ```text
//! V = V_f + W Σ Jⱼᵀpⱼ kept up to date; at contact i, in its frame [n t₁ t₂]:
//! sor   c = JᵢV − Dᵢpᵢ,  p* = single(Dᵢ, c, JᵢV₀, bᵢ)                            p ← α p* + (1 − α) p
//! pgs   pₙ ← (pₙ − α (vₙ + b)/Dₙₙ)⁺,  then  pₜ ← pₜ − α vₜ/max(D₁₁, D₂₂),  |pₜ| cut to μpₙ
//! rows  s = NᵀV − d λ,  d = NᵀWN,  λ* = max(0, −(s + b)/d)                      λ ← α λ* + (1 − α) λ,  at least 0
//! end   max |diag(Dᵢ) δpᵢ|, |d δλ| ≤ tolerance, or out of sweeps
//! ```
//!
//! The rows N over whole bodies (C-space) are visited after the contacts of every sweep, as in the paper.
//! α > 1 leaves the cone; what does is put back radially. Both stall where contacts oppose one another (a wedge): the
//! change per sweep gets small long before the law holds, so only `residual` says how good the answer is. The
//! impulses depend on the order of the contacts, the velocity does not once they have converged.
//! Jᵢ and WJᵢᵀ are made once per solve, in the contact's frame: a visit is two small products around the rule of one
//! contact.

use nalgebra::{Matrix3, Vector2, Vector3, Vector6};
use tightfit_spatial::Scalar;

use super::contact_frame::frame_and_delassus;
use super::ladder::SolverWorkspace;
use super::maximum_dissipation;
use super::method::SweepOptions;
use super::problem::{ContactImpulse, SolveReport, VelocityProblem, WarmStart};
use super::single_contact::SingleContact;
use super::sweep_body::SweepBody;
use crate::make_room;
use crate::records::NOT_FREE;

/// Rows over whole bodies that there is room for from the start.
const MOST_WRENCH_ROWS: usize = 16;

/// What is done at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Block, slip by maximum dissipation.
    Dissipation,
    /// Block, slip by Coulomb's law.
    Coulomb,
    /// Normal and friction apart.
    Rows,
}

/// A contact of the sweeps.
#[derive(Clone, Debug)]
struct Row {
    contact: usize,
    /// Columns [n t₁ t₂] in world axes.
    frame: Matrix3<f64>,
    /// The first body, and the second where that is free.
    first: SweepBody,
    second: Option<SweepBody>,
    /// Velocity of a second side that is moved as told, in that frame [m/s].
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
    /// Where the body's velocity begins.
    first: usize,
    /// N, and W N.
    direction: Vector6<f64>,
    answers: Vector6<f64>,
    /// d = NᵀWN [1/kg].
    gain: f64,
    /// b [m/s].
    approach: f64,
}

/// Buffers of the sweeps; nothing is allocated once there is room.
#[derive(Clone, Debug, Default)]
pub struct SweepWorkspace {
    rows: Vec<Row>,
    body_rows: Vec<BodyRow>,
    order: Vec<(u32, u32)>,
    /// λ of the rows over whole bodies [N·s].
    multipliers: Vec<f64>,
}

impl SweepWorkspace {
    /// Makes room for so many contacts.
    pub fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.rows, contacts);
        make_room(&mut self.order, contacts);
        make_room(&mut self.body_rows, MOST_WRENCH_ROWS);
        make_room(&mut self.multipliers, MOST_WRENCH_ROWS);
    }

    /// λ of the rows over whole bodies in the last solve, in their order [N·s].
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Contacts that there is room for.
    #[must_use]
    pub fn room(&self) -> usize {
        self.rows.capacity().min(self.order.capacity())
    }
}

/// Solves the problem from no impulses. Results are in `workspace`.
pub(super) fn solve(
    problem: &VelocityProblem<'_>,
    start: &[f64],
    rule: Rule,
    options: &SweepOptions,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
    sweeps: &mut SweepWorkspace,
) -> SolveReport {
    let mut report = SolveReport::default();
    let is_sound = load(problem, start, sweeps);
    workspace.velocity.clear();
    workspace.velocity.extend_from_slice(problem.free_velocity);
    sweeps.multipliers.clear();
    sweeps.multipliers.resize(problem.rows.len(), 0.0);
    for _ in 0..options.sweeps {
        let mut largest = 0.0_f64;
        for row in &mut sweeps.rows {
            largest = largest.max(visit(row, rule, options.relaxation, &mut workspace.velocity));
        }
        for (row, multiplier) in sweeps.body_rows.iter().zip(&mut sweeps.multipliers) {
            let change = visit_body(row, multiplier, options.relaxation, &mut workspace.velocity);
            largest = largest.max(change);
        }
        report.iterations += 1;
        report.evaluations += 1;
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

/// Fills the rows; false when a contact has no response that is positive definite.
fn load(problem: &VelocityProblem<'_>, start: &[f64], sweeps: &mut SweepWorkspace) -> bool {
    let contacts = problem.contacts;
    sweeps.rows.clear();
    for contact in 0..contacts.len() {
        let [frame, delassus] = frame_and_delassus(problem, contact);
        let Some(single) = SingleContact::of(&delassus, contacts.friction[contact]) else { continue };
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
        let answers = problem.response[row.body as usize] * row.direction;
        BodyRow {
            first: 6 * row.body as usize,
            direction: row.direction,
            answers,
            gain: row.direction.dot(&answers),
            approach: row.approach,
        }
    }));
    sweeps.rows.len() == contacts.len()
}

/// Solves one contact given the others; returns |diag(D) δp|² [m²/s²].
fn visit(row: &mut Row, rule: Rule, relaxation: f64, velocity: &mut [f64]) -> f64 {
    let v = row.relative_velocity(velocity);
    let is_loaded = row.impulse != Vector3::zeros();
    if !is_loaded && v.x + row.approach >= 0.0 {
        return 0.0;
    }
    let next = match rule {
        Rule::Rows => row_by_row(row, v, relaxation),
        Rule::Dissipation | Rule::Coulomb => {
            let free = v - row.delassus * row.impulse;
            let answer = match rule {
                Rule::Dissipation => {
                    maximum_dissipation::solve(&row.single, free, row.start_slip, row.approach, &row.impulse)
                }
                _ => row.single.solve(free, row.approach),
            };
            let blend = row.impulse + (answer - row.impulse) * relaxation;
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
    for (own, answer) in own.iter_mut().zip(&row.answers) {
        *own += answer * change;
    }
    (row.gain * change).powi(2)
}

/// The normal, then friction. Both tangents take the same step: with one of its own for each, friction cut to the cone
/// would settle at an angle to the slip.
fn row_by_row(row: &Row, mut v: Vector3<f64>, relaxation: f64) -> Vector3<f64> {
    let d = &row.delassus;
    let normal = (row.impulse.x - relaxation * (v.x + row.approach) / d[(0, 0)]).max(0.0);
    v += d.column(0) * (normal - row.impulse.x);
    let stride = relaxation / d[(1, 1)].max(d[(2, 2)]);
    let tangential = row.impulse.yz() - v.yz() * stride;
    onto_cone(Vector3::new(normal, tangential.x, tangential.y), row.single.friction())
}

/// Drops a pull, and cuts friction to μpₙ.
fn onto_cone(p: Vector3<f64>, friction: f64) -> Vector3<f64> {
    let (normal, tangential) = (p.x.max(0.0), p.yz());
    let (size, most) = (tangential.norm(), friction * normal);
    let kept = if size > most { tangential * (most / size) } else { tangential };
    Vector3::new(normal, kept.x, kept.y)
}

/// Impulses, generalised impulse and velocity, summed anew in the order of the record; warm start for the next step.
fn finish(
    problem: &VelocityProblem<'_>,
    warm: &mut WarmStart,
    workspace: &mut SolverWorkspace,
    sweeps: &mut SweepWorkspace,
) {
    let SolverWorkspace { velocity, impulses, generalised, slowest_open, .. } = workspace;
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
    // not known: the judge looks at all
    *slowest_open = None;

    warm.clear();
    warm.velocity.extend_from_slice(velocity);
    sweeps.order.clear();
    let id = |entry: &ContactImpulse| problem.contacts.id[entry.contact];
    sweeps.order.extend(impulses.iter().enumerate().map(|(place, entry)| (id(entry), place as u32)));
    sweeps.order.sort_unstable();
    for &(id, place) in &sweeps.order {
        warm.ids.push(id);
        warm.impulses.push(impulses[place as usize].impulse);
    }
}
