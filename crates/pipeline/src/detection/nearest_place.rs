//! Where a straight edge, a spiral or a circle that a node stands for is nearest to the other part, within the node's cell.
//!
//! ```text
//! d′(s) = n(x(s))·x′(s)                  slope of the distance along the feature; zero where it is nearest
//! ψ = angle to where −n is radial        over a plane the place itself; over a convex face it leads too far, by R κ at most
//! ```
//!
//! x place on the feature, n normal of the other part there, R radius of the circle, κ largest curvature of the other part. The zero is
//! bracketed by the node and the end of its cell. A node whose cell does not hold it leaves the contact to its neighbour.

use nalgebra::Vector3;
use tightfit_shape::node::{Arc, Slid};
use tightfit_shape::{Part, Sample};

use super::node_blocks::Frame;
use super::polyhedra::DIPS;

/// What the nearest place of an edge may be nearer than the one that is found [m], and most halvings of the search.
const NEAREST: f64 = 0.01e-6;
const MOST_HALVINGS: u32 = 24;
/// How many times its cell's angle a node may be led over a convex face and still hold the lowest point [-], beside what the face bends
/// more than the node's circle: twice where both bend alike, and more where the circle lies flat.
const TOO_FAR: f64 = 1.5;
/// Cosine between normals of one side of a part [-].
pub(super) const SAME_SIDE: f64 = 0.7;

/// The part that features of another one are near to.
pub(super) struct Nearest<'a> {
    pub(super) part: &'a Part,
    /// Largest curvature of what is near the features [1/m].
    pub(super) curvature: f64,
}

impl Nearest<'_> {
    /// Where the line of a node is nearest within its cell, in the other part's frame.
    pub(super) fn along_line(
        &self,
        point: Vector3<f64>,
        face: Sample,
        along: Vector3<f64>,
        cell: [f64; 2],
    ) -> Slid {
        self.along_curve(face.normal, |place| [point + along * place, along], cell)
    }

    /// Where the spiral of a node is nearest within its cell, in the other part's frame. `own` is the node in the frame of its part, about
    /// whose z axis the spiral runs; radius and height grow by `grows` and `rises` [m/rad]; `cell` [rad].
    pub(super) fn along_spiral(
        &self,
        against_from_of: &Frame,
        own: Vector3<f64>,
        [[grows, rises], cell]: [[f64; 2]; 2],
    ) -> Slid {
        let radius = own.xy().norm();
        let fastest = Vector3::new(radius, grows, rises).norm();
        let at = |place: f64| {
            let angle = place / fastest;
            let (sin, cos) = libm::sincos(angle);
            let (x, y) = ((own.x * cos - own.y * sin) / radius, (own.x * sin + own.y * cos) / radius);
            let there = radius + grows * angle;
            let along = Vector3::new(grows * x - there * y, grows * y + there * x, rises) / fastest;
            let point = Vector3::new(there * x, there * y, own.z + rises * angle);
            let Frame { turn, shift } = against_from_of;
            [turn * point + shift, turn * along]
        };
        // beside the end of a face the nearest one tells the way, whichever the node would touch
        let normal = self.part.sample(at(0.0)[0]).normal;
        self.along_curve(normal, at, cell.map(|angle| angle * fastest))
    }

    /// Where a curve is nearest within the cell of a node: the other part's normal there, point and direction of the curve at a length
    /// from the node, lengths before and after it [m].
    fn along_curve(
        &self,
        normal: Vector3<f64>,
        at: impl Fn(f64) -> [Vector3<f64>; 2],
        [before, after]: [f64; 2],
    ) -> Slid {
        let slope = normal.dot(&at(0.0)[1]);
        let (length, sign) = if slope > 0.0 { (before, -1.0) } else { (after, 1.0) };
        // the distance falls by less than its slope here promises
        if slope.abs() * length < NEAREST {
            return Slid::Stays;
        }
        // the normal's share along the way is negative until the curve is nearest
        let share = |place: f64| {
            let [point, along] = at(sign * place);
            self.part.sample(point).normal.dot(&(along * sign))
        };
        let (mut low, mut high) = ((0.0, -slope.abs()), (length, share(length)));
        if high.1 < 0.0 {
            return if slope.abs() > DIPS { Slid::Gone } else { Slid::Stays };
        }
        for _ in 0..MOST_HALVINGS {
            if (high.0 - low.0) * low.1.abs() < NEAREST {
                break;
            }
            let middle = f64::midpoint(low.0, high.0);
            let value = share(middle);
            *if value < 0.0 { &mut low } else { &mut high } = (middle, value);
        }
        Slid::To(at(sign * low.0)[0])
    }

    /// Where the arc of a node is lowest over the other part, in that part's frame: the normal at the node tells where over a
    /// plane, and near enough in a bore. Over a convex face it leads too far: the lowest point lies between, where the normal is
    /// opposite to the arc's.
    pub(super) fn along_arc(&self, face: Sample, arc: &Arc) -> Slid {
        let Some(first) = arc.angle(0.0, face.normal) else {
            return if arc.is_bore(face.normal) { self.along_bore(face, arc) } else { Slid::Stays };
        };
        let limit = if first > 0.0 { arc.cell[1] } else { -arc.cell[0] };
        let gone = || if arc.is_flat(face.normal) { Slid::Stays } else { Slid::Gone };
        let is_inside = first.abs() <= limit.abs();
        let radius = arc.radial.norm();
        // sharp edges of planes bend too; what bends turns the normal's share across the axis the more the smaller that is
        let across = (face.normal - arc.axis * face.normal.dot(&arc.axis)).norm();
        let farthest = TOO_FAR + (radius * self.curvature / across).max(1.0);
        if !is_inside && first.abs() > farthest * limit.abs() {
            return gone();
        }
        // what is left of the way at an angle
        let left = |angle: f64| {
            let normal = self.part.sample(arc.centre + arc.radial_at(angle)).normal;
            let is_same_side = normal.dot(&face.normal) > SAME_SIDE;
            arc.angle(angle, normal).filter(|_| is_same_side)
        };
        let mut after = (if is_inside { first } else { limit }, 0.0);
        let mut before = (0.0, first);
        match (left(after.0), is_inside) {
            (Some(beyond), _) if beyond * first < 0.0 => after.1 = beyond,
            // in a socket that nearly fits the lowest place is farther than the normal tells
            (Some(beyond), true) if beyond.abs() * radius > NEAREST => match left(limit) {
                Some(end) if end * first < 0.0 => (before, after) = ((after.0, beyond), (limit, end)),
                _ => return Slid::To(arc.centre + arc.radial_at(first)),
            },
            (_, true) => return Slid::To(arc.centre + arc.radial_at(first)),
            (_, false) => return gone(),
        }
        let mut angle = 0.0;
        for _ in 0..MOST_HALVINGS {
            // false position, and no closer to an end than a tenth
            let share = before.1 / (before.1 - after.1);
            angle = before.0 + (after.0 - before.0) * share.clamp(0.1, 0.9);
            let Some(rest) = left(angle) else { return gone() };
            if rest.abs() * radius < NEAREST {
                break;
            }
            *if rest * first > 0.0 { &mut before } else { &mut after } = (angle, rest);
        }
        Slid::To(arc.centre + arc.radial_at(angle))
    }

    /// Where the rim of a hole is nearest within the cell of a node to what bends more than it: where the normal is perpendicular to
    /// the rim. What fits is near everywhere, and all nodes stay.
    fn along_bore(&self, face: Sample, arc: &Arc) -> Slid {
        let radius = arc.radial.norm();
        let way = arc.axis.cross(&arc.radial) / radius;
        let slope = face.normal.dot(&way);
        let (limit, sign) = if slope > 0.0 { (arc.cell[0], -1.0) } else { (arc.cell[1], 1.0) };
        if slope.abs() * limit * radius < NEAREST {
            return Slid::Stays;
        }
        let share = |angle: f64| {
            let radial = arc.radial_at(sign * angle);
            let normal = self.part.sample(arc.centre + radial).normal;
            let is_same_side = normal.dot(&face.normal) > SAME_SIDE;
            is_same_side.then(|| sign * normal.dot(&arc.axis.cross(&radial)) / radius)
        };
        let (mut low, mut high) = ((0.0, -slope.abs()), limit);
        if share(high).is_none_or(|value| value < 0.0) {
            return Slid::Stays;
        }
        for _ in 0..MOST_HALVINGS {
            if (high - low.0) * radius * low.1.abs() < NEAREST {
                break;
            }
            let middle = f64::midpoint(low.0, high);
            match share(middle) {
                Some(value) if value < 0.0 => low = (middle, value),
                Some(_) => high = middle,
                None => return Slid::Stays,
            }
        }
        Slid::To(arc.centre + arc.radial_at(sign * low.0))
    }
}
