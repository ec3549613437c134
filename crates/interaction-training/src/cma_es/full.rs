//! The full covariance, with its Cholesky factor instead of its square root.
//!
//! A Aᵀ = C with A lower triangular gives the same distribution, and Σ wᵢ zᵢ needs no inverse. The factor is recomputed
//! only after C has changed enough.
//!
//! O. Krause, D. R. Arbonès, C. Igel, "CMA-ES with optimal covariance update and storage complexity", NIPS 2016.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::constants::Constants;
use super::generation::Ranked;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Full {
    /// C.
    covariance: DMatrix<f64>,
    /// A.
    factor: DMatrix<f64>,
    /// Generations since the factor was computed.
    age: f64,
}

impl Full {
    pub(super) fn new(dimension: usize) -> Self {
        let identity = DMatrix::identity(dimension, dimension);
        Self { covariance: identity.clone(), factor: identity, age: 0.0 }
    }

    pub(super) fn shaped(&self, z: &[f64]) -> Vec<f64> {
        let z = DVector::from_column_slice(z);
        (&self.factor * z).as_slice().to_vec()
    }

    pub(super) fn adapt(&mut self, ranked: &Ranked<'_>, constants: &Constants) {
        let n = self.covariance.nrows();
        self.covariance *= constants.kept(ranked.stalled);
        let path = DVector::from_column_slice(ranked.path);
        self.covariance.syger(constants.rank_one, &path, &path, 1.0);
        for (rank, index) in ranked.order.iter().enumerate() {
            let draw = &ranked.draws[*index];
            let square = draw.z.iter().map(|z| z * z).sum();
            let weight = constants.rank_many * constants.outer_weight(rank, square, n);
            if weight != 0.0 {
                let y = DVector::from_column_slice(&draw.y);
                self.covariance.syger(weight, &y, &y, 1.0);
            }
        }
        self.age += 1.0;
        // Only the lower triangle is updated and read.
        if self.age >= 1.0 / (10.0 * n as f64 * (constants.rank_one + constants.rank_many)) {
            self.age = 0.0;
            self.renew();
        }
    }

    /// A from C. A small multiple of the identity is added where rounding made C indefinite.
    fn renew(&mut self) {
        let mean = self.covariance.diagonal().mean().abs().max(f64::MIN_POSITIVE);
        let mut added = 0.0;
        for _ in 0..20 {
            let mut trial = self.covariance.clone();
            (0..trial.nrows()).for_each(|i| trial[(i, i)] += added);
            if let Some(cholesky) = Cholesky::new(trial) {
                self.factor = cholesky.l();
                (0..self.factor.nrows()).for_each(|i| self.covariance[(i, i)] += added);
                return;
            }
            added = if added == 0.0 { 1e-14 * mean } else { 10.0 * added };
        }
    }

    pub(super) fn widest(&self) -> f64 {
        self.covariance.diagonal().max().max(0.0).sqrt()
    }

    pub(super) fn columns(&self) -> Vec<(&'static str, Vec<f64>)> {
        vec![
            ("covariance", self.covariance.as_slice().to_vec()),
            ("factor", self.factor.as_slice().to_vec()),
            ("age", vec![self.age]),
        ]
    }

    pub(super) fn set_columns(&mut self, column: impl Fn(&str) -> Option<Vec<f64>>) -> bool {
        let n = self.covariance.nrows();
        let square = |name| column(name).filter(|own: &Vec<f64>| own.len() == n * n);
        let (Some(covariance), Some(factor), Some(age)) =
            (square("covariance"), square("factor"), column("age").and_then(|age| age.first().copied()))
        else {
            return false;
        };
        self.covariance = DMatrix::from_vec(n, n, covariance);
        self.factor = DMatrix::from_vec(n, n, factor);
        self.age = age;
        true
    }
}
