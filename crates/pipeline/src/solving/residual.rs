//! One judge for all solvers (MATH 3.2).
//!
//! ```text
//! coulomb          max |diag(Dᵢ)(p* − pᵢ)|     p* single-contact solution given the others, c = v − Dᵢpᵢ
//!                  max (−(vₙ + b))⁺             contacts without impulse
//! complementarity  max |vₙ + b|                 contacts with pₙ > 0
//! cone             max (|pₜ| − μpₙ)⁺/pₙ
//! ```
//!
//! Dᵢ = Jᵢ W Jᵢᵀ with the full W [1/kg]. Where the law has several solutions (Painlevé) p* is the nearest.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::with_registers;

use super::judge_block::{self, JudgeBlock, JudgeBlocks};
use super::normal_speed;
use super::problem::{ContactImpulse, VelocityProblem};
use super::row_blocks::LANES;
use super::single_contact::SingleContact;
use crate::records::NOT_FREE;

/// A normal impulse below this [N·s] is none, for the relative error of the cone.
pub(super) const SMALLEST_IMPULSE: f64 = 1e-15;

/// How far impulses and velocity are from a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Distance to the single-contact solutions, and approach without impulse [m/s].
    pub coulomb: f64,
    /// |vₙ + b| where an impulse acts [m/s].
    pub complementarity: f64,
    /// Excess of friction over the cone, relative to the normal impulse [-].
    pub cone: f64,
}

/// A bound of the residual that is not worth a closer look [m/s]: a fifth of what counts as converged.
const GOOD_ENOUGH: f64 = 2e-6;

/// Judges the impulses and the velocity that they lead to. A contact is named at most once.
#[must_use]
pub fn coulomb_residual(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
) -> Residuals {
    coulomb_residual_from(problem, impulses, velocity, None)
}

/// Like [`coulomb_residual`], spared the pass over all contacts where `slowest_open`, the smallest vₙ + b [m/s] of those
/// without impulse, is known.
#[must_use]
pub fn coulomb_residual_from(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    slowest_open: Option<f64>,
) -> Residuals {
    let mut residuals = Residuals::default();
    // distances to some solution bound those to the nearest, which cost more: as a rule the one search at the
    // largest bound decides for all
    let mut largest = (0.0, None);
    each_bound(problem, impulses, velocity, &mut residuals, |entry, bound, _| {
        if bound > largest.0 {
            largest = (bound, Some(*entry));
        }
    });
    if largest.0 <= GOOD_ENOUGH {
        residuals.coulomb = largest.0;
    } else if let (bound, Some(entry)) = largest {
        residuals.coulomb = judge(problem, &entry, velocity, true, &mut residuals);
        if residuals.coulomb < bound {
            each_bound(problem, impulses, velocity, &mut residuals, |entry, bound, residuals| {
                if bound > residuals.coulomb {
                    let nearest = judge(problem, entry, velocity, true, residuals);
                    residuals.coulomb = residuals.coulomb.max(nearest);
                }
            });
        }
    }
    match slowest_open {
        Some(speed) => residuals.coulomb = residuals.coulomb.max(-speed),
        None => judge_open(problem, impulses, velocity, &mut residuals),
    }
    residuals
}

/// Hands on every contact with its distance [m/s] to some solution of the law.
fn each_bound(
    problem: &VelocityProblem<'_>,
    impulses: &[ContactImpulse],
    velocity: &[f64],
    residuals: &mut Residuals,
    mut take: impl FnMut(&ContactImpulse, f64, &mut Residuals),
) {
    for entries in impulses.chunks(LANES) {
        // a few are done sooner one by one
        let mut distances = [f64::NAN; LANES];
        if entries.len() > LANES / 2 && judge_block::may_judge(problem) {
            let mut block = JudgeBlock::load(problem, entries, velocity);
            with_registers(JudgeBlocks { response: &problem.response[0], block: &mut block });
            block.add_to(residuals);
            distances = block.distance;
        }
        for (entry, &distance) in entries.iter().zip(&distances) {
            let bound =
                if distance.is_nan() { judge(problem, entry, velocity, false, residuals) } else { distance };
            take(entry, bound, residuals);
        }
    }
}

/// Contacts without impulse.
fn judge_open(
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

/// Cone and complementarity of one contact into `residuals`; returns its distance [m/s] to the nearest
/// solution of the law, or to any solution unless `nearest`.
fn judge(
    problem: &VelocityProblem<'_>,
    entry: &ContactImpulse,
    velocity: &[f64],
    nearest: bool,
    residuals: &mut Residuals,
) -> f64 {
    let contacts = problem.contacts;
    let frame = contact_frame(&contacts.normal.get(entry.contact));
    let v = frame.transpose() * contacts.relative_velocity(entry.contact, velocity);
    let p = frame.transpose() * entry.impulse;
    let (approach, friction) = (problem.approach[entry.contact], contacts.friction[entry.contact]);
    if p.x > 0.0 {
        residuals.complementarity = residuals.complementarity.max((v.x + approach).abs());
    }
    let excess = (p.y * p.y + p.z * p.z).sqrt() - friction * p.x;
    residuals.cone = residuals.cone.max(excess / p.x.max(SMALLEST_IMPULSE));

    let delassus = frame.transpose() * delassus(problem, entry.contact) * frame;
    let Some(single) = SingleContact::new(delassus, friction) else { return f64::INFINITY };
    let free = v - delassus * p;
    let solution = if nearest {
        single.nearest(free, approach, &p)
    } else {
        single.solve_near(free, approach, &p, (v.y * v.y + v.z * v.z).sqrt())
    };
    single.distance(&solution, &p)
}

/// D = J W Jᵀ [1/kg] in world axes, over the bodies that the contact names.
#[must_use]
pub fn delassus(problem: &VelocityProblem<'_>, contact: usize) -> Matrix3<f64> {
    let contacts = problem.contacts;
    let of_body = |body: u32, arm: Vector3<f64>| {
        let response = &problem.response[body as usize];
        let block = |row, column| -> Matrix3<f64> { response.fixed_view::<3, 3>(row, column).into() };
        let s = arm.cross_matrix();
        block(0, 0) + block(0, 3) * s - s * block(3, 0) - s * block(3, 3) * s
    };
    let first = of_body(contacts.body_a[contact], contacts.arm_a.get(contact));
    match contacts.body_b[contact] {
        NOT_FREE => first,
        body => first + of_body(body, contacts.second_arm(contact)),
    }
}

/// Orthonormal columns [n t₁ t₂].
#[must_use]
pub fn contact_frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let helper = Vector3::ith(normal.iamin(), 1.0);
    let first = normal.cross(&helper).normalize();
    Matrix3::from_columns(&[*normal, first, normal.cross(&first)])
}
