//! Keeps the pose increment from penetrating: a dual active-set quadratic program (docs/design/math.md §4.3, step 4).
//!
//! ```text
//! min ½ |U − Ū|²_M    subject to    φᵢ + T (Jₙᵢ U − uₙᵢ) ≥ 0    for all contacts
//! U = Ū + M⁻¹ Σ λᵢ Jₙᵢᵀ,   λ ≥ 0
//!
//! worst row p:   r = (NᵀM⁻¹N)⁻¹ NᵀM⁻¹ Jₚᵀ       z = M⁻¹(Jₚᵀ − N r)       N: active rows as columns
//!                t₁ = min λᵢ/rᵢ over rᵢ > 0       t₂ = −slackₚ/(Jₚ z)       t = min(t₁, t₂)
//!                U += t z,  λ −= t r,  λₚ += t    t₂: p becomes active;  t₁: that row leaves
//! ```
//!
//! φ gap [m], T horizon [s], U velocities that move the pose [m/s, rad/s], u velocity of a kinematic surface,
//! M mass [kg, kg·m²] in world axes. Each choice of p is one pass over all contacts; usually two or three suffice. Gaps
//! that cannot all be opened (a wedge narrower than the peg) leave z = 0 and no row to drop: then bisection finds the
//! smallest violation that is possible everywhere. [Goldfarb & Idnani, Math. Prog. 27, 1983]
//!
//! Rows replace surfaces by planes, which is accurate only near the contact. Two almost opposite planes, as at crossing
//! edges, intersect millimetres away, which is no remedy for a micrometre. So a solution must stay within reach,
//!
//! ```text
//! T (|U − Ū|_v + |U − Ū|_ω ρ) ≤ reach + 4 n |worst gap|      for every body of n, ρ the longest arm of an active row
//! ```
//!
//! and gaps that cannot be opened within it are infeasible like the wedge.

use nalgebra::Matrix6;

use super::dense::invert_definite;
use super::normal_speed::{self, Speeds};
use crate::make_room;
use crate::records::{Contacts, NOT_FREE};

/// Penetration that is not projected [m]; otherwise the projection would act in most steps without benefit.
pub const SLOP: f64 = 20e-9;
/// Tolerance below the target at which a gap counts as open [m].
const OPEN: f64 = 1e-9;
/// Largest number of pivots per body; feasible pegs need fewer than ten.
const PIVOTS_PER_BODY: u32 = 100;
/// A row depends on the active ones if its component normal to them is below this share of it (squared) [-].
const INDEPENDENT: f64 = 1e-10;
/// Bisections of the accepted violation when not all gaps can be opened: to 0.1 % of the first.
const RELAXATIONS: u32 = 10;

/// Displacement per depth and body that is always within reach [-]: the lever of a part that penetrates at one end. Bodies in a
/// row push one another on.
const LEVER: f64 = 4.0;

/// Report of one projection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectionReport {
    /// Steps of the active-set method.
    pub pivots: u32,
    /// Smallest predicted gap before [m]; infinite without contacts.
    pub worst_before: f64,
    /// Smallest predicted gap after [m].
    pub worst_after: f64,
    /// Whether all gaps are open, or were within [`SLOP`]. When false the result is the least violating point found.
    pub complete: bool,
}

/// Buffers of [`project`].
#[derive(Clone, Debug, Default)]
pub struct ProjectionWorkspace {
    /// M⁻¹ per body.
    inverse_mass: Vec<Matrix6<f64>>,
    /// U at the current pivot.
    velocity: Vec<f64>,
    /// Least violating U.
    best: Vec<f64>,
    /// λ of the active rows.
    multipliers: Vec<f64>,
    /// Longest arm of any row that was active, the square of it [m²].
    longest: f64,
    /// Jₙ of the active rows, one after the other.
    gradients: Vec<f64>,
    /// M⁻¹Jₙᵀ of the active rows.
    responses: Vec<f64>,
    /// Jₙ and M⁻¹Jₙᵀ of the row that enters.
    gradient: Vec<f64>,
    response: Vec<f64>,
    /// z.
    direction: Vec<f64>,
    /// Cholesky factor of NᵀM⁻¹N, and r.
    gram: Vec<f64>,
    shares: Vec<f64>,
    search: Search,
}

/// The rows φᵢ + T (Jₙᵢ U − uₙᵢ) ≥ target.
struct Rows<'a> {
    contacts: &'a Contacts,
    gaps: &'a [f64],
    horizon: f64,
    /// Largest displacement of a body for which the rows are accurate [m].
    reach: f64,
}

/// Data of a search for the worst row: φ/T − uₙ and φ/T + Jₙ U − uₙ [m/s].
#[derive(Clone, Debug, Default)]
struct Search {
    offset: Vec<f64>,
    slack: Speeds,
    /// The smallest of the slacks.
    least: f64,
}

impl Search {
    /// The contact with the smallest slack.
    fn place(&self) -> usize {
        self.slack.at_most(self.least).next().unwrap_or(usize::MAX)
    }
}

/// Moves `velocity` (U, stacked per body) to the nearest one that opens all gaps within `horizon` [s]. Contacts were
/// detected as far as `reach` [m].
pub fn project(
    contacts: &Contacts,
    gaps: &[f64],
    horizon: f64,
    reach: f64,
    mass: &[Matrix6<f64>],
    velocity: &mut [f64],
    workspace: &mut ProjectionWorkspace,
) -> ProjectionReport {
    let mut rows = Rows { contacts, gaps, horizon, reach };
    normal_speed::fill_offset(contacts, gaps, 1.0 / horizon, &mut workspace.search.offset);
    let worst = rows.worst(velocity, &mut workspace.search);
    let mut report =
        ProjectionReport { pivots: 0, worst_before: worst, worst_after: worst, complete: worst >= -SLOP };
    if report.complete || worst.is_nan() {
        return report;
    }
    rows.reach -= LEVER * mass.len() as f64 * worst;
    workspace.inverse_mass.clear();
    for mass in mass {
        let Some(inverse) = invert_definite(mass) else { return report };
        workspace.inverse_mass.push(inverse);
    }

    report.complete = attempt(&rows, 0.0, velocity, workspace, &mut report.pivots);
    if report.complete {
        velocity.copy_from_slice(&workspace.velocity);
        report.worst_after = horizon * workspace.search.least;
    } else {
        // The start violates no gap by more than |worst|, so that violation is always possible.
        workspace.best.clear();
        workspace.best.extend_from_slice(velocity);
        let (mut impossible, mut possible) = (0.0, worst);
        for _ in 0..RELAXATIONS {
            let target = f64::midpoint(impossible, possible);
            if attempt(&rows, target, velocity, workspace, &mut report.pivots) {
                possible = target;
                std::mem::swap(&mut workspace.best, &mut workspace.velocity);
            } else {
                impossible = target;
            }
        }
        velocity.copy_from_slice(&workspace.best);
        report.worst_after = rows.worst(velocity, &mut workspace.search);
    }
    report
}

/// Goldfarb–Idnani from Ū = `start`, where all gaps must reach `target` [m]; the result is in `workspace.velocity`.
fn attempt(
    rows: &Rows<'_>,
    target: f64,
    start: &[f64],
    workspace: &mut ProjectionWorkspace,
    pivots: &mut u32,
) -> bool {
    workspace.velocity.clear();
    workspace.velocity.extend_from_slice(start);
    workspace.multipliers.clear();
    workspace.longest = 0.0;
    workspace.gradients.clear();
    workspace.responses.clear();
    let limit = *pivots + PIVOTS_PER_BODY * workspace.inverse_mass.len() as u32;
    loop {
        let worst = rows.worst(&workspace.velocity, &mut workspace.search);
        if worst >= target - OPEN {
            return rows.displacement(start, workspace) <= rows.reach;
        }
        let contact = workspace.search.place();
        rows.set_gradient(contact, workspace);
        let mut multiplier = 0.0;
        loop {
            if *pivots == limit {
                return false;
            }
            *pivots += 1;
            let slack = (rows.gap(contact, &workspace.velocity) - target) / rows.horizon;
            match pivot(slack, &mut multiplier, workspace) {
                Pivot::Enters => break,
                Pivot::Drops => {}
                Pivot::Infeasible => return false,
            }
        }
    }
}

/// Result of a pivot.
enum Pivot {
    /// The row is satisfied and active.
    Enters,
    /// An active row left; the entering one is not satisfied yet.
    Drops,
    /// The active rows forbid the entering one.
    Infeasible,
}

/// One step of the method for the row in `gradient`, whose slack is `slack` [m/s] and multiplier `multiplier`.
fn pivot(slack: f64, multiplier: &mut f64, workspace: &mut ProjectionWorkspace) -> Pivot {
    let size = workspace.velocity.len();
    workspace.solve_shares();
    let ProjectionWorkspace { multipliers, responses, gradient, response, direction, shares, .. } = workspace;
    direction.clear();
    direction.extend_from_slice(response);
    for (share, active) in shares.iter().zip(responses.chunks_exact(size)) {
        for (z, y) in direction.iter_mut().zip(active) {
            *z -= share * y;
        }
    }
    let curvature = dot(gradient, direction);
    let mut dual = (f64::INFINITY, usize::MAX);
    for (place, (&share, &multiplier)) in shares.iter().zip(multipliers.iter()).enumerate() {
        if share > 1e-12 && multiplier / share < dual.0 {
            dual = (multiplier / share, place);
        }
    }
    let independent = shares.len() < size && curvature > INDEPENDENT * dot(gradient, response);
    let primal = if independent { -slack / curvature } else { f64::INFINITY };
    let step = dual.0.min(primal);
    if !step.is_finite() {
        return Pivot::Infeasible;
    }
    for (multiplier, share) in multipliers.iter_mut().zip(shares.iter()) {
        // Rounding must not make a multiplier negative.
        *multiplier = (*multiplier - step * share).max(0.0);
    }
    *multiplier += step;
    if independent {
        for (u, z) in workspace.velocity.iter_mut().zip(direction.iter()) {
            *u += step * z;
        }
    }
    if primal <= dual.0 {
        multipliers.push(*multiplier);
        workspace.gradients.extend_from_slice(gradient);
        responses.extend_from_slice(response);
        Pivot::Enters
    } else {
        multipliers.remove(dual.1);
        workspace.gradients.drain(dual.1 * size..(dual.1 + 1) * size);
        responses.drain(dual.1 * size..(dual.1 + 1) * size);
        Pivot::Drops
    }
}

impl ProjectionWorkspace {
    /// Reserves memory for `bodies` bodies and `contacts` contacts: then no projection allocates.
    pub fn make_room(&mut self, bodies: usize, contacts: usize) {
        let size = 6 * bodies;
        let Self { inverse_mass, velocity, best, multipliers, gradients, responses, .. } = self;
        make_room(inverse_mass, bodies);
        for buffer in [velocity, best, multipliers] {
            make_room(buffer, size);
        }
        // At most 6n rows are active; one more may enter before another leaves.
        for buffer in [gradients, responses, &mut self.gram] {
            make_room(buffer, size * (size + 1));
        }
        for buffer in [&mut self.gradient, &mut self.response, &mut self.direction, &mut self.shares] {
            make_room(buffer, size + 1);
        }
        make_room(&mut self.search.offset, contacts);
        self.search.slack.make_room(contacts);
    }

    /// The contacts whose predicted gap after `horizon` [s] is at most `gap` [m] in the last projection.
    pub fn left_within(&self, gap: f64, horizon: f64) -> impl Iterator<Item = usize> {
        self.search.slack.at_most(gap / horizon)
    }

    /// r = (NᵀM⁻¹N)⁻¹ NᵀM⁻¹Jᵀ by Cholesky; at most 6n rows.
    fn solve_shares(&mut self) {
        let size = self.velocity.len();
        let count = self.multipliers.len();
        self.gram.clear();
        self.gram.resize(count * count, 0.0);
        self.shares.clear();
        for i in 0..count {
            let own = &self.gradients[i * size..(i + 1) * size];
            self.shares.push(dot(own, &self.response));
            for j in 0..=i {
                self.gram[i * count + j] = dot(own, &self.responses[j * size..(j + 1) * size]);
            }
        }
        let (gram, shares) = (&mut self.gram, &mut self.shares);
        for i in 0..count {
            let diagonal = gram[i * count + i];
            for j in 0..=i {
                let mut sum = gram[i * count + j];
                for k in 0..j {
                    sum -= gram[i * count + k] * gram[j * count + k];
                }
                gram[i * count + j] =
                    if i == j { sum.max(1e-14 * diagonal).sqrt() } else { sum / gram[j * count + j] };
            }
        }
        for i in 0..count {
            for k in 0..i {
                shares[i] -= gram[i * count + k] * shares[k];
            }
            shares[i] /= gram[i * count + i];
        }
        for i in (0..count).rev() {
            for k in i + 1..count {
                shares[i] -= gram[k * count + i] * shares[k];
            }
            shares[i] /= gram[i * count + i];
        }
    }
}

impl Rows<'_> {
    /// φ + T (Jₙ U − uₙ) [m].
    #[inline]
    fn gap(&self, contact: usize, velocity: &[f64]) -> f64 {
        self.gaps[contact] + self.horizon * self.contacts.normal_speed(contact, velocity)
    }

    /// Largest displacement of a body by the projection [m].
    fn displacement(&self, start: &[f64], workspace: &ProjectionWorkspace) -> f64 {
        let arm = workspace.longest.sqrt();
        let bodies = start.chunks_exact(6).zip(workspace.velocity.chunks_exact(6));
        let displacements = bodies.map(|(start, end)| {
            let length = |axes: std::ops::Range<usize>| {
                axes.map(|axis| (end[axis] - start[axis]).powi(2)).sum::<f64>().sqrt()
            };
            self.horizon * (length(0..3) + length(3..6) * arm)
        });
        displacements.fold(0.0, f64::max)
    }

    /// Smallest predicted gap [m].
    fn worst(&self, velocity: &[f64], search: &mut Search) -> f64 {
        let Search { offset, slack, least } = search;
        *least = normal_speed::fill(self.contacts, offset, velocity, 0.0, slack).speed;
        self.horizon * *least
    }

    /// Jₙ and M⁻¹Jₙᵀ of a contact.
    fn set_gradient(&self, contact: usize, workspace: &mut ProjectionWorkspace) {
        let size = workspace.velocity.len();
        let ProjectionWorkspace { gradient, response, inverse_mass, longest, .. } = workspace;
        for buffer in [&mut *gradient, &mut *response] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.contacts.add_impulse(contact, self.contacts.normal.get(contact), gradient);
        *longest = longest.max(self.contacts.longest_arm_squared(contact));
        for body in [self.contacts.body_a[contact], self.contacts.body_b[contact]] {
            if body == NOT_FREE {
                continue;
            }
            let start = 6 * body as usize;
            for row in 0..6 {
                for column in 0..6 {
                    response[start + row] +=
                        inverse_mass[body as usize][(row, column)] * gradient[start + column];
                }
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
