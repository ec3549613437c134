//! A few directions instead of a covariance: LM-MA-ES.
//!
//! ```text
//! y ← z;   for each direction mⱼ:  y ← (1 − dⱼ) y + dⱼ mⱼ (mⱼᵀ y)                    dⱼ = 1/(1.5ʲ n)
//! mⱼ ← (1 − cⱼ) mⱼ + √(μ_eff cⱼ(2 − cⱼ)) Σ wᵢ zᵢ                                    cⱼ = λ/(4ʲ n)
//! ```
//!
//! Later directions have a longer memory. Direction j is not used before generation j: it has too little data.
//!
//! I. Loshchilov, T. Glasmachers, H.-G. Beyer, "Large scale black-box optimization by limited-memory matrix
//! adaptation", IEEE Trans. Evolutionary Computation 23(2), 2019.

use super::constants::Constants;
use super::generation::Ranked;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Directions {
    /// mⱼ.
    pub(super) rows: Vec<Vec<f64>>,
}

impl Directions {
    pub(super) fn new(dimension: usize) -> Self {
        let count = 4 + (3.0 * libm::log(dimension as f64)) as usize;
        Self { rows: vec![vec![0.0; dimension]; count] }
    }

    pub(super) fn shaped(&self, z: &[f64], generation: u64) -> Vec<f64> {
        let n = z.len() as f64;
        let mut y = z.to_vec();
        for (j, row) in self.rows.iter().enumerate().take(generation as usize) {
            let rate = libm::pow(1.5, -(j as f64)) / n;
            let along: f64 = row.iter().zip(&y).map(|(m, y)| m * y).sum();
            y.iter_mut().zip(row).for_each(|(y, m)| *y = (1.0 - rate) * *y + rate * along * m);
        }
        y
    }

    pub(super) fn adapt(&mut self, ranked: &Ranked<'_>, constants: &Constants) {
        let (n, population) = (ranked.mean_z.len() as f64, ranked.draws.len() as f64);
        for (j, row) in self.rows.iter_mut().enumerate() {
            let rate = (population * libm::pow(4.0, -(j as f64)) / n).min(1.0);
            let gain = (constants.effective * rate * (2.0 - rate)).sqrt();
            row.iter_mut().zip(ranked.mean_z).for_each(|(m, z)| *m = (1.0 - rate) * *m + gain * z);
        }
    }

    /// Restores all rows from one column; `false` when its length is wrong.
    pub(super) fn set(&mut self, column: &[f64]) -> bool {
        let n = self.rows.first().map_or(0, Vec::len);
        let fits = column.len() == n * self.rows.len();
        if fits {
            self.rows.iter_mut().zip(column.chunks_exact(n)).for_each(|(row, own)| row.copy_from_slice(own));
        }
        fits
    }
}
