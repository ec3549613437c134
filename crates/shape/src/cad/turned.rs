//! Solids of revolution about z: the outline of planes, cylinders and cones.

use tightfit_cad::Face;
use tightfit_cad::geometry::{Curve, Surface};

use super::CadPart;
use crate::profile::{Outline, Section, SectionedSolid};

/// Most corners of an outline.
const MOST_CORNERS: usize = 12;
/// Points closer than this are one [m].
const SAME: f64 = 1e-10;

type Point = [f64; 2];

/// The solid as an outline turned about z; `None` where it is none.
pub(super) fn turned(part: &CadPart) -> Option<SectionedSolid> {
    let mut segments: Vec<[Point; 2]> = Vec::new();
    for face in &part.solid().faces {
        let segment = segment_of(part, face)?;
        if !segments.iter().any(|known| same(known[0], segment[0]) && same(known[1], segment[1])) {
            segments.push(segment);
        }
    }
    let corners = chained(segments)?;
    let solid = SectionedSolid::new(Section::Round, Outline::new(&corners));
    // equal volumes: every face goes all the way around
    let volume = solid.inertia(1.0).ok()?.mass;
    ((volume / part.mass().volume - 1.0).abs() < 1e-9).then_some(solid)
}

fn same(a: Point, b: Point) -> bool {
    (a[0] - b[0]).abs() < SAME && (a[1] - b[1]).abs() < SAME
}

/// The line (distance from the axis, height) that a face is turned from, with the material on its left.
fn segment_of(part: &CadPart, face: &Face) -> Option<[Point; 2]> {
    let solid = part.solid();
    let mut circles: Vec<Point> = Vec::new();
    for used in face.loops.iter().flatten() {
        match &solid.edges[used.edge as usize].curve {
            Curve::Circle(frame, radius) => {
                let off = frame.origin.x.hypot(frame.origin.y);
                if off > SAME || frame.z.x.hypot(frame.z.y) * radius > SAME {
                    return None;
                }
                let point = [*radius, frame.origin.z];
                if !circles.iter().any(|known| same(*known, point)) {
                    circles.push(point);
                }
            }
            // seams, and the cuts between halves
            Curve::Line { .. } => {}
            _ => return None,
        }
    }
    let on_axis = |origin: nalgebra::Vector3<f64>, axis: nalgebra::Vector3<f64>| {
        origin.x.hypot(origin.y) < SAME && axis.x.hypot(axis.y) < 1e-10
    };
    // outward normal in (a, z)
    let (normal, lone) = match &face.surface {
        Surface::Plane(frame) => {
            if frame.z.x.hypot(frame.z.y) > 1e-10 {
                return None;
            }
            ([0.0, frame.z.z * face.sign], [0.0, frame.origin.z])
        }
        Surface::Cylinder(frame, _) if on_axis(frame.origin, frame.z) => ([face.sign, 0.0], [f64::NAN; 2]),
        Surface::Cone { frame, half_angle: [sin, cos] } if on_axis(frame.origin, frame.z) => {
            ([cos * face.sign, -sin * frame.z.z.signum() * face.sign], [0.0, frame.origin.z])
        }
        _ => return None,
    };
    let ends = match circles[..] {
        [only] if !lone[0].is_nan() => [only, lone],
        [a, b] => [a, b],
        _ => return None,
    };
    // along (−n_z, n_a) the material is on the left
    let along = (ends[1][0] - ends[0][0]) * -normal[1] + (ends[1][1] - ends[0][1]) * normal[0];
    Some(if along > 0.0 { ends } else { [ends[1], ends[0]] })
}

/// Corners of the closed outline: from the axis at the lowest height, or from the lowest corner.
fn chained(mut segments: Vec<[Point; 2]>) -> Option<Vec<Point>> {
    let starts_on_axis = |segment: &[Point; 2]| segment[0][0] < SAME;
    let lower =
        |a: &[Point; 2], b: &[Point; 2]| a[0][1].total_cmp(&b[0][1]).then(a[0][0].total_cmp(&b[0][0]));
    let first = (0..segments.len())
        .filter(|&k| starts_on_axis(&segments[k]))
        .min_by(|&a, &b| lower(&segments[a], &segments[b]))
        .or_else(|| (0..segments.len()).min_by(|&a, &b| lower(&segments[a], &segments[b])))?;
    let [start, mut end] = segments.swap_remove(first);
    let mut corners = vec![start, end];
    while !segments.is_empty() {
        let next = (0..segments.len()).find(|&k| same(segments[k][0], end))?;
        end = segments.swap_remove(next)[1];
        corners.push(end);
    }
    let closes = same(start, end);
    if closes {
        corners.pop();
    } else if !(start[0] < SAME && end[0] < SAME) {
        return None;
    }
    // exact zeros on the axis
    corners.iter_mut().filter(|corner| corner[0] < SAME).for_each(|corner| corner[0] = 0.0);
    (corners.len() >= 3 && corners.len() <= MOST_CORNERS).then_some(corners)
}
