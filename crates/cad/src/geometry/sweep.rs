//! Surfaces known by their parametrisation: B-splines, extrusions, surfaces of revolution, tori that cut themselves.

use nalgebra::Vector3;

use super::{Curve, Frame, SplineSurface};

/// Point [m] and derivatives of a surface at (u, v).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// S.
    pub point: Vector3<f64>,
    /// ∂S/∂u.
    pub u: Vector3<f64>,
    /// ∂S/∂v.
    pub v: Vector3<f64>,
    /// ∂²S/∂u².
    pub uu: Vector3<f64>,
    /// ∂²S/∂u∂v.
    pub uv: Vector3<f64>,
    /// ∂²S/∂v².
    pub vv: Vector3<f64>,
}

/// A surface with parameters (u, v).
#[derive(Clone, Debug, PartialEq)]
pub enum Parametric {
    /// A B-spline.
    Spline(SplineSurface),
    /// C(u) + v a.
    Extrusion {
        /// The curve.
        curve: Curve,
        /// Direction [m per unit of v].
        along: Vector3<f64>,
    },
    /// C(v) turned by the angle u [rad] about z of the frame.
    Revolution {
        /// The curve.
        curve: Curve,
        /// Frame of the axis.
        frame: Frame,
    },
    /// A torus of major and minor radius [m], which may cut itself.
    Torus {
        /// Its frame.
        frame: Frame,
        /// Major and minor radius [m].
        radii: [f64; 2],
    },
}

impl Parametric {
    /// Point and derivatives at (u, v).
    #[must_use]
    pub fn evaluate(&self, u: f64, v: f64) -> Local {
        match self {
            Self::Spline(spline) => spline.evaluate(u, v),
            Self::Extrusion { curve, along } => {
                let [c, d, s] = curve.evaluate(u);
                let zero = Vector3::zeros();
                Local { point: c + along * v, u: d, v: *along, uu: s, uv: zero, vv: zero }
            }
            Self::Revolution { curve, frame } => {
                let (sin, cos) = libm::sincos(u);
                let [c, d, s] = curve.evaluate(v);
                let about = |p: Vector3<f64>| {
                    let (x, y, z) = (p.dot(&frame.x), p.dot(&frame.y), p.dot(&frame.z));
                    let turned = [cos * x - sin * y, sin * x + cos * y];
                    let flat = frame.x * turned[0] + frame.y * turned[1];
                    // the vector, its derivative and its second derivative by u
                    [flat + frame.z * z, frame.y * turned[0] - frame.x * turned[1], -flat]
                };
                let [p, pu, puu] = about(c - frame.origin);
                let [pv, puv, _] = about(d);
                let [pvv, ..] = about(s);
                Local { point: frame.origin + p, u: pu, v: pv, uu: puu, uv: puv, vv: pvv }
            }
            Self::Torus { frame, radii: [major, minor] } => {
                let ((su, cu), (sv, cv)) = (libm::sincos(u), libm::sincos(v));
                let out = frame.x * cu + frame.y * su;
                let round = frame.y * cu - frame.x * su;
                let radius = major + minor * cv;
                Local {
                    point: frame.origin + out * radius + frame.z * (minor * sv),
                    u: round * radius,
                    v: out * (-minor * sv) + frame.z * (minor * cv),
                    uu: out * -radius,
                    uv: round * (-minor * sv),
                    vv: out * (-minor * cv) - frame.z * (minor * sv),
                }
            }
        }
    }

    /// Range of u and of v; infinite where the surface is unbounded.
    #[must_use]
    pub fn range(&self) -> [[f64; 2]; 2] {
        let turn = [0.0, std::f64::consts::TAU];
        match self {
            Self::Spline(spline) => spline.range(),
            Self::Extrusion { curve, .. } => [curve.range(), [f64::NEG_INFINITY, f64::INFINITY]],
            Self::Revolution { curve, .. } => [turn, curve.range()],
            Self::Torus { .. } => [turn, turn],
        }
    }

    /// Full turn in u and in v where the surface closes.
    #[must_use]
    pub fn periods(&self) -> [Option<f64>; 2] {
        let turn = Some(std::f64::consts::TAU);
        match self {
            Self::Spline(spline) => {
                let [u, v] = spline.range();
                let meets = |at: &dyn Fn(f64) -> [Vector3<f64>; 2]| {
                    (0..=8).all(|k| {
                        let [a, b] = at(f64::from(k) / 8.0);
                        (a - b).norm() < 1e-8
                    })
                };
                let part = |[a, b]: [f64; 2], s: f64| a + (b - a) * s;
                let around_u = |s: f64| [u[0], u[1]].map(|at| spline.evaluate(at, part(v, s)).point);
                let around_v = |s: f64| [v[0], v[1]].map(|at| spline.evaluate(part(u, s), at).point);
                [meets(&around_u).then(|| u[1] - u[0]), meets(&around_v).then(|| v[1] - v[0])]
            }
            Self::Extrusion { curve, .. } => [curve.period(), None],
            Self::Revolution { curve, .. } => [turn, curve.period()],
            Self::Torus { .. } => [turn, turn],
        }
    }

    /// Parameters inside `range` where patches must end, with both ends.
    #[must_use]
    pub fn breaks(&self, k: usize, [start, end]: [f64; 2]) -> Vec<f64> {
        let even = |count: u32| -> Vec<f64> {
            (1..count).map(|i| start + (end - start) * f64::from(i) / f64::from(count)).collect()
        };
        let inner = match (self, k) {
            (Self::Spline(spline), _) => spline.breaks(k),
            (Self::Extrusion { curve, .. }, 0) | (Self::Revolution { curve, .. }, 1) => {
                curve.pieces([start, end])
            }
            (Self::Extrusion { .. }, _) => Vec::new(),
            (Self::Revolution { .. } | Self::Torus { .. }, _) => even(16),
        };
        let mut breaks = vec![start];
        breaks.extend(inner.into_iter().filter(|&t| t > start && t < end));
        breaks.push(end);
        breaks.dedup();
        breaks
    }

    /// The surface seen from outside a frame.
    #[must_use]
    pub fn placed(&self, outer: &Frame) -> Self {
        match self {
            Self::Spline(spline) => Self::Spline(spline.placed(outer)),
            Self::Extrusion { curve, along } => {
                Self::Extrusion { curve: curve.placed(outer), along: outer.turn(*along) }
            }
            Self::Revolution { curve, frame } => {
                Self::Revolution { curve: curve.placed(outer), frame: outer.place(frame) }
            }
            Self::Torus { frame, radii } => Self::Torus { frame: outer.place(frame), radii: *radii },
        }
    }
}
