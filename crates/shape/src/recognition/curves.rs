//! The curve of an edge: where the surfaces of its two faces meet.
//!
//! ```text
//! points at one height on a cylinder or cone  → circle        along a generator, or between planes → line
//! anything else                               → cubic through points on both surfaces, tangent to both: n₁ × n₂
//! ```

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Vector3};
use tightfit_cad::geometry::{Curve, Frame, SplineCurve, Surface};

/// Moves a point onto surfaces by the shortest steps; `None` where it does not get there.
pub(super) fn onto(surfaces: &[&Surface], start: Vector3<f64>) -> Option<Vector3<f64>> {
    let mut point = start;
    for _ in 0..30 {
        let feet = surfaces.iter().map(|surface| surface.foot(point)).collect::<Option<Vec<_>>>()?;
        let worst = feet.iter().map(|foot| foot.distance.abs()).fold(0.0, f64::max);
        if worst < 1e-15 {
            break;
        }
        let rows = DMatrix::from_fn(feet.len(), 3, |row, k| feet[row].normal[k]);
        let right = DVector::from_iterator(feet.len(), feet.iter().map(|foot| -foot.distance));
        // parallel normals: a tangent edge, where one surface is as good as the other
        let step = rows.svd(true, true).solve(&right, 1e-6).ok()?;
        let step = Vector3::new(step[0], step[1], step[2]);
        point += step;
        if step.norm() < 1e-16 {
            break;
        }
    }
    point.iter().all(|x| x.is_finite()).then_some(point)
}

/// Axis of a surface of revolution.
fn axis(surface: &Surface) -> Option<&Frame> {
    match surface {
        Surface::Cylinder(frame, _) | Surface::Cone { frame, .. } => Some(frame),
        _ => None,
    }
}

/// Largest distance of a curve from the surfaces between two parameters [m].
fn miss(curve: &Curve, range: [f64; 2], surfaces: &[&Surface; 2]) -> f64 {
    let at = |k: i32| curve.point(range[0] + (range[1] - range[0]) * f64::from(k) / 8.0);
    let off = |p: Vector3<f64>, surface: &Surface| {
        surface.foot(p).map_or(f64::INFINITY, |foot| foot.distance.abs())
    };
    (0..=8).flat_map(|k| surfaces.iter().map(move |surface| off(at(k), surface))).fold(0.0, f64::max)
}

/// The curve along points on both surfaces; the first point is repeated at the end of a closed one.
pub(super) fn curve(points: &[Vector3<f64>], surfaces: [&Surface; 2], tolerance: f64) -> Option<Curve> {
    let is_closed = points.len() > 2 && points.first() == points.last();
    if let Some(circle) = circle(points, surfaces, is_closed, tolerance) {
        return Some(circle);
    }
    if let Some(line) = line(points, is_closed, tolerance) {
        let length = (points[points.len() - 1] - points[0]).norm();
        if miss(&line, [0.0, length], &surfaces) <= tolerance {
            return Some(line);
        }
    }
    if surfaces.iter().all(|surface| matches!(surface, Surface::Plane(_))) {
        return None;
    }
    spline(points, surfaces)
}

fn line(points: &[Vector3<f64>], is_closed: bool, tolerance: f64) -> Option<Curve> {
    let (first, last) = (*points.first()?, *points.last()?);
    let along = (last - first).try_normalize(1e-12).filter(|_| !is_closed)?;
    let is_straight = points.iter().all(|p| (p - first).cross(&along).norm() <= 2.0 * tolerance);
    is_straight.then_some(Curve::Line { origin: first, along })
}

fn circle(
    points: &[Vector3<f64>],
    surfaces: [&Surface; 2],
    is_closed: bool,
    tolerance: f64,
) -> Option<Curve> {
    for frame in surfaces.into_iter().filter_map(axis) {
        let height = |p: &Vector3<f64>| (p - frame.origin).dot(&frame.z);
        let radius = |p: &Vector3<f64>| (p - frame.origin - frame.z * height(p)).norm();
        let z = height(&points[0]);
        let rho = radius(&points[0]);
        if points
            .iter()
            .any(|p| (height(p) - z).abs() > 2.0 * tolerance || (radius(p) - rho).abs() > 2.0 * tolerance)
        {
            continue;
        }
        let centre = frame.origin + frame.z * z;
        let turned: f64 =
            points.windows(2).map(|pair| (pair[0] - centre).cross(&(pair[1] - centre)).dot(&frame.z)).sum();
        let start = points[0] - centre;
        let own = Frame::new(centre, frame.z * turned.signum(), Some(start))?;
        let circle = Curve::Circle(own, rho);
        let end = if is_closed {
            std::f64::consts::TAU
        } else {
            circle.parameter_of(*points.last()?).rem_euclid(std::f64::consts::TAU)
        };
        // short chains are arcs as well as lines: the surfaces decide
        if rho * end > 4.0 * tolerance && miss(&circle, [0.0, end], &surfaces) <= tolerance {
            return Some(circle);
        }
    }
    None
}

/// Bézier arcs through the points and a point between each two, tangent to both surfaces.
fn spline(points: &[Vector3<f64>], surfaces: [&Surface; 2]) -> Option<Curve> {
    let mut through = vec![points[0]];
    for pair in points.windows(2) {
        through.push(onto(&surfaces, (pair[0] + pair[1]) / 2.0)?);
        through.push(pair[1]);
    }
    let last = through.len() - 1;
    let mut tangents = Vec::with_capacity(through.len());
    for (place, point) in through.iter().enumerate() {
        let chord = through[(place + 1).min(last)] - through[place.saturating_sub(1)];
        let [a, b] = surfaces.map(|surface| surface.foot(*point).map(|foot| foot.normal));
        let across = a?.cross(&b?);
        let tangent = if across.norm() > 1e-2 { across } else { chord };
        let tangent = tangent.try_normalize(0.0)?;
        tangents.push(if tangent.dot(&chord) < 0.0 { -tangent } else { tangent });
    }
    if points.first() == points.last() {
        tangents[last] = tangents[0];
    }
    let mut poles = vec![through[0]];
    let mut knots = vec![0.0; 4];
    let mut length = 0.0;
    for place in 0..last {
        let (p, q) = (through[place], through[place + 1]);
        let chord = (q - p).norm();
        // a circular arc is longer than its chord, and so are its handles
        let turn = tangents[place].dot(&tangents[place + 1]).clamp(-1.0, 1.0).acos();
        let handle = 4.0 / 3.0 * (turn / 4.0).tan() / (2.0 * (turn / 2.0).sin()).max(1e-12);
        let handle = if turn > 1e-6 { handle * chord } else { chord / 3.0 };
        poles.extend([p + tangents[place] * handle, q - tangents[place + 1] * handle, q]);
        length += chord;
        knots.extend([length; 3]);
    }
    knots.push(length);
    SplineCurve::new(3, &poles, None, knots).ok().map(|curve| Curve::Spline(Arc::new(curve)))
}
