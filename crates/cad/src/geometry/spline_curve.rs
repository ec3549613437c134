//! A B-spline curve, rational or not.
//!
//! ```text
//! C(t) = Σ N_i(t) w_i P_i / Σ N_i(t) w_i
//! ```
//!
//! L. Piegl, W. Tiller, "The NURBS Book", 1997, chapter 4.

use nalgebra::{Vector3, Vector4};

use super::Frame;
use super::basis::{HIGHEST_DEGREE, basis};

/// A B-spline curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineCurve {
    degree: usize,
    knots: Vec<f64>,
    /// Control points times weight, and weight.
    poles: Vec<Vector4<f64>>,
    /// Whether the ends meet; parameters beyond an end then go on at the other.
    closed: bool,
}

impl SplineCurve {
    /// Curve of these control points [m], weights and knots (each as often as its multiplicity).
    ///
    /// # Errors
    /// A text that says what is inconsistent.
    pub fn new(
        degree: usize,
        points: &[Vector3<f64>],
        weights: Option<&[f64]>,
        knots: Vec<f64>,
    ) -> Result<Self, String> {
        check(degree, points.len(), &knots)?;
        let poles = homogeneous(points, weights)?;
        let mut curve = Self { degree, knots, poles, closed: false };
        let [start, end] = curve.range();
        let size = points.iter().map(|point| (point - points[0]).norm()).fold(0.0, f64::max);
        curve.closed = (curve.point(start) - curve.point(end)).norm() <= 1e-9 + 1e-7 * size;
        Ok(curve)
    }

    /// First and last parameter.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        [self.knots[self.degree], self.knots[self.knots.len() - 1 - self.degree]]
    }

    /// Whether the ends meet.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Parameters at which the curve may be less smooth, in order, with both ends.
    #[must_use]
    pub fn breaks(&self) -> Vec<f64> {
        let [start, end] = self.range();
        let mut breaks: Vec<f64> =
            self.knots.iter().copied().filter(|&knot| knot >= start && knot <= end).collect();
        breaks.dedup();
        breaks
    }

    /// Control points [m].
    pub fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        self.poles.iter().map(|pole| pole.xyz() / pole.w)
    }

    /// Degree of the polynomials.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The curve seen from outside a frame.
    #[must_use]
    pub fn placed(&self, outer: &Frame) -> Self {
        Self { poles: placed(&self.poles, outer), ..self.clone() }
    }

    fn point(&self, t: f64) -> Vector3<f64> {
        self.evaluate(t)[0]
    }

    /// Point times weight, and weight.
    pub(super) fn homogeneous(&self, t: f64) -> Vector4<f64> {
        let basis = basis(&self.knots, self.degree, self.wrapped(t));
        (0..=self.degree).map(|j| self.poles[basis.first + j] * basis.value[j]).sum()
    }

    fn wrapped(&self, t: f64) -> f64 {
        let [start, end] = self.range();
        if self.closed && !(start..=end).contains(&t) {
            start + (t - start).rem_euclid(end - start)
        } else {
            t.clamp(start, end)
        }
    }

    /// Point [m] with first and second derivative.
    #[must_use]
    pub fn evaluate(&self, t: f64) -> [Vector3<f64>; 3] {
        let basis = basis(&self.knots, self.degree, self.wrapped(t));
        let mut sums = [Vector4::zeros(); 3];
        for j in 0..=self.degree {
            let pole = self.poles[basis.first + j];
            sums[0] += pole * basis.value[j];
            sums[1] += pole * basis.first_derivative[j];
            sums[2] += pole * basis.second_derivative[j];
        }
        let point = sums[0].xyz() / sums[0].w;
        let first = (sums[1].xyz() - point * sums[1].w) / sums[0].w;
        let second = (sums[2].xyz() - first * (2.0 * sums[1].w) - point * sums[2].w) / sums[0].w;
        [point, first, second]
    }
}

/// Control points seen from outside a frame.
pub(super) fn placed(poles: &[Vector4<f64>], outer: &Frame) -> Vec<Vector4<f64>> {
    poles.iter().map(|pole| (outer.turn(pole.xyz()) + outer.origin * pole.w).push(pole.w)).collect()
}

/// Checks degree, number of control points and knots of one direction.
pub(super) fn check(degree: usize, points: usize, knots: &[f64]) -> Result<(), String> {
    if degree == 0 || degree > HIGHEST_DEGREE {
        return Err(format!("degree {degree}; allowed: 1 to {HIGHEST_DEGREE}"));
    }
    if points < degree + 1 {
        return Err(format!("{points} control points for degree {degree}"));
    }
    if knots.len() != points + degree + 1 {
        return Err(format!(
            "{} knots; {points} control points of degree {degree} need {}",
            knots.len(),
            points + degree + 1
        ));
    }
    if !knots.windows(2).all(|pair| pair[0] <= pair[1]) {
        return Err("knots that decrease".into());
    }
    let (start, end) = (knots[degree], knots[points]);
    if end - start <= 1e-12 * (1.0 + start.abs() + end.abs()) {
        return Err("knots without range".into());
    }
    Ok(())
}

/// Control points with weights in homogeneous coordinates.
pub(super) fn homogeneous(
    points: &[Vector3<f64>],
    weights: Option<&[f64]>,
) -> Result<Vec<Vector4<f64>>, String> {
    if let Some(weights) = weights {
        if weights.len() != points.len() {
            return Err(format!("{} weights for {} control points", weights.len(), points.len()));
        }
        if let Some(wrong) = weights.iter().find(|weight| !(**weight > 1e-12 && **weight < 1e12)) {
            return Err(format!("weight {wrong}; weights must be positive"));
        }
    }
    let weight = |index: usize| weights.map_or(1.0, |weights| weights[index]);
    Ok(points.iter().enumerate().map(|(i, p)| (p * weight(i)).push(weight(i))).collect())
}
