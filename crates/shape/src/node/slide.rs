//! Nodes that slide along a round feature to where it is lowest over another part.
//!
//! ```text
//! n normal of the other part near the node,  a axis,  u = −(n − (n·a) a)/|n − (n·a) a|
//! circle about a (rim, cylinder, cone)    lowest at   c + r u
//! ball, outside of a tube                 lowest where the outward normal is −n
//! ```
//!
//! A node stands for a cell of its feature. Where the lowest point lies in the cell the contact is there, and it stays there
//! while the part spins, so that a shaft with a flat rolls as a ball does. Where it lies in another cell, that cell's node is
//! the contact: a node ahead of the lowest point would be predicted to dip in by r(ωT)²/2 and brake. In a bore that fits, n is
//! opposite to the node's own normal nearly everywhere, and all nodes stay.
//!
//! Over a convex round face n turns with the place, against u: the lowest point is where the circle's normal is opposite to the
//! other part's normal there, which the caller searches on the arc of the cell ([`Arc::angle`]).
//!
//! A node of a straight edge or of an edge of a thread slides to where that is nearest to the other part, which has no closed form: the
//! caller searches where the normal is perpendicular to it.
//!
//! Nodes inside planes, bores and sockets are idle: what touches there is an edge, a corner or a convex face of the other part,
//! whose own nodes find it. Along the straight lines of a cylinder, a cone or an edge the gap to a plane or a bore is least at an
//! end, on an edge of either part, and crossings of edges are found by themselves. So nodes inside such lines serve only where a
//! convex round face of the other part is near. Deep inside the other part every node is a contact, where it is.

use nalgebra::Vector3;
use tightfit_cad::geometry::Frame;

use super::{Chart, NodeKind, NodeSet};

/// Sine of the tilt below which a circle lies almost flat and rests on all its nodes [-], and of that below which its lowest
/// point is not told.
const FLAT: f64 = 0.2;
const LEVEL: f64 = 1e-5;

/// What a node does where it comes near another part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slid {
    /// It is the contact.
    Stays,
    /// The contact is at this place of the part [m].
    To(Vector3<f64>),
    /// Another node is.
    Gone,
}

/// The arc of a circle that a node stands for, in the part's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Centre of the circle [m].
    pub centre: Vector3<f64>,
    /// Unit axis.
    pub axis: Vector3<f64>,
    /// From the centre to the node [m].
    pub radial: Vector3<f64>,
    /// Angles before and after the node [rad].
    pub cell: [f64; 2],
    /// Whether the circle is an edge.
    pub is_edge: bool,
    /// Face of the part that must hold the place, if it is trimmed.
    pub face: Option<u32>,
}

impl Arc {
    /// From the centre to the place at an angle from the node [m].
    #[must_use]
    pub fn radial_at(&self, angle: f64) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(angle);
        self.radial * cos + self.axis.cross(&self.radial) * sin
    }

    /// Angle from the place at `angle` to where the circle's normal is opposite to a normal [rad]; `None` where the circle lies
    /// flat, or is the rim of a hole that curves towards what is inside it.
    #[must_use]
    pub fn angle(&self, angle: f64, normal: Vector3<f64>) -> Option<f64> {
        let radial = self.radial_at(angle);
        let across = normal - self.axis * normal.dot(&self.axis);
        if across.norm() < LEVEL || (self.is_edge && radial.dot(&normal) > 0.0) {
            return None;
        }
        Some(libm::atan2(-self.axis.dot(&radial.cross(&across)), -radial.dot(&across)))
    }

    /// Whether it is the rim of a hole that curves towards what has this normal.
    #[must_use]
    pub fn is_bore(&self, normal: Vector3<f64>) -> bool {
        self.is_edge && self.radial.dot(&normal) > LEVEL * self.radial.norm()
    }

    /// Whether the circle lies almost flat over a plane with this normal, and rests on all its nodes.
    #[must_use]
    pub fn is_flat(&self, normal: Vector3<f64>) -> bool {
        (normal - self.axis * normal.dot(&self.axis)).norm() < FLAT
    }
}

/// A feature that nodes slide along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    /// Its z axis is that of the circles.
    pub(crate) frame: Frame,
    pub(crate) kind: RoundKind,
    /// Face of the part that must hold the place, if it is trimmed.
    pub(crate) face: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RoundKind {
    /// Circles about the axis, of a convex surface or of an edge.
    Circles { is_edge: bool },
    /// A tube of radius `minor` about a circle of radius `major`, which is zero for a ball [m].
    Tube { major: f64, minor: f64 },
}

/// How nodes of a part slide.
#[derive(Clone, Debug, Default)]
pub struct Slides {
    rounds: Vec<Round>,
    cells: Vec<Cell>,
    /// How far below each node its feature is lowest, at most [m].
    sags: Vec<f32>,
}

/// The part of a feature that a node stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A point.
    Point,
    /// A piece of a plane, bore or socket.
    Idle,
    /// A piece of a straight edge: its direction, and the lengths before and after the node [m], zero where they are not known.
    Line(Vector3<f64>, [f64; 2]),
    /// Angles before and after the node on a circle [rad].
    Arc(u32, [f64; 2]),
    /// By how much the radius and the height of a spiral about the part's axis grow [m/rad], and the angles before and after the node on
    /// it [rad].
    Spiral([f64; 2], [f64; 2]),
    /// Angles on either side, around the axis and around the tube [rad].
    Patch(u32, [f64; 2]),
}

impl Slides {
    /// How `count` nodes slide that are spread evenly along the z axis over `length` [m], both ends included.
    pub(crate) fn along_axis(count: usize, length: f64) -> Self {
        let mut slides = Self::default();
        let half = 0.5 * length / (count.max(2) - 1) as f64;
        for place in 0..count {
            let cell = [place > 0, place + 1 < count].map(|goes_on| if goes_on { half } else { 0.0 });
            slides.push(Cell::Line(Vector3::z(), cell), Vector3::zeros());
        }
        slides
    }

    /// Cells of a part that planes bound. `edge_of` tells which of its face's edges a node lies on, and the vector from end to end [m]; the
    /// nodes of an edge follow one another and are evenly spaced.
    pub(crate) fn along_edges(nodes: &NodeSet, edge_of: impl Fn(Chart) -> (u64, Vector3<f64>)) -> Self {
        let mut slides = Self::default();
        let mut index = 0;
        while index < nodes.len() {
            let kind = nodes.kind[index];
            if kind != NodeKind::Edge {
                slides.push(if kind == NodeKind::Face { Cell::Idle } else { Cell::Point }, Vector3::zeros());
                index += 1;
                continue;
            }
            let (edge, whole) = edge_of(nodes.chart(index));
            let face = nodes.face[index];
            let is_beside = |other: &usize| {
                nodes.kind[*other] == NodeKind::Edge
                    && nodes.face[*other] == face
                    && edge_of(nodes.chart(*other)).0 == edge
            };
            let count = (index..nodes.len()).take_while(is_beside).count();
            let apart = whole.norm() / (count + 1) as f64;
            for place in 0..count {
                // half of the way to the next node, all of it to an end
                let reach =
                    [place == 0, place + 1 == count].map(|is_last| if is_last { apart } else { 0.5 * apart });
                slides.push(Cell::Line(whole.normalize(), reach), Vector3::zeros());
            }
            index += count;
        }
        slides
    }

    /// Adds a feature; returns its number.
    pub(crate) fn add(&mut self, round: Round) -> u32 {
        self.rounds.push(round);
        (self.rounds.len() - 1) as u32
    }

    /// Adds the cell of the next node, which is at `position` [m].
    pub(crate) fn push(&mut self, cell: Cell, position: Vector3<f64>) {
        let lowered = |radius: f64, angle: f64| radius * (1.0 - libm::cos(angle.min(1.0)));
        let sag = match cell {
            Cell::Point | Cell::Idle | Cell::Line(..) => 0.0,
            Cell::Arc(round, [before, after]) => {
                let local = self.rounds[round as usize].frame.inside(position);
                lowered(local.xy().norm(), before.max(after))
            }
            Cell::Spiral(_, [before, after]) => lowered(position.xy().norm(), before.max(after)),
            Cell::Patch(round, [around, across]) => match self.rounds[round as usize].kind {
                RoundKind::Tube { major, minor } => lowered(major + minor, around) + lowered(minor, across),
                RoundKind::Circles { .. } => 0.0,
            },
        };
        self.sags.push((sag as f32).next_up());
        self.cells.push(cell);
    }

    /// Adds the features of another set of nodes; returns the number of the first.
    pub(crate) fn adopt(&mut self, other: &Self) -> u32 {
        let first = self.rounds.len() as u32;
        self.rounds.extend_from_slice(&other.rounds);
        first
    }

    /// Adds the cell of the next node, which is a node of another set whose features were adopted from `first` on.
    pub(crate) fn push_of(&mut self, other: &Self, node: usize, first: u32) {
        self.cells.push(match other.cells[node] {
            Cell::Arc(round, cell) => Cell::Arc(first + round, cell),
            Cell::Patch(round, cell) => Cell::Patch(first + round, cell),
            cell @ (Cell::Point | Cell::Idle | Cell::Line(..) | Cell::Spiral(..)) => cell,
        });
        self.sags.push(other.sags[node]);
    }

    /// A point of the axis of a feature [m].
    pub(crate) fn centre(&self, round: u32) -> Vector3<f64> {
        self.rounds[round as usize].frame.origin
    }

    /// Whether two features have circles about the same centre.
    pub(crate) fn is_same_axis(&self, first: u32, second: u32) -> bool {
        let [a, b] = [first, second].map(|round| self.rounds[round as usize].frame);
        (a.origin - b.origin).norm() < 1e-9 && a.z.cross(&b.z).norm() < 1e-9
    }

    /// Whether all nodes stay.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How far below one of some nodes its feature is lowest, at most [m].
    #[must_use]
    pub fn sag(&self, nodes: std::ops::Range<usize>) -> f64 {
        self.sags[nodes].iter().copied().fold(0.0, f32::max).into()
    }

    /// Length on either side of a node that it stands for, at most [m], along a straight edge or a circle.
    #[must_use]
    pub fn length(&self, node: usize, position: Vector3<f64>) -> f64 {
        match self.cells.get(node) {
            Some(Cell::Line(_, [before, after])) => before.max(*after),
            Some(Cell::Arc(_, [before, after])) => {
                let radius = self.arc(node, position).map_or(0.0, |arc| arc.radial.norm());
                before.max(*after) * radius
            }
            Some(Cell::Spiral(_, [before, after])) => before.max(*after) * position.xy().norm(),
            _ => 0.0,
        }
    }

    /// Whether a node lies inside a plane, bore or socket.
    #[must_use]
    pub fn is_idle(&self, node: usize) -> bool {
        self.cells.get(node) == Some(&Cell::Idle)
    }

    /// Whether a node lies inside a straight line of its part: on an edge, a convex cylinder or cone.
    #[must_use]
    pub fn is_ruled(&self, node: usize) -> bool {
        match self.cells.get(node) {
            Some(Cell::Line(..)) => true,
            Some(Cell::Arc(round, _)) => {
                self.rounds[*round as usize].kind == RoundKind::Circles { is_edge: false }
            }
            _ => false,
        }
    }

    /// Whether a node lies inside a convex cylinder or cone.
    #[must_use]
    pub fn is_wall(&self, node: usize) -> bool {
        self.is_ruled(node) && !matches!(self.cells[node], Cell::Line(..))
    }

    /// Direction of the straight edge that a node lies on, and the lengths before and after it that it stands for [m].
    #[must_use]
    pub fn line(&self, node: usize) -> Option<(Vector3<f64>, [f64; 2])> {
        match self.cells.get(node) {
            Some(Cell::Line(along, cell)) if *cell != [0.0; 2] => Some((*along, *cell)),
            _ => None,
        }
    }

    /// By how much the radius and the height of the spiral grow that a node lies on [m/rad], and the angles before and after it that it
    /// stands for [rad].
    #[must_use]
    pub fn spiral(&self, node: usize) -> Option<[[f64; 2]; 2]> {
        match self.cells.get(node) {
            Some(Cell::Spiral(slopes, cell)) => Some([*slopes, *cell]),
            _ => None,
        }
    }

    /// The arc that a node at `position` [m] stands for.
    #[must_use]
    pub fn arc(&self, node: usize, position: Vector3<f64>) -> Option<Arc> {
        let Some(Cell::Arc(round, cell)) = self.cells.get(node) else { return None };
        let Round { frame, kind, face } = &self.rounds[*round as usize];
        let from = position - frame.origin;
        let radial = from - frame.z * from.dot(&frame.z);
        let is_edge = *kind == RoundKind::Circles { is_edge: true };
        Some(Arc { centre: position - radial, axis: frame.z, radial, cell: *cell, is_edge, face: *face })
    }

    /// Where the contact of a node on a ball or tube is whose surroundings have the normal `normal`, both in the part's frame,
    /// and the face that must hold it.
    #[must_use]
    pub fn slide(&self, node: usize, position: Vector3<f64>, normal: Vector3<f64>) -> (Slid, Option<u32>) {
        match self.cells.get(node) {
            Some(Cell::Patch(round, cell)) => {
                let round = &self.rounds[*round as usize];
                (round.on_tube(*cell, position, normal), round.face)
            }
            _ => (Slid::Stays, None),
        }
    }
}

impl Round {
    fn on_tube(&self, [around, across]: [f64; 2], position: Vector3<f64>, normal: Vector3<f64>) -> Slid {
        let RoundKind::Tube { major, minor } = self.kind else { return Slid::Stays };
        let local = self.frame.inside(position);
        let radius = local.xy().norm();
        let towards = |axis: Vector3<f64>| -axis.dot(&normal);
        let down = Vector3::new(towards(self.frame.x), towards(self.frame.y), towards(self.frame.z));
        let sine = down.xy().norm();
        let own = [libm::atan2(local.y, local.x), libm::atan2(local.z, radius - major)];
        let height = libm::atan2(down.z, sine);
        // a ring that lies flat rests on its whole length, and inside it is a saddle: it slides across alone
        let is_inside = radius < major;
        let stays_around = is_inside || (major > 0.0 && sine < FLAT);
        let angle = if stays_around { own[0] } else { libm::atan2(down.y, down.x) };
        let height =
            if is_inside { libm::atan2(down.z, down.xy().dot(&local.xy()) / radius) } else { height };
        let turn = libm::remainder(angle - own[0], std::f64::consts::TAU);
        if turn.abs() > around || libm::remainder(height - own[1], std::f64::consts::TAU).abs() > across {
            return Slid::Gone;
        }
        let ((sin, cos), (up, out)) = (libm::sincos(angle), libm::sincos(height));
        let wide = major + minor * out;
        Slid::To(self.frame.outside(Vector3::new(wide * cos, wide * sin, minor * up)))
    }
}
