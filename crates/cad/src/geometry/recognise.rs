//! Planes and cylinders in disguise: B-splines, extrusions and surfaces of revolution that are simpler surfaces.
//!
//! A surface is replaced only where it deviates by less than [`SAME`], far below the accuracy of any contact; a looser
//! bound would move faces by more than the files' own edge gaps.

use nalgebra::{Matrix3, Vector3};

use super::{Curve, Frame, Parametric, Surface};

/// Largest deviation [m] of a surface from the one that replaces it.
const SAME: f64 = 1e-10;

/// The simpler surface with the same normal direction, if there is one; `domain` bounds u and v.
pub(crate) fn recognise(surface: &Parametric, domain: [[f64; 2]; 2]) -> Option<Surface> {
    if let Some(simple) = of_sweep(surface) {
        return Some(simple);
    }
    let at = |s: f64, t: f64| {
        let part = |[a, b]: [f64; 2], s: f64| a + (b - a) * s;
        surface.evaluate(part(domain[0], s), part(domain[1], t))
    };
    let mut points = Vec::new();
    let mut normals = Vec::new();
    // an odd number of samples that does not divide the knots evenly
    for i in 0..=12 {
        for j in 0..=12 {
            let local = at(f64::from(i) / 12.0, f64::from(j) / 12.0);
            points.push(local.point);
            normals.extend(local.u.cross(&local.v).try_normalize(1e-18));
        }
    }
    let mean_normal: Vector3<f64> = normals.iter().sum::<Vector3<f64>>();
    if normals.len() < 100 {
        return None;
    }
    let candidates = [plane(&points, mean_normal), cylinder(&points, &normals)];
    let hull: Vec<Vector3<f64>> =
        if let Parametric::Spline(spline) = surface { spline.points().collect() } else { Vec::new() };
    candidates
        .into_iter()
        .flatten()
        .find(|candidate| {
            let off = |p: &Vector3<f64>| candidate.foot(*p).map_or(f64::INFINITY, |foot| foot.distance.abs());
            let flat = !matches!(candidate, Surface::Plane(_)) || hull.iter().all(|p| off(p) < SAME);
            flat && points.iter().all(|p| off(p) < SAME)
        })
        .map(|found| with_normal(found, &points, &normals))
        .and_then(|found| found)
}

/// The surface if its normals agree with the given ones everywhere, or everywhere oppose them where it has a direction
/// to turn (a plane).
fn with_normal(found: Surface, points: &[Vector3<f64>], normals: &[Vector3<f64>]) -> Option<Surface> {
    let agrees =
        points.iter().zip(normals).all(|(p, n)| found.foot(*p).is_some_and(|foot| foot.normal.dot(n) > 0.9));
    agrees.then_some(found)
}

fn plane(points: &[Vector3<f64>], normal: Vector3<f64>) -> Option<Surface> {
    let centre = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let scatter: Matrix3<f64> = points.iter().map(|p| (p - centre) * (p - centre).transpose()).sum();
    let eigen = scatter.symmetric_eigen();
    let axis: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into();
    let axis = if axis.dot(&normal) < 0.0 { -axis } else { axis };
    Some(Surface::Plane(Frame::new(centre, axis, None)?))
}

/// Cylinder whose axis is perpendicular to all normals. Only convex parametrisations (normal away from the axis) are
/// recognised; others stay as they are.
fn cylinder(points: &[Vector3<f64>], normals: &[Vector3<f64>]) -> Option<Surface> {
    let spread: Matrix3<f64> = normals.iter().map(|n| n * n.transpose()).sum();
    let eigen = spread.symmetric_eigen();
    let axis: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into();
    let frame = Frame::new(Vector3::zeros(), axis, None)?;
    // circle through the projected points: x² + y² = 2 a x + 2 b y + c
    let (mut matrix, mut right) = (Matrix3::zeros(), Vector3::zeros());
    let middle = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    for p in points {
        let local = frame.inside(p - middle);
        let row = Vector3::new(2.0 * local.x, 2.0 * local.y, 1.0);
        matrix += row * row.transpose();
        right += row * (local.x * local.x + local.y * local.y);
    }
    let solved = matrix.lu().solve(&right)?;
    let radius = (solved.z + solved.x * solved.x + solved.y * solved.y).sqrt();
    let origin = middle + frame.turn(Vector3::new(solved.x, solved.y, 0.0));
    (radius.is_finite() && radius < 1.0).then_some(Surface::Cylinder(Frame { origin, ..frame }, radius))
}

/// Extrusions of lines and circles, revolutions of lines, exactly.
fn of_sweep(surface: &Parametric) -> Option<Surface> {
    match surface {
        Parametric::Extrusion { curve: Curve::Line { origin, along: line }, along } => {
            let normal = line.cross(along);
            Some(Surface::Plane(Frame::new(*origin, normal, Some(*line))?))
        }
        Parametric::Extrusion { curve: Curve::Circle(frame, radius), along } => {
            let axis = along.try_normalize(1e-15)?;
            let cosine = axis.dot(&frame.z);
            // u × v = tangent × axis points away from the axis where the axis is along +z
            (cosine > 1.0 - 1e-15).then_some(Surface::Cylinder(*frame, *radius))
        }
        _ => None,
    }
}
