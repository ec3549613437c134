//! Detection of one pair, nodes of both sides.
//!
//! ```text
//! score_k = d_k + T n_k·v     if d_k ≥ −(5 µm + 0.01 T|v|), else d_k − 1 m        the branch with the largest score is the contact
//! ```
//!
//! d_k distance of the node to face k [m], n_k its normal, v velocity of the node against the other body
//! expected at the end of the step [m/s]. Nodes inside a ball or capsule take the true distance to the piece instead.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, CORNER, FAR, FaceBlock, PAIR, PointBlock, SINGLE};
use tightfit_shape::{Part, Sample, intersection};
use tightfit_spatial::{Vectorise, vectorised};

use super::clearances::Sight;
use super::found::Found;
use super::node_blocks::{Frame, Region};
use super::thinning::Thinning;
use super::{Clearances, NetworkScratch, Side, edge_crossings, mesh_pair, neural};
use crate::records::Contacts;

/// A face that the node is behind by more than this [m] does not hold any more. Two crossing edges overlap by micrometres
/// between their nodes; at 1 µm a node that reaches the crossing finds the face it should slide onto already lost, and a
/// nut jams at its first turn.
const BEHIND: f64 = -5e-6;

/// How much farther behind a face a node may be per length that it slides in the step [-]: a tilt of half a degree. A
/// thread slides by 1.5 mm a step through the opening at the end of a nut, and finds the flank there at its end only.
const BENT: f64 = 0.01;

/// What detection is told besides the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionOptions {
    /// Nodes farther than this are left out [m]: everything that could touch within the step is nearer.
    pub margin: f64,
    /// T: over this time the gap is predicted [s].
    pub horizon: f64,
    /// μ of the pair [-].
    pub friction: f64,
    /// Coefficient of restitution of the pair [-].
    pub restitution: f64,
}

/// Appends the contacts of a pair: its meshes where both have one, else the nodes of either side against the other's
/// surface and the crossings of their edges. `clearances` are those of the first and of the second side's nodes.
pub fn detect_pair(
    sides: [&Side; 2],
    options: &DetectionOptions,
    clearances: &mut [Clearances; 2],
    scratch: &mut NetworkScratch,
    contacts: &mut Contacts,
) {
    if let [Some(first), Some(second)] = sides.map(|side| side.mesh) {
        return mesh_pair::detect(sides, [first, second], options, contacts);
    }
    let [first, second] = clearances;
    detect_nodes(sides[0], sides[1], options, first, scratch, contacts);
    detect_nodes(sides[1], sides[0], options, second, scratch, contacts);
    edge_crossings::detect(sides[0], sides[1], options, contacts);
}

/// The nodes of one side against the surface of the other.
fn detect_nodes(
    of: &Side,
    against: &Side,
    options: &DetectionOptions,
    clearances: &mut Clearances,
    scratch: &mut NetworkScratch,
    contacts: &mut Contacts,
) {
    // a node that slides along under a ball by s would be held off by s²/2R, where its linearised surface goes
    let is_left_to_the_ball = against.part.is_ball() && of.part.is_known_to_balls();
    if (of.is_free() || against.is_free()) && !is_left_to_the_ball {
        match against.network {
            Some(network) => {
                neural::detect_nodes(of, against, network, options, clearances, scratch, contacts);
            }
            None => vectorised(NodesAgainst { of, against, options, clearances, contacts }),
        }
    }
}

/// The work of [`detect_nodes`].
struct NodesAgainst<'a> {
    of: &'a Side<'a>,
    against: &'a Side<'a>,
    options: &'a DetectionOptions,
    clearances: &'a mut Clearances,
    contacts: &'a mut Contacts,
}

impl Vectorise for NodesAgainst<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { of, against, options, clearances, contacts } = self;
        let against_from_of = against.world_from_part.inverse() * of.world_from_part;
        let frame = Frame::of(&against_from_of);
        let look = Look::new(of, against, options);
        let way = clearances.go_to(&against_from_of, against.part, of.nodes.blocks());
        let symmetric_from = against.part.symmetric_from(look.reach);
        let sight =
            Sight { way: &way, frame: &frame, region: &look.region, reach: look.reach, symmetric_from };

        let thinning = Thinning::between(of.part, against.part, &frame, look.reach);
        let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
        let mut found = Found::new(of, against, contacts);
        let groups = clearances.bounds.chunks_mut(BLOCK).zip(of.nodes.boxes()).enumerate();
        for (group, (bounds, boxes)) in groups {
            let first = group * BLOCK;
            let looks = sight.looks(boxes, bounds);
            for (lane, bound) in bounds.iter_mut().enumerate() {
                let block = first + lane;
                let hides = |thinning: &Thinning| thinning.hides_block(of.nodes, block, &frame);
                if looks[lane] && !thinning.as_ref().is_some_and(hides) {
                    let count = of.nodes.carry(block, &frame, &mut points);
                    against.part.face_block(&points, look.reach, look.behind, &mut faces);
                    *bound = faces.clear;
                    if let Some(thinning) = &thinning {
                        thinning.hide(of.nodes, block, &points, &mut faces);
                    }
                    look.at_block(block, count, &points, &faces, &mut found);
                }
            }
        }
        found.finish(options);
    }
}

/// How the nodes of one side are looked at.
struct Look<'a> {
    of: &'a Side<'a>,
    against: &'a Side<'a>,
    options: &'a DetectionOptions,
    motion: Motion,
    /// Distance of the nodes' own surface from them [m].
    offset: f64,
    /// A ball around its centre touches the nearest point of a piece, edges and corners included.
    is_core: bool,
    /// How far from a node its contact may be [m].
    reach: f64,
    /// How far any node may be behind a face that holds it [m].
    behind: f64,
    /// Where the other part is within reach, and the radius that its bore leaves free [m].
    region: Region,
    inner: f64,
}

impl<'a> Look<'a> {
    fn new(of: &'a Side<'a>, against: &'a Side<'a>, options: &'a DetectionOptions) -> Self {
        let offset = of.part.node_offset();
        let reach = options.margin + offset.abs();
        let extent = against.part.extent();
        let heights = [extent.heights[0] - reach, extent.heights[1] + reach];
        let (inner, radius) = ((extent.radii[0] - reach).max(0.0), extent.radii[1] + reach);
        let motion = Motion::of(of, against);
        let farthest = radius + heights[0].abs().max(heights[1].abs());
        let behind = -behind(options.horizon * motion.fastest(farthest));
        let region = Region { heights, radius };
        let is_core = of.part.has_core_nodes();
        Self { of, against, options, motion, offset, is_core, reach, behind, region, inner }
    }

    /// Takes what a block of nodes is near to.
    #[inline(always)]
    fn at_block(
        &self,
        block: usize,
        count: usize,
        points: &PointBlock,
        faces: &FaceBlock,
        found: &mut Found,
    ) {
        let first_id = self.of.first_id + (block * BLOCK) as u32;
        let mut all = 0;
        for verdict in &faces.verdict[..count] {
            all |= verdict;
        }
        if (all == SINGLE) & !self.is_core & (self.offset == 0.0) {
            let mut is_whole = count == BLOCK;
            for lane in 0..BLOCK {
                is_whole &= (faces.verdict[lane] == SINGLE) & (faces.distance[lane] < self.options.margin);
            }
            if is_whole {
                found.push_whole(points, faces, |lane| (first_id + lane as u32) * Part::MOST_PIECES);
                return;
            }
            let mut near = ArrayVec::<usize, BLOCK>::new();
            for lane in 0..count {
                if (faces.verdict[lane] == SINGLE) & (faces.distance[lane] < self.options.margin) {
                    near.push(lane);
                }
            }
            found.push_lanes(&near, points, faces, |lane| (first_id + lane as u32) * Part::MOST_PIECES);
            return;
        }
        for lane in 0..count {
            let id = |number: u32| (first_id + lane as u32) * Part::MOST_PIECES + number;
            let number = faces.number[lane] as u32;
            match faces.verdict[lane] {
                FAR => {}
                SINGLE if !self.is_core => {
                    let face = faces.first(lane).offset(self.offset);
                    if face.distance < self.options.margin {
                        let point = points.get(lane) - face.normal * self.offset;
                        found.push(point, face.normal, face.distance, id(number));
                    }
                }
                CORNER if !self.is_core => {
                    let mut both = [(number, faces.first(lane)), (0, faces.second(lane))];
                    // the nearer one comes first, as for a node by itself
                    if both[1].1.distance < both[0].1.distance {
                        both.swap(0, 1);
                    }
                    for (number, face) in both {
                        self.take(points.get(lane), [Some(face), None], id(number), found);
                    }
                }
                PAIR if !self.is_core => {
                    let point = points.get(lane);
                    let faces = [faces.first(lane), faces.second(lane)];
                    self.at_edge(point, &faces, id(number), found);
                }
                _ => self.at_node(points.get(lane), id, found),
            }
        }
    }

    /// Takes what a node by itself is near to.
    fn at_node(&self, point: Vector3<f64>, id: impl Fn(u32) -> u32, found: &mut Found) {
        let Region { heights, radius } = self.region;
        let squared = point.x * point.x + point.y * point.y;
        let is_far = point.z < heights[0]
            || point.z > heights[1]
            || squared > radius * radius
            || squared < self.inner * self.inner;
        if is_far {
            return;
        }
        self.against.part.each_piece(point, self.reach, |number, branches| match self.is_core {
            true => self.take(point, [Some(intersection(branches)), None], id(number), found),
            false => self.at_edge(point, branches, id(number), found),
        });
    }

    /// Takes one of the faces that meet at an edge.
    #[inline(always)]
    fn at_edge(&self, point: Vector3<f64>, faces: &[Sample], id: u32, found: &mut Found) {
        self.take(point, predicted(faces, self.motion.at(point), self.options.horizon), id, found);
    }

    /// Takes a face if it is near enough, and the other one with it.
    #[inline(always)]
    fn take(&self, point: Vector3<f64>, [face, other]: [Option<Sample>; 2], id: u32, found: &mut Found) {
        let face = face.map(|face| face.offset(self.offset));
        if let Some(Sample { distance, normal }) = face.filter(|face| face.distance < self.options.margin) {
            found.push(point - normal * self.offset, normal, distance, id);
            if let Some(other) = other {
                found.push_other(other.offset(self.offset));
            }
        }
    }
}

/// Velocity of the points of one body against another, in the other's frame.
struct Motion {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Motion {
    fn of(of: &Side, against: &Side) -> Self {
        let into = against.rotation().inverse();
        let origin = against.world_from_part.translation;
        Self {
            linear: into * (of.velocity_at(origin) - against.velocity_at(origin)),
            angular: into * (of.angular - against.angular),
        }
    }

    fn at(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&point)
    }

    /// No point within `radius` of the origin is faster [m/s].
    fn fastest(&self, radius: f64) -> f64 {
        self.linear.norm() + self.angular.norm() * radius
    }
}

/// Distance of a face that still holds a node which moves by `path` [m].
fn behind(path: f64) -> f64 {
    BEHIND - BENT * path
}

/// The face with the largest predicted gap, and the next one that still holds. A node in front of another face is outside
/// the piece, so the gap to the chosen one, which it is about to come in front of, is not negative then.
fn predicted(faces: &[Sample], velocity: Vector3<f64>, horizon: f64) -> [Option<Sample>; 2] {
    let behind = behind(horizon * velocity.norm());
    let score = |face: &Sample| match face.distance >= behind {
        true => face.distance + horizon * face.normal.dot(&velocity),
        false => face.distance - 1.0,
    };
    let mut best: [Option<(f64, Sample)>; 2] = [None; 2];
    let mut outside = f64::NEG_INFINITY;
    for face in faces {
        let own = score(face);
        outside = outside.max(face.distance);
        if best[0].is_none_or(|(other, _)| own > other) {
            best = [Some((own, *face)), best[0]];
        } else if best[1].is_none_or(|(other, _)| own > other) {
            best[1] = Some((own, *face));
        }
    }
    let clear = |(_, face): (f64, Sample)| Sample { distance: face.distance.max(outside.min(0.0)), ..face };
    let [first, second] = best;
    [first.map(clear), second.filter(|(_, face)| face.distance >= behind).map(clear)]
}
