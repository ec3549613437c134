//! Where a straight edge or a circle that a node stands for is nearest to the other part, within the node's cell.
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

use super::polyhedra::DIPS;

/// What the nearest place of an edge may be nearer than the one that is found [m], and most halvings of the search.
const NEAREST: f64 = 0.01e-6;
const MOST_HALVINGS: u32 = 24;
/// How many times its cell's angle a node may be led over a convex face and still hold the lowest point [-], beside what the face bends
/// more than the node's circle: twice where both bend alike.
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
        [before, after]: [f64; 2],
    ) -> Slid {
        let slope = face.normal.dot(&along);
        let (length, way) = if slope > 0.0 { (before, -along) } else { (after, along) };
        // the distance falls by less than its slope here promises
        if slope.abs() * length < NEAREST {
            return Slid::Stays;
        }
        // the normal's share along the way is negative until the line is nearest
        let share = |place: f64| self.part.sample(point + way * place).normal.dot(&way);
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
        Slid::To(point + way * low.0)
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
        // sharp edges of planes bend too
        let farthest = TOO_FAR + (radius * self.curvature).max(1.0);
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
