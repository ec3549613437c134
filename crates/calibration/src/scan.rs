//! Start values of dimensions by trying some.
//!
//! A part that is too small touches nothing, and nothing tells by how much: the slope of every force is zero. So sizes are
//! tried first, from 1/400 to 1/40 of the part on either side, on a few trials, by the mean magnitude of the errors.

use crate::fit::Fit;
use crate::{CalibrationError, Quantity};

/// Shares of the size that are tried [-].
const SHARES: [f64; 8] = [2.5e-4, 7.5e-4, 1.5e-3, 3e-3, 5e-3, 8e-3, 1.2e-2, 2e-2];
/// Trials that are used.
const TRIALS: usize = 3;

impl Fit<'_> {
    /// Coordinates with the best of the tried dimensions; `tell` receives the share that is done.
    pub(crate) fn scanned(
        &self,
        mut x: Vec<f64>,
        mut tell: impl FnMut(f64),
    ) -> Result<Vec<f64>, CalibrationError> {
        let count = self.trials.len().min(TRIALS);
        let few: Vec<usize> = (0..count).map(|k| k * self.trials.len() / count).collect();
        let error = |x: &[f64]| -> f64 {
            let Ok(found) = self.evaluate(x, &few) else { return f64::INFINITY };
            found.residuals.iter().flatten().map(|r| r.abs()).sum()
        };
        let is_dimension =
            |index: &usize| matches!(self.unknowns[*index].quantity, Quantity::Dimension { .. });
        let dimensions: Vec<usize> = (0..x.len()).filter(is_dimension).collect();
        for (number, index) in dimensions.iter().enumerate() {
            let size = self.unknowns[*index].start.abs();
            let mut best = (error(&x), x.clone());
            for (place, share) in SHARES.into_iter().flat_map(|share| [share, -share]).enumerate() {
                let mut moved = x.clone();
                moved[*index] += share * size;
                let own = error(&moved);
                if own < best.0 {
                    best = (own, moved);
                }
                let done = (place + 1) as f64 / (2 * SHARES.len()) as f64;
                tell((number as f64 + done) / dimensions.len() as f64);
            }
            x = best.1;
        }
        Ok(x)
    }
}
