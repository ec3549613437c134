//! Level 0: semismooth Newton in velocities and impulses, at the final softness at once (HOTPATH 3).
//!
//! The state of a contact is read from a trial impulse, not from the velocity alone, so that a warm
//! impulse carries the state of the last step over:
//!
//! ```text
//! τ = p − ρ (v + b n + εᵢ p)             ρ = 1/dᵢ
//! open   τₙ ≤ 0          p = 0
//! stick  |τₜ| ≤ μ τₙ      p = −(v + b n)/εᵢ
//! slip                   p = pₙ (n + μ d) + h (w − c h·v)       pₙ = −(vₙ + b)/εᵢ
//!        d = τₜ/|τₜ|,  h = n × d,  α = μτₙ/|τₜ|,  α′ = α (1 − ε)
//!        c = min(αρ/(1 − α′), 1/εᵢ),   w = c h·v − α′/(1 − α′) h·p
//! ```
//!
//! Each law is affine, p = q − K v, so one linear system (A + Σ JᵀKJ) V = A V_f + Σ Jᵀ(q + K u) gives the next
//! V. There is no line search: either it ends in a few steps or the next level takes over. Judged by the
//! residual of the primal law, so its answer is as good as any other level's.

use nalgebra::Vector3;
use tightfit_spatial::{Vectorise, vectorised};

use super::contact_law::{ContactRow, Stiffness};
use super::system::System;
use crate::make_room;

/// Above this many contacts a pass without the Jacobian pays: most solves end at the pass that it saves.
const LARGE_SET: usize = 64;
/// α stays below one: at one the slip law loses its root.
const LARGEST_RATIO: f64 = 0.999_999_9;

/// What the method remembers of one contact.
#[derive(Clone, Debug, Default)]
pub(super) struct MixedRow {
    /// p [N·s].
    pub(super) impulse: Vector3<f64>,
    /// q [N·s] and K [kg]; `None` when open.
    law: Option<(Vector3<f64>, Stiffness)>,
}

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct MixedBuffers {
    /// One for each row of the working set.
    pub(super) rows: Vec<MixedRow>,
    right: Vec<f64>,
    current: Vec<f64>,
}

impl MixedBuffers {
    /// Makes room for so many bodies and contacts.
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.rows, contacts);
        make_room(&mut self.right, 6 * bodies);
        make_room(&mut self.current, 6 * bodies);
    }
}

/// Newton from `velocity` and the impulses in `buffers`; on success `velocity` is the root.
pub(super) fn solve(
    rows: &[ContactRow],
    system: &mut System,
    softness: f64,
    iterations: u32,
    velocity: &mut [f64],
    buffers: &mut MixedBuffers,
) -> bool {
    let accepted = system.accepted();
    buffers.current.clear();
    buffers.current.extend_from_slice(velocity);
    for iteration in 0..=iterations {
        if iteration > 0
            && rows.len() > LARGE_SET
            && system.evaluate(rows, &buffers.current, softness) < accepted
        {
            velocity.copy_from_slice(&buffers.current);
            return true;
        }
        if pass(rows, system, softness, iteration == 0, buffers) < accepted {
            velocity.copy_from_slice(&buffers.current);
            return true;
        }
        if iteration == iterations || system.factor() == 0.0 {
            break;
        }
        system.lu.solve(&mut buffers.right);
        std::mem::swap(&mut buffers.right, &mut buffers.current);
    }
    false
}

/// One pass: impulses from the last laws, new laws, H, right side; returns the squared merit of the primal law.
fn pass(
    rows: &[ContactRow],
    system: &mut System,
    softness: f64,
    first: bool,
    buffers: &mut MixedBuffers,
) -> f64 {
    let MixedBuffers { rows: states, right, current } = buffers;
    system.evaluations += 1;
    system.start_jacobian();
    system.force.fill(0.0);
    right.clear();
    right.resize(current.len(), 0.0);
    for (body, inertia) in system.inertia.iter().enumerate() {
        for row in 0..6 {
            for column in 0..6 {
                right[6 * body + row] += inertia[(row, column)] * system.free_velocity[6 * body + column];
            }
        }
    }
    vectorised(MixedPass { rows, states, system, softness, first, right, current });
    system.finish_residual(current)
}

/// The loop of [`pass`].
struct MixedPass<'a> {
    rows: &'a [ContactRow],
    states: &'a mut [MixedRow],
    system: &'a mut System,
    softness: f64,
    first: bool,
    right: &'a mut [f64],
    current: &'a [f64],
}

impl Vectorise for MixedPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, states, system, softness, first, right, current } = self;
        for (row, state) in rows.iter().zip(states) {
            let v = row.velocity(current);
            if !first {
                state.impulse = match &state.law {
                    Some((offset, stiffness)) => offset - stiffness.times(&row.normal, &v),
                    None => Vector3::zeros(),
                };
            }
            if let Some(impulse) = row.impulse(&v, softness) {
                row.add_impulse(&impulse, &mut system.force);
            }
            state.law = state.choose_law(row, &v, softness);
            if let Some((offset, stiffness)) = &state.law {
                let constant = offset + stiffness.times(&row.normal, &row.drift);
                row.add_impulse(&constant, right);
                system.add_stiffness(row, stiffness);
            }
        }
    }
}

impl MixedRow {
    /// A contact that starts from the impulse p [N·s].
    pub(super) fn starting_from(impulse: Vector3<f64>) -> Self {
        Self { impulse, ..Self::default() }
    }

    /// q and K of the state that the trial impulse τ is in; `None` when open.
    #[inline(always)]
    fn choose_law(
        &self,
        row: &ContactRow,
        v: &Vector3<f64>,
        softness: f64,
    ) -> Option<(Vector3<f64>, Stiffness)> {
        let n = &row.normal;
        let (normal_impulse, normal_speed) = (n.dot(&self.impulse), n.dot(v));
        let rate = row.inverse_compliance;
        let kept = 1.0 - softness;
        let trial_normal = kept * normal_impulse - rate * (normal_speed + row.approach);
        if trial_normal <= 0.0 {
            return None;
        }
        let stiff = rate / softness;
        let trial = (self.impulse - n * normal_impulse) * kept - (v - n * normal_speed) * rate;
        let length = trial.norm();
        if length <= row.friction * trial_normal {
            return Some((n * (-stiff * row.approach), Stiffness::Stick(stiff)));
        }
        let along = trial / length;
        let across = n.cross(&along);
        let ratio = (row.friction * trial_normal / length).min(LARGEST_RATIO);
        let gain = 1.0 / (1.0 - ratio * kept);
        let resistance = (ratio * rate * gain).min(stiff);
        let w = resistance * across.dot(v) - ratio * kept * gain * across.dot(&self.impulse);
        let ray = n + along * row.friction;
        let offset = ray * (-stiff * row.approach) + across * w;
        Some((offset, Stiffness::Slip { ahead: ray * stiff, across, resistance }))
    }
}
