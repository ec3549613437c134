//! What is believed before any data: sizes of unknowns, smoothness of wear, and one meaning for size and wear together.
//!
//! ```text
//! x_i / s_i                                    every unknown lies near its start
//! (c_{i−1} − 2 c_i + c_{i+1}) / s              wear is smooth, around the part and along it
//! Σ_k w_k g_k f(k) / (Σ_k w_k g_k²) / ε        over the contacts k of the data: wear f does not do what a size, with slope
//!                                              g = dφ/dθ, could do
//! ```
//!
//! The last rows make the size that of the associated (least-squares) feature, the global Gaussian size of ISO 14405-1:2016:
//! without them a bolt that is worn all over could as well be a thinner one.

use nalgebra::{DMatrix, DVector};
use tightfit_simulation::SIDES;

use crate::sensitivity::ContactPlace;
use crate::{Quantity, Unknown, WearChart};

/// Standard deviation of the second difference of neighbouring coefficients of wear [m].
const ROUGHNESS: f64 = 12e-6;
/// How exactly wear leaves sizes and poses alone, in units of their prior [-].
const APART: f64 = 1e-4;

/// A row of the prior: a weighted sum of coordinates that is zero up to one standard deviation.
#[derive(Clone, Debug)]
struct Row {
    entries: Vec<(usize, f64)>,
}

/// Rows of the prior.
#[derive(Clone, Debug)]
pub(crate) struct Prior {
    rows: Vec<Row>,
}

/// Sums over contacts on the worn part that separate wear from sizes and poses.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    /// For each geometric unknown: Σ w g B, by coefficient.
    sums: Vec<DVector<f64>>,
    /// Σ w g².
    squares: Vec<f64>,
}

impl Apart {
    pub(crate) fn new(unknowns: &[Unknown], wear: Option<WearChart>) -> Self {
        let count = geometric(unknowns).count();
        let length = wear.map_or(0, |wear| wear.chart.len());
        Self { sums: vec![DVector::zeros(length); count], squares: vec![0.0; count] }
    }

    pub(crate) fn add(&mut self, wear: WearChart, place: &ContactPlace) {
        let weights = wear.chart.weights(&place.point, &place.normal);
        for ((sum, square), slope) in self.sums.iter_mut().zip(&mut self.squares).zip(&place.slopes) {
            for (index, weight) in weights {
                sum[index] += place.share * slope * weight;
            }
            *square += place.share * slope * slope;
        }
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(own, other)| *own += other);
        self.squares.iter_mut().zip(&other.squares).for_each(|(own, other)| *own += other);
    }
}

/// Indices of the unknowns that move surfaces.
pub(crate) fn geometric(unknowns: &[Unknown]) -> impl Iterator<Item = usize> {
    unknowns.iter().enumerate().filter(|(_, own)| own.quantity.is_geometric()).map(|(index, _)| index)
}

impl Prior {
    pub(crate) fn new(unknowns: &[Unknown], wear: Option<WearChart>, apart: &Apart) -> Self {
        let single =
            |(index, unknown): (usize, &Unknown)| Row { entries: vec![(index, 1.0 / unknown.prior)] };
        let mut rows: Vec<Row> = unknowns.iter().enumerate().map(single).collect();
        let first = unknowns.iter().position(|own| matches!(own.quantity, Quantity::Wear(_)));
        if let (Some(WearChart { chart, .. }), Some(first)) = (wear, first) {
            let at = |place: [usize; 3]| first + chart.index(place);
            let mut bend = |places: [[usize; 3]; 3]| {
                let [a, b, c] = places.map(at);
                let s = 1.0 / ROUGHNESS;
                rows.push(Row { entries: vec![(a, s), (b, -2.0 * s), (c, s)] });
            };
            for side in 0..SIDES {
                for angle in 0..chart.angles {
                    for height in 0..chart.heights {
                        if chart.angles > 2 {
                            let next = |by: usize| [side, (angle + by) % chart.angles, height];
                            bend([next(0), next(1), next(2)]);
                        }
                        if height + 2 < chart.heights {
                            bend([0, 1, 2].map(|by| [side, angle, height + by]));
                        }
                    }
                }
            }
            for (place, unknown) in geometric(unknowns).enumerate() {
                if apart.squares[place] > 0.0 {
                    let scale = 1.0 / (apart.squares[place] * APART * unknowns[unknown].prior);
                    let sums = apart.sums[place].iter().enumerate().filter(|(_, sum)| **sum != 0.0);
                    rows.push(Row {
                        entries: sums.map(|(index, sum)| (first + index, sum * scale)).collect(),
                    });
                }
            }
        }
        Self { rows }
    }

    /// Half the sum of squares.
    pub(crate) fn cost(&self, x: &[f64]) -> f64 {
        0.5 * self.rows.iter().map(|row| row.at(x).powi(2)).sum::<f64>()
    }

    /// Adds to the normal equations.
    pub(crate) fn add(&self, x: &[f64], normal: &mut DMatrix<f64>, gradient: &mut DVector<f64>) {
        for row in &self.rows {
            let value = row.at(x);
            for (i, a) in &row.entries {
                gradient[*i] += a * value;
                for (j, b) in &row.entries {
                    normal[(*i, *j)] += a * b;
                }
            }
        }
    }
}

impl Row {
    fn at(&self, x: &[f64]) -> f64 {
        self.entries.iter().map(|(index, weight)| weight * x[*index]).sum()
    }
}
