//! Sums over the rows of one pair of bodies, kept lane by lane until the pair is complete.
//!
//! ```text
//! F += [p; ρ × p]        H += [K, −K S; S K, −S K S],   S x = ρ × x        of the second body the negative of each side
//! ```
//!
//! Line i of the upper half is [Kᵢ, ρ × Kᵢ], Kᵢ line i of K; the lower half is S times the upper one. The lanes are
//! added up in one fixed order, so that the width of the registers changes no bit.

use tightfit_spatial::{Simd, Wide, Wide3};

use super::law_block::Stiffness;
use super::row_blocks::{BLOCK_ROWS, PerRow, RowBlock, WideRows};

/// Six numbers of eight rows.
type Lines = [PerRow; 6];

/// Lane-wise F of one pair; `SIDES` of its bodies are free: one or two.
#[derive(Clone, Debug)]
pub(super) struct ForceSums<const SIDES: usize> {
    lines: [Lines; SIDES],
}

/// Lane-wise H of one pair, by the bodies of row and column.
#[derive(Clone, Debug)]
pub(super) struct StiffnessSums<const SIDES: usize> {
    lines: [[[Lines; 6]; SIDES]; SIDES],
}

impl<const SIDES: usize> ForceSums<SIDES> {
    /// Zero.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { lines: [[[0.0; BLOCK_ROWS]; 6]; SIDES] }
    }

    /// F += Jᵀp; F = Jᵀp for the first rows.
    #[inline(always)]
    pub(super) fn add<S: Simd, const FIRST: bool>(
        &mut self,
        rows: &WideRows<S>,
        impulse: Wide3<S>,
        register: usize,
    ) {
        for (side, sums) in self.lines.iter_mut().enumerate() {
            let push = if side == 0 { impulse } else { -impulse };
            add_line::<S, FIRST>(sums, push, rows.arms[side].cross(push), register);
        }
    }

    /// Adds the forces to the stacked generalised impulses.
    #[inline(always)]
    pub(super) fn flush(&self, block: &RowBlock, force: &mut [f64]) {
        for (sums, body) in self.lines.iter().zip([block.body_a, block.body_b]) {
            for (row, lanes) in sums.iter().enumerate() {
                force[6 * body as usize + row] += total(lanes);
            }
        }
    }
}

impl<const SIDES: usize> StiffnessSums<SIDES> {
    /// Zero.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { lines: [[[[[0.0; BLOCK_ROWS]; 6]; 6]; SIDES]; SIDES] }
    }

    /// H += JᵀKJ; H = JᵀKJ for the first rows.
    #[inline(always)]
    pub(super) fn add<S: Simd, const FIRST: bool>(
        &mut self,
        rows: &WideRows<S>,
        law: &Stiffness<S>,
        register: usize,
    ) {
        let [x, y, z] = law.matrix(rows);
        for row in 0..SIDES {
            for column in 0..SIDES {
                let [a, b, c] = if row == column { [x, y, z] } else { [-x, -y, -z] };
                let arm = rows.arms[column];
                let [at, bt, ct] = [arm.cross(a), arm.cross(b), arm.cross(c)];
                let [rx, ry, rz] = rows.arms[row].0;
                let [first, second, third, fourth, fifth, sixth] = &mut self.lines[row][column];
                add_line::<S, FIRST>(first, a, at, register);
                add_line::<S, FIRST>(second, b, bt, register);
                add_line::<S, FIRST>(third, c, ct, register);
                add_line::<S, FIRST>(fourth, difference(c, ry, b, rz), difference(ct, ry, bt, rz), register);
                add_line::<S, FIRST>(fifth, difference(a, rz, c, rx), difference(at, rz, ct, rx), register);
                add_line::<S, FIRST>(sixth, difference(b, rx, a, ry), difference(bt, rx, at, ry), register);
            }
        }
    }

    /// Adds the stiffness to the row-major matrix of `size` rows.
    #[inline(always)]
    pub(super) fn flush(&self, block: &RowBlock, jacobian: &mut [f64], size: usize) {
        let bodies = [block.body_a as usize, block.body_b as usize];
        for (sums, row_body) in self.lines.iter().zip(bodies) {
            for (sums, column_body) in sums.iter().zip(bodies) {
                for (i, sums) in sums.iter().enumerate() {
                    let start = (6 * row_body + i) * size + 6 * column_body;
                    for (entry, lanes) in jacobian[start..start + 6].iter_mut().zip(sums) {
                        *entry += total(lanes);
                    }
                }
            }
        }
    }
}

/// x a − y b.
#[inline(always)]
fn difference<S: Simd>(x: Wide3<S>, a: Wide<S>, y: Wide3<S>, b: Wide<S>) -> Wide3<S> {
    let [x0, x1, x2] = (x * a).0;
    Wide3([x0.less(y.0[0], b), x1.less(y.0[1], b), x2.less(y.0[2], b)])
}

/// sums += [push; turn], or = for the first rows, which saves writing zeros.
#[inline(always)]
fn add_line<S: Simd, const FIRST: bool>(sums: &mut Lines, push: Wide3<S>, turn: Wide3<S>, register: usize) {
    for axis in 0..3 {
        if FIRST {
            push.0[axis].store(&mut sums[axis], register);
            turn.0[axis].store(&mut sums[3 + axis], register);
        } else {
            push.0[axis].add_to(&mut sums[axis], register);
            turn.0[axis].add_to(&mut sums[3 + axis], register);
        }
    }
}

#[inline(always)]
fn total(lanes: &PerRow) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}
