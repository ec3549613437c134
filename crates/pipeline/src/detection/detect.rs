//! Detection of one pair, nodes of both sides.
//!
//! Blocks of nodes that may be near are carried into the other part's frame and asked for their faces all at once; near a
//! thread the points are gathered first (`gathered.rs`). What becomes a contact is the matter of `look.rs`.

use tightfit_shape::block::{BLOCK, FaceBlock, PlaceBlock, PointBlock};
use tightfit_spatial::{Vectorise, vectorised};

use super::clearances::Sight;
use super::found::Found;
use super::gathered::{Batch, Gathered};
use super::look::Look;
use super::node_blocks::Frame;
use super::thinning::Thinning;
use super::{Clearances, NetworkScratch, NodeBlocks, Side, edge_crossings, mesh_pair, neural};
use crate::records::Contacts;

/// What detection is told besides the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionOptions {
    /// Nodes farther than this are left out [m]: everything that could touch within the step is nearer.
    pub margin: f64,
    /// Whether crossings of edges are contacts besides the nodes.
    pub crossings: bool,
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
    if options.crossings {
        edge_crossings::detect(sides[0], sides[1], options, contacts);
    }
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

        let apart = against.nodes.apart();
        let thinning = Thinning::between(of.part, against.part, apart, &frame, look.reach);
        let walk = Walk { nodes: of.nodes, sight, thinning };
        let (mut found, faces) = (Found::new(of, against, contacts), FaceBlock::default());
        match against.part.has_places() {
            true => {
                let (places, gathered, batch) = (PlaceBlock::default(), Gathered::new(), Batch::default());
                let mut visitor =
                    Gathering { walk: &walk, look: &look, found: &mut found, faces, places, gathered, batch };
                walk.each_block(clearances, &mut visitor);
                visitor.flush();
            }
            false => walk.each_block(clearances, &mut AtOnce { look: &look, found: &mut found, faces }),
        }
        found.finish(options);
    }
}

/// The blocks of one side that may be near the other.
struct Walk<'a> {
    nodes: &'a NodeBlocks,
    sight: Sight<'a>,
    thinning: Option<Thinning>,
}

impl Walk<'_> {
    /// Visits them; what they are clear of is kept.
    #[inline(always)]
    fn each_block(&self, clearances: &mut Clearances, visitor: &mut impl Visitor) {
        let Self { nodes, sight, thinning } = self;
        let mut points = PointBlock::default();
        for (group, (mut bounds, boxes)) in clearances.groups().zip(nodes.boxes()).enumerate() {
            let looks = sight.looks(boxes, &mut bounds);
            for (lane, looks) in looks.into_iter().enumerate().take(bounds.len()) {
                let block = group * BLOCK + lane;
                let hides = |thinning: &Thinning| thinning.hides_block(nodes, block, sight.frame);
                if looks && !thinning.as_ref().is_some_and(hides) {
                    let count = nodes.carry(block, sight.frame, &mut points);
                    bounds.keep(lane, visitor.visit(block, count, &points));
                }
            }
        }
    }
}

/// What is done with a block. A closure would be compiled by itself, without the registers.
trait Visitor {
    /// Takes the first `count` points of a block; what they are clear of (see [`FaceBlock`]).
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2];
}

/// Finds the faces of a block at once.
struct AtOnce<'a, 'b> {
    look: &'a Look<'a>,
    found: &'a mut Found<'b>,
    faces: FaceBlock,
}

impl Visitor for AtOnce<'_, '_> {
    #[inline(always)]
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2] {
        let Self { look, found, faces } = self;
        look.against.part.face_block(points, look.reach, look.choice.behind, faces);
        let first = (block * BLOCK) as u32;
        look.at_block(|lane| first + lane as u32, count, points, faces, found);
        [faces.clear, faces.clear_of_ends]
    }
}

/// Gathers the near points of blocks before their faces are found.
struct Gathering<'a, 'b> {
    walk: &'a Walk<'a>,
    look: &'a Look<'a>,
    found: &'a mut Found<'b>,
    faces: FaceBlock,
    places: PlaceBlock,
    gathered: Gathered,
    batch: Batch,
}

impl Visitor for Gathering<'_, '_> {
    #[inline(always)]
    fn visit(&mut self, block: usize, count: usize, points: &PointBlock) -> [f64; 2] {
        let Self { walk, look, places, gathered, .. } = self;
        look.against.part.place_block(points, look.reach, look.choice.behind, places);
        if let Some(thinning) = &walk.thinning {
            thinning.hide(walk.nodes, block, points, &mut places.verdict);
        }
        let clear = [places.clear, places.clear_of_ends];
        if gathered.add((block * BLOCK) as u32, count, points, places) {
            self.flush();
        }
        clear
    }
}

impl Gathering<'_, '_> {
    /// Finds the faces of up to 32 gathered points.
    #[inline(always)]
    fn flush(&mut self) {
        let Self { look, found, faces, gathered, batch, .. } = self;
        gathered.take(batch);
        let Batch { points, places, nodes, count } = batch;
        if *count > 0 {
            look.against.part.placed_faces(points, places, look.reach, look.choice.behind, faces);
            look.at_block(|lane| nodes[lane], *count, points, faces, found);
        }
    }
}
