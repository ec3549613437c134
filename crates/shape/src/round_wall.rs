//! Convex walls of revolution: cylinders and cones, which touch each other where the normals oppose (`wall_crossings.rs` of the
//! pipeline).

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};
use tightfit_cad::geometry::{Frame, Surface};

use crate::Part;
use crate::cad::CadPart;
use crate::mesh::Aabb;
use crate::profile::{Section, SectionedSolid};

/// Radial component of the normal below which a wall counts as a plane [-].
const LEVEL: f64 = 1e-9;
/// Radius below which an arc is a corner [m].
const FINEST: f64 = 1e-6;

/// Distance at which a point counts as on what a thread leaves of a wall [m].
const ON_SURFACE: f64 = 0.1e-6;
/// Samples along an edge that tell how far a face reaches, and what may lie between them [-].
const SAMPLES: f64 = 32.0;
const BETWEEN: f64 = 0.01;

/// A convex wall in the frame of its part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundWall {
    /// A point of the axis [m], the unit axis, and the radius there [m], which is negative beyond the tip of a cone.
    pub origin: Vector3<f64>,
    /// Unit axis.
    pub axis: Vector3<f64>,
    /// Radius at the origin [m].
    pub radius: f64,
    /// Radial and axial components of the outward normal [-]; the first one is positive.
    pub normal: [f64; 2],
    /// Ends along the axis, from the origin [m].
    pub heights: [f64; 2],
    /// Box around the wall.
    pub bounds: Aabb,
    extent: Extent,
}

/// What a wall is around its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Extent {
    Closed,
    /// Directions within an angle of this cosine from a unit vector.
    Sector(Vector3<f64>, f64),
    /// A face of an exact solid.
    Face(u32),
    /// What a thread leaves of it.
    Left,
}

impl RoundWall {
    /// Radius at a height above the origin [m].
    #[must_use]
    pub fn radius_at(&self, height: f64) -> f64 {
        self.radius + self.widens() * height
    }

    /// By how much the radius grows along the axis [-].
    #[must_use]
    pub fn widens(&self) -> f64 {
        -self.normal[1] / self.normal[0]
    }

    /// Whether a point of the surface of revolution belongs to the wall.
    #[must_use]
    pub fn holds(&self, part: &Part, point: Vector3<f64>) -> bool {
        let from = point - self.origin;
        let height = from.dot(&self.axis);
        if height < self.heights[0] || height > self.heights[1] {
            return false;
        }
        match self.extent {
            Extent::Closed => true,
            Extent::Sector(middle, cosine) => {
                let out = from - self.axis * height;
                out.dot(&middle) >= cosine * out.norm()
            }
            Extent::Face(face) => part.holds(Some(face), point),
            Extent::Left => part.sample(point).distance.abs() < ON_SURFACE,
        }
    }

    fn new(
        [origin, axis]: [Vector3<f64>; 2],
        [start, end]: [[f64; 2]; 2],
        normal: [f64; 2],
        extent: Extent,
    ) -> Self {
        let ([low, high], [first, last]) = ([start[1], end[1]], [start[0], end[0]]);
        let heights = [low.min(high), low.max(high)];
        let radius = first + normal[1] / normal[0] * low;
        // a disc about an axis reaches r sin of the angle between them
        let around = |height: f64, radius: f64| {
            let half = axis.map(|share| radius * (1.0 - share * share).max(0.0).sqrt());
            let middle = origin + axis * height;
            [middle - half, middle + half]
        };
        let bounds = Aabb::of([around(low, first), around(high, last)].into_iter().flatten());
        Self { origin, axis, radius, normal, heights, bounds, extent }
    }

    /// What a thread leaves of a wall about the z axis; both ends by radius and height [m].
    pub(crate) fn of_thread(ends: [[f64; 2]; 2]) -> Self {
        let [start, end] = ends;
        let (wide, long) = (end[0] - start[0], end[1] - start[1]);
        let length = libm::hypot(wide, long);
        let normal = [long.abs() / length, -wide * long.signum() / length];
        Self::new([Vector3::zeros(), Vector3::z()], ends, normal, Extent::Left)
    }

    pub(crate) fn of_sectioned(solid: &SectionedSolid) -> Vec<Self> {
        let convex = || {
            let edges = solid.outline.edges().map(|(index, ends)| (solid.outline.edge_normal(index), ends));
            edges.filter(|(normal, _)| normal[0] > LEVEL)
        };
        let axis = Vector3::z();
        match solid.section {
            Section::Polygon { .. } => Vec::new(),
            Section::Round => convex()
                .map(|(normal, ends)| Self::new([Vector3::zeros(), axis], ends, normal, Extent::Closed))
                .collect(),
            Section::RoundedPolygon { sides, core } => {
                let half = std::f64::consts::PI / f64::from(sides);
                let corners = (0..sides).map(|side| {
                    let angle = (2.0 * f64::from(side) + 1.0) * half;
                    Vector2::new(libm::cos(angle), libm::sin(angle))
                });
                let at = |out: Vector2<f64>| {
                    convex().filter_map(move |(normal, ends)| {
                        let ends = ends.map(|[radius, height]| [(radius - core).max(0.0), height]);
                        let is_arc = ends.iter().any(|end| end[0] > FINEST);
                        let origin = (out * (core / libm::cos(half))).push(0.0);
                        let extent = Extent::Sector(out.push(0.0), libm::cos(half));
                        is_arc.then(|| Self::new([origin, axis], ends, normal, extent))
                    })
                };
                corners.flat_map(at).collect()
            }
        }
    }

    fn of_solid(part: &CadPart) -> Vec<Self> {
        let solid = part.solid();
        let mut walls = Vec::new();
        for (number, face) in solid.faces.iter().enumerate().filter(|(_, face)| face.sign > 0.0) {
            let (frame, normal, radius) = match &face.surface {
                Surface::Cylinder(frame, radius) => (frame, [1.0, 0.0], *radius),
                Surface::Cone { frame, half_angle: [sine, cosine] } => (frame, [*cosine, -sine], 0.0),
                Surface::Plane(_) | Surface::Sphere(..) | Surface::Torus(..) | Surface::Parametric(_) => {
                    continue;
                }
            };
            // a face of such a surface ends at its edges; what is between samples of these is within a share of its length
            let on_edge = |edge: &tightfit_cad::Edge| {
                let at = |k: u32| edge.range[0] + (edge.range[1] - edge.range[0]) * f64::from(k) / SAMPLES;
                (0..=SAMPLES as u32).map(|k| edge.curve.point(at(k)) - frame.origin).collect::<Vec<_>>()
            };
            let edges = face.loops.iter().flatten().map(|side| &solid.edges[side.edge as usize]);
            let edges: Vec<Vec<Vector3<f64>>> = edges.map(on_edge).collect();
            let heights: Vec<f64> = edges.iter().flatten().map(|point| point.dot(&frame.z)).collect();
            let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let slack = BETWEEN * (high - low);
            let is_tip = radius == 0.0 && solid.face_holds(number, frame.origin);
            let low = if is_tip {
                0.0
            } else if radius == 0.0 {
                (low - slack).max(0.0)
            } else {
                low - slack
            };
            let high = high + slack;
            let end = |height: f64| [radius - normal[1] / normal[0] * height, height];
            let extent = Extent::Face(number as u32);
            let mut wall = Self::new([frame.origin, frame.z], [end(low), end(high)], normal, extent);
            if let Some(sector) = sector(frame, &edges).filter(|_| !is_tip) {
                wall.bounds = bounds_of(frame, sector, [end(low), end(high)]);
            }
            walls.push(wall);
        }
        walls
    }
}

/// Angles about a frame's z axis between which a face with these edges lies [rad]: where none of its edges is, there is nothing of it.
/// None where its edges are all around.
fn sector(frame: &Frame, edges: &[Vec<Vector3<f64>>]) -> Option<[f64; 2]> {
    let angle = |point: &Vector3<f64>| libm::atan2(point.dot(&frame.y), point.dot(&frame.x));
    let (mut angles, mut between) = (Vec::new(), 0.0_f64);
    for edge in edges {
        let own: Vec<f64> = edge.iter().map(angle).collect();
        let turned = |pair: &[f64]| (pair[1] - pair[0]).rem_euclid(TAU);
        let steps = own.windows(2).map(|pair| turned(pair).min(TAU - turned(pair)));
        between = steps.fold(between, f64::max);
        angles.extend(own);
    }
    angles.sort_unstable_by(f64::total_cmp);
    let next = angles.iter().skip(1).copied().chain(angles.first().map(|first| first + TAU));
    let (start, gap) =
        next.zip(&angles).map(|(next, own)| (next, next - own)).max_by(|a, b| a.1.total_cmp(&b.1))?;
    // what is between two samples of an edge goes at most as far beyond them
    (gap > 4.0 * between).then_some([start - between, start + TAU - gap + between])
}

/// Box around a stretch of a surface of revolution, between two circles (radius, height).
fn bounds_of(frame: &Frame, [from, to]: [f64; 2], ends: [[f64; 2]; 2]) -> Aabb {
    let step = (to - from) / SAMPLES;
    let at = |k: u32, [radius, height]: [f64; 2]| {
        let (sine, cosine) = libm::sincos(from + step * f64::from(k));
        frame.origin + (frame.x * cosine + frame.y * sine) * radius + frame.z * height
    };
    let points = (0..=SAMPLES as u32).flat_map(|k| ends.map(|end| at(k, end)));
    let largest = ends[0][0].abs().max(ends[1][0].abs());
    // the arc between two points leaves their chord by r (1 − cos of half the angle)
    Aabb::of(points).grown(largest * (1.0 - libm::cos(0.5 * step)) + 1e-9)
}

impl Part {
    /// Whether all convex round faces are such walls.
    #[must_use]
    pub fn has_walls_alone(&self) -> bool {
        match self {
            Self::Cad(part) => part.solid().faces.iter().all(|face| match face.surface {
                Surface::Plane(_) | Surface::Cylinder(..) | Surface::Cone { .. } => true,
                Surface::Sphere(..) | Surface::Torus(..) => face.sign < 0.0,
                Surface::Parametric(_) => false,
            }),
            Self::Sectioned(_) | Self::Block(_) | Self::Mesh(_) | Self::HalfSpace => true,
            Self::Bolt(_) | Self::Nut(_) | Self::Capsule(_) | Self::Nodes(_) => false,
        }
    }

    /// Convex walls of revolution.
    #[must_use]
    pub fn round_walls(&self) -> Vec<RoundWall> {
        match self {
            Self::Cad(part) => RoundWall::of_solid(part),
            Self::Sectioned(solid) => RoundWall::of_sectioned(solid),
            Self::Bolt(bolt) => bolt.round_walls(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame { origin: Vector3::new(0.1, 0.2, 0.3), x: Vector3::x(), y: Vector3::y(), z: Vector3::z() }
    }

    /// Points of an arc about the frame's axis.
    fn arc(from: f64, to: f64, height: f64) -> Vec<Vector3<f64>> {
        let at = |k: u32| libm::sincos(from + (to - from) * f64::from(k) / 32.0);
        (0..=32).map(at).map(|(sine, cosine)| Vector3::new(0.01 * cosine, 0.01 * sine, height)).collect()
    }

    #[test]
    fn a_sector_holds_its_face_and_little_more() {
        for from in [-3.0, -0.4, 1.2, 3.0] {
            let to = from + 0.8;
            let line = vec![arc(to, to, 0.0)[0], arc(to, to, 0.02)[0]];
            let edges = [arc(from, to, 0.0), arc(to, from, 0.02), line];
            let [low, high] = sector(&frame(), &edges).expect("not all around");
            assert!((high - low - 0.85).abs() < 1e-9);
            let away = (from - low).rem_euclid(TAU);
            assert!((away - 0.025).abs() < 1e-9, "{away}");
            let bounds = bounds_of(&frame(), [low, high], [[0.01, 0.0], [0.01, 0.02]]);
            let face = (0..=1000).map(|k| from + 0.8 * f64::from(k) / 1000.0).map(libm::sincos);
            for (sine, cosine) in face {
                for height in [0.0, 0.02] {
                    assert!(
                        bounds.contains(frame().origin + Vector3::new(0.01 * cosine, 0.01 * sine, height))
                    );
                }
            }
            assert!(bounds.diagonal() < 0.024);
        }
    }

    #[test]
    fn what_goes_all_around_has_no_sector() {
        assert!(sector(&frame(), &[arc(0.0, TAU, 0.0), arc(0.0, TAU, 0.02)]).is_none());
        assert!(sector(&frame(), &[arc(0.3, 3.3, 0.0), arc(3.3, 0.3 + TAU, 0.01)]).is_none());
        assert!(sector(&frame(), &[]).is_none());
    }
}
