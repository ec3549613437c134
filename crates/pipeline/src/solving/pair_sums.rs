//! Sums over the rows of one pair of bodies, kept lane by lane until the pair is done.
//!
//! ```text
//! F += Jᵀp        H += (Jᵀa)(Jᵀn)ᵀ + c (Jᵀh)(Jᵀh)ᵀ + k Σ_axes (Jᵀe)(Jᵀe)ᵀ        Jᵀx = [x; ρ × x], of the second body its negative
//! ```
//!
//! The lanes are added up in one fixed order, so that the width of the registers changes no bit.

use super::law_block::LawBlock;
use super::row_blocks::{LANES, Lanes, Lanes3, RowBlock, at, set};

/// Jᵀx of eight rows for one body.
type Lines = [Lanes; 6];

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
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { lines: [[[0.0; LANES]; 6]; SIDES] }
    }

    /// F += Jᵀp.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &RowBlock, impulse: &Lanes3) {
        for (side, sums) in self.lines.iter_mut().enumerate() {
            let own = lines(block, side, impulse);
            for (sum, own) in sums.iter_mut().zip(&own) {
                for lane in 0..LANES {
                    sum[lane] += own[lane];
                }
            }
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
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { lines: [[[[[0.0; LANES]; 6]; 6]; SIDES]; SIDES] }
    }

    /// H += JᵀKJ.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &RowBlock, law: &LawBlock) {
        let mut weighted = law.across;
        for axis in &mut weighted {
            for (value, resistance) in axis.iter_mut().zip(&law.resistance) {
                *value *= resistance;
            }
        }
        self.add_products(block, [&law.ahead, &block.normal], [&weighted, &law.across]);
        let mut stuck = 0.0;
        for lane in 0..LANES {
            stuck += law.isotropic[lane];
        }
        if stuck > 0.0 {
            let none = [[0.0; LANES]; 3];
            for axis in 0..3 {
                let (mut stiff, mut unit) = (none, none);
                (stiff[axis], unit[axis]) = (law.isotropic, [1.0; LANES]);
                self.add_products(block, [&stiff, &unit], [&none, &none]);
            }
        }
    }

    /// H += (Jᵀa)(Jᵀb)ᵀ + (Jᵀc)(Jᵀd)ᵀ.
    ///
    /// Rows and columns are written out: left as loops, the compiler would fill its registers across them and gather
    /// every number by itself.
    #[inline(always)]
    fn add_products(&mut self, block: &RowBlock, [a, b]: [&Lanes3; 2], [c, d]: [&Lanes3; 2]) {
        for (row, sums) in self.lines.iter_mut().enumerate() {
            let (a, c) = (lines(block, row, a), lines(block, row, c));
            for (column, sums) in sums.iter_mut().enumerate() {
                let (b, d) = (lines(block, column, b), lines(block, column, d));
                macro_rules! add {
                    ($($i:literal)*) => { $(
                        add_product(&mut sums[$i][0], [&a[$i], &b[0]], [&c[$i], &d[0]]);
                        add_product(&mut sums[$i][1], [&a[$i], &b[1]], [&c[$i], &d[1]]);
                        add_product(&mut sums[$i][2], [&a[$i], &b[2]], [&c[$i], &d[2]]);
                        add_product(&mut sums[$i][3], [&a[$i], &b[3]], [&c[$i], &d[3]]);
                        add_product(&mut sums[$i][4], [&a[$i], &b[4]], [&c[$i], &d[4]]);
                        add_product(&mut sums[$i][5], [&a[$i], &b[5]], [&c[$i], &d[5]]);
                    )* };
                }
                add!(0 1 2 3 4 5);
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

/// Jᵀx for one side.
#[inline(always)]
fn lines(block: &RowBlock, side: usize, x: &Lanes3) -> Lines {
    let (arms, sign) = if side == 0 { (&block.arm_a, 1.0) } else { (&block.arm_b, -1.0) };
    let (mut push, mut moment) = (*x, *x);
    for lane in 0..LANES {
        let x = at(x, lane) * sign;
        set(&mut push, lane, x);
        set(&mut moment, lane, at(arms, lane).cross(&x));
    }
    let ([x, y, z], [mx, my, mz]) = (push, moment);
    [x, y, z, mx, my, mz]
}

/// sum += a b + c d.
#[inline(always)]
fn add_product(sum: &mut Lanes, [a, b]: [&Lanes; 2], [c, d]: [&Lanes; 2]) {
    for lane in 0..LANES {
        sum[lane] += a[lane] * b[lane] + c[lane] * d[lane];
    }
}

#[inline(always)]
fn total(lanes: &Lanes) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}
