//! Which of the faces near the nodes of one body become contacts.
//!
//! A block is handled as a whole where every point has one face or an edge of two faces; other points are queried one
//! by one. Nodes inside a ball or capsule take the exact distance to the piece.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, CORNER, FAR, FaceBlock, PAIR, PointBlock, SINGLE};
use tightfit_shape::node::{Arc, Slid, Slides};
use tightfit_shape::polyhedron::Polyhedron;
use tightfit_shape::profile::Section;
use tightfit_shape::{Part, Sample, intersection};

use super::contact_writer::ContactWriter;
use super::face_choice::FaceChoice;
use super::nearest_place::{Nearest, SAME_SIDE};
use super::node_blocks::{Frame, INSIDE, Region};
use super::rim_places::stand_for_nodes;
use super::thread_crossings::is_thread_beside;
use super::wall_crossings::are_convex_and_turned;
use super::{DetectionOptions, PairBody};

/// Depth to which pieces of triangles are looked for [m].
const DEEPEST: f64 = 50e-6;
/// Share of a reach over planes from which on it is worth to ask how much near faces bend [-].
const BENT: f64 = 1.2;

/// Distance from the own part at which a place is on it [m].
const ON_SURFACE: f64 = 0.1e-6;

/// The query of one body's nodes against the surface of the other.
pub(super) struct NodeQuery<'a> {
    of: &'a PairBody<'a>,
    pub(super) against: &'a PairBody<'a>,
    pub(super) choice: FaceChoice,
    /// Faces farther away are left out [m].
    pub(super) margin: f64,
    /// Distance of the body's surface from its nodes [m].
    offset: f64,
    /// Whether the nodes are the core of a ball or capsule, which touches the nearest point of a piece, edges included.
    is_core: bool,
    /// Where features of the body are nearest to the other part.
    nearest: Nearest<'a>,
    /// Largest distance of a contact from its node, and where the node does not slide [m].
    pub(super) reach: f64,
    reach_at_rest: f64,
    /// Where the other part is within reach, and the radius inside which its bore leaves space [m].
    pub(super) region: Region,
    inner: f64,
    /// How the nodes slide along round features; none where they stay.
    slides: Option<Sliding<'a>>,
    /// Whether idle nodes are left out.
    pub(super) skips_idle: bool,
    /// Whether nodes inside convex walls are left out, since walls of the other part are the only round faces and touch these at places
    /// that are known.
    pub(super) skips_walls: bool,
    /// Whether rims touch at places between their nodes (`rim_places.rs`).
    skips_rims: bool,
    /// Whether gaps account for round faces that bend away.
    is_raised: bool,
    /// Whether planes and edges pass a solid of revolution.
    is_past_turned: bool,
    /// The other part's triangles, where edges leave a choice among them.
    faceted: Option<&'a Polyhedron>,
}

/// Whether crossings of all convex edges of a body are found (`exact_crossings.rs`).
fn knows_edges(side: &PairBody) -> bool {
    side.polyhedron.is_some() || matches!(side.part, Part::Cad(_)) || side.part.rims().next().is_some()
}

/// Nodes that slide, and their frame.
struct Sliding<'a> {
    slides: &'a Slides,
    against_from_of: Frame,
}

impl<'a> NodeQuery<'a> {
    pub(super) fn new(
        of: &'a PairBody<'a>,
        against: &'a PairBody<'a>,
        options: &'a DetectionOptions,
    ) -> Self {
        let offset = of.part.node_offset();
        let is_exact = |side: &PairBody| matches!(side.part, Part::Cad(_)) || side.part.has_round_corners();
        // where contacts are at nodes alone, all nodes stay where they are
        let is_turned = matches!(against.part, Part::Sectioned(solid) if solid.section == Section::Round);
        let is_past_turned = is_turned && of.polyhedron.is_some();
        let has_planes = of.polyhedron.is_some() || against.polyhedron.is_some();
        let are_turned = are_convex_and_turned([of, against]);
        let is_core = of.part.has_core_nodes();
        let is_round = is_core || are_turned || is_thread_beside([of, against]);
        let may_slide = options.crossings && (is_exact(of) || is_exact(against) || has_planes || is_round);
        let slides =
            Some(of.nodes.slides()).filter(|slides| may_slide && !slides.is_empty()).map(|slides| Sliding {
                slides,
                against_from_of: Frame::of(&(against.world_from_part.inverse() * of.world_from_part)),
            });
        let skips_rims =
            slides.as_ref().is_some_and(|own| stand_for_nodes([of, against], &own.against_from_of));
        // what is as far from a line as its radius bends around it
        let curvature = if is_core { 1.0 / offset } else { against.nodes.most_bent() };
        let sag = if slides.is_some() { of.nodes.largest_sag(curvature, options.margin) } else { 0.0 };
        let skips_idle =
            slides.is_some() && knows_edges(of) && knows_edges(against) && !against.part.needs_idle_nodes();
        let skips_walls = skips_idle && against.part.has_walls_alone();
        let (margin, reach_at_rest) = (options.margin, options.margin + offset.abs());
        let reach = reach_at_rest + sag;
        let extent = against.part.extent();
        let heights = [extent.heights[0] - reach, extent.heights[1] + reach];
        let (inner, radius) = ((extent.radii[0] - reach).max(0.0), extent.radii[1] + reach);
        let farthest = radius + heights[0].abs().max(heights[1].abs());
        let region = Region { heights, radius };
        let choice = FaceChoice::new(of, against, options.horizon, farthest);
        let has_edges = matches!(of.part, Part::Cad(_) | Part::Sectioned(_));
        let faceted = against.polyhedron.filter(|_| has_edges && matches!(against.part, Part::Mesh(_)));
        Self {
            of,
            against,
            choice,
            margin,
            offset,
            is_core,
            nearest: Nearest { part: against.part, curvature },
            reach,
            reach_at_rest,
            region,
            inner,
            slides,
            skips_idle,
            skips_walls,
            skips_rims,
            is_raised: options.crossings
                && (matches!(against.part, Part::Cad(_)) || is_past_turned || are_turned),
            is_past_turned,
            faceted,
        }
    }

    /// Largest distance of a contact from its node in a block [m].
    #[inline(always)]
    pub(super) fn reach_of_block(&self, block: usize) -> f64 {
        match self.slides {
            Some(_) => self.reach_over(block, self.nearest.curvature),
            None => self.reach,
        }
    }

    /// The same at a node of the block: only round faces near it bend towards its feature.
    #[inline(always)]
    fn reach_at(&self, block: usize, point: Vector3<f64>) -> f64 {
        let most = self.reach_of_block(block);
        if self.slides.is_none() || self.is_core || most <= BENT * self.reach_over(block, 0.0) {
            return most;
        }
        self.reach_over(block, self.against.part.most_bent_near(point, most))
    }

    /// The same over faces of this curvature [1/m] at most.
    #[inline(always)]
    fn reach_over(&self, block: usize, curvature: f64) -> f64 {
        self.reach_at_rest + self.of.nodes.sag(block, curvature, self.margin)
    }

    /// Whether a node is a contact deep inside alone.
    #[inline(always)]
    fn skips(&self, slides: &Slides, node: u32) -> bool {
        (self.skips_idle && slides.is_idle(node as usize))
            || (self.skips_walls && slides.is_wall(node as usize))
    }

    /// Writes the contacts of a block of nodes; `node` maps a lane to its node.
    #[inline(always)]
    pub(super) fn at_block(
        &self,
        node: impl Fn(usize) -> u32,
        count: usize,
        points: &PointBlock,
        faces: &mut FaceBlock,
        writer: &mut ContactWriter,
    ) {
        let mut all = 0;
        for verdict in &faces.verdict[..count] {
            all |= verdict;
        }
        if all == FAR {
            return;
        }
        let first_id = self.of.first_id;
        let is_plain = !self.is_core & (self.offset == 0.0);
        if self.faceted.is_some() {
            for lane in (0..count).filter(|lane| faces.verdict[*lane] != FAR) {
                let id = |number: u32| (first_id + node(lane)) * Part::MOST_PIECES + number;
                self.at_node(node(lane), points.get(lane), id, writer);
            }
            return;
        }
        if is_plain & (all & PAIR != 0) {
            self.choice.choose_in_block(points, faces);
        }
        if is_plain & (all & !(SINGLE | PAIR) == 0) & self.slides.is_none() {
            let id = |lane: usize| (first_id + node(lane)) * Part::MOST_PIECES;
            self.take_lanes(count, points, faces, id, writer);
            return;
        }
        for lane in 0..count {
            let id = |number: u32| (first_id + node(lane)) * Part::MOST_PIECES + number;
            let number = faces.number[lane] as u32;
            match faces.verdict[lane] {
                FAR => {}
                SINGLE if !self.is_core => {
                    let only = [Some(faces.first(lane)), None];
                    self.put(node(lane), points.get(lane), only, id(number), writer);
                }
                PAIR if is_plain => {
                    let other =
                        (faces.second_distance[lane] >= -self.choice.behind).then(|| faces.second(lane));
                    let both = [Some(faces.first(lane)), other];
                    self.put(node(lane), points.get(lane), both, id(number), writer);
                }
                CORNER if !self.is_core => {
                    let mut both = [(number, faces.first(lane)), (0, faces.second(lane))];
                    // The nearer face comes first, as in the query of a single node.
                    if both[1].1.distance < both[0].1.distance {
                        both.swap(0, 1);
                    }
                    for (number, face) in both {
                        self.put(node(lane), points.get(lane), [Some(face), None], id(number), writer);
                    }
                }
                // an idle node is a contact deep inside alone, which costs less to know
                _ if self.skips_idle
                    && self.slides.as_ref().is_some_and(|own| self.skips(own.slides, node(lane)))
                    && !self.against.part.is_inside(points.get(lane), INSIDE) => {}
                _ => self.at_node(node(lane), points.get(lane), id, writer),
            }
        }
    }

    /// Writes the first faces of a block that are within the margin, with the second faces of edges.
    #[inline(always)]
    fn take_lanes(
        &self,
        count: usize,
        points: &PointBlock,
        faces: &FaceBlock,
        id: impl Fn(usize) -> u32,
        writer: &mut ContactWriter,
    ) {
        let (mut is_whole, mut all) = (count == BLOCK, FAR);
        for lane in 0..BLOCK {
            is_whole &= (faces.verdict[lane] != FAR) & (faces.distance[lane] < self.margin);
            all |= faces.verdict[lane];
        }
        let mut near = ArrayVec::<usize, BLOCK>::new();
        if is_whole {
            writer.push_whole(points, faces, id);
        } else {
            for lane in 0..count {
                if (faces.verdict[lane] != FAR) & (faces.distance[lane] < self.margin) {
                    near.push(lane);
                }
            }
            writer.push_lanes(&near, points, faces, id);
        }
        if all & PAIR != 0 {
            let taken = if is_whole { BLOCK } else { near.len() };
            for place in 0..taken {
                let lane = if is_whole { place } else { near[place] };
                if (faces.verdict[lane] == PAIR) & (faces.second_distance[lane] >= -self.choice.behind) {
                    writer.push_other(taken - 1 - place, faces.second(lane));
                }
            }
        }
    }

    /// Writes the contacts of a single node.
    pub(super) fn at_node(
        &self,
        node: u32,
        point: Vector3<f64>,
        id: impl Fn(u32) -> u32,
        writer: &mut ContactWriter,
    ) {
        let Region { heights, radius } = self.region;
        let squared = point.x * point.x + point.y * point.y;
        let is_far = point.z < heights[0]
            || point.z > heights[1]
            || squared > radius * radius
            || squared < self.inner * self.inner;
        if is_far {
            return;
        }
        let reach = self.reach_at(node as usize / BLOCK, point);
        self.each_piece(point, reach, |number, branches| match self.is_core {
            true => self.put_core(node, point, intersection(branches), id(number), writer),
            // one of the faces that meet at an edge
            false => self.put(node, point, self.choice.choose(point, branches), id(number), writer),
        });
    }

    /// Writes the contacts of a place of a rim that is no node; at an edge of the other part the crossing is the contact.
    pub(super) fn at_place(&self, point: Vector3<f64>, id: impl Fn(u32) -> u32, writer: &mut ContactWriter) {
        self.each_piece(point, self.reach, |number, branches| {
            if let face @ [Some(_), None] = self.choice.choose(point, branches) {
                self.take(point, face, id(number), writer);
            }
        });
    }

    /// Visits the pieces of the other part near a point. Triangles know their edges as a polyhedron, unless the point is too deep
    /// inside.
    fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &[Sample])) {
        let mut is_found = false;
        if let Some(polyhedron) = self.faceted {
            polyhedron.each_piece(point, reach, DEEPEST, |piece| {
                is_found = true;
                visit(piece.number % Part::MOST_PIECES, &piece.branches);
            });
        }
        if !is_found {
            self.against.part.each_piece(point, reach, |number, branches| visit(number, branches));
        }
    }

    /// Writes the contact of a node with a face, at the place to which the node slides.
    #[inline(always)]
    fn put(
        &self,
        node: u32,
        point: Vector3<f64>,
        faces: [Option<Sample>; 2],
        id: u32,
        writer: &mut ContactWriter,
    ) {
        let (Some(sliding), Some(face)) = (&self.slides, faces[0]) else {
            return self.take(point, faces, id, writer);
        };
        if face.distance < -INSIDE {
            return self.take(point, faces, id, writer);
        }
        let Frame { turn, shift } = &sliding.against_from_of;
        let (own, normal) = (turn.tr_mul(&(point - shift)), turn.tr_mul(&face.normal));
        if self.skips(sliding.slides, node) {
            return;
        }
        if let Some((along, cell)) = sliding.slides.line(node as usize) {
            return match self.nearest.along_line(point, face, turn * along, cell) {
                Slid::Stays => self.take(point, faces, id, writer),
                Slid::To(place) => self.take(place, self.faces_at(place, face.normal), id, writer),
                Slid::Gone => {}
            };
        }
        if let Some(spiral) = sliding.slides.spiral(node as usize) {
            // a cell may reach beyond the end of its edge
            let is_on = |place: Vector3<f64>| {
                self.of.part.sample(turn.tr_mul(&(place - shift))).distance.abs() < ON_SURFACE
            };
            return match self.nearest.along_spiral(&sliding.against_from_of, own, spiral) {
                Slid::Stays => self.take(point, faces, id, writer),
                Slid::To(place) if is_on(place) => {
                    let normal = self.against.part.sample(place).normal;
                    self.take(place, self.faces_at(place, normal), id, writer);
                }
                Slid::To(_) | Slid::Gone => {}
            };
        }
        if let Some(arc) = sliding.slides.arc(node as usize, own) {
            if arc.is_edge && self.skips_rims {
                return;
            }
            let holds = |place: Vector3<f64>| self.of.part.holds(arc.face, turn.tr_mul(&(place - shift)));
            let arc = Arc {
                centre: turn * arc.centre + shift,
                axis: turn * arc.axis,
                radial: turn * arc.radial,
                ..arc
            };
            return match self.nearest.along_arc(face, &arc) {
                Slid::Stays => self.take(point, faces, id, writer),
                Slid::To(place) if holds(place) => {
                    self.take(place, self.faces_at(place, face.normal), id, writer);
                }
                Slid::To(_) | Slid::Gone => {}
            };
        }
        match sliding.slides.slide(node as usize, own, normal) {
            (Slid::Stays, _) => self.take(point, faces, id, writer),
            (Slid::To(place), holder) if self.of.part.holds(holder, place) => {
                let place = turn * place + shift;
                self.take(place, self.faces_at(place, face.normal), id, writer);
            }
            (Slid::To(_) | Slid::Gone, _) => {}
        }
    }

    /// Writes the contact of a node on the axis of a capsule, at the place to which the node slides.
    fn put_core(&self, node: u32, point: Vector3<f64>, face: Sample, id: u32, writer: &mut ContactWriter) {
        let cell = self.slides.as_ref().and_then(|own| {
            let (along, cell) = own.slides.line(node as usize)?;
            Some((own.against_from_of.turn * along, cell))
        });
        let slid =
            cell.map_or(Slid::Stays, |(along, cell)| self.nearest.along_line(point, face, along, cell));
        match slid {
            Slid::Stays => self.take(point, [Some(face), None], id, writer),
            Slid::To(place) => {
                let mut nearest: Option<Sample> = None;
                self.each_piece(place, self.reach_at_rest, |_, branches| {
                    let own = intersection(branches);
                    let is_nearer = nearest.is_none_or(|known| own.distance < known.distance);
                    if own.normal.dot(&face.normal) > SAME_SIDE && is_nearer {
                        nearest = Some(own);
                    }
                });
                self.take(place, [nearest, None], id, writer);
            }
            Slid::Gone => {}
        }
    }

    /// The nearest faces at a place that a node slid to, on the side with this normal.
    fn faces_at(&self, place: Vector3<f64>, normal: Vector3<f64>) -> [Option<Sample>; 2] {
        let mut nearest: [Option<Sample>; 2] = [None; 2];
        self.each_piece(place, self.reach_at_rest, |_, branches| {
            let own = self.choice.choose(place, branches);
            let is_nearer = |face: Sample| nearest[0].is_none_or(|other| face.distance < other.distance);
            if own[0].is_some_and(|face| face.normal.dot(&normal) > SAME_SIDE && is_nearer(face)) {
                nearest = own;
            }
        });
        nearest
    }

    /// Gap of a face [m]: what a convex round face bends away from its tangent plane while the node passes is added, since the
    /// step sees the plane alone. A node that the motion ends behind another side keeps its gap.
    fn gap(&self, point: Vector3<f64>, face: &Sample) -> f64 {
        if !self.is_raised || face.distance <= 0.0 {
            return face.distance;
        }
        let path = self.choice.path(point);
        let foretold = face.distance + face.normal.dot(&path);
        if foretold >= 0.0 {
            return face.distance;
        }
        let path = if self.is_past_turned { self.choice.path_past_turned(point) } else { path };
        let end = self.against.part.sample(point + path);
        let is_same_side = end.normal.dot(&face.normal) > SAME_SIDE;
        face.distance + if is_same_side { (end.distance - foretold).max(0.0) } else { 0.0 }
    }

    /// Writes a face that is within the margin, and the other face of its edge.
    #[inline(always)]
    fn take(
        &self,
        point: Vector3<f64>,
        [face, other]: [Option<Sample>; 2],
        id: u32,
        writer: &mut ContactWriter,
    ) {
        let distance = |face: &Sample| self.gap(point, face) - self.offset;
        let face = face.map(|face| Sample { distance: distance(&face), ..face });
        if let Some(Sample { distance, normal }) = face.filter(|face| face.distance < self.margin) {
            writer.push(point - normal * self.offset, normal, distance, id);
            if let Some(other) = other {
                writer.push_other(0, other.offset(self.offset));
            }
        }
    }
}
