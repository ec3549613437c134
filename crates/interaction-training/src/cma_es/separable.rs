//! The diagonal of the covariance.
//!
//! R. Ros, N. Hansen, PPSN 2008.

use super::constants::Constants;
use super::generation::Ranked;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Separable {
    /// Diagonal of C.
    pub(super) variances: Vec<f64>,
}

impl Separable {
    pub(super) fn new(dimension: usize) -> Self {
        Self { variances: vec![1.0; dimension] }
    }

    pub(super) fn shaped(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.variances).map(|(z, variance)| z * variance.sqrt()).collect()
    }

    pub(super) fn adapt(&mut self, ranked: &Ranked<'_>, constants: &Constants) {
        let n = self.variances.len();
        let kept = constants.kept(ranked.stalled);
        for (variance, path) in self.variances.iter_mut().zip(ranked.path) {
            *variance = kept * *variance + constants.rank_one * path * path;
        }
        for (rank, index) in ranked.order.iter().enumerate() {
            let draw = &ranked.draws[*index];
            let square = draw.z.iter().map(|z| z * z).sum();
            let weight = constants.rank_many * constants.outer_weight(rank, square, n);
            for (variance, y) in self.variances.iter_mut().zip(&draw.y) {
                *variance += weight * y * y;
            }
        }
        // The bound on the negative weights keeps them positive, except for rounding.
        self.variances.iter_mut().for_each(|variance| *variance = variance.max(1e-300));
    }

    pub(super) fn widest(&self) -> f64 {
        self.variances.iter().fold(0.0_f64, |most, variance| most.max(*variance)).sqrt()
    }
}
