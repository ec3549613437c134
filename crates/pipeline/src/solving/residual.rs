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
use super::normal_speed;
use super::problem::{ContactImpulse, VelocityProblem};
use super::row_blocks::{BLOCK_ROWS, PerRow, PerRow3, set};
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
            let mut block = ResidualBlock::load(problem, entries, velocity);
            with_registers(BlockResiduals { problem, block: &mut block, bodies: bodies(&entries[0]) });
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
struct ResidualBlock {
    arms: [PerRow3; 2],
    normal: PerRow3,
    impulse: PerRow3,
    velocity: PerRow3,
    approach: PerRow,
    friction: PerRow,
    /// Distance to a solution of the law [m/s]; not a number where secants found none.
    distance: PerRow,
    complementarity: PerRow,
    cone: PerRow,
    count: usize,
}

impl ResidualBlock {
    /// Unused lanes repeat the first contact.
    #[inline(always)]
    fn load(problem: &VelocityProblem<'_>, entries: &[ContactImpulse], velocity: &[f64]) -> Self {
        let (zero, zero3) = ([0.0; BLOCK_ROWS], [[0.0; BLOCK_ROWS]; 3]);
        let mut block = Self {
            arms: [zero3; 2],
            normal: zero3,
            impulse: zero3,
            velocity: zero3,
            approach: zero,
            friction: zero,
            distance: zero,
            complementarity: zero,
            cone: zero,
            count: entries.len(),
        };
        let contacts = problem.contacts;
        for lane in 0..BLOCK_ROWS {
            let ContactImpulse { contact, impulse } = entries[if lane < entries.len() { lane } else { 0 }];
            set(&mut block.arms[0], lane, contacts.arm_a.get(contact));
            set(&mut block.arms[1], lane, contacts.second_arm(contact));
            set(&mut block.normal, lane, contacts.normal.get(contact));
            set(&mut block.impulse, lane, impulse);
            set(&mut block.velocity, lane, contacts.relative_velocity(contact, velocity));
            block.approach[lane] = problem.approach[contact];
            block.friction[lane] = contacts.friction[contact];
        }
        block
    }
}

/// The residuals of a block.
struct BlockResiduals<'a> {
    problem: &'a VelocityProblem<'a>,
    block: &'a mut ResidualBlock,
    /// First and second body.
    bodies: (u32, u32),
}

impl WithSimd for BlockResiduals<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { problem, block, bodies } = self;
        let first = &problem.response[bodies.0 as usize];
        let second = (bodies.1 != NOT_FREE).then(|| &problem.response[bodies.1 as usize]);
        for register in 0..block.count.div_ceil(S::F64_LANES) {
            let arms = [&block.arms[0], &block.arms[1]].map(|arm| Wide3::load(simd, arm, register));
            let mut delassus = body_delassus(first, arms[0]);
            if let Some(second) = second {
                delassus = sum(delassus, body_delassus(second, arms[1]));
            }
            fill_register(simd, &delassus, block, register);
        }
    }
}

/// The residuals of the contacts of one register; D in world axes.
#[inline(always)]
fn fill_register<S: Simd>(simd: S, delassus: &WideMatrix<S>, block: &mut ResidualBlock, register: usize) {
    let zero = Wide::splat(simd, 0.0);
    let frame = frame_of(Wide3::load(simd, &block.normal, register));
    let p = apply(&frame, Wide3::load(simd, &block.impulse, register));
    let v = apply(&frame, Wide3::load(simd, &block.velocity, register));
    let approach = Wide::load(simd, &block.approach, register);
    let friction = Wide::load(simd, &block.friction, register);

    let closing = (v.0[0] + approach).abs();
    zero.is_below(p.0[0]).keep(closing).store(&mut block.complementarity, register);
    let smallest = Wide::splat(simd, SMALLEST_IMPULSE);
    let carried = p.0[0].is_below(smallest).choose(smallest, p.0[0]);
    ((tangential_norm(p) - friction * p.0[0]) / carried).store(&mut block.cone, register);

    let delassus = turned_into(&frame, delassus);
    let single = SingleContact::new(&delassus, friction);
    let free = single.free_speed(v - apply(&delassus, p), approach);
    let distance = single.distance(single.solve_near(&free, p, tangential_norm(v)), p);
    let unknown = Wide::splat(simd, f64::NAN);
    single.is_unsound().choose(unknown, distance).store(&mut block.distance, register);
}
