//! LU factors of a small dense matrix.
//!
//! ```text
//! P H = L U        partial pivoting, row-major;   sign det H = (−1)^swaps Π sign Uₖₖ
//! ```
//!
//! H is 6n × 6n for n free bodies. The sign of the determinant orients the path of `arclength.rs`.

use nalgebra::Matrix6;
use tightfit_spatial::{Simd, WithSimd, with_registers};

use crate::make_room;

/// A pivot below this counts as zero: smaller ones overflow when inverted.
const SMALLEST_PIVOT: f64 = 1e-300;

/// LU factors; keeps its memory between factorisations.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    /// L (unit diagonal, not stored) below and U on and above the diagonal, row-major.
    factors: Vec<f64>,
    /// Row swapped with row k at step k.
    swaps: Vec<usize>,
}

impl DenseLu {
    /// Reserves memory for a matrix of `size` rows.
    pub(super) fn make_room(&mut self, size: usize) {
        make_room(&mut self.factors, size * size);
        make_room(&mut self.swaps, size);
    }

    /// Factors the `size` × `size` row-major matrix; returns the sign of its determinant, 0 when it is singular or not
    /// finite (the factors are then invalid).
    pub fn factor(&mut self, matrix: &[f64], size: usize) -> f64 {
        self.factors.clear();
        self.factors.extend_from_slice(&matrix[..size * size]);
        self.swaps.clear();
        self.swaps.resize(size, 0);
        // One body is the common case: a literal size lets the compiler unroll the loops.
        if size == 6 {
            eliminate(&mut self.factors, &mut self.swaps, 6)
        } else {
            with_registers(Elimination { factors: &mut self.factors, swaps: &mut self.swaps, size })
        }
    }

    /// x ← H⁻¹ x for the matrix factored last.
    pub fn solve(&self, x: &mut [f64]) {
        if self.swaps.len() == 6 {
            substitute(&self.factors, &self.swaps, x, 6);
        } else {
            substitute(&self.factors, &self.swaps, x, self.swaps.len());
        }
    }
}

/// Inverse of a 6×6 matrix with positive definite symmetric part, by Gauss–Jordan without pivoting, which such matrices
/// do not need; `None` when a pivot is not positive.
#[must_use]
pub fn invert_definite(matrix: &Matrix6<f64>) -> Option<Matrix6<f64>> {
    with_registers(Inversion { matrix })
}

/// Columns of a row of a 6×6 matrix, padded to a whole register.
const LINE: usize = 8;

/// The loops of [`invert_definite`].
struct Inversion<'a> {
    matrix: &'a Matrix6<f64>,
}

impl WithSimd for Inversion<'_> {
    type Output = Option<Matrix6<f64>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        invert(self.matrix)
    }
}

#[inline(always)]
fn invert(matrix: &Matrix6<f64>) -> Option<Matrix6<f64>> {
    let mut a = [[0.0; LINE]; 6];
    for (row, line) in a.iter_mut().enumerate() {
        for (column, entry) in line[..6].iter_mut().enumerate() {
            *entry = matrix[(row, column)];
        }
    }
    for k in 0..6 {
        let pivot = a[k][k];
        if pivot <= SMALLEST_PIVOT || !pivot.is_finite() {
            return None;
        }
        let inverse = 1.0 / pivot;
        a[k][k] = 1.0;
        for entry in &mut a[k] {
            *entry *= inverse;
        }
        let own = a[k];
        for (row, line) in a.iter_mut().enumerate() {
            if row != k {
                let factor = std::mem::replace(&mut line[k], 0.0);
                for (entry, own) in line.iter_mut().zip(&own) {
                    *entry -= factor * own;
                }
            }
        }
    }
    Some(Matrix6::from_fn(|row, column| a[row][column]))
}

#[inline(always)]
fn eliminate(a: &mut [f64], swaps: &mut [usize], size: usize) -> f64 {
    let (a, swaps) = (&mut a[..size * size], &mut swaps[..size]);
    let mut sign = 1.0;
    for k in 0..size {
        let mut best = k;
        for row in k + 1..size {
            if a[row * size + k].abs() > a[best * size + k].abs() {
                best = row;
            }
        }
        let pivot = a[best * size + k];
        // Written so that NaN fails it.
        if pivot.abs() <= SMALLEST_PIVOT || !pivot.is_finite() {
            return 0.0;
        }
        swaps[k] = best;
        if best != k {
            for column in 0..size {
                a.swap(k * size + column, best * size + column);
            }
            sign = -sign;
        }
        if pivot < 0.0 {
            sign = -sign;
        }
        let inverse = 1.0 / pivot;
        let (above, below) = a.split_at_mut((k + 1) * size);
        let own = &above[k * size..];
        // Bodies that do not touch have no common entries: most of a row is zero in a stack or a row of bodies.
        let end = if size > 6 { own.iter().rposition(|entry| *entry != 0.0).unwrap_or(k) + 1 } else { size };
        for line in below.chunks_exact_mut(size) {
            if size > 6 && line[k] == 0.0 {
                continue;
            }
            let factor = line[k] * inverse;
            line[k] = factor;
            for (entry, own) in line[k + 1..end].iter_mut().zip(&own[k + 1..end]) {
                *entry -= factor * own;
            }
        }
    }
    sign
}

/// The loops of [`DenseLu::factor`] for several bodies.
struct Elimination<'a> {
    factors: &'a mut [f64],
    swaps: &'a mut [usize],
    size: usize,
}

impl WithSimd for Elimination<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        eliminate(self.factors, self.swaps, self.size)
    }
}

#[inline(always)]
fn substitute(a: &[f64], swaps: &[usize], x: &mut [f64], size: usize) {
    let (a, swaps, x) = (&a[..size * size], &swaps[..size], &mut x[..size]);
    for (k, &other) in swaps.iter().enumerate() {
        x.swap(k, other);
    }
    for row in 1..size {
        let mut sum = x[row];
        for column in 0..row {
            sum -= a[row * size + column] * x[column];
        }
        x[row] = sum;
    }
    for row in (0..size).rev() {
        let mut sum = x[row];
        for column in row + 1..size {
            sum -= a[row * size + column] * x[column];
        }
        x[row] = sum / a[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn the_solution_times_the_matrix_is_the_right_side_and_the_sign_is_that_of_the_determinant() {
        for size in [6, 12, 18] {
            for seed in 0..20 {
                // Noise: later digits of a sine.
                let entry = |i: usize, j: usize| ((i * 37 + j * 1009 + seed * 9173) as f64).sin() * 4e4 % 1.0;
                let matrix = DMatrix::from_fn(size, size, entry);
                let x = DVector::from_fn(size, |i, _| (i as f64).cos());
                let rows: Vec<f64> = matrix.transpose().iter().copied().collect();
                let mut right = (&matrix * &x).iter().copied().collect::<Vec<_>>();

                let mut lu = DenseLu::default();
                let sign = lu.factor(&rows, size);
                lu.solve(&mut right);

                assert_eq!(sign, matrix.determinant().signum());
                assert!((DVector::from_vec(right) - x).norm() < 1e-8);
            }
        }
    }

    #[test]
    fn a_definite_matrix_times_its_inverse_is_one_and_an_indefinite_one_has_none() {
        for seed in 0..50 {
            let noise = |i: usize, j: usize| ((i * 37 + j * 1009 + seed * 9173) as f64).sin() * 4e4 % 1.0;
            let root = Matrix6::from_fn(noise);
            let skew = root - root.transpose();
            let matrix = root * root.transpose() + Matrix6::identity() * 0.1 + skew * 0.3;
            let inverse = invert_definite(&matrix).expect("definite");
            assert!((matrix * inverse - Matrix6::identity()).norm() < 1e-9);
            assert!(invert_definite(&(root * root.transpose() - Matrix6::identity() * 9.0)).is_none());
        }
    }

    #[test]
    fn a_singular_matrix_has_sign_zero() {
        assert_eq!(DenseLu::default().factor(&[1.0, 2.0, 2.0, 4.0], 2), 0.0);
        assert_eq!(DenseLu::default().factor(&[f64::NAN; 36], 6), 0.0);
    }
}
