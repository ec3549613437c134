//! The curve of an edge: where the surfaces of its two faces meet.
//!
//! ```text
//! points at one height on a cylinder or cone  → circle        along a generator, or between planes → line
//! anything else                               → cubic through points on both surfaces, tangent to both: n₁ × n₂
//! ```

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Vector3};
use tightfit_cad::geometry::{Curve, Frame, SplineCurve, Surface};

/// Sines of the angle below which surfaces count as tangent: to rounding, then to the noise of fits.
const TANGENT: [f64; 2] = [1e-6, 0.06];

/// How far an edge may leave its surfaces [m].
const ON_SURFACES: f64 = 2e-8;

/// Moves a point onto surfaces by the shortest steps, by no more than `most` [m]; `None` where it does not get there.
/// Surfaces that are tangent but for noise meet anywhere or nowhere: there the point stays between them.
pub(super) fn onto(surfaces: &[&Surface], start: Vector3<f64>, most: f64) -> Option<Vector3<f64>> {
    TANGENT
        .into_iter()
        .filter_map(|tangent| solved(surfaces, start, tangent))
        .find(|point| (point - start).norm() <= most)
}

fn solved(surfaces: &[&Surface], start: Vector3<f64>, tangent: f64) -> Option<Vector3<f64>> {
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
        let step = rows.svd(true, true).solve(&right, tangent).ok()?;
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
    spline(points, surfaces, tolerance)
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

/// A cubic along the points, as few Bézier arcs as stay on both surfaces; their tangents are those of both surfaces.
fn spline(points: &[Vector3<f64>], surfaces: [&Surface; 2], tolerance: f64) -> Option<Curve> {
    let points = in_order(points);
    let mut through = vec![points[0]];
    for pair in points.windows(2) {
        through.push(onto(&surfaces, (pair[0] + pair[1]) / 2.0, 20.0 * tolerance)?);
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
    let mut arcs = Vec::new();
    add_arcs(&through, &tangents, [0, last], &surfaces, &mut arcs);
    let mut poles = vec![through[0]];
    let mut knots = vec![0.0; 4];
    let mut length = 0.0;
    for arc in arcs {
        poles.extend(&arc[1..]);
        length += (arc[3] - arc[0]).norm();
        knots.extend([length; 3]);
    }
    knots.push(length);
    SplineCurve::new(3, &poles, None, knots).ok().map(|curve| Curve::Spline(Arc::new(curve)))
}

/// The points without those that the ends of the chain, which were moved onto further surfaces, have passed.
fn in_order(points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let end = points[points.len() - 1];
    let mut kept = vec![points[0]];
    for pair in points[1..].windows(2) {
        if (pair[0] - kept[kept.len() - 1]).dot(&(pair[1] - pair[0])) > 0.0 {
            kept.push(pair[0]);
        }
    }
    while let [.., before, last] = kept[..]
        && (end - last).dot(&(last - before)) <= 0.0
    {
        kept.pop();
    }
    kept.push(end);
    kept
}

/// Adds the poles of one Bézier arc between two points, or of more where it would leave the surfaces.
fn add_arcs(
    through: &[Vector3<f64>],
    tangents: &[Vector3<f64>],
    [first, last]: [usize; 2],
    surfaces: &[&Surface; 2],
    arcs: &mut Vec<[Vector3<f64>; 4]>,
) {
    let (p, q) = (through[first], through[last]);
    let chord = (q - p).norm();
    // a circular arc is longer than its chord, and so are its handles
    let turn = tangents[first].dot(&tangents[last]).clamp(-1.0, 1.0).acos();
    let handle = 4.0 / 3.0 * (turn / 4.0).tan() / (2.0 * (turn / 2.0).sin()).max(1e-12);
    let handle = if turn > 1e-6 { handle * chord } else { chord / 3.0 };
    let arc = [p, p + tangents[first] * handle, q - tangents[last] * handle, q];
    let off = |point: Vector3<f64>| {
        let off = |surface: &&Surface| surface.foot(point).map_or(f64::INFINITY, |foot| foot.distance.abs());
        surfaces.iter().map(off).fold(0.0, f64::max)
    };
    // surfaces that are tangent but for noise stand apart by that noise
    let allowed = ON_SURFACES + off(p).max(off(q));
    let stays = turn < 1.0
        && [0.25, 0.5, 0.75].into_iter().all(|s: f64| {
            let r = 1.0 - s;
            let weights = [r * r * r, 3.0 * r * r * s, 3.0 * r * s * s, s * s * s];
            let point = arc.iter().zip(weights).map(|(pole, weight)| pole * weight).sum::<Vector3<f64>>();
            off(point) <= allowed
        });
    if last - first == 1 || stays && chord > 0.0 {
        arcs.push(arc);
        return;
    }
    let middle = first.midpoint(last);
    add_arcs(through, tangents, [first, middle], surfaces, arcs);
    add_arcs(through, tangents, [middle, last], surfaces, arcs);
}
