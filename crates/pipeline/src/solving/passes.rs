//! One pass over the rows of the working set: forces F = Σ Jᵀp and stiffness H = Σ JᵀKJ of a law, pair by pair.

use tightfit_spatial::{Simd, Wide, Wide3, WithSimd};

use super::law_block::{self, Stiffness, WideTwist};
use super::pair_sums::{ForceSums, StiffnessSums};
use super::row_blocks::{RowBlock, RowBlocks, WideRows};
use crate::records::NOT_FREE;

/// The law of a pass.
pub(super) trait RowLaw {
    /// p and K of the rows of a register at the relative velocities `v`, and the constants q + K u of an affine law.
    fn at<S: Simd>(
        &mut self,
        place: (usize, usize),
        rows: &WideRows<S>,
        v: Wide3<S>,
        softness: Wide<S>,
    ) -> RowTerms<S>;
}

/// What a register of rows adds to the sums.
pub(super) struct RowTerms<S: Simd> {
    pub(super) impulse: Wide3<S>,
    pub(super) stiffness: Stiffness<S>,
    pub(super) constant: Option<Wide3<S>>,
}

/// A pass; [`tightfit_spatial::with_registers`] runs it.
pub(super) struct Pass<'a, Law: RowLaw> {
    pub(super) rows: &'a RowBlocks,
    pub(super) law: Law,
    /// Stacked body velocities [m/s, rad/s].
    pub(super) velocity: &'a [f64],
    pub(super) softness: f64,
    /// F, stacked; the pass adds to it.
    pub(super) force: &'a mut [f64],
    /// H, row-major; the pass adds to it.
    pub(super) jacobian: &'a mut [f64],
    /// Σ Jᵀ(q + K u), stacked; the pass adds to it where the law has constants.
    pub(super) constants: &'a mut [f64],
}

impl<Law: RowLaw> WithSimd for Pass<'_, Law> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut first = 0;
        for pair in self.rows.pairs() {
            match pair[0].body_b {
                NOT_FREE => self.add_pair::<S, 1>(simd, first, pair),
                _ => self.add_pair::<S, 2>(simd, first, pair),
            }
            first += pair.len();
        }
    }
}

impl<Law: RowLaw> Pass<'_, Law> {
    /// The rows of one pair, of whose bodies `SIDES` are free; `first` is the index of its first block.
    #[inline(always)]
    fn add_pair<S: Simd, const SIDES: usize>(&mut self, simd: S, first: usize, pair: &[RowBlock]) {
        let velocities = pair[0].velocities(simd, self.velocity);
        let mut sums = PassSums::<SIDES>::new();
        let Some((block, others)) = pair.split_first() else { return };
        self.add_block::<S, SIDES, true>(simd, first, block, &velocities, &mut sums);
        for (place, block) in others.iter().enumerate() {
            self.add_block::<S, SIDES, false>(simd, first + 1 + place, block, &velocities, &mut sums);
        }
        let size = self.velocity.len();
        sums.force.flush(block, self.force);
        sums.stiffness.flush(block, self.jacobian, size);
        if sums.has_constants {
            sums.constants.flush(block, self.constants);
        }
    }

    /// The rows of one block; the first block of a pair starts the sums. Most pairs have no other.
    #[inline(always)]
    fn add_block<S: Simd, const SIDES: usize, const FIRST: bool>(
        &mut self,
        simd: S,
        index: usize,
        block: &RowBlock,
        velocities: &[WideTwist<S>; 2],
        sums: &mut PassSums<SIDES>,
    ) {
        let softness = Wide::splat(simd, self.softness);
        for register in RowBlock::registers::<S>() {
            let rows = block.wide(simd, register);
            let v = law_block::relative::<S, SIDES>(&rows, velocities);
            let terms = self.law.at((index, register), &rows, v, softness);
            sums.force.add::<S, FIRST>(&rows, terms.impulse, register);
            if let Some(constant) = terms.constant {
                sums.has_constants = true;
                sums.constants.add::<S, FIRST>(&rows, constant, register);
            }
            sums.stiffness.add::<S, FIRST>(&rows, &terms.stiffness, register);
        }
    }
}

/// Sums of a pass over the rows of one pair.
struct PassSums<const SIDES: usize> {
    force: ForceSums<SIDES>,
    constants: ForceSums<SIDES>,
    stiffness: StiffnessSums<SIDES>,
    has_constants: bool,
}

impl<const SIDES: usize> PassSums<SIDES> {
    #[inline(always)]
    fn new() -> Self {
        let (force, constants) = (ForceSums::new(), ForceSums::new());
        Self { force, constants, stiffness: StiffnessSums::new(), has_constants: false }
    }
}
