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
//!
//! Rows that all open and close at once may do so in turns for ever: of four that press, two come to pull and open, the
//! others then let them sink in, and all four press again. After a few steps one row is exchanged at a time, the most
//! wrong one first and later the last of the wrong ones; were friction fixed and the matrix one with positive principal
//! minors, that rule could not come back to where it was (Murty 1974; Júdice & Pires 1994).

use nalgebra::Vector3;
use tightfit_spatial::{Simd, Wide, Wide3, WithSimd, with_registers};

use super::law_block::{self, LawBlock, WideTwist};
use super::pair_sums::{ForceSums, StiffnessSums};
use super::row_blocks::{PerRow3, RowBlock, RowBlocks, at, set};
use super::system::System;
use crate::make_room;
use crate::records::NOT_FREE;

/// Steps in which all rows change their state at once.
const AT_ONCE: u32 = 6;
/// Exchanges of the most wrong row, before it is the last of the wrong ones.
const MOST_WRONG: u32 = 5;

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct MixedBuffers {
    /// p of each row of the working set [N·s]: the start of the next solve.
    pub(super) impulses: Vec<Vector3<f64>>,
    /// p, q and K of the rows, eight at a time.
    blocks: Vec<LawBlock>,
    right: Vec<f64>,
    current: Vec<f64>,
}

impl MixedBuffers {
    /// Makes room for so many bodies and contacts.
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.impulses, contacts);
        make_room(&mut self.blocks, RowBlocks::most(bodies, contacts));
        make_room(&mut self.right, 6 * bodies);
        make_room(&mut self.current, 6 * bodies);
    }

    fn load(&mut self, rows: &RowBlocks) {
        // all but the impulses is written before it is read
        self.blocks.resize_with(rows.blocks.len(), LawBlock::default);
        for (block, law) in rows.blocks.iter().zip(&mut self.blocks) {
            law.impulse = PerRow3::default();
            for (lane, place) in block.rows() {
                set(&mut law.impulse, lane, self.impulses[place]);
            }
        }
    }

    /// Holds every row as it is but one: `by_size` the most wrong one, else the last. Returns how many are wrong.
    fn exchange_one(&mut self, rows: &RowBlocks, softness: f64, by_size: bool) -> u32 {
        let (mut wrong, mut chosen, mut largest) = (0, None, 0.0);
        for (index, (block, law)) in rows.blocks.iter().zip(&mut self.blocks).enumerate() {
            law.held.fill(0.0);
            for (lane, place) in block.rows() {
                let (depth, is_closed) = (block.depth(lane, &self.current), law.is_closed(lane));
                law.held[lane] = f64::from(u8::from(is_closed));
                if is_closed == (depth > 0.0) {
                    continue;
                }
                wrong += 1;
                // a speed: what the impulse that pulls would stop, or what the open row sinks in by
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

/// Newton from `velocity` and the impulses in `buffers`; on success `velocity` is the root.
pub(super) fn solve(
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
            let wrong = buffers.exchange_one(rows, softness, iteration < AT_ONCE + MOST_WRONG);
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

/// Where the states of the rows of a pass come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum States {
    /// Trial impulses, from the impulses of the start.
    First,
    /// Trial impulses, from those of the last laws.
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
    with_registers(MixedPass { rows, blocks, state: PassState { system, softness, states, right, current } });
    system.finish_residual(current)
}

/// The loop of [`pass`].
struct MixedPass<'a> {
    rows: &'a RowBlocks,
    blocks: &'a mut [LawBlock],
    state: PassState<'a>,
}

impl WithSimd for MixedPass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, mut blocks, mut state } = self;
        for pair in rows.pairs() {
            let own;
            (own, blocks) = blocks.split_at_mut(pair.len());
            match pair[0].body_b {
                NOT_FREE => state.add_pair::<S, 1>(simd, pair, own),
                _ => state.add_pair::<S, 2>(simd, pair, own),
            }
        }
    }
}

/// What a pass reads and adds to.
struct PassState<'a> {
    system: &'a mut System,
    softness: f64,
    states: States,
    right: &'a mut [f64],
    current: &'a [f64],
}

impl PassState<'_> {
    /// The rows of one pair, of whose bodies `SIDES` are free.
    #[inline(always)]
    fn add_pair<S: Simd, const SIDES: usize>(&mut self, simd: S, pair: &[RowBlock], laws: &mut [LawBlock]) {
        let softness = Wide::splat(simd, self.softness);
        let velocities = pair[0].velocities(simd, self.current);
        let mut sums = PassSums::<SIDES>::new();
        let Some(((first, others), (first_law, other_laws))) = pair.split_first().zip(laws.split_first_mut())
        else {
            return;
        };
        self.add_block::<S, SIDES, true>(first, first_law, softness, &velocities, &mut sums);
        for (block, law) in others.iter().zip(other_laws) {
            self.add_block::<S, SIDES, false>(block, law, softness, &velocities, &mut sums);
        }
        let size = self.system.size();
        sums.force.flush(&pair[0], &mut self.system.force);
        sums.stiffness.flush(&pair[0], &mut self.system.jacobian, size);
        sums.constants.flush(&pair[0], self.right);
    }

    /// The rows of a block; the sums begin with the first. As a rule there is no other.
    #[inline(always)]
    fn add_block<S: Simd, const SIDES: usize, const FIRST: bool>(
        &self,
        block: &RowBlock,
        kept: &mut LawBlock,
        softness: Wide<S>,
        velocities: &[WideTwist<S>; 2],
        sums: &mut PassSums<SIDES>,
    ) {
        let simd = softness.simd();
        for register in RowBlock::registers::<S>() {
            let rows = block.wide(simd, register);
            let v = law_block::relative::<S, SIDES>(&rows, velocities);
            if self.states != States::First {
                kept.impulse_at(&rows, v, register).store(&mut kept.impulse, register);
            }
            let p = Wide3::load(simd, &kept.impulse, register);
            let held = (self.states == States::Held).then(|| Wide::load(simd, &kept.held, register));
            let (offset, law) = law_block::mixed_laws(&rows, v, p, softness, held);
            kept.keep(offset, &law, register);
            sums.force.add::<S, FIRST>(&rows, law_block::impulses(&rows, v, softness), register);
            sums.constants.add::<S, FIRST>(&rows, offset + law.times(&rows, rows.drift), register);
            sums.stiffness.add::<S, FIRST>(&rows, &law, register);
        }
    }
}

/// Sums of a pass over the rows of a pair: impulses of the primal law, constants and H of the affine ones.
struct PassSums<const SIDES: usize> {
    force: ForceSums<SIDES>,
    constants: ForceSums<SIDES>,
    stiffness: StiffnessSums<SIDES>,
}

impl<const SIDES: usize> PassSums<SIDES> {
    #[inline(always)]
    fn new() -> Self {
        Self { force: ForceSums::new(), constants: ForceSums::new(), stiffness: StiffnessSums::new() }
    }
}
