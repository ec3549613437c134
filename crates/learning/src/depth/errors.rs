//! Errors of a depth network near the surface.

use serde::{Deserialize, Serialize};
use tightfit_network::{Field, FieldScratch, Random};
use tightfit_spatial::Columns3;

use super::SurfaceSampler;
use crate::LearningError;

/// Distance from the surface within which errors are measured [m].
const REACH: f64 = 100e-6;

/// Errors over random points within 100 µm of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthErrors {
    /// Number of points.
    pub points: usize,
    /// Mean absolute error of the distance [m].
    pub mean: f64,
    /// Median of the absolute error [m].
    pub median: f64,
    /// 95th percentile [m].
    pub p95: f64,
    /// 99th percentile [m].
    pub p99: f64,
    /// Largest error [m].
    pub max: f64,
    /// Angle between gradient and true normal, median [rad].
    pub normal_median: f64,
    /// The same angle, 95th percentile [rad].
    pub normal_p95: f64,
    /// The same angle, 99th percentile [rad].
    pub normal_p99: f64,
}

impl DepthErrors {
    /// Compares a field with the exact distance at `count` random points.
    ///
    /// # Errors
    /// Those of [`Field::evaluate`].
    pub fn measure(
        field: &Field,
        sampler: &SurfaceSampler<'_>,
        count: usize,
        seed: u64,
    ) -> Result<Self, LearningError> {
        let mut random = Random::stream(seed, u64::MAX);
        let drawn: Vec<_> = (0..count).map(|_| sampler.point_within(REACH, &mut random)).collect();
        let points: Columns3 = drawn.iter().map(|(point, _)| *point).collect();
        let (mut values, mut gradients) = (Vec::new(), Columns3::default());
        field.evaluate(&points, &mut values, &mut gradients, &mut FieldScratch::default())?;
        let truth = drawn.iter().map(|(_, sample)| sample);
        let mut errors: Vec<f64> =
            values.iter().zip(truth.clone()).map(|(value, sample)| (value - sample.distance).abs()).collect();
        let angle = |(gradient, sample): (tightfit_spatial::Vector3<f64>, &tightfit_shape::Sample)| {
            libm::atan2(gradient.cross(&sample.normal).norm(), gradient.dot(&sample.normal))
        };
        let mut angles: Vec<f64> = gradients.iter().zip(truth).map(angle).collect();
        errors.sort_by(f64::total_cmp);
        angles.sort_by(f64::total_cmp);
        let at = |sorted: &[f64], share: f64| {
            let index = (share * sorted.len() as f64) as usize;
            sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
        };
        Ok(Self {
            points: count,
            mean: errors.iter().sum::<f64>() / count as f64,
            median: at(&errors, 0.5),
            p95: at(&errors, 0.95),
            p99: at(&errors, 0.99),
            max: at(&errors, 1.0),
            normal_median: at(&angles, 0.5),
            normal_p95: at(&angles, 0.95),
            normal_p99: at(&angles, 0.99),
        })
    }
}
