//! Start values of dimensions and of the hold by trying some.
//!
//! A part that is too small touches nothing, and nothing tells by how much: the slope of every force is zero. So sizes are
//! tried first, from 1/4000 to 1/50 of the part on either side, on a few trials, by the mean magnitude of the errors. A hold that
//! is several times too stiff leads the descent through valleys of contacts that stick: its stiffness along all axes, then
//! about all, is tried next, and sizes once more with it.

use crate::fit::Fit;
use crate::{CalibrationError, Quantity};

/// Shares of the size that are tried [-].
const SHARES: [f64; 8] = [2.5e-4, 7.5e-4, 1.5e-3, 3e-3, 5e-3, 8e-3, 1.2e-2, 2e-2];
/// Logarithms of the factors of a stiffness that are tried [-].
const FACTORS: [f64; 4] = [0.5, 1.0, 1.6, 2.3];
/// Trials that are used.
const TRIALS: usize = 3;

/// Unknowns that are moved together, and by how much each time.
struct Tries {
    unknowns: Vec<usize>,
    shifts: Vec<f64>,
}

impl Fit<'_> {
    /// Coordinates with the best of the tried dimensions and stiffnesses; `tell` receives the share that is done.
    pub(crate) fn scanned(
        &self,
        mut x: Vec<f64>,
        mut tell: impl FnMut(f64),
    ) -> Result<Vec<f64>, CalibrationError> {
        let count = self.trials.len().min(TRIALS);
        let few: Vec<usize> = (0..count).map(|k| k * self.trials.len() / count).collect();
        let size = |all: &[Vec<f64>]| all.iter().flatten().map(|r| r.abs()).sum::<f64>();
        let error = |x: &[f64], most: f64| {
            self.evaluate_below(x, &few, size, most).map_or(f64::INFINITY, |found| size(&found.residuals))
        };
        let all = self.tries();
        let total: usize = all.iter().map(|own| own.shifts.len()).sum();
        let mut done = 0;
        for Tries { unknowns, shifts } in all {
            let mut best = (error(&x, f64::INFINITY), x.clone());
            for shift in shifts {
                let mut moved = x.clone();
                unknowns.iter().for_each(|index| moved[*index] += shift);
                let own = error(&moved, best.0);
                if own < best.0 {
                    best = (own, moved);
                }
                done += 1;
                tell(done as f64 / total as f64);
            }
            x = best.1;
        }
        Ok(x)
    }

    /// Sizes one by one; stiffnesses along all axes, and about all; sizes again where a stiffness was tried.
    fn tries(&self) -> Vec<Tries> {
        let those = |is_one: &dyn Fn(&Quantity) -> bool| -> Vec<usize> {
            (0..self.unknowns.len()).filter(|index| is_one(&self.unknowns[*index].quantity)).collect()
        };
        let both = |sizes: &[f64]| sizes.iter().flat_map(|own| [*own, -own]).collect::<Vec<f64>>();
        let sizes = || {
            those(&|own| matches!(own, Quantity::Dimension { .. })).into_iter().map(|index| {
                let size = self.unknowns[index].start.abs();
                Tries { unknowns: vec![index], shifts: both(&SHARES.map(|share| share * size)) }
            })
        };
        let holds: Vec<Tries> = [0..3, 3..6]
            .into_iter()
            .map(|axes| those(&|own| matches!(own, Quantity::Stiffness(axis) if axes.contains(axis))))
            .filter(|unknowns| !unknowns.is_empty())
            .map(|unknowns| Tries { unknowns, shifts: both(&FACTORS) })
            .collect();
        let again = if holds.is_empty() { 0 } else { usize::MAX };
        sizes().chain(holds).chain(sizes().take(again)).collect()
    }
}
