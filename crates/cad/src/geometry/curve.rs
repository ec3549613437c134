//! Curves of edges.
//!
//! ```text
//! line       o + t e                      circle, ellipse   o + a cos t x + b sin t y
//! hyperbola  o + a cosh t x + b sinh t y  parabola          o + a t² x + 2 a t y
//! ```

use std::sync::Arc;

use nalgebra::Vector3;

use super::{Frame, SplineCurve};

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// A straight line; the parameter is the length [m].
    Line {
        /// Point at parameter 0 [m].
        origin: Vector3<f64>,
        /// Unit direction.
        along: Vector3<f64>,
    },
    /// A circle of this radius [m] in the xy plane of the frame; the parameter is the angle [rad].
    Circle(Frame, f64),
    /// Another conic section with semi-axes [m] (focal length for a parabola).
    Conic(Conic, Frame, [f64; 2]),
    /// A B-spline.
    Spline(Arc<SplineCurve>),
}

/// Kind of a conic section that is no circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conic {
    /// An ellipse.
    Ellipse,
    /// One branch of a hyperbola.
    Hyperbola,
    /// A parabola.
    Parabola,
}

impl Curve {
    /// Point [m] with first and second derivative.
    #[must_use]
    pub fn evaluate(&self, t: f64) -> [Vector3<f64>; 3] {
        let in_plane = |frame: &Frame, [p, d, s]: [[f64; 2]; 3]| {
            let turn = |[x, y]: [f64; 2]| frame.x * x + frame.y * y;
            [frame.origin + turn(p), turn(d), turn(s)]
        };
        match self {
            Self::Line { origin, along } => [origin + along * t, *along, Vector3::zeros()],
            Self::Circle(frame, radius) => {
                let (sin, cos) = libm::sincos(t);
                let (x, y) = (radius * cos, radius * sin);
                in_plane(frame, [[x, y], [-y, x], [-x, -y]])
            }
            Self::Conic(Conic::Ellipse, frame, [a, b]) => {
                let (sin, cos) = libm::sincos(t);
                in_plane(frame, [[a * cos, b * sin], [-a * sin, b * cos], [-a * cos, -b * sin]])
            }
            Self::Conic(Conic::Hyperbola, frame, [a, b]) => {
                // cheaper than the functions of that name; what cancels near zero is below the rounding of the point
                let (grows, falls) = (libm::exp(t), libm::exp(-t));
                let (sinh, cosh) = (0.5 * (grows - falls), 0.5 * (grows + falls));
                in_plane(frame, [[a * cosh, b * sinh], [a * sinh, b * cosh], [a * cosh, b * sinh]])
            }
            Self::Conic(Conic::Parabola, frame, [a, _]) => {
                in_plane(frame, [[a * t * t, 2.0 * a * t], [2.0 * a * t, 2.0 * a], [2.0 * a, 0.0]])
            }
            Self::Spline(spline) => spline.evaluate(t),
        }
    }

    /// Point at a parameter [m].
    #[must_use]
    pub fn point(&self, t: f64) -> Vector3<f64> {
        self.evaluate(t)[0]
    }

    /// Length of a full turn in the parameter, for closed curves.
    #[must_use]
    pub fn period(&self) -> Option<f64> {
        match self {
            Self::Circle(..) | Self::Conic(Conic::Ellipse, ..) => Some(std::f64::consts::TAU),
            Self::Spline(spline) if spline.is_closed() => {
                let [start, end] = spline.range();
                Some(end - start)
            }
            _ => None,
        }
    }

    /// Range of the parameter: infinite for lines, hyperbolas and parabolas.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        match self {
            Self::Circle(..) | Self::Conic(Conic::Ellipse, ..) => [0.0, std::f64::consts::TAU],
            Self::Spline(spline) => spline.range(),
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Parameter of the point of the curve that is nearest to a point close to it.
    #[must_use]
    pub fn parameter_of(&self, point: Vector3<f64>) -> f64 {
        match self {
            Self::Line { origin, along } => (point - origin).dot(along),
            Self::Circle(frame, _) => {
                let local = frame.inside(point);
                libm::atan2(local.y, local.x)
            }
            Self::Conic(kind, frame, [a, b]) => {
                let local = frame.inside(point);
                let guess = match kind {
                    Conic::Ellipse => libm::atan2(local.y / b, local.x / a),
                    Conic::Hyperbola => libm::asinh(local.y / b),
                    Conic::Parabola => local.y / (2.0 * a),
                };
                self.refine(point, guess)
            }
            Self::Spline(spline) => self.nearest_on_spline(spline, point),
        }
    }

    fn nearest_on_spline(&self, spline: &SplineCurve, point: Vector3<f64>) -> f64 {
        let [start, end] = spline.range();
        // an end that coincides is exact: refinement would leave it by rounding
        for t in [start, end] {
            if (self.point(t) - point).norm() < 1e-10 {
                return t;
            }
        }
        let breaks = spline.breaks();
        let mut best = (f64::INFINITY, start);
        for pair in breaks.windows(2) {
            let steps = 4 * spline.degree();
            for step in 0..=steps {
                let t = pair[0] + (pair[1] - pair[0]) * step as f64 / steps as f64;
                let distance = (self.point(t) - point).norm_squared();
                if distance < best.0 {
                    best = (distance, t);
                }
            }
        }
        let refined = self.refine(point, best.1).clamp(start, end);
        if (self.point(refined) - point).norm_squared() <= best.0 { refined } else { best.1 }
    }

    /// Newton's method for (C − p)·C' = 0.
    fn refine(&self, point: Vector3<f64>, mut t: f64) -> f64 {
        for _ in 0..20 {
            let [c, d, s] = self.evaluate(t);
            let (slope, curvature) = ((c - point).dot(&d), d.norm_squared() + (c - point).dot(&s));
            let curvature = if curvature > 0.1 * d.norm_squared() { curvature } else { d.norm_squared() };
            let step = slope / curvature;
            if !step.is_finite() {
                break;
            }
            t -= step;
            if step.abs() <= 1e-15 * (1.0 + t.abs()) {
                break;
            }
        }
        t
    }

    /// Parameters inside `range` that cut the curve into pieces which turn by little each, with both ends.
    #[must_use]
    pub fn pieces(&self, [start, end]: [f64; 2]) -> Vec<f64> {
        let mut cuts = vec![start];
        match self {
            Self::Line { .. } | Self::Circle(..) => {}
            Self::Conic(..) => cuts.extend((1..8).map(|k| start + (end - start) * f64::from(k) / 8.0)),
            Self::Spline(spline) => {
                let breaks = spline.breaks();
                let period = self.period().unwrap_or(0.0);
                let turns = if period > 0.0 { 2 } else { 1 };
                for shift in (0..turns).map(|turn| period * f64::from(turn)) {
                    cuts.extend(breaks.iter().map(|t| t + shift).filter(|&t| t > start && t < end));
                }
                cuts.dedup();
            }
        }
        cuts.push(end);
        if matches!(self, Self::Line { .. } | Self::Circle(..)) {
            return cuts;
        }
        let mut fine = vec![start];
        for pair in cuts.windows(2) {
            self.refine_pieces([pair[0], pair[1]], 0, &mut fine);
        }
        fine
    }

    /// Appends cuts until each piece turns by less than 0.35 rad and its speed changes little.
    fn refine_pieces(&self, [start, end]: [f64; 2], depth: u32, cuts: &mut Vec<f64>) {
        let tangents = [0.01, 0.25, 0.5, 0.75, 0.99].map(|s| self.evaluate(start + (end - start) * s)[1]);
        let [slow, fast] = tangents.iter().fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], d| {
            let norm = d.norm();
            [low.min(norm), high.max(norm)]
        });
        let turned = tangents.iter().any(|d| d.dot(&tangents[0]) < 0.94 * d.norm() * tangents[0].norm());
        if depth < 12 && (turned || fast > 1.6 * slow) {
            let middle = 0.5 * (start + end);
            self.refine_pieces([start, middle], depth + 1, cuts);
            self.refine_pieces([middle, end], depth + 1, cuts);
        } else {
            cuts.push(end);
        }
    }

    /// The curve seen from outside a frame.
    #[must_use]
    pub fn placed(&self, outer: &Frame) -> Self {
        match self {
            Self::Line { origin, along } => {
                Self::Line { origin: outer.outside(*origin), along: outer.turn(*along) }
            }
            Self::Circle(frame, radius) => Self::Circle(outer.place(frame), *radius),
            Self::Conic(kind, frame, axes) => Self::Conic(*kind, outer.place(frame), *axes),
            Self::Spline(spline) => Self::Spline(Arc::new(spline.placed(outer))),
        }
    }
}
