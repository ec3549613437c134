//! Edges, and the nearest point on a piece of one.

use nalgebra::Vector3;

use crate::Aabb;
use crate::geometry::{Curve, Frame, PowerCurve};

/// An edge between two faces, or two sides of one face.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Number of the instance in the file.
    pub id: u64,
    /// The curve; the edge runs along it.
    pub curve: Curve,
    /// Parameters of its ends, the first smaller.
    pub range: [f64; 2],
    /// Vertices at its ends.
    pub ends: [u32; 2],
    /// The face that uses it along its direction, and the one that uses it against.
    pub faces: [u32; 2],
    /// Whether it is no boundary: one face lies on both sides.
    pub is_seam: bool,
    /// Largest distance from the surfaces of its faces [m].
    pub gap: f64,
}

/// The nearest point on a piece of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgePoint {
    pub point: Vector3<f64>,
    /// Square of the distance [m²].
    pub squared: f64,
    /// Derivative of the curve by its parameter.
    pub tangent: Vector3<f64>,
    /// Parameter; not a number for circles, which do not need it.
    pub t: f64,
    /// Vertex of the solid, if the point is an end of the edge.
    pub vertex: Option<u32>,
}

#[derive(Clone, Debug)]
enum Shape {
    Segment { start: Vector3<f64>, along: Vector3<f64>, length: f64 },
    Arc { frame: Frame, radius: f64, middle: Vector3<f64>, cos_half: f64, ends: [Vector3<f64>; 2] },
    Power(PowerCurve, [Vector3<f64>; 2]),
    Other(Curve, [Vector3<f64>; 2]),
}

/// A piece of an edge that turns by little, or a whole line or arc.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub edge: u32,
    pub range: [f64; 2],
    /// Vertices where the piece ends with the edge.
    ends: [Option<u32>; 2],
    shape: Shape,
    pub bounds: Aabb,
}

impl Piece {
    /// Cuts an edge into pieces.
    pub(crate) fn of_edge(number: u32, edge: &Edge, pieces: &mut Vec<Self>) {
        let cuts = edge.curve.pieces(edge.range);
        for (place, pair) in cuts.windows(2).enumerate() {
            let range = [pair[0], pair[1]];
            let ends =
                [(place == 0).then_some(edge.ends[0]), (place + 2 == cuts.len()).then_some(edge.ends[1])];
            let at = |s: f64| edge.curve.point(range[0] + (range[1] - range[0]) * s);
            let (shape, bounds) = match &edge.curve {
                Curve::Line { origin, along } => {
                    let start = origin + along * range[0];
                    let shape = Shape::Segment { start, along: *along, length: range[1] - range[0] };
                    (shape, Aabb::of([at(0.0), at(1.0)]))
                }
                Curve::Circle(frame, radius) => {
                    let half = 0.5 * (range[1] - range[0]);
                    let middle = (at(0.5) - frame.origin) / *radius;
                    // a full circle has no ends: the margin absorbs rounding
                    let cos_half = if half > std::f64::consts::PI - 1e-9 { -2.0 } else { libm::cos(half) };
                    let ends = [at(0.0), at(1.0)];
                    // along each axis the arc reaches farthest at an end or where its tangent is perpendicular to the axis
                    let farthest = (0..3).flat_map(|axis| {
                        let angle = libm::atan2(frame.y[axis], frame.x[axis]);
                        [angle, angle + std::f64::consts::PI]
                    });
                    let from_start = |angle: f64| (angle - range[0]).rem_euclid(std::f64::consts::TAU);
                    let on_arc = farthest.map(from_start).filter(|turn| *turn <= range[1] - range[0]);
                    let reached = on_arc.map(|turn| edge.curve.point(range[0] + turn));
                    (
                        Shape::Arc { frame: *frame, radius: *radius, middle, cos_half, ends },
                        Aabb::of(ends.into_iter().chain(reached)).grown(1e-12),
                    )
                }
                curve => {
                    let points: Vec<Vector3<f64>> = (0..=8).map(|k| at(f64::from(k) / 8.0)).collect();
                    let bend = |k: usize| (points[k - 1] + points[k + 1] - points[k] * 2.0).norm();
                    let sag = (1..8).map(bend).fold(0.0, f64::max);
                    let ends = [points[0], points[8]];
                    let power = match curve {
                        Curve::Spline(spline) => PowerCurve::of_span(spline, range),
                        _ => None,
                    };
                    let shape = match power {
                        Some(power) => Shape::Power(power, ends),
                        None => Shape::Other(curve.clone(), ends),
                    };
                    (shape, Aabb::of(points).grown(sag))
                }
            };
            pieces.push(Self { edge: number, range, ends, shape, bounds });
        }
    }

    /// Whether the nearest point has a closed form.
    pub(crate) fn is_simple(&self) -> bool {
        matches!(self.shape, Shape::Segment { .. } | Shape::Arc { .. })
    }

    /// Nearest point to p.
    #[inline]
    pub(crate) fn nearest(&self, p: Vector3<f64>) -> EdgePoint {
        match &self.shape {
            Shape::Segment { start, along, length } => {
                let s = (p - start).dot(along);
                let (s, vertex) = if s <= 0.0 {
                    (0.0, self.ends[0])
                } else if s >= *length {
                    (*length, self.ends[1])
                } else {
                    (s, None)
                };
                let point = start + along * s;
                EdgePoint {
                    point,
                    squared: (p - point).norm_squared(),
                    tangent: *along,
                    t: self.range[0] + s,
                    vertex,
                }
            }
            Shape::Arc { frame, radius, middle, cos_half, ends } => {
                let from = p - frame.origin;
                let radial = from - frame.z * from.dot(&frame.z);
                let rho = radial.norm();
                // on the axis every point of a full circle is as near: its middle will do
                let out = if rho > 0.0 { radial / rho } else { *middle };
                let is_full = *cos_half == -2.0;
                if is_full || rho > 0.0 && out.dot(middle) >= *cos_half {
                    let point = frame.origin + out * *radius;
                    let tangent = frame.z.cross(&out);
                    EdgePoint {
                        point,
                        squared: (p - point).norm_squared(),
                        tangent,
                        t: f64::NAN,
                        vertex: None,
                    }
                } else {
                    let squared = ends.map(|end| (p - end).norm_squared());
                    let last = usize::from(squared[1] < squared[0]);
                    let out = (ends[last] - frame.origin) / *radius;
                    let tangent = frame.z.cross(&out);
                    let t = self.range[last];
                    EdgePoint {
                        point: ends[last],
                        squared: squared[last],
                        tangent,
                        t,
                        vertex: self.ends[last],
                    }
                }
            }
            Shape::Power(curve, ends) => self.nearest_on_curve(|t| curve.evaluate(t), ends, p),
            Shape::Other(curve, ends) => self.nearest_on_curve(|t| curve.evaluate(t), ends, p),
        }
    }

    /// Newton's method for (C − p)·C' = 0 on the piece, from the foot on its chord.
    #[inline]
    fn nearest_on_curve(
        &self,
        evaluate: impl Fn(f64) -> [Vector3<f64>; 3],
        ends: &[Vector3<f64>; 2],
        p: Vector3<f64>,
    ) -> EdgePoint {
        let [low, high] = self.range;
        let chord = ends[1] - ends[0];
        let share = ((p - ends[0]).dot(&chord) / chord.norm_squared()).clamp(0.0, 1.0);
        let mut t = low + (high - low) * if share.is_finite() { share } else { 0.5 };
        let mut local = evaluate(t);
        let mut at_end = 0;
        for _ in 0..30 {
            let [c, d, s] = local;
            let speed = d.norm_squared();
            let slope = (c - p).dot(&d);
            let curvature = speed + (c - p).dot(&s);
            let curvature = if curvature > 0.2 * speed { curvature } else { speed };
            let next = (t - slope / curvature).clamp(low, high);
            if !next.is_finite() {
                break;
            }
            let step = next - t;
            // the end is the answer where the slope points beyond it twice
            at_end = if next == low || next == high { at_end + 1 } else { 0 };
            t = next;
            // the error after a step is of second order: one more evaluation is exact
            let done = step.abs() <= 1e-9 * (high - low) || at_end > 2;
            local = evaluate(t);
            if done {
                break;
            }
        }
        let squared = (p - local[0]).norm_squared();
        let mut best = EdgePoint { point: local[0], squared, tangent: local[1], t, vertex: None };
        for (end, point) in ends.iter().enumerate() {
            let (at, squared) = (self.range[end], (p - point).norm_squared());
            // at an end the evaluated point and the stored one differ by rounding: the vertex must win
            if t == at || squared <= best.squared {
                let tangent = if t == at { best.tangent } else { evaluate(at)[1] };
                best = EdgePoint { point: *point, squared, tangent, t: at, vertex: self.ends[end] };
            }
        }
        best
    }
}
