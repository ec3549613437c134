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

use super::law_block::{self, LawBlock};
use super::pair_sums::{ForceSums, StiffnessSums};
use super::row_blocks::{LANES, Lanes3, RowBlock, RowBlocks, at, set};
use super::system::System;
use crate::make_room;
use crate::records::NOT_FREE;

/// What the method remembers of eight contacts: p, q and K.
#[derive(Clone, Debug, Default)]
struct MixedBlock {
    law: LawBlock,
    offset: Lanes3,
}

/// Buffers of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct MixedBuffers {
    /// p of each row of the working set [N·s]: the start of the next solve.
    pub(super) impulses: Vec<Vector3<f64>>,
    blocks: Vec<MixedBlock>,
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
        self.blocks.clear();
        for block in &rows.blocks {
            let mut mixed = MixedBlock::default();
            for (lane, place) in block.rows() {
                set(&mut mixed.law.impulse, lane, self.impulses[place]);
            }
            self.blocks.push(mixed);
        }
    }

    fn store(&mut self, rows: &RowBlocks) {
        for (block, mixed) in rows.blocks.iter().zip(&self.blocks) {
            for (lane, place) in block.rows() {
                self.impulses[place] = at(&mixed.law.impulse, lane);
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
        if pass(rows, system, softness, iteration == 0, buffers) < accepted {
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

/// One pass: impulses from the last laws, new laws, H, right side; returns the squared merit of the primal law.
fn pass(
    rows: &RowBlocks,
    system: &mut System,
    softness: f64,
    first: bool,
    buffers: &mut MixedBuffers,
) -> f64 {
    let MixedBuffers { blocks, right, current, .. } = buffers;
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
    vectorised(MixedPass { rows, blocks, state: PassState { system, softness, first, right, current } });
    system.finish_residual(current)
}

/// The loop of [`pass`].
struct MixedPass<'a> {
    rows: &'a RowBlocks,
    blocks: &'a mut [MixedBlock],
    state: PassState<'a>,
}

impl Vectorise for MixedPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, mut blocks, mut state } = self;
        for pair in rows.pairs() {
            let own;
            (own, blocks) = blocks.split_at_mut(pair.len());
            match pair[0].body_b {
                NOT_FREE => state.add_pair::<1>(pair, own),
                _ => state.add_pair::<2>(pair, own),
            }
        }
    }
}

/// What a pass reads and adds to.
struct PassState<'a> {
    system: &'a mut System,
    softness: f64,
    first: bool,
    right: &'a mut [f64],
    current: &'a [f64],
}

impl PassState<'_> {
    /// The rows of one pair, of whose bodies `SIDES` are free.
    #[inline(always)]
    fn add_pair<const SIDES: usize>(&mut self, pair: &[RowBlock], mixed: &mut [MixedBlock]) {
        let (mut force, mut constants) = (ForceSums::<SIDES>::new(), ForceSums::<SIDES>::new());
        let mut stiffness = StiffnessSums::<SIDES>::new();
        for (block, MixedBlock { law, offset }) in pair.iter().zip(mixed) {
            let v = law_block::relative(block, self.current);
            if !self.first {
                law.impulse = combined(offset, &law.times(block, &v), -1.0);
            }
            let mut primal = Lanes3::default();
            law_block::impulses(block, &v, self.softness, &mut primal);
            force.add(block, &primal);
            law_block::mixed_laws(block, &v, self.softness, law, offset);
            constants.add(block, &combined(offset, &law.times(block, &block.drift), 1.0));
            stiffness.add(block, law);
        }
        let size = self.system.size();
        force.flush(&pair[0], &mut self.system.force);
        stiffness.flush(&pair[0], &mut self.system.jacobian, size);
        constants.flush(&pair[0], self.right);
    }
}

/// left + sign · right.
#[inline(always)]
fn combined(left: &Lanes3, right: &Lanes3, sign: f64) -> Lanes3 {
    let mut out = *left;
    for (out, right) in out.iter_mut().zip(right) {
        for lane in 0..LANES {
            out[lane] += sign * right[lane];
        }
    }
    out
}
