//! The rigid law from two soft ones (Richardson).
//!
//! ```text
//! p(ε) = p₀ + ε p′ + O(ε²)        p₀ ≈ 2 p(ε/2) − p(ε)
//! ```
//!
//! As long as no contact changes its state between ε and ε/2 the impulses are smooth in ε, and the yield of the soft
//! law vanishes to second order: 1e-6 becomes 1e-12. This holds for a few contacts with definite impulses. The many
//! contacts of a conforming face share their load by the softness and change state with it, so they are not
//! extrapolated.

use nalgebra::Vector3;

use super::contact_law::ContactRow;
use super::primal_newton::{self, NewtonBuffers, NewtonLimits};
use super::row_blocks::RowBlocks;
use super::system::System;

/// Largest working set that is extrapolated.
pub(super) const FEW: usize = 8;
/// Impulses with a larger relative change are not linear in ε: jamming.
const LARGEST_CHANGE: f64 = 1e-4;
/// The second root is close to the first.
const LIMITS: NewtonLimits = NewtonLimits { iterations: 4, halvings: 2 };

/// Finds the root at half the softness from that at `softness`; returns whether the impulses can be extrapolated.
pub(super) fn solve_half(
    rows: &[ContactRow],
    blocks: &mut RowBlocks,
    system: &mut System,
    softness: f64,
    root: &[f64],
    half: &mut Vec<f64>,
    buffers: &mut NewtonBuffers,
) -> bool {
    if rows.is_empty() || rows.len() > FEW {
        return false;
    }
    half.clear();
    half.extend_from_slice(root);
    blocks.load(rows);
    if !primal_newton::solve(blocks, system, softness / 2.0, LIMITS, half, buffers) {
        return false;
    }
    rows.iter().all(|row| is_smooth(row, softness, root, half))
}

/// Whether a row keeps its state, and nearly its impulse, from ε to ε/2.
fn is_smooth(row: &ContactRow, softness: f64, root: &[f64], half: &[f64]) -> bool {
    let state = |velocity: &[f64], softness: f64| {
        let v = row.velocity(velocity);
        let impulse = row.impulse(&v, softness)?;
        let tangential = v - row.normal * row.normal.dot(&v);
        Some((impulse, tangential.norm() <= row.friction * row.depth(&v)))
    };
    match (state(root, softness), state(half, softness / 2.0)) {
        (None, None) => true,
        (Some((soft, sticks)), Some((hard, still))) => {
            sticks == still && (hard - soft).norm() <= LARGEST_CHANGE * soft.norm()
        }
        _ => false,
    }
}

/// Whether the velocity of the extrapolated impulses obeys the law of the closed contacts at least as well as the soft
/// root. It does not where the impulses of a jammed part are not linear in ε.
pub(super) fn is_closer(rows: &[ContactRow], root: &[f64], velocity: &[f64]) -> bool {
    let [mut soft, mut rigid] = [0.0_f64; 2];
    for row in rows {
        let v = row.velocity(root);
        let depth = row.depth(&v);
        if depth <= 0.0 {
            continue;
        }
        // This must be zero: along the normal, and in all directions where the contact sticks.
        let sticks = (v - row.normal * row.normal.dot(&v)).norm() <= row.friction * depth;
        let miss = |v: &Vector3<f64>| match sticks {
            true => (v + row.normal * row.approach).norm(),
            false => row.depth(v).abs(),
        };
        soft = soft.max(miss(&v));
        rigid = rigid.max(miss(&row.velocity(velocity)));
    }
    rigid <= soft
}

/// p₀ of a row [N·s], within the cone; `None` when open.
pub(super) fn impulse(row: &ContactRow, softness: f64, root: &[f64], half: &[f64]) -> Option<Vector3<f64>> {
    let soft = row.impulse(&row.velocity(root), softness)?;
    let hard = row.impulse(&row.velocity(half), softness / 2.0)?;
    let impulse = hard * 2.0 - soft;
    let normal = row.normal.dot(&impulse);
    let tangential = impulse - row.normal * normal;
    let limit = row.friction * normal;
    let length = tangential.norm();
    let share = if length > limit { limit / length } else { 1.0 };
    Some(row.normal * normal + tangential * share)
}
