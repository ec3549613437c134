//! A convex solid of revolution against a polyhedron: where it is lowest over faces, and where edges and corners are nearest to it.
//!
//! ```text
//! u = −(n − (n·a) a)/s,  s = |n − (n·a) a|        the way down within a circle about the axis a
//! x = c + r (u cos ψ + a×u sin ψ)                  ψ = 0 lowest point of the circle over the plane with normal n
//! φ = n·x − level
//! ```
//!
//! c, r centre and radius of a rim (r = 0: the tip of a cone). The lowest point stays where it is while the solid spins: n·(a × u) = 0,
//! so that a cylinder, a cone or a coin rolls as a ball does, whatever the step. A material node ahead of it would be
//! predicted to dip in by r(ωT)²/2 and brake. A circle that lies almost flat rests on its whole length, which eight of
//! its points stand for; their places follow the lowest one, so that spinning does not move them either.
//!
//! Along an edge the signed distance to a convex solid is a convex function: bisection finds its least value. An edge that lies
//! flush is carried where it enters and leaves the shadow of a face, which is where it crosses a rim. For the same reason
//! the tangent φ + T n·v at the start of a step foretells less than the gap at its end: an edge that the solid rolls past would
//! lift it by (vT)²/2r. So the gap is raised until the expected motion ends with the gap that it will have.
//! Where a face cuts the
//! solid in two, as a plate that a rod pierces, its points inside are contacts too: nothing else may be near.

use std::f64::consts::FRAC_PI_4;

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::{Corner, Edge, Face, Polyhedron};
use tightfit_shape::profile::{Circle, Turned};
use tightfit_shape::{Part, Sample};
use tightfit_spatial::Pose;

use super::contact_writer::ContactWriter;
use super::edge_pair::MovedEdge;
use super::node_blocks::{Frame, INSIDE};
use super::polyhedra::{DEEP, DIPS};
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Points of a circle that lies flat.
const RING: u32 = 8;
/// Sine of the tilt below which a circle lies almost flat [-], and of that below which its lowest point is not told.
const FLAT: f64 = 0.2;
const LEVEL: f64 = 1e-5;
/// Sum of the slopes on both sides of the nearest place of an edge below which the surface is smooth there [-].
const SMOOTH: f64 = 1e-6;
/// Depth behind a face that is taken as it is [m], and the share of a larger one by which the point is inside at least [-].
const SHALLOW: f64 = 0.2e-6;
const AS_DEEP: f64 = 0.5;
/// Share of its own width by which the solid may be behind a face [-]: beyond, the face belongs to another side.
const BEHIND: f64 = 0.5;
/// Places along an edge are found to this length [m]; the gap changes by its square there.
const PLACE: f64 = 1e-10;
/// Places along an edge that may carry: the nearest one, and three for each circle.
const MOST_PLACES: usize = 40;

/// Appends the contacts of a turned solid with a polyhedron.
pub(super) fn detect(pair: &TurnedPair, options: &DetectionOptions, contacts: &mut Contacts) {
    let TurnedPair { sides: [of, against], turned, polyhedron } = pair;
    if !(of.is_free() || against.is_free()) {
        return;
    }
    let ids = Identities::new(pair);
    let margin = options.margin + against.part.node_offset();
    let from_turned = Frame::of(&(against.world_from_part.inverse() * of.world_from_part));
    let mut writer = ContactWriter::new(of, against, contacts);
    let rims =
        Rims { turned, frame: &from_turned, offset: against.part.node_offset(), margin: options.margin };
    polyhedron.each_face(&rims.bounds().grown(margin.max(0.0)), |index, face| {
        rims.over_face(face, |circle, number, point, gap| {
            // what lies just inside another face of an edge is not behind this one
            let is_behind = |point| gap > -SHALLOW || against.part.sample(point).distance < AS_DEEP * gap;
            if face.covers(point, &polyhedron.edges) && is_behind(point) {
                writer.push(point, face.normal, gap, ids.face(index, circle, number));
            }
        });
    });
    // a solid whose middle is inside has lost its way out
    let middle = rims.middle();
    let inside = against.part.sample(middle);
    if inside.distance < 0.0 {
        writer.push(middle, inside.normal, inside.distance, ids.face(0, 0, 0));
    }
    writer.finish(options);

    let from_polyhedron = Frame::of(&(of.world_from_part.inverse() * against.world_from_part));
    let mut writer = ContactWriter::new(against, of, contacts);
    let near = Near {
        turned,
        frame: &from_polyhedron,
        margin: options.margin,
        offset: against.part.node_offset(),
        drift: Drift::of(of, against, options.horizon),
    };
    polyhedron.each_face(&rims.bounds(), |index, face| {
        let cut = rims.cut_by(face).filter(|point| face.covers(*point, &polyhedron.edges));
        let Some(point) = cut.map(|point| from_polyhedron.turn * point + from_polyhedron.shift) else {
            return;
        };
        let inside = turned.solid.sample(point);
        if inside.distance < -DEEP {
            writer.push(point, inside.normal, inside.distance, ids.face(index, 0, 0));
        }
    });
    polyhedron.each_convex_edge(&rims.bounds().grown(margin.max(0.0)), |index, edge| {
        near.at_edge(edge, |number, point, face| {
            writer.push(point, face.normal, face.distance, ids.edge(index, number));
        });
    });
    for (index, corner) in polyhedron.corners.iter().enumerate() {
        if let Some((point, face)) = near.at_corner(corner, polyhedron) {
            writer.push(point, face.normal, face.distance, ids.corner(index as u32));
        }
    }
    writer.finish(options);
}

/// A turned solid and the polyhedron it touches.
pub struct TurnedPair<'a> {
    /// The body of the turned solid, then that of the polyhedron.
    pub(super) sides: [&'a PairBody<'a>; 2],
    turned: Turned<'a>,
    polyhedron: &'a Polyhedron,
}

impl<'a> TurnedPair<'a> {
    /// The pair, if one body is a turned solid and the other a polyhedron.
    #[must_use]
    pub fn of(sides: [&'a PairBody<'a>; 2]) -> Option<Self> {
        let ordered = |of: &'a PairBody<'a>, against: &'a PairBody<'a>| {
            let polyhedron = against.polyhedron.filter(|_| of.network.is_none())?;
            Some(Self { sides: [of, against], turned: of.part.turned()?, polyhedron })
        };
        ordered(sides[0], sides[1]).or_else(|| ordered(sides[1], sides[0]))
    }

    /// Number of identities that the contacts of the pair take.
    #[must_use]
    pub fn ids(&self) -> u32 {
        let circles = self.turned.circles.len() as u32;
        let Polyhedron { faces, edges, corners, .. } = self.polyhedron;
        (faces.len() as u32 * circles * RING)
            .wrapping_add(edges.len() as u32 * (1 + 3 * circles))
            .wrapping_add(corners.len() as u32)
    }

    /// Whether a place lies on the axis of the turned solid [m].
    pub(super) fn is_around(&self, place: Vector3<f64>) -> bool {
        let from = place - self.sides[0].world_from_part.translation;
        from.cross(&self.axis()).norm() < 1e-9
    }

    /// The axis of the turned solid in world axes.
    #[must_use]
    pub fn axis(&self) -> Vector3<f64> {
        self.sides[0].world_from_part.rotation * Vector3::z()
    }
}

/// Identities of the contacts of a pair.
struct Identities {
    first: u32,
    circles: u32,
    first_edge: u32,
    first_corner: u32,
}

impl Identities {
    fn new(pair: &TurnedPair) -> Self {
        let circles = pair.turned.circles.len() as u32;
        let [of, against] = pair.sides;
        let first = of.first_id.min(against.first_id).wrapping_mul(Part::MOST_PIECES);
        let first_edge = first.wrapping_add(pair.polyhedron.faces.len() as u32 * circles * RING);
        let first_corner = first_edge.wrapping_add(pair.polyhedron.edges.len() as u32 * (1 + 3 * circles));
        Self { first, circles, first_edge, first_corner }
    }

    fn face(&self, face: u32, circle: usize, number: u32) -> u32 {
        self.first.wrapping_add((face * self.circles + circle as u32) * RING + number)
    }

    fn edge(&self, edge: u32, number: u32) -> u32 {
        self.first_edge.wrapping_add(edge * (1 + 3 * self.circles) + number)
    }

    fn corner(&self, corner: u32) -> u32 {
        self.first_corner.wrapping_add(corner)
    }
}

/// The circles of a turned solid in the frame of a polyhedron.
struct Rims<'a> {
    turned: &'a Turned<'a>,
    /// Polyhedron from turned solid.
    frame: &'a Frame,
    /// How far the surface of the other part lies outside its polyhedron [m].
    offset: f64,
    /// Largest gap of a contact [m].
    margin: f64,
}

impl Rims<'_> {
    fn axis(&self) -> Vector3<f64> {
        self.frame.turn.column(2).into_owned()
    }

    fn center(&self, circle: &Circle) -> Vector3<f64> {
        self.frame.shift + self.axis() * circle.height
    }

    /// Middle of the axis.
    fn middle(&self) -> Vector3<f64> {
        let [low, high] = self.turned.heights();
        self.frame.shift + self.axis() * f64::midpoint(low, high)
    }

    /// Box around the solid.
    fn bounds(&self) -> Aabb {
        let axis = self.axis();
        let across = axis.map(|along| (1.0 - along * along).max(0.0).sqrt());
        let ends =
            self.turned.circles.iter().flat_map(|circle| {
                [-1.0, 1.0].map(|sign| self.center(circle) + across * (sign * circle.radius))
            });
        Aabb::of(ends)
    }

    /// The way down over a face within the circles, and the sine of their tilt [-].
    fn down(&self, face: &Face) -> (Vector3<f64>, f64) {
        let axis = self.axis();
        let across = face.normal - axis * face.normal.dot(&axis);
        let sine = across.norm();
        match sine > LEVEL {
            true => (-across / sine, sine),
            // any direction serves, as long as it stays
            false => (axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize(), sine),
        }
    }

    /// The lowest and the highest point over a face, with their heights [m].
    fn ends_over(&self, face: &Face) -> [(Vector3<f64>, f64); 2] {
        let (down, _) = self.down(face);
        let mut ends = [(Vector3::zeros(), f64::INFINITY), (Vector3::zeros(), f64::NEG_INFINITY)];
        for circle in &self.turned.circles {
            let [low, high] = [1.0, -1.0].map(|sign| self.center(circle) + down * (sign * circle.radius));
            let heights = [low, high].map(|point| face.height(point));
            if heights[0] < ends[0].1 {
                ends[0] = (low, heights[0]);
            }
            if heights[1] > ends[1].1 {
                ends[1] = (high, heights[1]);
            }
        }
        ends
    }

    /// A point of a face's plane within the solid, if the plane cuts it deep; a point of the face there is inside for certain.
    fn cut_by(&self, face: &Face) -> Option<Vector3<f64>> {
        let [lowest, highest] = self.ends_over(face);
        if lowest.1 >= -DEEP || highest.1 <= DEEP {
            return None;
        }
        // the ways to the middle are inside
        let middle = self.middle();
        let (end, height) = if face.height(middle) > 0.0 { lowest } else { highest };
        Some(end + (middle - end) * (height / (height - face.height(middle))))
    }

    /// Visits the points that may rest on a face, with their circle, number and gap [m].
    fn over_face(&self, face: &Face, mut visit: impl FnMut(usize, u32, Vector3<f64>, f64)) {
        let [(_, low), (_, high)] = self.ends_over(face);
        if low - self.offset >= self.margin || low < -BEHIND * (high - low) {
            return;
        }
        let (down, sine) = self.down(face);
        let beside = self.axis().cross(&down);
        for (index, circle) in self.turned.circles.iter().enumerate() {
            let points = if circle.radius > 0.0 && sine < FLAT { RING } else { 1 };
            for number in 0..points {
                let (sin, cos) = libm::sincos(f64::from(number) * FRAC_PI_4);
                let point = self.center(circle) + (down * cos + beside * sin) * circle.radius;
                let gap = face.height(point) - self.offset;
                if gap < self.margin {
                    visit(index, number, point, gap);
                }
            }
        }
    }
}

/// Edges and corners of a polyhedron in the frame of a turned solid.
struct Near<'a> {
    turned: &'a Turned<'a>,
    /// Turned solid from polyhedron.
    frame: &'a Frame,
    margin: f64,
    offset: f64,
    drift: Drift,
}

/// How points of the polyhedron move within the step, in the frame of the turned solid, whose spin moves no surface.
struct Drift {
    /// Displacement at the frame's origin [m].
    shift: Vector3<f64>,
    /// Rotation [rad].
    turn: Vector3<f64>,
}

impl Drift {
    fn of(turned: &PairBody, polyhedron: &PairBody, horizon: f64) -> Self {
        let Pose { rotation, translation: origin } = turned.world_from_part;
        let axis = rotation * Vector3::z();
        let swing = turned.angular - axis * axis.dot(&turned.angular);
        let own = turned.linear + turned.angular.cross(&(origin - turned.center));
        let other = polyhedron.linear + polyhedron.angular.cross(&(origin - polyhedron.center));
        let into = rotation.inverse();
        Self { shift: into * (other - own) * horizon, turn: into * (polyhedron.angular - swing) * horizon }
    }

    fn at(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.shift + self.turn.cross(&point)
    }
}

impl Near<'_> {
    /// Gap that the tangent takes to the one at the end of the step; a gap that is closed already stays.
    fn raised(&self, point: Vector3<f64>, face: &Sample, at_end: impl FnOnce() -> f64) -> f64 {
        let foretold = face.distance + face.normal.dot(&self.drift.at(point));
        if face.distance <= 0.0 || foretold >= 0.0 {
            return face.distance;
        }
        face.distance + (at_end() - self.offset - foretold).max(0.0)
    }

    /// Where a segment is nearest, unless that is at an end [m], and the face there. Where it crosses a rim the normal is across both edges.
    fn nearest_along(&self, start: Vector3<f64>, along: Vector3<f64>, length: f64) -> Option<(f64, Sample)> {
        let slope = |place: f64| self.sample(start + along * place).normal.dot(&along);
        let [mut low, mut high] = [0.0, length];
        if slope(low) >= 0.0 || slope(high) <= 0.0 {
            return None;
        }
        while high - low > PLACE {
            let middle = f64::midpoint(low, high);
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        let [before, after] = [low, high].map(|place| self.sample(start + along * place));
        let (falls, rises) = (-before.normal.dot(&along), after.normal.dot(&along));
        let across = before.normal * rises + after.normal * falls;
        let size = across.norm();
        let face = match size > SMOOTH {
            true => Sample { distance: after.distance * (falls + rises) / size, normal: across / size },
            false => after,
        };
        Some((high, face))
    }

    /// Distance of an edge at the end of the step [m].
    fn distance_at_end(&self, edge: &MovedEdge) -> f64 {
        let ends = [edge.start, edge.start + edge.along * edge.length];
        let [start, end] = ends.map(|point| point + self.drift.at(point));
        let length = (end - start).norm();
        let along = (end - start) / length;
        let nearest = self.nearest_along(start, along, length);
        let at_end = |place: f64| self.sample(start + along * place).distance;
        nearest.map_or_else(|| at_end(0.0).min(at_end(length)), |(_, face)| face.distance)
    }

    fn sample(&self, point: Vector3<f64>) -> Sample {
        self.turned.solid.sample(point)
    }

    /// Visits the places of a convex edge that may carry, with their number.
    fn at_edge(&self, own: &Edge, mut visit: impl FnMut(u32, Vector3<f64>, Sample)) {
        let edge = MovedEdge::new(own, self.frame);
        let place = |along: f64| edge.start + edge.along * along;
        // no place of it is nearer to the solid than its middle by more than half its length
        if self.sample(place(edge.length / 2.0)).distance - edge.length / 2.0 >= self.margin + self.offset {
            return;
        }
        let mut places = ArrayVec::<(u32, f64, Sample), MOST_PLACES>::new();
        let nearest = self.nearest_along(edge.start, edge.along, edge.length);
        places.extend(nearest.map(|(along, face)| (0, along, face)));
        for (index, circle) in self.turned.circles.iter().enumerate() {
            for (number, along) in crossings(&edge, circle).into_iter().enumerate() {
                if along > 0.0
                    && along < edge.length
                    && let Some(face) = self.flush_face(place(along), circle, &edge.along)
                {
                    let _ = places.try_push((1 + 3 * index as u32 + number as u32, along, face));
                }
            }
        }
        for (number, along, mut face) in places {
            face.distance -= self.offset;
            if face.distance < self.margin {
                face.distance = self.raised(place(along), &face, || self.distance_at_end(&edge));
                visit(number, place(along), face);
            }
        }
    }

    /// The face of a rim that an edge lies flush on which crosses the rim at a point: rounding would choose one of both faces there.
    fn flush_face(&self, point: Vector3<f64>, circle: &Circle, along: &Vector3<f64>) -> Option<Sample> {
        let radius = point.xy().norm();
        let from_rim = [radius - circle.radius, point.z - circle.height];
        let is_near = libm::hypot(from_rim[0], from_rim[1]) < self.margin + self.offset + INSIDE;
        let out = point.xy() / radius;
        let face = |[radial, axial]: [f64; 2]| Sample {
            distance: radial * from_rim[0] + axial * from_rim[1],
            normal: (out * radial).push(axial),
        };
        let dips = |face: &Sample| face.normal.dot(along).abs();
        let faces = circle.normals.filter(|_| is_near)?.map(face);
        // in front of the rim the farther face tells the distance
        let farther = faces[0].distance.max(faces[1].distance);
        let least = if farther > SHALLOW { farther - SHALLOW } else { -DEEP };
        let flush = faces.into_iter().filter(|face| face.distance > least && dips(face) < DIPS);
        flush.min_by(|a, b| dips(a).total_cmp(&dips(b)))
    }

    /// The contact of a corner, unless an edge that leaves it is nearer.
    fn at_corner(&self, corner: &Corner, polyhedron: &Polyhedron) -> Option<(Vector3<f64>, Sample)> {
        let point = self.frame.turn * corner.position + self.frame.shift;
        let [low, high] = self.turned.heights();
        let (reach, radius) = (self.margin + self.offset, self.turned.radius());
        if point.z < low - reach || point.z > high + reach || point.xy().norm() > radius + reach {
            return None;
        }
        let mut face = self.sample(point);
        face.distance -= self.offset;
        let dips = |along: &Vector3<f64>| (self.frame.turn * along).dot(&face.normal) < -DIPS;
        let is_contact = face.distance < self.margin && !polyhedron.leaving(corner).iter().any(dips);
        face.distance = self.raised(point, &face, || self.sample(point + self.drift.at(point)).distance);
        is_contact.then_some((point, face))
    }
}

/// Where an edge passes the plane and, seen along the axis, the circle [m]; not a number where it does not.
fn crossings(edge: &MovedEdge, circle: &Circle) -> [f64; 3] {
    let (start, along) = (edge.start, edge.along);
    let level = (circle.height - start.z) / along.z;
    let (squared, half, rest) = (
        along.xy().norm_squared(),
        start.xy().dot(&along.xy()),
        start.xy().norm_squared() - circle.radius * circle.radius,
    );
    let root = (half * half - squared * rest).sqrt();
    [level, (-half - root) / squared, (-half + root) / squared]
}
