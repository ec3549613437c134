//! Detection of one pair: the nodes of either body against the surface of the other.
//!
//! Blocks of nodes that may be near are transformed into the other part's frame, and the faces of a whole block are
//! queried at once; near a thread the points are first collected from several blocks (`point_batches.rs`).
//! `node_query.rs` decides which faces become contacts.

use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FaceBlock, PlaceBlock, PointBlock};
use tightfit_shape::thread::ThreadStarts;
use tightfit_spatial::{Vectorise, vectorised};

use super::clearances::BlockCulling;
use super::contact_writer::ContactWriter;
use super::exact_crossings::exact_crossing_ids;
use super::neural::NetworkScratch;
use super::node_blocks::Frame;
use super::node_query::NodeQuery;
use super::point_batches::{PointBatch, PointQueue};
use super::rim_places::{self, rim_place_ids};
use super::thinning::Thinning;
use super::thread_crossings::thread_crossing_ids;
use super::wall_crossings::wall_crossing_ids;
use super::{
    BallPair, Clearances, DepthNetwork, NodeBlocks, PairBody, TurnedPair, ball, edge_crossings,
    exact_crossings, mesh_pair, most_crossings, neural, polyhedra, thread_crossings, turned, wall_crossings,
};
use crate::records::Contacts;

/// Options of the detection of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionOptions {
    /// Contacts with a larger gap are left out [m]; the caller chooses it so that nothing beyond can touch within the
    /// step.
    pub margin: f64,
    /// Whether crossings of edges are contacts, beside the nodes.
    pub crossings: bool,
    /// T: the time over which the gap is predicted [s].
    pub horizon: f64,
    /// μ of the pair [-].
    pub friction: f64,
    /// Coefficient of restitution of the pair [-].
    pub restitution: f64,
}

/// Memory of a detection.
#[derive(Debug, Default)]
pub struct DetectionScratch {
    network: NetworkScratch,
    starts: [ThreadStarts; 2],
}

impl DetectionScratch {
    /// Makes room for the queries of a network.
    pub fn make_room(&mut self, network: &DepthNetwork) {
        self.network.make_room(network);
    }
}

/// Appends the contacts of a pair: those of the meshes or of the polyhedra where both bodies have one, of a turned solid with a
/// polyhedron, else those of the nodes of either body with the other's surface, and of the crossings of their edges. `clearances` belong to the nodes of the first
/// and of the second body.
pub fn detect_pair(
    sides: [&PairBody; 2],
    options: &DetectionOptions,
    clearances: &mut [Clearances; 2],
    scratch: &mut DetectionScratch,
    contacts: &mut Contacts,
) {
    if let [Some(first), Some(second)] = sides.map(|side| side.mesh) {
        return mesh_pair::detect(sides, [first, second], options, contacts);
    }
    if let [Some(first), Some(second)] = sides.map(|side| side.polyhedron) {
        return polyhedra::detect(sides, [first, second], options, contacts);
    }
    if let Some(pair) = TurnedPair::of(sides) {
        return turned::detect(&pair, options, contacts);
    }
    if let Some(pair) = BallPair::of(sides) {
        return ball::detect(&pair, options, contacts);
    }
    let [first, second] = clearances;
    let DetectionScratch { network, starts } = scratch;
    // identities of crossings follow those of the nodes
    let nodes = sides.map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    let rims = nodes.wrapping_add(edge_ids(sides));
    let walls = rims.wrapping_add(rim_place_ids(sides));
    let ids = [rims, rims.wrapping_add(rim_places::count(sides[0], sides[1]))];
    detect_nodes([sides[0], sides[1]], options, ids[0], first, network, contacts);
    detect_nodes([sides[1], sides[0]], options, ids[1], second, network, contacts);
    let is_done = !options.crossings
        || exact_crossings::detect(sides, options, contacts)
        || thread_crossings::detect(sides, options, starts, contacts);
    if !is_done {
        edge_crossings::detect(sides[0], sides[1], options, contacts);
    }
    if options.crossings {
        wall_crossings::detect(sides, options, walls, contacts);
    }
}

/// Number of identities that the crossings of the edges of a pair take.
fn edge_ids(sides: [&PairBody; 2]) -> u32 {
    exact_crossing_ids(sides)
        .wrapping_add(thread_crossing_ids(sides))
        .wrapping_add(most_crossings(sides[0].part, sides[1].part))
}

/// Number of identities that the crossings of a pair take.
#[must_use]
pub fn crossing_ids(sides: [&PairBody; 2]) -> u32 {
    edge_ids(sides).wrapping_add(rim_place_ids(sides)).wrapping_add(wall_crossing_ids(sides))
}

/// The nodes of one body against the surface of the other; identities of the places of its rims begin at `first_place`.
fn detect_nodes(
    [of, against]: [&PairBody; 2],
    options: &DetectionOptions,
    first_place: u32,
    clearances: &mut Clearances,
    scratch: &mut NetworkScratch,
    contacts: &mut Contacts,
) {
    // The linearised surface of a ball would keep a node that slides by s at a distance of s²/2R.
    let is_found_by_the_ball = against.part.is_ball() && of.part.is_known_to_balls();
    if (of.is_free() || against.is_free()) && !is_found_by_the_ball {
        match against.network {
            Some(network) => {
                neural::detect_nodes(of, against, network, options, clearances, scratch, contacts);
            }
            None => vectorised(NodesAgainst { of, against, options, first_place, clearances, contacts }),
        }
    }
}

/// The vectorised part of [`detect_nodes`].
struct NodesAgainst<'a> {
    of: &'a PairBody<'a>,
    against: &'a PairBody<'a>,
    options: &'a DetectionOptions,
    first_place: u32,
    clearances: &'a mut Clearances,
    contacts: &'a mut Contacts,
}

impl Vectorise for NodesAgainst<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { of, against, options, first_place, clearances, contacts } = self;
        let against_from_of = against.world_from_part.inverse() * of.world_from_part;
        let frame = Frame::of(&against_from_of);
        let query = NodeQuery::new(of, against, options);
        let motion = clearances.advance_to(&against_from_of, against.part, of.nodes.blocks());
        let symmetric_from = against.part.symmetric_from(query.reach);
        let culling = BlockCulling {
            motion: &motion,
            frame: &frame,
            region: &query.region,
            reach: query.reach,
            symmetric_from,
        };

        let apart = against.nodes.apart();
        let thinning = Thinning::between(of.part, against.part, apart, &frame, query.reach);
        let walk =
            BlockWalk { nodes: of.nodes, culling, thinning, spares: query.skips_idle.then_some(&query) };
        let (mut writer, faces) = (ContactWriter::new(of, against, contacts), FaceBlock::default());
        match against.part.has_places() {
            true => {
                let (places, queue, batch) =
                    (PlaceBlock::default(), PointQueue::new(), PointBatch::default());
                let mut visitor = QueuedBlocks {
                    walk: &walk,
                    query: &query,
                    writer: &mut writer,
                    faces,
                    places,
                    queue,
                    batch,
                };
                walk.each_block(clearances, &mut visitor);
                visitor.flush();
            }
            false => {
                walk.each_block(clearances, &mut WholeBlocks { query: &query, writer: &mut writer, faces });
            }
        }
        if options.crossings {
            rim_places::each_place(of, against, &frame, query.reach, |place, point| {
                let id = |number: u32| {
                    first_place.wrapping_add(place).wrapping_mul(Part::MOST_PIECES).wrapping_add(number)
                };
                query.at_place(point, id, &mut writer);
            });
        }
        writer.finish(options);
    }
}

/// Visits the blocks of one body that may be near the other.
struct BlockWalk<'a> {
    nodes: &'a NodeBlocks,
    culling: BlockCulling<'a>,
    thinning: Option<Thinning>,
    /// The query with the other part, if its own nodes spare some of these.
    spares: Option<&'a NodeQuery<'a>>,
}

impl BlockWalk<'_> {
    /// Visits the blocks and stores their new clearances.
    #[inline(always)]
    fn each_block(&self, clearances: &mut Clearances, visitor: &mut impl Visitor) {
        let Self { nodes, culling, thinning, spares } = self;
        let mut points = PointBlock::default();
        for (group, (mut bounds, boxes)) in clearances.groups().zip(nodes.boxes()).enumerate() {
            let selected = culling.select(boxes, &mut bounds);
            for (lane, is_selected) in selected.into_iter().enumerate().take(bounds.len()) {
                let block = group * BLOCK + lane;
                let hides = |thinning: &Thinning| thinning.hides_block(nodes, block, culling.frame);
                let spared = |query: &&NodeQuery| {
                    let reaches = [culling.reach, query.margin];
                    nodes.spared(block, culling.frame, query.against, reaches, query.skips_walls)
                };
                if let Some(clear) = spares.as_ref().filter(|_| is_selected).and_then(spared) {
                    bounds.keep(lane, [clear; 2]);
                    continue;
                }
                if is_selected && !thinning.as_ref().is_some_and(hides) {
                    let count = nodes.carry(block, culling.frame, &mut points);
                    bounds.keep(lane, visitor.visit(block, count, &points));
                }
            }
        }
    }
}

/// Handles one block. A trait, because a closure would be compiled separately, without the vector registers.
trait Visitor {
    /// Handles the first `count` points of a block; returns their clearances (see [`FaceBlock`]).
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2];
}

/// Queries the faces of each block by itself.
struct WholeBlocks<'a, 'b> {
    query: &'a NodeQuery<'a>,
    writer: &'a mut ContactWriter<'b>,
    faces: FaceBlock,
}

impl Visitor for WholeBlocks<'_, '_> {
    #[inline(always)]
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2] {
        let Self { query, writer, faces } = self;
        query.against.part.face_block(points, query.reach_of_block(block), query.choice.behind, faces);
        let first = (block * BLOCK) as u32;
        query.at_block(|lane| first + lane as u32, count, points, faces, writer);
        [faces.clear, faces.clear_of_ends]
    }
}

/// Collects the near points of several blocks before their faces are queried.
struct QueuedBlocks<'a, 'b> {
    walk: &'a BlockWalk<'a>,
    query: &'a NodeQuery<'a>,
    writer: &'a mut ContactWriter<'b>,
    faces: FaceBlock,
    places: PlaceBlock,
    queue: PointQueue,
    batch: PointBatch,
}

impl Visitor for QueuedBlocks<'_, '_> {
    #[inline(always)]
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2] {
        let Self { walk, query, places, queue, .. } = self;
        query.against.part.place_block(points, query.reach, query.choice.behind, places);
        if let Some(thinning) = &walk.thinning {
            thinning.hide(walk.nodes, block, points, &mut places.verdict);
        }
        let clear = [places.clear, places.clear_of_ends];
        if queue.add((block * BLOCK) as u32, count, points, places) {
            self.flush();
        }
        clear
    }
}

impl QueuedBlocks<'_, '_> {
    /// Queries the faces of up to 32 collected points.
    #[inline(always)]
    fn flush(&mut self) {
        let Self { query, writer, faces, queue, batch, .. } = self;
        queue.take(batch);
        let PointBatch { points, places, nodes, count } = batch;
        if *count > 0 {
            query.against.part.placed_faces(points, places, query.reach, query.choice.behind, faces);
            query.at_block(|lane| nodes[lane], *count, points, faces, writer);
        }
    }
}
