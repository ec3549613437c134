//! The inner loop: a packed matrix times the columns of a tile.
//!
//! ```text
//! Y[row][point] = start[row] + Σ_c W[row][c] X[c][point]
//! ```
//! R rows times V vectors of points are accumulated in registers: R broadcasts and V loads feed R·V fused
//! multiply-adds. Every sum runs over c in ascending order, whatever R, V and the vector width. So a point has the
//! same result on every path and at every index of a batch.

use pulp::Simd;

use super::PackedMatrix;

/// Processing of a finished row of sums.
pub(super) trait Finish<S: Simd, const VECTORS: usize> {
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]);
}

/// Multiplies all blocks; `columns` holds VECTORS vectors for each column of the matrix.
#[inline(always)]
pub(super) fn multiply<S: Simd, const VECTORS: usize>(
    simd: S,
    matrix: &PackedMatrix,
    columns: &[[S::f32s; VECTORS]],
    finish: &mut impl Finish<S, VECTORS>,
) {
    for (first, weights, starts) in matrix.blocks() {
        // A path has its full block and tails of at most 4; the guards remove the other sizes from its code.
        match starts.len() {
            8 if S::F32_LANES == 16 => block::<S, 8, VECTORS>(simd, first, weights, starts, columns, finish),
            6 if S::F32_LANES < 16 => block::<S, 6, VECTORS>(simd, first, weights, starts, columns, finish),
            4 => block::<S, 4, VECTORS>(simd, first, weights, starts, columns, finish),
            3 => block::<S, 3, VECTORS>(simd, first, weights, starts, columns, finish),
            2 => block::<S, 2, VECTORS>(simd, first, weights, starts, columns, finish),
            _ => block::<S, 1, VECTORS>(simd, first, weights, starts, columns, finish),
        }
    }
}

#[inline(always)]
fn block<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    first: usize,
    weights: &[f32],
    starts: &[f32],
    columns: &[[S::f32s; VECTORS]],
    finish: &mut impl Finish<S, VECTORS>,
) {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
    for (row, start) in sums.iter_mut().zip(starts) {
        *row = [simd.splat_f32s(*start); VECTORS];
    }
    for (weights, column) in weights.as_chunks::<ROWS>().0.iter().zip(columns) {
        for row in 0..ROWS {
            let weight = simd.splat_f32s(weights[row]);
            for vector in 0..VECTORS {
                sums[row][vector] = simd.mul_add_f32s(weight, column[vector], sums[row][vector]);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        finish.row(simd, first + row, sums);
    }
}
