//! Error of a baked field against the exact distance: the measured error, and the bound derived from it.
//!
//! ```text
//! e(p) = |d_baked(p) − d(p)|      for |d(p)| ≤ band
//! B    = S · max e                over every point measured, while baking and afterwards
//! ```
//!
//! The percentiles are over points spread over the surface by area (one random point per equal share). Half of them
//! are moved along the normal by up to the band in either direction, half by a random vector in a ball of that
//! radius.
//!
//! B is a *measured* bound with a safety factor S, not a proven one: every interpolating leaf that touches the band
//! has been compared at 39 points, except those over a single plane, where interpolation is exact; leaves with a list
//! of triangles are exact to rounding. The proven bound is weaker: d is 1-Lipschitz and interpolation is a weighted
//! mean of exact corner values, so e ≤ h √3/2 in a cell of edge h.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tightfit_spatial::SplitMix;

use super::octree::BakedField;
use crate::mesh::MeshDistance;

/// S: the stated bound over the largest measured error [-]. Over eight million new points on each mesh of the
/// detection benchmark, the largest error was 1.3 times the largest measured before.
const SAFETY: f64 = 2.0;
/// Rounding of values to single precision and of their interpolation [m].
const ROUNDING: f64 = 1e-8;

/// Measured error of a baked field within its band.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// Number of points within the band over which the percentiles are taken.
    pub samples: u64,
    /// Seed of those points.
    pub seed: u64,
    /// Median of the distance error [m].
    pub median: f64,
    /// 95th percentile of the distance error [m].
    pub p95: f64,
    /// 99th percentile of the distance error [m].
    pub p99: f64,
    /// Largest distance error among the samples [m].
    pub max: f64,
    /// 99th percentile of the angle between the baked and the exact normal [rad].
    pub normal_p99: f64,
    /// Stated bound of the distance error within the band [m].
    pub bound: f64,
    /// Number of points measured while baking; the bound covers them and the samples.
    pub bake_samples: u64,
    /// Edge of the smallest cells in use [m].
    pub min_cell: f64,
    /// How often `min_cell` was enlarged to meet the memory limit.
    pub coarsened: u32,
}

impl ErrorReport {
    /// Compares a field with the exact distance on `count` random points; the bound is left at zero.
    #[must_use]
    pub fn measure(field: &BakedField, exact: &MeshDistance, count: u64, seed: u64) -> Self {
        let band = field.options().band;
        let mut cumulative = Vec::with_capacity(exact.triangles.len());
        let mut area = 0.0;
        for triangle in &exact.triangles {
            let [a, b, c] = triangle.corners;
            area += (b - a).cross(&(c - a)).norm() / 2.0;
            cumulative.push(area);
        }
        let mut errors: Vec<(f64, f64)> = (0..count)
            .into_par_iter()
            .filter_map(|index| {
                let mut random = SplitMix(seed.wrapping_mul(0x2545_F491_4F6C_DD1D).wrapping_add(index << 20));
                let share = (index as f64 + random.unit()) / count as f64 * area;
                let t = cumulative.partition_point(|&sum| sum < share).min(cumulative.len() - 1);
                let point = near_triangle(exact, t, band, index % 2 == 0, &mut random);
                let truth = exact.sample(point);
                let (distance, normal) = field.sample(point);
                let angle = normal.cross(&truth.normal).norm().atan2(normal.dot(&truth.normal));
                (truth.distance.abs() <= band).then_some(((distance - truth.distance).abs(), angle))
            })
            .collect();
        let at = |errors: &[(f64, f64)], fraction: f64| {
            let last = errors.len().saturating_sub(1);
            errors.get((fraction * last as f64).round() as usize).copied().unwrap_or_default()
        };
        errors.sort_by(|a, b| a.1.total_cmp(&b.1));
        let normal_p99 = at(&errors, 0.99).1;
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            samples: errors.len() as u64,
            seed,
            median: at(&errors, 0.5).0,
            p95: at(&errors, 0.95).0,
            p99: at(&errors, 0.99).0,
            max: at(&errors, 1.0).0,
            normal_p99,
            ..Self::default()
        }
    }

    /// Sets the bound from the samples and from the largest error [m] of `measured` points of the bake.
    pub(super) fn state_bound(&mut self, worst: f64, measured: u64) {
        self.bound = SAFETY * worst.max(self.max) + ROUNDING;
        self.bake_samples = measured;
    }
}

/// A random point within `band` [m] of triangle `t` of the offset surface.
fn near_triangle(
    exact: &MeshDistance,
    t: usize,
    band: f64,
    along_normal: bool,
    random: &mut SplitMix,
) -> Vector3<f64> {
    let triangle = &exact.triangles[t];
    let [a, b, c] = triangle.corners;
    let (mut u, mut v) = (random.unit(), random.unit());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    let on_surface = a + (b - a) * u + (c - a) * v + triangle.normal * exact.offset();
    let ball = random.ball();
    let shift = if along_normal { triangle.normal * ball.x } else { ball };
    on_surface + shift * band
}
