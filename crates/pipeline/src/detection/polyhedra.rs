//! Two polyhedra: corners of either against faces of the other, and convex edges against convex edges.
//!
//! The cross-section of two solids is bounded by these places alone, so their gaps are the separation of the solids
//! (`edge_pair.rs`; `branches.rs` chooses among faces at a convex edge). Edges that pierce the
//! other solid tell how deep to look. Where they are deep and no such place is found, the middle of what is inside is the
//! contact, with the nearest face.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::{Corner, Edge, MOST_BRANCHES, Piece, Polyhedron};
use tightfit_shape::{Part, Sample};

use super::branches::{Branch, Branches, PASSED, choose};
use super::contact_writer::ContactWriter;
use super::edge_pair::{End, MovedEdge};
use super::face_choice::Motion;
use super::node_blocks::Frame;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Depth to which features are looked for [m] where no edge is inside the other solid, and by how much deeper than the middle of an
/// edge inside they may be [-]: six times between wedges of 20 deg. Fast motions end deeper than the linearised step expects, before they
/// are corrected.
const SHALLOW: f64 = 20e-6;
const DEEPER: f64 = 8.0;
/// Depth beyond which no features are looked for [m]: what is deeper takes the nearest face.
const DEEPEST: f64 = 8e-3;
/// Edges deeper than this lie deep inside [m].
const DEEP_INSIDE: f64 = 0.25e-3;
/// Either side against the other.
const BOTH: [[usize; 2]; 2] = [[0, 1], [1, 0]];
/// A smaller gap touches [m].
pub(super) const TOUCHES: f64 = 1e-6;
/// Share of the depth below which the way past an end is much shorter [-].
const NEARER: f64 = 0.1;
/// Contacts that are deeper than this are verified [m]: they may belong to another side of a thin solid.
pub(super) const DEEP: f64 = 5e-6;
/// An edge that dips into the plane of a face by more than this sine is met before its corner [-]. Less may turn level
/// within a step.
pub(super) const DIPS: f64 = 0.2;
/// How far beside a face a corner may reach its plane [m], and share of its way that may be added [-]: the motion is not known.
const BESIDE: f64 = 2e-6;
const ASTRAY: f64 = 0.2;
/// Faces that one edge may pierce, and its ends; a stretch that is left out leaves the others.
const PIERCED: usize = 64;

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
    let (ids, start) = (Identities::new(sides, solids), contacts.len());
    let query_of = |[of, against]: [usize; 2]| {
        Query::new([sides[of], sides[against]], [solids[of], solids[against]], options)
    };
    let mut inside = 0.0_f64;
    for side in BOTH {
        query_of(side).each_deep_place(|_, _, face| inside = inside.max(-face.distance));
    }
    for [of, against] in BOTH {
        let mut query = query_of([of, against]);
        if !query.comes_near() {
            continue;
        }
        query.deepest += (DEEPER * inside).min(DEEPEST);
        let mut writer = ContactWriter::new(sides[of], sides[against], contacts);
        for (index, corner) in solids[of].corners.iter().enumerate() {
            query.at_corner(corner, ids.corner(of, index), &mut writer);
        }
        if of == 0 {
            solids[0].each_convex_edge(&query.own_around(query.reach.max(query.deepest)), |index, edge| {
                query.at_edge(edge, |other| ids.edges(index, other), &mut writer);
            });
        }
        writer.finish(options);
    }
    if inside > DEEP_INSIDE && !contacts.gap[start..].iter().any(|gap| *gap < -DEEP_INSIDE) {
        for [of, against] in BOTH {
            let mut writer = ContactWriter::new(sides[of], sides[against], contacts);
            query_of([of, against]).each_deep_place(|point, edge, face| {
                if face.distance < -DEEP_INSIDE {
                    writer.push(point, face.normal, face.distance, ids.edges(edge, 0));
                }
            });
            writer.finish(options);
        }
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
        let first = sides[0].first_id.wrapping_mul(Part::MOST_PIECES);
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
    /// The other solid as a part.
    against: &'a Part,
    frame: Frame,
    motion: Motion,
    horizon: f64,
    /// Largest gap of a contact [m], and how far the surfaces lie outside the polyhedra together [m].
    margin: f64,
    offset: f64,
    /// Distance within which features are near [m].
    reach: f64,
    /// Largest depth of a contact [m].
    deepest: f64,
    /// Box of the other solid, grown by the reach.
    around: Aabb,
}

impl<'a> Query<'a> {
    fn new(sides: [&PairBody<'a>; 2], solids: [&'a Polyhedron; 2], options: &DetectionOptions) -> Self {
        let [of, against] = sides;
        let offset = of.part.node_offset() + against.part.node_offset();
        let reach = (options.margin + offset).max(0.0);
        Self {
            solids,
            against: against.part,
            frame: Frame::of(&(against.world_from_part.inverse() * of.world_from_part)),
            motion: Motion::of(of, against),
            horizon: options.horizon,
            margin: options.margin,
            offset,
            reach,
            deepest: SHALLOW - offset.min(0.0),
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

    /// Box of the other solid, grown by the reach and by `more` [m], in the frame of the first.
    fn own_around(&self, more: f64) -> Aabb {
        let (middle, half) = (self.around.center(), self.around.size() / 2.0);
        // a half-space is everywhere
        if !half.iter().all(|side| side.is_finite()) {
            return Aabb { min: Vector3::repeat(f64::NEG_INFINITY), max: Vector3::repeat(f64::INFINITY) };
        }
        let turn = self.frame.turn.transpose();
        let (middle, half) = (turn * (middle - self.frame.shift), turn.abs() * half);
        // rounding must not lose an edge at the border
        Aabb { min: middle - half, max: middle + half }.grown(more + 1e-9)
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
                let dips = |along: &Vector3<f64>| (self.frame.turn * along).dot(&face.normal) < -DIPS;
                let is_row = !self.solids[0].leaving(corner).iter().any(dips);
                branches.push(Branch { face: face.offset(self.offset), is_row });
            }
            if let Some((face, other)) = choose(&branches, velocity, self.horizon)
                && face.distance < self.margin
                && !chosen.contains(&face.normal)
                && self.meets(point, velocity, &face, piece)
            {
                let _ = chosen.try_push(face.normal);
                writer.push(point, face.normal, face.distance, first_id.wrapping_add(piece.number));
                writer.push_branch(other);
            }
        });
    }

    /// Whether a corner that is beside the face that a piece starts from will be over it when it reaches its plane. In the fillet of
    /// a tooth the planes of the facets rise in front of the flank beside them, where nothing is.
    fn meets(&self, point: Vector3<f64>, velocity: Vector3<f64>, face: &Sample, piece: &Piece) -> bool {
        let (start, is_over) = piece.start;
        let way = velocity * self.horizon;
        let (d, s) = (face.distance, face.distance + face.normal.dot(&way));
        if is_over || face.normal != piece.branches[0].normal || d < PASSED || s >= d {
            return true;
        }
        let way = way * (d / (d - s)).min(1.0);
        let allowed = BESIDE + ASTRAY * way.norm();
        self.solids[1].beside(start, point + way, allowed) <= allowed
    }

    /// Visits the middles of what edges have inside the other solid, with the number of the edge and the nearest face.
    fn each_deep_place(&self, mut visit: impl FnMut(Vector3<f64>, u32, Sample)) {
        if !self.comes_near() {
            return;
        }
        self.solids[0].each_edge(&self.own_around(0.0), |index, own| {
            let edge = MovedEdge::new(own, &self.frame);
            if !edge.bounds.overlaps(&self.around) {
                return;
            }
            let mut places = ArrayVec::<f64, PIERCED>::new();
            self.solids[1].each_pierced_face(edge.start, edge.along * edge.length, |share| {
                let _ = places.try_push(share * edge.length);
            });
            // one edge tells whether the whole solid is inside
            if places.is_empty() && index > 0 {
                return;
            }
            let _ = places.try_push(0.0);
            let _ = places.try_push(edge.length);
            places.sort_unstable_by(f64::total_cmp);
            for stretch in places.windows(2).filter(|stretch| stretch[1] - stretch[0] > SHALLOW) {
                let point = edge.start + edge.along * f64::midpoint(stretch[0], stretch[1]);
                let face = self.against.sample(point);
                if face.distance < 0.0 {
                    visit(point, index, face);
                }
            }
        });
    }

    /// Writes the contacts of a convex edge with the convex edges of the other solid.
    fn at_edge(&self, own: &Edge, id: impl Fn(u32) -> u32, writer: &mut ContactWriter) {
        let moved = MovedEdge::new(own, &self.frame);
        // edges that overlap are as far apart as they are deep
        let near = moved.bounds.grown(self.reach.max(self.deepest));
        if !near.overlaps(&self.around) {
            return;
        }
        self.solids[1].each_convex_edge(&near, |index, other| {
            let Some(crossing) = moved.crossing(other, self.reach) else { return };
            let gap = crossing.gap - self.offset;
            if gap >= self.margin || gap < -self.deepest {
                return;
            }
            // the way out past the end of an edge is much shorter: what is met there is the contact
            let past_end = crossing.beyond[0].distance;
            let is_nearer = gap < -TOUCHES && past_end > NEARER * gap;
            if is_nearer && self.is_end_inside(&crossing.end) {
                return;
            }
            if !crossing.goes_on.iter().all(|end| self.is_end_inside(end)) {
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
            // at an end of an edge there is a corner too
            let crosses = |at: &dyn Fn(&Sample) -> f64| crossing.beyond.iter().all(|face| at(face) < -PASSED);
            // edges that are behind each other without crossing pass each other, or meet something else first
            if !(crosses(&|face| face.distance) || (gap >= 0.0 && crosses(&expected))) {
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
    /// Whether an end of an edge is inside the other solid.
    fn is_end_inside(&self, end: &End) -> bool {
        match *end {
            End::Own(point) => self.solids[1].is_inside(point, DEEPEST),
            End::Other(point) => {
                let point = self.frame.turn.transpose() * (point - self.frame.shift);
                self.solids[0].is_inside(point, DEEPEST)
            }
        }
    }

    /// Whether an edge is inside the other solid at a place or a little beside it: where faces are flush the place itself lies on
    /// the surface, and behind a sharp ridge it lies outside.
    fn is_inside(&self, edge: &MovedEdge, along: f64, gap: f64) -> bool {
        [0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0].iter().any(|share| {
            let place = (along + share * gap).clamp(0.0, edge.length);
            self.solids[1].is_inside(edge.start + edge.along * place, DEEPEST)
        })
    }
}
