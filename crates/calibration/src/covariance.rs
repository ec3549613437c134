//! Covariance of a fit from how much each part of the data pulls it, without a model of the errors.
//!
//! ```text
//! d_b = (H − H_b)⁻¹ g_b                       shift of the result where block b is left out
//! C   = (B − 1)/B Σ_b d_b d_bᵀ + H⁻¹ P H⁻¹     jackknife by blocks, and what the prior leaves
//! ν_i = 1/Σ_b s_b² − 1                        s_b share of block b in what is known of i: (H⁻¹ H_b H⁻¹)_ii / Σ_b
//! ```
//!
//! H_b, g_b normal matrix and gradient of block b, H all of them with the prior P. A block is an eighth of a trial, or a trial where there are
//! eight: errors within it may be correlated in any way. Few blocks tell their own scatter badly; a range is t_ν standard
//! deviations wide instead of 1.96.
//!
//! R. Bell, D. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage samples", Survey Methodology
//! 28, 2002. G. Hill, "Algorithm 396: Student's t-quantiles", Comm. ACM 13, 1970.

use nalgebra::DMatrix;

use crate::linear::Linear;
use crate::normal::Normal;

/// 97.5 % of a normal distribution lie below so many standard deviations.
pub(crate) const NORMAL: f64 = 1.959_963_985;
/// Fewest degrees of freedom that are assumed [-].
const FEWEST: f64 = 2.0;

/// Covariance of the coordinates in units of the priors, and how many standard deviations a 95 % range has on either side.
pub(crate) struct Scatter {
    pub(crate) covariance: DMatrix<f64>,
    pub(crate) ranges: Vec<f64>,
}

/// From blocks of the data.
pub(crate) fn jackknife(linear: &Linear, normal: &Normal) -> Scatter {
    let Normal { units, data, penalty, inverse, .. } = normal;
    let (count, whole) = (units.len(), data + penalty);
    let mut covariance = inverse * penalty * inverse;
    let blocks = linear.blocks.len() as f64;
    let mut shares: Vec<[f64; 2]> = vec![[0.0; 2]; count];
    for block in &linear.blocks {
        let normal = DMatrix::from_fn(count, count, |i, j| block.normal[(i, j)] * units[i] * units[j]);
        let gradient = nalgebra::DVector::from_fn(count, |i, _| block.gradient[i] * units[i]);
        let told = inverse * &normal;
        for (index, share) in shares.iter_mut().enumerate() {
            let own = told.row(index).dot(&inverse.row(index));
            share[0] += own;
            share[1] += own * own;
        }
        if let Some(factors) = (&whole - normal).cholesky() {
            let shift = factors.solve(&gradient);
            covariance.ger((blocks - 1.0).max(1.0) / blocks, &shift, &shift, 1.0);
        }
    }
    let ranges = shares.iter().map(|[sum, squares]| student(sum * sum / squares - 1.0)).collect();
    Scatter { covariance, ranges }
}

/// 97.5 % quantile of Student's distribution, by an expansion in 1/ν.
fn student(freedom: f64) -> f64 {
    let v = if freedom.is_finite() { freedom.max(FEWEST) } else { FEWEST };
    let z = NORMAL;
    let odd = |power: i32| z.powi(power);
    z + (odd(3) + z) / (4.0 * v)
        + (5.0 * odd(5) + 16.0 * odd(3) + 3.0 * z) / (96.0 * v * v)
        + (3.0 * odd(7) + 19.0 * odd(5) + 17.0 * odd(3) - 15.0 * z) / (384.0 * v.powi(3))
}

#[cfg(test)]
mod tests {
    use super::student;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, table) in
            [(2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (1e9, 1.960)]
        {
            let own = student(freedom);
            assert!((own / table - 1.0).abs() < 0.035, "{freedom}: {own} against {table}");
        }
    }
}
