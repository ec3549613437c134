//! Two polyhedra: corners of either against faces of the other, and convex edges against convex edges.
//!
//! ```text
//! n = ± a × b/|a × b|                    across both edges, out of the second solid and into the first
//! φ = n·(x − y)                          x, y nearest points of the two lines
//! n·u ≤ 0, −n·w ≤ 0                      u, w directions from the edges into their faces: n lies between the normals
//! ```
//!
//! a, b directions of the edges. Where n leans out of the normals of an edge by a little, the row takes the normal of
//! the face that it leans over: flush faces touch along their planes, and their edges cross at the corners of the
//! overlap. Parallel edges need no row, since their ends are corners.
//!
//! The cross-section of two solids is bounded by these places alone, so their gaps are the separation of the solids
//! (`branches.rs` chooses among faces at a convex edge).

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::Sample;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::{Corner, Edge, MOST_BRANCHES, Polyhedron};

use super::branches::{Branch, Branches, PASSED, choose};
use super::contact_writer::ContactWriter;
use super::face_choice::Motion;
use super::node_blocks::Frame;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Deepest contact [m]: fast motions end deeper than the linearised step expects, before they are corrected.
const DEEPEST: f64 = 8e-3;
/// Edges that overlap are as far apart as they are deep [m]; deeper ones may be missed, corners are not.
const APART: f64 = 1e-3;
/// A smaller gap touches [m].
const TOUCHES: f64 = 1e-6;
/// Crossings that are less deep than this are contacts even if they are nearer to an end [m].
const NEARLY: f64 = 1e-6;
/// Share of the depth below which the way past an end is much shorter [-], if that end is inside the other solid, and for deeper
/// crossings than this [m] in any case.
const NEARER: f64 = 0.05;
const NEAR: f64 = 0.1;
const DEEPER: f64 = 20e-6;
/// Crossings that are deeper than this are verified [m]: they may belong to another side of a thin solid.
const DEEP: f64 = 5e-6;
/// An edge that dips into the plane of a face by more than this sine is met before its corner [-]. Less may turn level
/// within a step.
const DIPS: f64 = -0.2;
/// How far n may lean out of the normals of an edge [-], as a sine, for the same reason.
const LEANS: f64 = 0.15;
/// Distance that stands for the end of an edge where the material goes on [m].
const GOES_ON: f64 = -1.0;
/// Sine below which two edges count as parallel [-]: edges of 0.2 m lean by 0.02 um.
const PARALLEL: f64 = 1e-7;

/// Appends the contacts of two polyhedra.
pub(super) fn detect(
    sides: [&PairBody; 2],
    solids: [&Polyhedron; 2],
    options: &DetectionOptions,
    contacts: &mut Contacts,
) {
    if !(sides[0].is_free() || sides[1].is_free()) {
        return;
    }
    let ids = Identities::new(sides, solids);
    for (of, against) in [(0, 1), (1, 0)] {
        let query = Query::new([sides[of], sides[against]], [solids[of], solids[against]], options);
        if !query.comes_near() {
            continue;
        }
        let mut writer = ContactWriter::new(sides[of], sides[against], contacts);
        for (index, corner) in solids[of].corners.iter().enumerate() {
            query.at_corner(corner, ids.corner(of, index), &mut writer);
        }
        if of == 0 {
            for (index, edge) in solids[0].convex_edges() {
                query.at_edge(edge, |other| ids.edges(index, other), &mut writer);
            }
        }
        writer.finish(options);
    }
}

/// Number of identities that the contacts of two polyhedra take.
#[must_use]
pub fn polyhedron_ids(solids: [&Polyhedron; 2]) -> u32 {
    let [a, b] = solids;
    let of_corners = a.corners.len() * b.faces.len() + b.corners.len() * a.faces.len();
    (of_corners as u32).wrapping_add((a.edges.len() as u32).wrapping_mul(b.edges.len() as u32))
}

/// Identities of the contacts of a pair. Beyond 2³² two contacts share one, and with it the guess of their impulses.
struct Identities {
    /// Of the first corner of either solid, and faces that each corner may meet.
    corners: [(u32, u32); 2],
    /// Of the first pair of edges, and edges of the second solid.
    edges: (u32, u32),
}

impl Identities {
    fn new(sides: [&PairBody; 2], [a, b]: [&Polyhedron; 2]) -> Self {
        let first = sides[0].first_id.wrapping_mul(tightfit_shape::Part::MOST_PIECES);
        let second = first.wrapping_add((a.corners.len() * b.faces.len()) as u32);
        let third = second.wrapping_add((b.corners.len() * a.faces.len()) as u32);
        let corners = [(first, b.faces.len() as u32), (second, a.faces.len() as u32)];
        Self { corners, edges: (third, b.edges.len() as u32) }
    }

    fn corner(&self, side: usize, corner: usize) -> u32 {
        let (first, faces) = self.corners[side];
        first.wrapping_add((corner as u32).wrapping_mul(faces))
    }

    fn edges(&self, own: u32, other: u32) -> u32 {
        let (first, row) = self.edges;
        first.wrapping_add(own.wrapping_mul(row)).wrapping_add(other)
    }
}

/// The features of one solid against the other, in the other's frame.
struct Query<'a> {
    solids: [&'a Polyhedron; 2],
    frame: Frame,
    motion: Motion,
    horizon: f64,
    /// Largest gap of a contact [m], and how far the surfaces lie outside the polyhedra together [m].
    margin: f64,
    offset: f64,
    /// Distance within which features are near [m].
    reach: f64,
    deepest: f64,
    /// Box of the other solid, grown by the reach.
    around: Aabb,
}

impl<'a> Query<'a> {
    fn new(sides: [&PairBody; 2], solids: [&'a Polyhedron; 2], options: &DetectionOptions) -> Self {
        let [of, against] = sides;
        let offset = of.part.node_offset() + against.part.node_offset();
        let reach = (options.margin + offset).max(0.0);
        Self {
            solids,
            frame: Frame::of(&(against.world_from_part.inverse() * of.world_from_part)),
            motion: Motion::of(of, against),
            horizon: options.horizon,
            margin: options.margin,
            offset,
            reach,
            deepest: DEEPEST - offset.min(0.0),
            around: solids[1].bounds.grown(reach),
        }
    }

    fn place(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.frame.turn * point + self.frame.shift
    }

    /// Whether the boxes of the solids overlap.
    fn comes_near(&self) -> bool {
        let own = &self.solids[0].bounds;
        let (middle, half) = (self.place(own.center()), self.frame.turn.abs() * (own.size() / 2.0));
        let is_apart = |axis: usize| {
            middle[axis] - half[axis] > self.around.max[axis]
                || middle[axis] + half[axis] < self.around.min[axis]
        };
        own.size().iter().all(|side| side.is_finite()) && !(0..3).any(is_apart)
    }

    fn contains(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|axis| point[axis] >= self.around.min[axis] && point[axis] <= self.around.max[axis])
    }

    /// Writes the contacts of a corner.
    fn at_corner(&self, corner: &Corner, first_id: u32, writer: &mut ContactWriter) {
        let point = self.place(corner.position);
        if !self.contains(&point) {
            return;
        }
        let velocity = self.motion.at(point);
        // several pieces may choose the same face
        let mut chosen = ArrayVec::<Vector3<f64>, MOST_BRANCHES>::new();
        self.solids[1].each_piece(point, self.reach, self.deepest, |piece| {
            let mut branches = Branches::new();
            for face in &piece.branches {
                let dips = |along: &Vector3<f64>| (self.frame.turn * along).dot(&face.normal) < DIPS;
                let is_row = !self.solids[0].leaving(corner).iter().any(dips);
                branches.push(Branch { face: face.offset(self.offset), is_row });
            }
            if let Some((face, other)) = choose(&branches, velocity, self.horizon)
                && face.distance < self.margin
                && !chosen.contains(&face.normal)
            {
                let _ = chosen.try_push(face.normal);
                writer.push(point, face.normal, face.distance, first_id.wrapping_add(piece.number));
                writer.push_branch(other);
            }
        });
    }

    /// Writes the contacts of a convex edge with the convex edges of the other solid.
    fn at_edge(&self, own: &Edge, id: impl Fn(u32) -> u32, writer: &mut ContactWriter) {
        let moved = MovedEdge::new(own, self);
        let near = moved.bounds.grown(self.reach.max(APART));
        let is_apart = (0..3)
            .any(|axis| near.min[axis] > self.around.max[axis] || near.max[axis] < self.around.min[axis]);
        if is_apart {
            return;
        }
        self.solids[1].each_convex_edge(&near, |index, other| {
            let Some(crossing) = moved.crossing(other) else { return };
            let gap = crossing.gap - self.offset;
            if gap >= self.margin || gap < -self.deepest || crossing.farthest > self.reach {
                return;
            }
            // the way out past the end of an edge is much shorter: what is met there is the contact
            let past_end = crossing.beyond[0].distance;
            let is_nearer =
                (gap < -NEARLY && past_end > NEARER * gap) || (gap < -DEEPER && past_end > NEAR * gap);
            if is_nearer && self.is_end_inside(&crossing) {
                return;
            }
            if gap < -DEEP && !self.is_inside(&moved, crossing.along, gap) {
                return;
            }
            let mut branches = Branches::new();
            branches.push(Branch { face: Sample { distance: gap, normal: crossing.normal }, is_row: true });
            branches.extend(crossing.beyond.map(|face| Branch { face, is_row: false }));
            let velocity = self.motion.at(crossing.point);
            let expected = |face: &Sample| face.distance + self.horizon * face.normal.dot(&velocity);
            // At an end of an edge there is a corner too: one that touches carries throughout the step, of others one of the two
            // remains whichever way the motion goes.
            let least = if gap > TOUCHES { PASSED } else { -PASSED };
            let crosses = |at: &dyn Fn(&Sample) -> f64| crossing.beyond.iter().all(|face| at(face) < least);
            if !(crosses(&|face| face.distance) || crosses(&expected)) {
                return;
            }
            if let Some((face, other)) = choose(&branches, velocity, self.horizon) {
                writer.push(crossing.point, face.normal, face.distance, id(index));
                writer.push_branch(other);
            }
        });
    }
}

impl Query<'_> {
    /// Whether the end of an edge that a crossing is nearest to is inside the other solid.
    fn is_end_inside(&self, crossing: &Crossing) -> bool {
        match crossing.end {
            End::Own(point) => self.solids[1].is_inside(point, self.deepest),
            End::Other(point) => {
                let point = self.frame.turn.transpose() * (point - self.frame.shift);
                self.solids[0].is_inside(point, self.deepest)
            }
        }
    }

    /// Whether an edge is inside the other solid at a place or a little beside it: where faces are flush the place itself lies on
    /// the surface.
    fn is_inside(&self, edge: &MovedEdge, along: f64, gap: f64) -> bool {
        [0.0, 0.5, -0.5].iter().any(|share| {
            let place = (along + share * gap).clamp(0.0, edge.length);
            self.solids[1].is_inside(edge.start + edge.along * place, self.deepest)
        })
    }
}

/// An edge in the frame of the other solid.
struct MovedEdge {
    ends_at_corner: [bool; 2],
    start: Vector3<f64>,
    along: Vector3<f64>,
    length: f64,
    normals: [Vector3<f64>; 2],
    bounds: Aabb,
}

/// Two edges that cross, seen along the normal.
struct Crossing {
    point: Vector3<f64>,
    /// Its place on the first edge, from the start [m].
    along: f64,
    normal: Vector3<f64>,
    gap: f64,
    /// How far beyond the nearer end of the first and of the second edge the crossing is [m], the farther one first, and the
    /// direction of the first solid's motion that leads it there.
    beyond: [Sample; 2],
    /// The end of the first of these.
    end: End,
    /// The larger distance beyond an end, whatever is there [m].
    farthest: f64,
}

/// An end of an edge of either solid, in the frame of the second [m].
enum End {
    Own(Vector3<f64>),
    Other(Vector3<f64>),
}

impl MovedEdge {
    fn new(edge: &Edge, query: &Query) -> Self {
        let ends = edge.ends.map(|end| query.place(end));
        let turned = |vector: Vector3<f64>| query.frame.turn * vector;
        Self {
            ends_at_corner: edge.ends_at_corner,
            start: ends[0],
            along: turned(edge.along),
            length: edge.length,
            normals: edge.normals.map(turned),
            bounds: Aabb::of(ends),
        }
    }

    fn crossing(&self, other: &Edge) -> Option<Crossing> {
        let across = self.along.cross(&other.along);
        let sine = across.norm();
        if sine < PARALLEL {
            return None;
        }
        let normal =
            between_normals(across / sine, [self.along, other.along], [&self.normals, &other.normals])?;
        let from = self.start - other.ends[0];
        let cosine = self.along.dot(&other.along);
        let (own, along_other) = (from.dot(&self.along), from.dot(&other.along));
        let s = (cosine * along_other - own) / (sine * sine);
        let t = (along_other - cosine * own) / (sine * sine);
        let point = self.start + self.along * s;
        let gap = normal.dot(&(point - other.ends[0] - other.along * t));
        // in the plane of both edges: normals of the other edge and of this one
        let across = across / sine;
        let (beside_other, beside_own) = (across.cross(&other.along), across.cross(&self.along));
        let own_sign = beside_other.dot(&self.along).signum();
        let other_sign = beside_own.dot(&other.along).signum();
        let mut farthest = f64::NEG_INFINITY;
        let mut nearer = |place: f64, length: f64, at_corner: [bool; 2], leads: Vector3<f64>| {
            let is_first = place < length / 2.0;
            let (distance, normal) =
                if is_first { (-place * sine, leads) } else { ((place - length) * sine, -leads) };
            farthest = farthest.max(distance);
            // where the material goes on the edge cannot be passed
            let distance = if at_corner[usize::from(!is_first)] { distance } else { GOES_ON };
            Sample { distance, normal }
        };
        let mut beyond = [
            nearer(s, self.length, self.ends_at_corner, beside_other * own_sign),
            nearer(t, other.length, other.ends_at_corner, -beside_own * other_sign),
        ];
        let end = if beyond[1].distance > beyond[0].distance {
            beyond.swap(0, 1);
            End::Other(other.ends[usize::from(t >= other.length / 2.0)])
        } else {
            let is_second = s >= self.length / 2.0;
            End::Own(self.start + self.along * if is_second { self.length } else { 0.0 })
        };
        Some(Crossing { point, along: s, normal, gap, beyond, end, farthest })
    }
}

/// The normal across two edges if it lies between the normals of both, out of the second and into the first; the normal
/// of a face where it leans over that face a little.
fn between_normals(
    across: Vector3<f64>,
    [own, other]: [Vector3<f64>; 2],
    [own_normals, other_normals]: [&[Vector3<f64>; 2]; 2],
) -> Option<Vector3<f64>> {
    let out = other_normals[0] + other_normals[1] - own_normals[0] - own_normals[1];
    let normal = if out.dot(&across) < 0.0 { -across } else { across };
    let into_other = [other_normals[0].cross(&other), other.cross(&other_normals[1])];
    let into_own = [own_normals[0].cross(&own), own.cross(&own_normals[1])];
    let over_other = into_other.map(|into| normal.dot(&into));
    let over_own = into_own.map(|into| -normal.dot(&into));
    let is_between = |over: [f64; 2], normals: &[Vector3<f64>; 2], sign: f64| {
        over.iter().all(|lean| *lean <= LEANS) && sign * normal.dot(&(normals[0] + normals[1])) > 0.0
    };
    if !is_between(over_other, other_normals, 1.0) || !is_between(over_own, own_normals, -1.0) {
        return None;
    }
    let leans = [
        (over_other[0], other_normals[0]),
        (over_other[1], other_normals[1]),
        (over_own[0], -own_normals[0]),
        (over_own[1], -own_normals[1]),
    ];
    let (lean, face) =
        leans.into_iter().fold((0.0, normal), |most, own| if own.0 > most.0 { own } else { most });
    Some(if lean > 0.0 { face } else { normal })
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use tightfit_shape::Part;
    use tightfit_shape::primitive::Block;
    use tightfit_spatial::{Pose, SplitMix};

    use super::super::{Clearances, NetworkScratch, NodeBlocks, detect_pair};
    use super::*;
    use crate::records::NOT_FREE;

    /// The shortest way that separates two blocks [m], by separating axes; negative where they are apart.
    fn overlap(halves: [Vector3<f64>; 2], pose: &Pose) -> f64 {
        let turn = pose.rotation.to_rotation_matrix();
        let axes = [0, 1, 2].map(|k| turn.matrix().column(k).into_owned());
        let units = [Vector3::x(), Vector3::y(), Vector3::z()];
        let crossed = units.iter().flat_map(|u| axes.map(|axis| u.cross(&axis)));
        let mut least = f64::INFINITY;
        for n in units.into_iter().chain(axes).chain(crossed).filter_map(|n| n.try_normalize(1e-9)) {
            let reach = |half: &Vector3<f64>, axes: &[Vector3<f64>; 3]| {
                (0..3).map(|k| half[k] * axes[k].dot(&n).abs()).sum::<f64>()
            };
            least = least
                .min(reach(&halves[1], &units) + reach(&halves[0], &axes) - pose.translation.dot(&n).abs());
        }
        least
    }

    /// With the least margin that a step searches, and with that of a fast one.
    fn smallest_gap(parts: [&Part; 2], solids: [&Polyhedron; 2], pose: Pose) -> f64 {
        let [near, far] = [1e-5, 2e-3].map(|margin| smallest_gap_within(margin, parts, solids, pose));
        if far < 0.0 { far.max(near) } else { far }
    }

    fn smallest_gap_within(margin: f64, parts: [&Part; 2], solids: [&Polyhedron; 2], pose: Pose) -> f64 {
        let nodes = NodeBlocks::new(tightfit_spatial::Columns3::default());
        let side = |place: usize, world_from_part: Pose| PairBody {
            part: parts[place],
            network: None,
            mesh: None,
            polyhedron: Some(solids[place]),
            nodes: &nodes,
            world_from_part,
            center: world_from_part.translation,
            body: if place == 0 { 0 } else { NOT_FREE },
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            first_id: 0,
        };
        let sides = [side(0, pose), side(1, Pose::identity())];
        let options =
            DetectionOptions { margin, crossings: true, horizon: 0.01, friction: 0.1, restitution: 0.0 };
        let (mut contacts, mut scratch) = (Contacts::default(), NetworkScratch::default());
        detect_pair(
            [&sides[0], &sides[1]],
            &options,
            &mut <[Clearances; 2]>::default(),
            &mut scratch,
            &mut contacts,
        );
        contacts.smallest_gap()
    }

    #[test]
    fn the_deepest_contact_is_as_deep_as_separating_axes_say() {
        let mut random = SplitMix::stream(7);
        let (mut exact, trials) = (0, 10_000);
        for trial in 0..trials {
            let mut halves = [0; 2].map(|_| random.centered_cube().map(|x| 0.012 + 0.008 * x));
            let parts = halves.map(|half| Part::Block(Block::new(half * 2.0).unwrap()));
            let solids = [0, 1].map(|k| parts[k].polyhedron().unwrap());
            // some attitudes are flush, or nearly so
            let mut turn = random.centered_cube() * [3.0, 1e-2, 1e-4, 1e-6, 0.0][trial % 5];
            let mut direction = random.centered_cube();
            // and some are dominoes: sides in one plane
            if trial % 3 == 0 {
                (turn.x, turn.z, direction.y, halves[0].y) = (0.0, 0.0, 0.0, halves[1].y);
            }
            let (attitude, direction) = (UnitQuaternion::from_scaled_axis(turn), direction.normalize());
            let depth = 30e-6 * (random.signed().abs() * -6.0).exp();
            // from far away to where they overlap by this depth
            let (mut far, mut near) = (0.06, 0.0);
            for _ in 0..60 {
                let middle = f64::midpoint(far, near);
                let is_deep = overlap(halves, &Pose::new(direction * middle, attitude)) > depth;
                (far, near) = if is_deep { (far, middle) } else { (middle, near) };
            }
            let pose = Pose::new(direction * far, attitude);
            let found = -smallest_gap([&parts[0], &parts[1]], [&solids[0], &solids[1]], pose);
            let (found, depth) = (1e6 * found, 1e6 * depth);
            assert!(found >= 0.9 * depth, "trial {trial}: {found} um for {depth} um, {pose:?} {halves:?}");
            exact += usize::from(found <= 1.1 * depth + 1e-3);
        }
        // near edges a deep place may be reported deeper than the shortest way out
        assert!(exact > trials * 98 / 100, "{exact} of {trials} exact");
    }

    /// A square peg over a square hole; the hole is four walls for the separating axes.
    #[test]
    fn a_peg_at_the_mouth_of_a_square_hole_is_as_deep_as_separating_axes_say() {
        use tightfit_shape::fit::{FitSection, HoleDimensions};
        let section = FitSection::Polygon { sides: 4, corner_radius: 0.0 };
        let [bore, outer, depth] = [40.05e-3, 70e-3, 40e-3];
        let hole = HoleDimensions {
            section,
            diameter: bore,
            depth,
            floor: None,
            chamfer: 0.0,
            outer_diameter: outer,
        };
        let hole = Part::Sectioned(hole.build().unwrap());
        let half = Vector3::new(20e-3, 20e-3, 30e-3);
        let peg = Part::Block(Block::new(half * 2.0).unwrap());
        let solids = [peg.polyhedron().unwrap(), hole.polyhedron().unwrap()];
        let (thick, beside) = ((outer - bore) / 4.0, (outer + bore) / 4.0);
        let walls = [0, 1, 2, 3].map(|k| {
            let side = if k % 2 == 0 { beside } else { -beside };
            let low = -depth / 2.0;
            match k < 2 {
                true => (Vector3::new(thick, outer / 2.0, depth / 2.0), Vector3::new(side, 0.0, low)),
                false => (Vector3::new(outer / 2.0, thick, depth / 2.0), Vector3::new(0.0, side, low)),
            }
        });
        let truth = |pose: &Pose| {
            let of = |(wall, at): &(Vector3<f64>, Vector3<f64>)| {
                overlap([half, *wall], &Pose::new(pose.translation - at, pose.rotation))
            };
            walls.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut random = SplitMix::stream(11);
        let (mut exact, trials) = (0, 5000);
        for trial in 0..trials {
            let turn = random.centered_cube() * [0.1, 1e-2, 1e-3, 1e-5][trial % 4];
            let attitude = UnitQuaternion::from_scaled_axis(turn);
            let beside = random.centered_cube() * [2e-3, 1e-4, 2e-5][trial % 3];
            let depth = 30e-6 * (random.signed().abs() * -6.0).exp();
            let pose = |z: f64| Pose::new(Vector3::new(beside.x, beside.y, z), attitude);
            let (mut far, mut near) = (0.04, 0.0);
            for _ in 0..60 {
                let middle = f64::midpoint(far, near);
                let is_deep = truth(&pose(middle)) > depth;
                (far, near) = if is_deep { (far, middle) } else { (middle, near) };
            }
            let depth = truth(&pose(far));
            let found = -smallest_gap([&peg, &hole], [&solids[0], &solids[1]], pose(far));
            let (found, depth) = (1e6 * found, 1e6 * depth);
            let least = if depth > 0.0 { 0.9 * depth } else { depth - 1e-3 };
            assert!(found >= least, "trial {trial}: {found} um for {depth} um, {:?}", pose(far));
            exact += usize::from(found <= depth + 0.1 * depth.abs() + 1e-3);
        }
        assert!(exact > trials * 85 / 100, "{exact} of {trials} exact");
    }
}
