//! Spirals as splines.
//!
//! ```text
//! p(θ) = (r cos θ, r sin θ, z),   r and z linear in θ
//! ```
//!
//! Spans of at most 0.15 rad are quintics with the position, first and second derivative of the spiral at both ends; between them the
//! spline is smooth to the second derivative (knots of multiplicity 3). It leaves the spiral by r δ⁶/46080: 0.006 nm at 24 mm.
//!
//! Control points by blossoms: L. Ramshaw, "Blossoms are polar forms", Computer Aided Geometric Design 6, 1989.

use nalgebra::Vector3;

/// Largest angle of a span [rad].
const SPAN: f64 = 0.15;

/// Angle [rad], radius and height [m] of a point.
pub(super) type Place = [f64; 3];

/// A quintic spline with equal spans.
pub(super) struct Spline {
    /// Control points [m].
    pub(super) points: Vec<Vector3<f64>>,
    spans: usize,
}

impl Spline {
    pub(super) const DEGREE: usize = 5;

    /// The spiral between two places.
    pub(super) fn spiral(from: Place, to: Place) -> Self {
        let spans = ((to[0] - from[0]).abs() / SPAN).ceil().max(1.0);
        let h = (to[0] - from[0]) / spans;
        let slopes = [(to[1] - from[1]) / (to[0] - from[0]), (to[2] - from[2]) / (to[0] - from[0])];
        // p, h p′, h² p″ at a joint
        let at = |joint: usize| {
            let along = joint as f64 * h;
            let (sin, cos) = libm::sincos(from[0] + along);
            let (r, z) = (from[1] + slopes[0] * along, from[2] + slopes[1] * along);
            let out = Vector3::new(cos, sin, 0.0);
            let around = Vector3::new(-sin, cos, 0.0);
            let first = out * slopes[0] + around * r + Vector3::z() * slopes[1];
            let second = around * (2.0 * slopes[0]) - out * r;
            [out * r + Vector3::z() * z, first * h, second * (h * h)]
        };
        // the second and third point of a span, and the third and second from its end
        let after = |[p, d, c]: [Vector3<f64>; 3]| [p + d / 5.0, p + d * 0.4 + c / 20.0];
        let before = |[p, d, c]: [Vector3<f64>; 3]| [p - d * 0.4 + c / 20.0, p - d / 5.0];
        let spans = spans as usize;
        let mut points = vec![at(0)[0]];
        points.extend(after(at(0)));
        for joint in 1..spans {
            let [second, third] = after(at(joint));
            points.extend([before(at(joint))[0], second * 2.0 - third, third]);
        }
        points.extend(before(at(spans)));
        points.push(at(spans)[0]);
        Self { points, spans }
    }

    pub(super) fn knots(&self) -> Vec<f64> {
        (0..=self.spans).map(|joint| joint as f64).collect()
    }

    pub(super) fn multiplicities(&self) -> Vec<usize> {
        (0..=self.spans).map(|joint| if joint == 0 || joint == self.spans { 6 } else { 3 }).collect()
    }
}
