//! Level 0: semismooth Newton in velocities and impulses, directly at the final softness (docs/design/hot-path.md §3).
//!
//! The state of a contact follows from a trial impulse, not from the velocity alone, so that a warm impulse carries
//! over the state of the last step:
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
//! V. There is no line search: either it converges in a few steps or the next level takes over. Convergence is measured
//! by the residual of the primal law, as in all levels.
//!
//! If all rows change state at once they may cycle: of four rows that press, two come to pull and open, the others then
//! let the body sink in, and all four press again. So after a few steps one row is exchanged at a time, first the row
//! with the largest error, later the last of the wrong ones. For fixed friction and a matrix with positive principal
//! minors the latter rule cannot cycle (Murty 1974; Júdice & Pires 1994).

use nalgebra::Vector3;
use tightfit_spatial::{Simd, Wide, Wide3, with_registers};

use super::contact_law::ContactRow;
use super::law_block::{self, LawBlock};
use super::passes::{Pass, RowLaw, RowTerms};
use super::row_blocks::{PerRow3, RowBlocks, WideRows, at, set};
use super::system::System;
use crate::make_room;

/// Steps in which all rows may change their state at once.
const AT_ONCE: u32 = 6;
/// Exchanges of the row with the largest error, before the rule of the last wrong row.
const MOST_WRONG: u32 = 5;

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct MixedBuffers {
    /// p of each row of the working set [N·s]; the next solve starts from it.
    pub(super) impulses: Vec<Vector3<f64>>,
    /// p, q and K of the rows, eight at a time.
    blocks: Vec<LawBlock>,
    right: Vec<f64>,
    current: Vec<f64>,
}

impl MixedBuffers {
    /// Reserves memory for `bodies` bodies and `contacts` contacts.
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.impulses, contacts);
        make_room(&mut self.blocks, RowBlocks::most(bodies, contacts));
        make_room(&mut self.right, 6 * bodies);
        make_room(&mut self.current, 6 * bodies);
    }

    fn load(&mut self, rows: &RowBlocks) {
        // All other fields are written before they are read.
        self.blocks.resize_with(rows.blocks.len(), LawBlock::default);
        for (block, law) in rows.blocks.iter().zip(&mut self.blocks) {
            law.impulse = PerRow3::default();
            for (lane, place) in block.rows() {
                set(&mut law.impulse, lane, self.impulses[place]);
            }
        }
    }

    /// Holds the state of every row but one of the wrong ones: with `by_size` the one with the largest error, else the
    /// last. Returns the number of wrong rows.
    fn exchange_one(&mut self, all: &[ContactRow], rows: &RowBlocks, softness: f64, by_size: bool) -> u32 {
        let (mut wrong, mut chosen, mut largest) = (0, None, 0.0);
        for (index, (block, law)) in rows.blocks.iter().zip(&mut self.blocks).enumerate() {
            law.held.fill(0.0);
            for (lane, place) in block.rows() {
                let row = &all[place];
                let (depth, is_closed) = (row.depth(&row.velocity(&self.current)), law.is_closed(lane));
                law.held[lane] = f64::from(u8::from(is_closed));
                if is_closed == (depth > 0.0) {
                    continue;
                }
                wrong += 1;
                // As a speed: that stopped by the pulling impulse, or that at which the open row sinks in.
                let speed = if is_closed { -depth / softness } else { depth };
                let size = if by_size { speed } else { place as f64 };
                if chosen.is_none() || size > largest {
                    (chosen, largest) = (Some((index, lane)), size);
                }
            }
        }
        if let Some((index, lane)) = chosen {
            let held = &mut self.blocks[index].held[lane];
            *held = 1.0 - *held;
        }
        wrong
    }

    fn store(&mut self, rows: &RowBlocks) {
        for (block, law) in rows.blocks.iter().zip(&self.blocks) {
            for (lane, place) in block.rows() {
                self.impulses[place] = at(&law.impulse, lane);
            }
        }
    }
}

/// Newton from `velocity` and the impulses in `buffers`; on success `velocity` is the root. `rows` are `all` in blocks.
pub(super) fn solve(
    all: &[ContactRow],
    rows: &RowBlocks,
    system: &mut System,
    softness: f64,
    iterations: u32,
    velocity: &mut [f64],
    buffers: &mut MixedBuffers,
) -> bool {
    let accepted = system.accepted();
    buffers.load(rows);
    buffers.current.clear();
    buffers.current.extend_from_slice(velocity);
    for iteration in 0..=iterations {
        let states = match iteration {
            0 => States::First,
            1..AT_ONCE => States::Chosen,
            _ => States::Held,
        };
        if states == States::Held {
            let wrong = buffers.exchange_one(all, rows, softness, iteration < AT_ONCE + MOST_WRONG);
            if wrong > iterations - iteration + 1 {
                break;
            }
        }
        if pass(rows, system, softness, states, buffers) < accepted {
            velocity.copy_from_slice(&buffers.current);
            buffers.store(rows);
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

/// Source of the states of the rows in a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum States {
    /// Trial impulses from the initial impulses.
    First,
    /// Trial impulses from the impulses of the last laws.
    Chosen,
    /// [`MixedBuffers::exchange_one`].
    Held,
}

/// One pass: impulses from the last laws, new laws, H, right side; returns the squared merit of the primal law.
fn pass(
    rows: &RowBlocks,
    system: &mut System,
    softness: f64,
    states: States,
    buffers: &mut MixedBuffers,
) -> f64 {
    let MixedBuffers { blocks, right, current, .. } = buffers;
    system.evaluations += 1;
    system.start_jacobian();
    system.force.fill(0.0);
    right.clear();
    right.extend_from_slice(&system.free_momentum);
    with_registers(Pass {
        rows,
        law: MixedLaw { blocks, states },
        velocity: current,
        softness,
        force: &mut system.force,
        jacobian: &mut system.jacobian,
        constants: right,
    });
    system.finish_residual(current)
}

/// The affine laws of the states; the residual is that of the primal law.
struct MixedLaw<'a> {
    blocks: &'a mut [LawBlock],
    states: States,
}

impl RowLaw for MixedLaw<'_> {
    #[inline(always)]
    fn at<S: Simd>(
        &mut self,
        (block, register): (usize, usize),
        rows: &WideRows<S>,
        v: Wide3<S>,
        softness: Wide<S>,
    ) -> RowTerms<S> {
        let (simd, kept) = (softness.simd(), &mut self.blocks[block]);
        if self.states != States::First {
            kept.impulse_at(rows, v, register).store(&mut kept.impulse, register);
        }
        let p = Wide3::load(simd, &kept.impulse, register);
        let held = (self.states == States::Held).then(|| Wide::load(simd, &kept.held, register));
        let (offset, stiffness) = law_block::mixed_laws(rows, v, p, softness, held);
        kept.keep(offset, &stiffness, register);
        let constant = Some(offset + stiffness.times(rows, rows.drift));
        RowTerms { impulse: law_block::impulses(rows, v, softness), stiffness, constant }
    }
}
