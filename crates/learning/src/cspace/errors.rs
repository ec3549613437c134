//! How far from contact a C-space network is wrong.

use std::array::from_fn;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_network::{COORDINATES, CspaceField, Random};

use super::{ConfigurationBox, Offenders, PairGap};
use crate::LearningError;

/// Samples per random sequence.
const PIECE: usize = 512;

/// Errors over new samples, uniform over the box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationErrors {
    /// Number of samples.
    pub samples: usize,
    /// Share of free samples [-].
    pub free: f64,
    /// Share of wrong classifications [-].
    pub wrong: f64,
    /// Share of free samples that are classified as colliding [-].
    pub free_wrong: f64,
    /// |Smallest gap| of wrong classifications, median [m]; zero when none is wrong.
    pub median: f64,
    /// 95th percentile [m].
    pub p95: f64,
    /// 99th percentile [m].
    pub p99: f64,
    /// Largest [m].
    pub max: f64,
}

impl ConfigurationErrors {
    /// Compares a field with the exact gap.
    ///
    /// # Errors
    /// Those of [`CspaceField::values`].
    pub fn measure(
        field: &CspaceField,
        pair: &PairGap,
        place: &ConfigurationBox,
        count: usize,
        seed: u64,
    ) -> Result<Self, LearningError> {
        let pose = |q: [f64; COORDINATES]| place.chart.fixed_from_part(q, pair.center_in_part());
        let piece = |first: usize| {
            let mut random = Random::stream(seed, u64::MAX - (first / PIECE) as u64);
            let mut offenders = Offenders::default();
            let one = move |_| {
                let q: [f64; COORDINATES] = from_fn(|k| {
                    let range = place.ranges[k];
                    if place.uses(k) { random.uniform(range.low, range.high) } else { 0.0 }
                });
                (q, !pair.collides(&pose(q), &mut offenders))
            };
            (first..count.min(first + PIECE)).map(one).collect::<Vec<_>>()
        };
        let drawn: Vec<_> = (0..count).into_par_iter().step_by(PIECE).flat_map_iter(piece).collect();
        let configurations: Vec<_> = drawn.iter().map(|(q, _)| *q).collect();
        let values = field.values(&configurations)?;
        let wrong: Vec<_> =
            values.iter().zip(&drawn).filter(|(value, (_, is_free))| (**value >= 0.0) != *is_free).collect();
        // The gap itself is computed for wrong classifications only.
        let mut gaps: Vec<f64> = wrong.par_iter().map(|(_, (q, _))| pair.gap(&pose(*q)).abs()).collect();
        gaps.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * gaps.len() as f64) as usize;
            gaps.get(index.min(gaps.len().saturating_sub(1))).copied().unwrap_or(0.0)
        };
        let free = drawn.iter().filter(|(_, is_free)| *is_free).count();
        let free_wrong = wrong.iter().filter(|(_, (_, is_free))| *is_free).count();
        Ok(Self {
            samples: count,
            free: free as f64 / count as f64,
            wrong: gaps.len() as f64 / count as f64,
            free_wrong: free_wrong as f64 / free.max(1) as f64,
            median: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: at(1.0),
        })
    }
}
