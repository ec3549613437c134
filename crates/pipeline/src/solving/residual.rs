//! How far impulses and velocities are from the contact law, the same measure for all solvers (docs/design/math.md
//! §3.2).
//!
//! ```text
//! coulomb          max |diag(Dᵢ)(p* − pᵢ)|     p* single-contact solution given the others, c = v − Dᵢpᵢ
//!                  max (−(vₙ + b))⁺             contacts without impulse
//! complementarity  max |vₙ + b|                 contacts with pₙ > 0
//! cone             max (|pₜ| − μpₙ)⁺/pₙ
//! ```
//!
//! Dᵢ = Jᵢ W Jᵢᵀ with the full W [1/kg]. Where the law has several solutions (Painlevé) p* is the nearest.

use tightfit_spatial::{Simd, Wide, Wide3, WithSimd, with_registers};

use super::contact_frame::{
    WideMatrix, apply, body_delassus, frame_and_delassus, frame_of, sum, turned_into,
};
use super::contact_law::ContactRow;
use super::law_block::relative;
use super::normal_speed;
use super::problem::{ContactImpulse, VelocityProblem};
use super::row_blocks::{BLOCK_ROWS, PerRow, PerRow3, RowBlock, WideRows, set};
use super::single_contact::{SingleContact, tangential_norm};
use crate::records::NOT_FREE;

/// Smallest normal impulse in the relative error of the cone [N·s].
const SMALLEST_IMPULSE: f64 = 1e-15;

/// How far impulses and velocity are from a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Distance to the single-contact solutions, and approach speed of contacts without impulse [m/s].
    pub coulomb: f64,
    /// |vₙ + b| where an impulse acts [m/s].
    pub complementarity: f64,
    /// Excess of friction over the cone, relative to the normal impulse [-].
    pub cone: f64,
}

/// A bound of the residual that is not refined [m/s]: a fifth of the convergence threshold.
const GOOD_ENOUGH: f64 = 2e-6;

/// Residuals of impulses and of the velocity that they lead to. Each contact appears at most once.
#[must_use]
pub fn coulomb_residual(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
) -> Residuals {
    coulomb_residual_from(problem, impulses, velocity, None)
}

/// Like [`coulomb_residual`], without the pass over all contacts where `slowest_open`, the smallest vₙ + b [m/s] of
/// those without impulse, is known.
#[must_use]
pub fn coulomb_residual_from(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    slowest_open: Option<f64>,
) -> Residuals {
    let mut residuals = Residuals::default();
    // The distance to any solution bounds that to the nearest, which costs more: usually one search, at the largest
    // bound, suffices.
    let mut largest = (0.0, None);
    each_bound(problem, impulses, velocity, &mut residuals, |entry, bound, _| {
        if bound > largest.0 {
            largest = (bound, Some(*entry));
        }
    });
    if largest.0 <= GOOD_ENOUGH {
        residuals.coulomb = largest.0;
    } else if let (bound, Some(entry)) = largest {
        residuals.coulomb = nearest_distance(problem, &entry, velocity);
        if residuals.coulomb < bound {
            each_bound(problem, impulses, velocity, &mut residuals, |entry, bound, residuals| {
                if bound > residuals.coulomb {
                    let nearest = nearest_distance(problem, entry, velocity);
                    residuals.coulomb = residuals.coulomb.max(nearest);
                }
            });
        }
    }
    match slowest_open {
        Some(speed) => residuals.coulomb = residuals.coulomb.max(-speed),
        None => add_open(problem, impulses, velocity, &mut residuals),
    }
    residuals
}

/// Visits every contact with a bound on its distance [m/s] to the nearest solution of the law.
fn each_bound(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    residuals: &mut Residuals,
    mut take: impl FnMut(&ContactImpulse, f64, &mut Residuals),
) {
    let bodies = |entry: &ContactImpulse| {
        (problem.contacts.body_a[entry.contact], problem.contacts.body_b[entry.contact])
    };
    for pair in impulses.chunk_by(|one, next| bodies(one) == bodies(next)) {
        for entries in pair.chunks(BLOCK_ROWS) {
            let mut block = BlockResiduals::new(problem, bodies(&entries[0]), entries);
            with_registers(Evaluation { problem, velocity, block: &mut block });
            for (lane, entry) in entries.iter().enumerate() {
                residuals.complementarity = residuals.complementarity.max(block.complementarity[lane]);
                residuals.cone = residuals.cone.max(block.cone[lane]);
                let bound = block.distance[lane];
                let bound = if bound.is_nan() { nearest_distance(problem, entry, velocity) } else { bound };
                take(entry, bound, residuals);
            }
        }
    }
}

/// Contacts without impulse.
fn add_open(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    residuals: &mut Residuals,
) {
    let contacts = problem.contacts;
    for (contact, approach) in problem.approach.iter().enumerate().take(contacts.len()) {
        let speed = normal_speed::of(contacts, contact, velocity, *approach);
        if -speed > residuals.coulomb && !impulses.iter().any(|entry| entry.contact == contact) {
            residuals.coulomb = -speed;
        }
    }
}

/// Distance [m/s] of one contact to the nearest solution of the law.
fn nearest_distance(problem: &VelocityProblem<'_>, entry: &ContactImpulse, velocity: &[f64]) -> f64 {
    let contacts = problem.contacts;
    let [frame, delassus] = frame_and_delassus(problem, entry.contact);
    let v = frame.transpose() * contacts.relative_velocity(entry.contact, velocity);
    let p = frame.transpose() * entry.impulse;
    let Some(single) = SingleContact::of(&delassus, contacts.friction[entry.contact]) else {
        return f64::INFINITY;
    };
    let solution = single.nearest(v - delassus * p, problem.approach[entry.contact], &p);
    single.distance(Wide3::one(&solution), Wide3::one(&p)).value()
}

/// Up to eight contacts of one pair of bodies, and their residuals.
struct BlockResiduals {
    rows: RowBlock,
    impulse: PerRow3,
    count: usize,
    /// Distance to a solution of the law [m/s]; not a number where secants found none.
    distance: PerRow,
    complementarity: PerRow,
    cone: PerRow,
}

impl BlockResiduals {
    /// Unused lanes repeat the first contact.
    fn new(problem: &VelocityProblem<'_>, bodies: (u32, u32), entries: &[ContactImpulse]) -> Self {
        let (mut rows, mut impulse) = (RowBlock::new(bodies.0, bodies.1), PerRow3::default());
        for lane in 0..BLOCK_ROWS {
            let entry = &entries[if lane < entries.len() { lane } else { 0 }];
            rows.push(&ContactRow::new(problem, entry.contact), lane);
            set(&mut impulse, lane, entry.impulse);
        }
        let zero = PerRow::default();
        Self { rows, impulse, count: entries.len(), distance: zero, complementarity: zero, cone: zero }
    }

    /// Fills the residuals of one register of rows from their relative velocities and D in world axes.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, rows: &WideRows<S>, v: Wide3<S>, delassus: &WideMatrix<S>, register: usize) {
        let simd = rows.friction.simd();
        let zero = Wide::splat(simd, 0.0);
        let frame = frame_of(rows.normal);
        let p = apply(&frame, Wide3::load(simd, &self.impulse, register));
        let v = apply(&frame, v);

        let closing = (v.0[0] + rows.approach).abs();
        zero.is_below(p.0[0]).keep(closing).store(&mut self.complementarity, register);
        let smallest = Wide::splat(simd, SMALLEST_IMPULSE);
        let carried = p.0[0].is_below(smallest).choose(smallest, p.0[0]);
        ((tangential_norm(p) - rows.friction * p.0[0]) / carried).store(&mut self.cone, register);

        let delassus = turned_into(&frame, delassus);
        let single = SingleContact::new(&delassus, rows.friction);
        let free = single.free_speed(v - apply(&delassus, p), rows.approach);
        let distance = single.distance(single.solve_near(&free, p, tangential_norm(v)), p);
        let unknown = Wide::splat(simd, f64::NAN);
        single.is_unsound().choose(unknown, distance).store(&mut self.distance, register);
    }
}

/// Evaluates the residuals of a block.
struct Evaluation<'a> {
    problem: &'a VelocityProblem<'a>,
    velocity: &'a [f64],
    block: &'a mut BlockResiduals,
}

impl WithSimd for Evaluation<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { problem, velocity, block } = self;
        let velocities = block.rows.velocities(simd, velocity);
        let response = |body: u32| &problem.response[body as usize];
        for register in 0..block.count.div_ceil(S::F64_LANES) {
            let rows = block.rows.wide(simd, register);
            let first = body_delassus(response(block.rows.body_a), rows.arms[0]);
            let (v, delassus) = match block.rows.body_b {
                NOT_FREE => (relative::<S, 1>(&rows, &velocities), first),
                body => {
                    let second = body_delassus(response(body), rows.arms[1]);
                    (relative::<S, 2>(&rows, &velocities), sum(first, second))
                }
            };
            block.fill(&rows, v, &delassus, register);
        }
    }
}
