//! Weights in the order in which the kernel reads them.
//!
//! A matrix is cut into blocks of R rows, a block is stored column by column: [block][column][row in block]. R is
//! the block of the instruction set, and what is left over is a block of its own: exact up to 4 rows, else padded with zeros.

use tightfit_spatial::InstructionSet;

use super::{Buffer, Tiling};

/// A matrix and the initial values of its sums, in blocks.
#[derive(Debug, Default)]
pub(crate) struct PackedMatrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    full_block: usize,
    weights: Buffer,
    starts: Vec<f32>,
}

impl PackedMatrix {
    /// Room for a matrix of this size.
    pub(crate) fn new(rows: usize, columns: usize, set: InstructionSet) -> Self {
        let full_block = set.block_rows();
        let mut packed = Self { rows, columns, full_block, ..Self::default() };
        packed.weights.reserve(packed.padded_rows() * columns);
        packed.starts.resize(packed.padded_rows(), 0.0);
        packed
    }

    /// Rows that a product writes: those of the matrix and the padding of the last block.
    pub(crate) fn padded_rows(&self) -> usize {
        self.rows / self.full_block * self.full_block + self.tail_block()
    }

    fn tail_block(&self) -> usize {
        match self.rows % self.full_block {
            tail @ 0..=4 => tail,
            _ => self.full_block,
        }
    }

    /// Copies the entries of the matrix and the initial value of every row.
    pub(crate) fn fill(&mut self, entry: impl Fn(usize, usize) -> f32, start: impl Fn(usize) -> f32) {
        let (rows, columns) = (self.rows, self.columns);
        let padded = self.padded_rows();
        let full_rows = rows / self.full_block * self.full_block;
        let tail = self.tail_block();
        let mut slots = self.weights.slice_mut(padded * columns).iter_mut();
        let mut first = 0;
        while first < padded {
            let block = if first < full_rows { self.full_block } else { tail };
            for column in 0..columns {
                for row in first..first + block {
                    if let Some(slot) = slots.next() {
                        *slot = if row < rows { entry(row, column) } else { 0.0 };
                    }
                }
            }
            first += block;
        }
        for (row, slot) in self.starts.iter_mut().enumerate() {
            *slot = if row < rows { start(row) } else { 0.0 };
        }
    }

    /// First row, weights and initial values of every block.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &[f32], &[f32])> {
        let full = self.full_block;
        let full_rows = self.rows / full * full;
        let firsts = (0..full_rows).step_by(full).chain((self.tail_block() > 0).then_some(full_rows));
        let weights = self.weights.slice(self.padded_rows() * self.columns);
        firsts.map(move |first| {
            let block = if first < full_rows { full } else { self.padded_rows() - full_rows };
            let columns = self.columns;
            (first, &weights[first * columns..][..block * columns], &self.starts[first..][..block])
        })
    }
}
