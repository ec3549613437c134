//! One span of a B-spline curve as a polynomial about its middle, for fast evaluation.
//!
//! ```text
//! C(t) = Σ cₖ sᵏ,   s = (t − m)/h ∈ [−1, 1]        (homogeneous coordinates where the curve is rational)
//! ```
//!
//! The coefficients follow from the values at n + 1 Chebyshev nodes; up to degree 7 this loses less than two digits.

use nalgebra::{Vector3, Vector4};

use super::SplineCurve;

/// Highest degree that is converted.
const HIGHEST: usize = 7;

/// A polynomial curve.
#[derive(Clone, Debug)]
pub(crate) struct PowerCurve {
    coefficients: [Vector4<f64>; HIGHEST + 1],
    degree: usize,
    is_rational: bool,
    middle: f64,
    scale: f64,
}

impl PowerCurve {
    /// The span of a spline between two neighbouring knots or inside them; `None` for high degrees.
    pub(crate) fn of_span(spline: &SplineCurve, [start, end]: [f64; 2]) -> Option<Self> {
        let degree = spline.degree();
        if degree > HIGHEST || end <= start {
            return None;
        }
        let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
        let count = degree + 1;
        let node = |k: usize| libm::cos((2 * k + 1) as f64 * std::f64::consts::PI / (2 * count) as f64);
        let mut table: Vec<Vector4<f64>> =
            (0..count).map(|k| spline.homogeneous(middle + half * node(k))).collect();
        // divided differences
        for level in 1..count {
            for k in (level..count).rev() {
                table[k] = (table[k] - table[k - 1]) / (node(k) - node(k - level));
            }
        }
        let mut coefficients = [Vector4::zeros(); HIGHEST + 1];
        coefficients[0] = table[degree];
        for k in (0..degree).rev() {
            // p(s) ← p(s) (s − node) + table
            for place in (0..HIGHEST).rev() {
                coefficients[place + 1] = coefficients[place] - coefficients[place + 1] * node(k);
            }
            coefficients[0] = table[k] - coefficients[0] * node(k);
        }
        let weights = coefficients.map(|c| c.w);
        let is_rational = weights[1..].iter().any(|w| w.abs() > 1e-14 * weights[0].abs());
        if !is_rational {
            coefficients.iter_mut().for_each(|c| *c /= weights[0]);
        }
        Some(Self { coefficients, degree, is_rational, middle, scale: 1.0 / half })
    }

    /// Point [m] with first and second derivative.
    #[inline]
    pub(crate) fn evaluate(&self, t: f64) -> [Vector3<f64>; 3] {
        let s = (t - self.middle) * self.scale;
        let (mut value, mut first, mut second) =
            (self.coefficients[self.degree], Vector4::zeros(), Vector4::zeros());
        for k in (0..self.degree).rev() {
            second = second * s + first;
            first = first * s + value;
            value = value * s + self.coefficients[k];
        }
        let (first, second) = (first * self.scale, second * (2.0 * self.scale * self.scale));
        if !self.is_rational {
            return [value.xyz(), first.xyz(), second.xyz()];
        }
        let point = value.xyz() / value.w;
        let d = (first.xyz() - point * first.w) / value.w;
        [point, d, (second.xyz() - d * (2.0 * first.w) - point * second.w) / value.w]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_equals_the_spline() {
        let points: Vec<Vector3<f64>> = (0..6)
            .map(|k| Vector3::new(f64::from(k), f64::from(k * k % 7), f64::from(k % 3)) * 0.01)
            .collect();
        let knots = vec![0.0, 0.0, 0.0, 0.0, 0.4, 0.7, 1.0, 1.0, 1.0, 1.0];
        for weights in [None, Some([1.0, 0.8, 1.3, 1.0, 0.7, 1.0])] {
            let weights = weights.as_ref().map(|w| &w[..]);
            let spline = SplineCurve::new(3, &points, weights, knots.clone()).unwrap();
            let power = PowerCurve::of_span(&spline, [0.4, 0.7]).unwrap();
            for t in [0.4, 0.45, 0.6, 0.699] {
                let (a, b) = (spline.evaluate(t), power.evaluate(t));
                assert!((a[0] - b[0]).norm() < 1e-16 && (a[1] - b[1]).norm() < 1e-14);
                assert!((a[2] - b[2]).norm() < 1e-12);
            }
        }
    }
}
