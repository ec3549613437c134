//! A smooth correction of the gap over the surface of a part: wear, waviness, what differs from the drawing.
//!
//! ```text
//! φ ← φ + f(side, θ, z)        f = Σ c[side, i, j] B_i(n θ/2π) B_j((m − 3)(z − z₀)/(z₁ − z₀))
//! ```
//!
//! θ, z place of the contact about and along the part's z axis [rad, m]; B uniform cubic B-splines, periodic around the axis
//! and constant beyond z₀ and z₁; n, m numbers of coefficients; c coefficients [m], positive where material is missing. The
//! side is that of the outward normal: up and down (the two flanks of a thread, end faces) or sideways (a wall). The
//! normal is not changed: slopes of a worn surface are micrometres per millimetre.
//!
//! C. de Boor, "A practical guide to splines", Springer, 1978.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};
use tightfit_spatial::Vector3;

/// Normals whose axial part is larger belong to the sides up and down [-].
const AXIAL: f64 = 0.25;
/// Sides of the chart: up, down, sideways.
pub const SIDES: usize = 3;

/// Shape of a correction field: which part of the axis it covers, and how finely.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct GapChart {
    /// z₀ and z₁ in the part's frame [m].
    pub axial: [f64; 2],
    /// n: coefficients around the axis, at least 1. Fewer than four make a field that is constant around it.
    pub angles: usize,
    /// m: coefficients along it, at least 4.
    pub heights: usize,
}

/// The sixteen coefficients that a place depends on, and their weights.
pub type ChartWeights = [(usize, f64); 16];

impl GapChart {
    /// Number of coefficients.
    #[must_use]
    pub fn len(&self) -> usize {
        SIDES * self.angles * self.heights
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Place of a coefficient: side, angle, height.
    #[must_use]
    pub fn place(&self, index: usize) -> [usize; 3] {
        [
            index / (self.angles * self.heights),
            index / self.heights % self.angles.max(1),
            index % self.heights.max(1),
        ]
    }

    /// The coefficient at a place.
    #[must_use]
    pub fn index(&self, [side, angle, height]: [usize; 3]) -> usize {
        (side * self.angles + angle) * self.heights + height
    }

    /// Side of an outward normal, axes of the part: 0 up, 1 down, 2 sideways.
    #[must_use]
    pub fn side(normal: &Vector3<f64>) -> usize {
        if normal.z > AXIAL { 0 } else { 1 + usize::from(normal.z >= -AXIAL) }
    }

    /// Weights of the coefficients at a point of the surface with this outward normal, both in the part's frame.
    #[must_use]
    pub fn weights(&self, point: &Vector3<f64>, normal: &Vector3<f64>) -> ChartWeights {
        let place = self.spline_place(point, normal);
        std::array::from_fn(|k| (place.rows[k / 4] + k % 4, place.of_angle[k / 4] * place.of_height[k % 4]))
    }

    /// The four by four splines at a point.
    fn spline_place(&self, point: &Vector3<f64>, normal: &Vector3<f64>) -> SplinePlace {
        let turn = libm::atan2(point.y, point.x) / TAU;
        let around = (turn - turn.floor()) * self.angles as f64;
        let [low, high] = self.axial;
        let pieces = (self.heights - 3) as f64;
        let along = ((point.z - low) / (high - low) * pieces).clamp(0.0, pieces);
        let (first, of_angle) = cubic(around, usize::MAX);
        let (lowest, of_height) = cubic(along, self.heights - 4);
        let side = Self::side(normal);
        let rows = std::array::from_fn(|i| self.index([side, (first + i) % self.angles, lowest]));
        SplinePlace { rows, of_angle, of_height }
    }
}

/// The four splines around the axis and the four along it that are not zero at a point, and the first coefficient of each of the former.
struct SplinePlace {
    rows: [usize; 4],
    of_angle: [f64; 4],
    of_height: [f64; 4],
}

/// First of the four splines at x, at most `last`, and their values.
fn cubic(x: f64, last: usize) -> (usize, [f64; 4]) {
    let first = (x.floor().max(0.0) as usize).min(last);
    let t = x - first as f64;
    let s = 1.0 - t;
    let sixth = 1.0 / 6.0;
    let values = [
        s * s * s * sixth,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) * sixth,
        (3.0 * s * s * s - 6.0 * s * s + 4.0) * sixth,
        t * t * t * sixth,
    ];
    (first, values)
}

/// A correction of the gap over the surface of one part.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct GapField {
    chart: GapChart,
    coefficients: Vec<f64>,
    /// Largest magnitude of a coefficient [m]: no value is larger.
    largest: f64,
}

impl GapField {
    /// `None` where the numbers do not fit the chart, are not finite, or the chart has no extent.
    #[must_use]
    pub fn new(chart: GapChart, coefficients: Vec<f64>) -> Option<Self> {
        let [low, high] = chart.axial;
        let is_good = chart.angles >= 1
            && chart.heights >= 4
            && high - low > 1e-9
            && coefficients.len() == chart.len()
            && coefficients.iter().all(|own| own.is_finite());
        let largest = coefficients.iter().fold(0.0_f64, |largest, own| largest.max(own.abs()));
        is_good.then_some(Self { chart, coefficients, largest })
    }

    /// The field whose coefficients are the values of a function of side, angle [rad] and height [m] at their places. It
    /// is smoother than the function where that varies between neighbouring coefficients.
    #[must_use]
    pub fn sampled(chart: GapChart, value: impl Fn(usize, f64, f64) -> f64) -> Option<Self> {
        let [low, high] = chart.axial;
        let of = |index: usize| {
            let [side, angle, height] = chart.place(index);
            // the spline of coefficient i has its middle at i − 1
            let around = TAU * (angle as f64 - 1.0) / chart.angles as f64;
            let along = low + (high - low) * (height as f64 - 1.0) / (chart.heights as f64 - 3.0);
            value(side, around, along)
        };
        Self::new(chart, (0..chart.len()).map(of).collect())
    }

    /// The field of a part of which this much is missing all over [m].
    #[must_use]
    pub fn uniform(missing: f64) -> Self {
        let chart = GapChart { axial: [0.0, 1.0], angles: 1, heights: 4 };
        Self { chart, coefficients: vec![missing; chart.len()], largest: missing.abs() }
    }

    /// Its chart.
    #[must_use]
    pub fn chart(&self) -> GapChart {
        self.chart
    }

    /// Its coefficients [m].
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// A bound of its magnitude [m].
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// What is added to the gap at a point of the surface with this outward normal, both in the part's frame [m].
    #[must_use]
    pub fn value(&self, point: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
        let SplinePlace { rows, of_angle, of_height } = self.chart.spline_place(point, normal);
        let mut sum = 0.0;
        for (first, around) in rows.into_iter().zip(of_angle) {
            for (coefficient, along) in self.coefficients[first..first + 4].iter().zip(&of_height) {
                sum += around * along * coefficient;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> GapChart {
        GapChart { axial: [0.0, 0.04], angles: 8, heights: 7 }
    }

    #[test]
    fn weights_are_a_partition_of_unity_and_join_around_the_axis() {
        let up = Vector3::new(0.4, 0.0, 0.9);
        for (angle, z) in [(0.1, 0.01), (3.0, 0.0), (-0.2, 0.04), (6.2, 0.1), (1.0, -0.3)] {
            let (sin, cos) = libm::sincos(angle);
            let weights = chart().weights(&Vector3::new(cos, sin, z), &up);
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            assert!(weights.iter().all(|(index, _)| chart().place(*index)[0] == 0));
        }
        let wave = GapField::sampled(chart(), |_, angle, _| libm::cos(angle)).expect("a field");
        let at = |angle: f64| wave.value(&Vector3::new(libm::cos(angle), libm::sin(angle), 0.02), &up);
        assert!((at(1e-9) - at(-1e-9)).abs() < 1e-6);
        // cubic splines smooth a wave of eight samples by a tenth
        assert!((at(0.0) - 0.9).abs() < 0.02, "{}", at(0.0));
    }

    #[test]
    fn a_uniform_field_has_one_value() {
        let field = GapField::uniform(-7e-6);
        for (place, normal) in [([0.1, -3.0, 40.0], [0.0, 0.0, 1.0]), ([0.0, 0.02, -2.0], [0.6, -0.8, 0.0])] {
            assert!((field.value(&place.into(), &normal.into()) + 7e-6).abs() < 1e-20);
        }
    }

    #[test]
    fn each_side_has_its_own_values_and_ends_are_held() {
        let field = GapField::sampled(chart(), |side, _, z| side as f64 + z).expect("a field");
        let normals = [Vector3::z(), -Vector3::z(), Vector3::x()];
        for (side, normal) in normals.iter().enumerate() {
            let at = |z: f64| field.value(&Vector3::new(0.02, 0.0, z), normal);
            assert!((at(0.013) - side as f64 - 0.013).abs() < 1e-12, "cubic splines reproduce lines");
            assert!((at(9.0) - at(0.04)).abs() < 1e-12);
        }
        assert!(GapField::new(chart(), vec![0.0; 3]).is_none());
        assert!(GapField::new(chart(), vec![f64::NAN; chart().len()]).is_none());
    }
}
