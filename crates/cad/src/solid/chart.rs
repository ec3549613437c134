//! The trimmed region of a parametric face in its parameters.
//!
//! The boundary is sampled as segments in (u, v). A straight path from a query to a reference point inside the face
//! crosses them an even number of times where the query is inside. Seams are no boundary, periods shift the segments,
//! and poles lie on the border of the domain, which no path crosses. Within the error of the segments the nearest point
//! of the boundary decides instead (see `distance/trim.rs`).

use std::sync::Arc;

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{Patch, patch};
use crate::geometry::Parametric;

/// Parameters along one edge of the face.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub edge: u32,
    /// (t, u, v), t ascending.
    pub samples: Vec<[f64; 3]>,
}

/// Trimmed region of a face in (u, v).
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub surface: Arc<Parametric>,
    pub domain: [[f64; 2]; 2],
    pub periods: [Option<f64>; 2],
    pub traces: Vec<Trace>,
    /// A point inside; `None` for a face without boundary.
    pub reference: Option<[f64; 2]>,
    /// Largest distance between the boundary and its segments [m].
    pub deviation: f64,
    /// Patches of the face, for seeds.
    pub patches: Vec<Patch>,
}

impl Chart {
    /// Parameters of the point of the surface that is nearest to p.
    pub(crate) fn project(&self, p: Vector3<f64>) -> [f64; 2] {
        let mut order: Vec<(f64, usize)> =
            self.patches.iter().enumerate().map(|(k, patch)| (patch.bounds.distance_squared(p), k)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = (f64::INFINITY, [self.domain[0][0], self.domain[1][0]]);
        for (bound, k) in order {
            if bound > best.0 {
                break;
            }
            let range = self.patches[k].range;
            let seed = range.map(|[a, b]| 0.5 * (a + b));
            let (at, local, _) = patch::foot(&self.surface, p, seed, range);
            let squared = (local.point - p).norm_squared();
            if squared < best.0 {
                best = (squared, at);
            }
        }
        best.1
    }

    /// Parameters near p from a seed, without limits other than the domain (two domains for periods).
    pub(crate) fn project_from(&self, p: Vector3<f64>, seed: [f64; 2]) -> [f64; 2] {
        patch::foot(&self.surface, p, seed, self.limits()).0
    }

    /// The domain; where the surface closes, a period more at each end.
    fn limits(&self) -> [[f64; 2]; 2] {
        [0, 1].map(|k| {
            let [a, b] = self.domain[k];
            // splines are not defined beyond their knots
            let period = if matches!(*self.surface, Parametric::Spline(_)) { None } else { self.periods[k] };
            period.map_or([a, b], |period| [a - period, b + period])
        })
    }

    /// Parameters of a point of an edge.
    pub(crate) fn parameters_near(&self, p: Vector3<f64>, (edge, t): (u32, f64)) -> [f64; 2] {
        let off = |at: [f64; 2]| (self.surface.evaluate(at[0], at[1]).point - p).norm();
        let seeded = self.seed(edge, t).map(|seed| self.project_from(p, seed));
        seeded.filter(|at| off(*at) < 1e-6).unwrap_or_else(|| self.project(p))
    }

    /// Distance of a point of an edge from the surface [m].
    pub(crate) fn miss(&self, p: Vector3<f64>, (edge, t): (u32, f64)) -> f64 {
        let off = |at: [f64; 2]| (self.surface.evaluate(at[0], at[1]).point - p).norm();
        let seeded = self.seed(edge, t).map_or(f64::INFINITY, |seed| off(self.project_from(p, seed)));
        if seeded < 1e-9 { seeded } else { seeded.min(off(self.project(p))) }
    }

    /// Unit normal of the surface near a point; an edge with its parameter seeds the search.
    pub(crate) fn normal_near(&self, p: Vector3<f64>, edge: Option<(u32, f64)>) -> Vector3<f64> {
        let seed = edge.and_then(|(edge, t)| self.seed(edge, t));
        let at = match seed {
            Some(seed) => {
                let at = self.project_from(p, seed);
                let miss = (self.surface.evaluate(at[0], at[1]).point - p).norm();
                if miss < 1e-5 { at } else { self.project(p) }
            }
            None => self.project(p),
        };
        self.normal(at)
    }

    /// Unit normal of the surface; at a pole that of a point beside it.
    pub(crate) fn normal(&self, at: [f64; 2]) -> Vector3<f64> {
        let unit = |at: [f64; 2]| {
            let local = self.surface.evaluate(at[0], at[1]);
            let scale = local.u.norm() * local.v.norm();
            let normal = local.u.cross(&local.v);
            // at a pole one derivative vanishes
            let size = |k: usize| self.domain[k][1] - self.domain[k][0];
            let area = scale * size(0) * size(1);
            if normal.norm() > 1e-6 * scale && area > 1e-16 { normal.try_normalize(0.0) } else { None }
        };
        unit(at)
            .or_else(|| {
                let middle = self.domain.map(|[a, b]| 0.5 * (a + b));
                let towards = |s: f64| [0, 1].map(|k| at[k] + (middle[k] - at[k]) * s);
                unit(towards(1e-4)).or_else(|| unit(towards(1e-2)))
            })
            .unwrap_or_else(Vector3::zeros)
    }

    fn seed(&self, edge: u32, t: f64) -> Option<[f64; 2]> {
        let trace = self.traces.iter().find(|trace| trace.edge == edge)?;
        if t.is_nan() {
            return None;
        }
        let place = trace.samples.partition_point(|sample| sample[0] < t);
        let after = trace.samples.get(place).or(trace.samples.last())?;
        let before = trace.samples.get(place.saturating_sub(1))?;
        let s = if after[0] > before[0] {
            ((t - before[0]) / (after[0] - before[0])).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let mut at = [before[1] + (after[1] - before[1]) * s, before[2] + (after[2] - before[2]) * s];
        for k in 0..2 {
            at[k] = self.wrapped(k, at[k]);
        }
        Some(at)
    }

    /// A parameter moved into the domain by periods.
    pub(crate) fn wrapped(&self, k: usize, x: f64) -> f64 {
        let [a, b] = self.domain[k];
        match self.periods[k] {
            Some(period) if x < a || x > b => a + (x - a).rem_euclid(period),
            _ => x.clamp(a, b),
        }
    }

    /// Whether the path from a query to the reference crosses the boundary an even number of times.
    pub(crate) fn is_inside(&self, at: [f64; 2]) -> bool {
        self.reference.is_none_or(|reference| self.crossings(at, reference).is_multiple_of(2))
    }

    /// Number of crossings of the segment from a to b with the boundary.
    pub(crate) fn crossings(&self, a: [f64; 2], b: [f64; 2]) -> usize {
        let shifts = |k: usize| -> ArrayVec<f64, 3> {
            let period = self.periods[k].unwrap_or(0.0);
            let turns = [-period, 0.0, period].into_iter();
            turns
                .filter(|shift| *shift == 0.0 || self.periods[k].is_some())
                .take(if period > 0.0 { 3 } else { 1 })
                .collect()
        };
        let (low, high) = ([a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]);
        let mut count = 0;
        let (us, vs) = (shifts(0), shifts(1));
        for trace in &self.traces {
            for pair in trace.samples.windows(2) {
                for du in &us {
                    for dv in &vs {
                        let p = [pair[0][1] + du, pair[0][2] + dv];
                        let q = [pair[1][1] + du, pair[1][2] + dv];
                        let apart = (0..2).any(|k| p[k].max(q[k]) < low[k] || p[k].min(q[k]) > high[k]);
                        if !apart && crosses(a, b, p, q) {
                            count += 1;
                        }
                    }
                }
            }
        }
        count
    }
}

/// Whether two segments cross. A point on a line counts as on its left, so that chains of segments are counted once.
fn crosses(a: [f64; 2], b: [f64; 2], p: [f64; 2], q: [f64; 2]) -> bool {
    let left = |a: [f64; 2], b: [f64; 2], p: [f64; 2]| {
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0.0
    };
    left(a, b, p) != left(a, b, q) && left(p, q, a) != left(p, q, b)
}
