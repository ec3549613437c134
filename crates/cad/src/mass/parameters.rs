//! Parameters (u, v) of a face for its integrals.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use crate::Solid;
use crate::geometry::{Frame, Parametric, Surface};
use crate::solid::{Chart, Face};

/// A surface with parameters; u × v points along the normal of the surface.
pub(crate) enum Parameters<'a> {
    Plane(Frame),
    Cylinder(Frame, f64),
    /// v is the distance from the apex.
    Cone(Frame, [f64; 2]),
    /// v is the latitude; the poles are off the boundary.
    Sphere(Frame, f64),
    /// The angles start at `cuts`, outside the face.
    Torus(Frame, [f64; 2], [f64; 2]),
    Chart(&'a Chart),
}

/// Which parameter the inner integral runs over, and from where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inner {
    /// 0 for u, 1 for v.
    pub over: usize,
    pub from: f64,
}

impl<'a> Parameters<'a> {
    /// Parameters of a face and the direction of the inner integral.
    pub(crate) fn of(solid: &Solid, face: &'a Face) -> Option<(Self, Inner)> {
        let v_from = |from: f64| Inner { over: 1, from };
        Some(match &face.surface {
            Surface::Plane(frame) => (Self::Plane(*frame), v_from(0.0)),
            Surface::Cylinder(frame, radius) => (Self::Cylinder(*frame, *radius), v_from(0.0)),
            Surface::Cone { frame, half_angle } => (Self::Cone(*frame, *half_angle), v_from(0.0)),
            Surface::Sphere(frame, radius) => {
                (Self::Sphere(sphere_frame(solid, face, frame, *radius), *radius), v_from(0.0))
            }
            Surface::Torus(frame, radii) => {
                let whole = face.boundary.is_empty();
                let (cuts, inner) =
                    torus_cut(solid, face, frame, *radii).or(whole.then(|| ([0.0; 2], v_from(0.0))))?;
                (Self::Torus(*frame, *radii, cuts), inner)
            }
            Surface::Parametric(surface) => {
                let chart = face.chart.as_ref()?;
                let periods = chart.periods;
                let over = match periods {
                    [_, None] => 1,
                    [None, Some(_)] => 0,
                    _ if face.boundary.is_empty() => 1,
                    _ => return None,
                };
                if matches!(**surface, Parametric::Torus { .. }) && !face.boundary.is_empty() {
                    return None;
                }
                (Self::Chart(chart), Inner { over, from: chart.domain[over][0] })
            }
        })
    }

    /// Point with derivatives by u and v.
    pub(crate) fn evaluate(&self, u: f64, v: f64) -> [Vector3<f64>; 3] {
        let around = |frame: &Frame| {
            let (sin, cos) = libm::sincos(u);
            (frame.x * cos + frame.y * sin, frame.y * cos - frame.x * sin)
        };
        match self {
            Self::Plane(frame) => [frame.origin + frame.x * u + frame.y * v, frame.x, frame.y],
            Self::Cylinder(frame, radius) => {
                let (out, round) = around(frame);
                [frame.origin + out * *radius + frame.z * v, round * *radius, frame.z]
            }
            Self::Cone(frame, [sin, cos]) => {
                let (out, round) = around(frame);
                let along = out * *sin + frame.z * *cos;
                [frame.origin + along * v, round * (v * sin), along]
            }
            Self::Sphere(frame, radius) => {
                let (out, round) = around(frame);
                let (sin, cos) = libm::sincos(v);
                let point = frame.origin + (out * cos + frame.z * sin) * *radius;
                [point, round * (radius * cos), (frame.z * cos - out * sin) * *radius]
            }
            Self::Torus(frame, [major, minor], _) => {
                let (out, round) = around(frame);
                let (sin, cos) = libm::sincos(v);
                let point = frame.origin + out * (major + minor * cos) + frame.z * (minor * sin);
                [point, round * (major + minor * cos), (frame.z * cos - out * sin) * *minor]
            }
            Self::Chart(chart) => {
                let local = chart.surface.evaluate(u, v);
                [local.point, local.u, local.v]
            }
        }
    }

    /// Parameters of a point on the surface; an edge with its parameter seeds charts.
    pub(crate) fn of_point(&self, p: Vector3<f64>, edge: (u32, f64)) -> [f64; 2] {
        let angle = |x: f64, y: f64, from: f64| from + (libm::atan2(y, x) - from).rem_euclid(TAU);
        match self {
            Self::Plane(frame) => {
                let local = frame.inside(p);
                [local.x, local.y]
            }
            Self::Cylinder(frame, _) => {
                let local = frame.inside(p);
                [libm::atan2(local.y, local.x), local.z]
            }
            Self::Cone(frame, [sin, cos]) => {
                let local = frame.inside(p);
                let rho = (local.x * local.x + local.y * local.y).sqrt();
                [libm::atan2(local.y, local.x), local.z * cos + rho * sin]
            }
            Self::Sphere(frame, _) => {
                let local = frame.inside(p);
                let rho = (local.x * local.x + local.y * local.y).sqrt();
                [libm::atan2(local.y, local.x), libm::atan2(local.z, rho)]
            }
            Self::Torus(frame, [major, _], cuts) => {
                let local = frame.inside(p);
                let rho = (local.x * local.x + local.y * local.y).sqrt();
                [angle(local.x, local.y, cuts[0]), angle(rho - major, local.z, cuts[1])]
            }
            Self::Chart(chart) => chart.parameters_near(p, edge),
        }
    }

    /// Ends of panels for the inner integral between two parameters; the first is `a`, the last `b`.
    pub(crate) fn panels(&self, over: usize, a: f64, b: f64) -> Vec<f64> {
        let even = |count: usize| (0..=count).map(|k| a + (b - a) * k as f64 / count as f64).collect();
        match self {
            Self::Plane(_) | Self::Cylinder(..) | Self::Cone(..) => vec![a, b],
            Self::Sphere(..) | Self::Torus(..) => even(((b - a).abs() / 0.6).ceil().max(1.0) as usize),
            Self::Chart(chart) => {
                let [low, high] = [a.min(b), a.max(b)];
                let mut cuts = chart.surface.breaks(over, chart.domain[over]);
                cuts.retain(|&t| t > low && t < high);
                if b < a {
                    cuts.reverse();
                }
                cuts.insert(0, a);
                cuts.push(b);
                // two panels per span: extrusions of conics and rational spans are no polynomials
                let halves = |pair: &[f64]| [pair[0], 0.5 * (pair[0] + pair[1])];
                let mut fine: Vec<f64> = cuts.windows(2).flat_map(halves).collect();
                fine.push(b);
                fine
            }
        }
    }

    /// Sides of the domain that are no edges but count as boundary: poles, with the outer parameter's range.
    /// Each is (inner parameter, outer range, sign of its contribution).
    pub(crate) fn poles(&self, solid: &Solid, face: &Face, inner: Inner) -> Vec<(f64, [f64; 2], f64)> {
        match self {
            Self::Sphere(frame, radius) => [1.0, -1.0]
                .into_iter()
                .filter(|side| {
                    let pole = frame.origin + frame.z * (radius * side);
                    solid.is_inside(face, pole, &face.trim)
                })
                .map(|side| (0.5 * PI * side, [0.0, TAU], side))
                .collect(),
            Self::Torus(..) if face.boundary.is_empty() => vec![(TAU, [0.0, TAU], 1.0)],
            Self::Chart(chart) => {
                let (own, other) = (chart.domain[inner.over], chart.domain[1 - inner.over]);
                let at = |outer: f64| if inner.over == 1 { [outer, own[1]] } else { [own[1], outer] };
                let speed = |s: f64| {
                    let [u, v] = at(other[0] + (other[1] - other[0]) * s);
                    let local = chart.surface.evaluate(u, v);
                    (if inner.over == 1 { local.u } else { local.v }).norm() * (other[1] - other[0])
                };
                let is_pole = [0.1, 0.5, 0.9].iter().all(|&s| speed(s) < 1e-9);
                let counts = face.boundary.is_empty()
                    || is_pole && {
                        let beside = own[1] - 1e-3 * (own[1] - own[0]);
                        let middle = 0.5 * (other[0] + other[1]);
                        chart.is_inside(if inner.over == 1 { [middle, beside] } else { [beside, middle] })
                    };
                let sign = if inner.over == 1 { 1.0 } else { -1.0 };
                if counts { vec![(own[1], other, sign)] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }
}

/// A frame of a sphere whose poles are far from the boundary of the face.
fn sphere_frame(solid: &Solid, face: &Face, frame: &Frame, radius: f64) -> Frame {
    let mut best = (-1.0, *frame);
    for axis in [
        [0.0, 0.0, 1.0],
        [1.0, 0.2, 0.1],
        [0.1, 1.0, 0.3],
        [0.7, 0.6, 0.5],
        [-0.6, 0.7, 0.4],
        [0.5, -0.4, 0.8],
    ] {
        let Some(turned) = Frame::new(frame.origin, frame.turn(Vector3::from(axis)), None) else { continue };
        let from_pole = |side: f64| {
            let pole = turned.origin + turned.z * (radius * side);
            let squared = |piece: u32| solid.pieces[piece as usize].nearest(pole).squared;
            solid.boundary_pieces(face).map(|(piece, _)| squared(piece)).fold(f64::INFINITY, f64::min)
        };
        let clear = from_pole(1.0).min(from_pole(-1.0));
        if clear > best.0 {
            best = (clear, turned);
        }
    }
    best.1
}

/// Angles at which a torus is cut so that the face does not cross the cut, and the inner integral that this allows.
fn torus_cut(solid: &Solid, face: &Face, frame: &Frame, radii: [f64; 2]) -> Option<([f64; 2], Inner)> {
    const COUNT: usize = 48;
    let torus = Parameters::Torus(*frame, radii, [0.0; 2]);
    let angle = |k: usize| TAU * (k as f64 + 0.5) / COUNT as f64;
    let inside = |u: f64, v: f64| solid.is_inside(face, torus.evaluate(u, v)[0], &face.trim);
    let table: Vec<Vec<bool>> =
        (0..COUNT).map(|i| (0..COUNT).map(|j| inside(angle(i), angle(j))).collect()).collect();
    // the middle of the widest gap
    let cut = |is_free: &dyn Fn(usize) -> bool| -> Option<f64> {
        let longest = (0..COUNT)
            .map(|start| ((0..COUNT).take_while(|k| is_free((start + k) % COUNT)).count(), start))
            .max_by_key(|(length, start)| (*length, usize::MAX - start))?;
        (longest.0 > 0).then(|| angle(longest.1) + TAU / COUNT as f64 * 0.5 * (longest.0 - 1) as f64)
    };
    if let Some(v) = cut(&|j| (0..COUNT).all(|i| !table[i][j])) {
        return Some(([0.0, v], Inner { over: 1, from: v }));
    }
    let u = cut(&|i| (0..COUNT).all(|j| !table[i][j]))?;
    Some(([u, 0.0], Inner { over: 0, from: u }))
}
