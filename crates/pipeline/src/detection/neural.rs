//! The nodes of one body against the depth network of the other.
//!
//! ```text
//! φ = f(x) − o      n = ∇f / |∇f|
//! ```
//!
//! f the network's distance [m], x a node in the part's frame, o distance of the body's surface from its node [m].
//! The network is queried in batches, only for nodes that the part's exact distance cannot exclude: a block that cannot
//! have come near is skipped (`clearances.rs`), and of the others only the nodes within reach of the part plus the
//! network's tolerance are queried. A network has one distance and one normal per point, so there is no choice of faces
//! at convex edges. Where it must not be queried, deep in the material or, for long steps, beyond its band, the part's
//! exact distance is used. A network that is asked everywhere (the paper's way) has neither: every node inside the part's
//! bounding volume is queried.
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022, section 5.2.

use nalgebra::Vector3;
use tightfit_network::FieldScratch;
use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FAR, FaceBlock, PointBlock};
use tightfit_spatial::{Columns3, Vectorise, vectorised};

use super::clearances::{BlockCulling, Bounds, Clearances};
use super::contact_writer::ContactWriter;
use super::network_cells::CellKind;
use super::node_blocks::{Frame, Region};
use super::thinning::Thinning;
use super::{DepthNetwork, DetectionOptions, PairBody};
use crate::make_room;
use crate::records::Contacts;

/// Nodes of one query of the network.
const BATCH: usize = 8 * BLOCK;

/// Memory of a batch; allocated before the first step and kept.
#[derive(Debug, Default)]
pub(super) struct NetworkScratch {
    points: Columns3,
    /// The node of each point.
    nodes: Vec<u32>,
    values: Vec<f64>,
    gradients: Columns3,
    field: FieldScratch,
}

impl NetworkScratch {
    /// Allocates all memory that this network needs; otherwise the first step does.
    pub(super) fn make_room(&mut self, network: &DepthNetwork) {
        for columns in [&mut self.points, &mut self.gradients] {
            columns.reserve_total(BATCH);
        }
        make_room(&mut self.nodes, BATCH);
        make_room(&mut self.values, BATCH);
        self.field.reserve(&network.field, BATCH);
    }
}

/// Appends the contacts of one body's nodes with the other's network.
pub(super) fn detect_nodes(
    of: &PairBody,
    against: &PairBody,
    network: &DepthNetwork,
    options: &DetectionOptions,
    clearances: &mut Clearances,
    scratch: &mut NetworkScratch,
    contacts: &mut Contacts,
) {
    let against_from_of = against.world_from_part.inverse() * of.world_from_part;
    let frame = Frame::of(&against_from_of);
    let offset = of.part.node_offset();
    let reach = options.margin + offset.abs();
    let extent = against.part.extent();
    let heights = [extent.heights[0] - reach, extent.heights[1] + reach];
    let radii = [(extent.radii[0] - reach).max(0.0), extent.radii[1] + reach];
    let is_far = |point: Vector3<f64>| {
        let squared = point.x * point.x + point.y * point.y;
        point.z < heights[0]
            || point.z > heights[1]
            || squared > radii[1] * radii[1]
            || squared < radii[0] * radii[0]
    };

    let mut batches =
        Batches { of, offset, margin: options.margin, writer: ContactWriter::new(of, against, contacts) };
    let mut points = PointBlock::default();
    scratch.points.clear();
    scratch.nodes.clear();
    let Some(cells) = &network.cells else {
        for block in 0..of.nodes.blocks() {
            let count = of.nodes.carry(block, &frame, &mut points);
            for lane in (0..count).filter(|lane| !is_far(points.get(*lane))) {
                scratch.points.push(points.get(lane));
                scratch.nodes.push((block * BLOCK + lane) as u32);
            }
            if scratch.nodes.len() + BLOCK > BATCH {
                batches.query(network, scratch);
            }
        }
        batches.query(network, scratch);
        return batches.writer.finish(options);
    };
    let motion = clearances.advance_to(&against_from_of, against.part, of.nodes.blocks());
    let reaches_beyond = reach > cells.clear();
    let reach = reach + network.tolerance;
    let region = Region { heights, radius: radii[1] };
    let symmetric_from = against.part.symmetric_from(reach);
    let culling = BlockCulling { motion: &motion, frame: &frame, region: &region, reach, symmetric_from };
    let thinning = Thinning::between(of.part, against.part, against.nodes.apart(), &frame, reach);
    let cull = NodeCulling { of, against: against.part, culling, thinning };
    for (group, bounds) in clearances.groups().enumerate() {
        let within = vectorised(CullGroup { cull: &cull, first: group * BLOCK, bounds });
        for (lane, mask) in within.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
            let block = group * BLOCK + lane;
            let count = of.nodes.carry(block, &frame, &mut points);
            for lane in (0..count).filter(|lane| mask >> lane & 1 == 1) {
                let point = points.get(lane);
                if is_far(point) {
                    continue;
                }
                let node = (block * BLOCK + lane) as u32;
                match cells.at(point) {
                    CellKind::Network => {
                        scratch.points.push(point);
                        scratch.nodes.push(node);
                    }
                    CellKind::Far if !reaches_beyond => {}
                    CellKind::Far | CellKind::Exact => {
                        let sample = against.part.sample(point);
                        batches.add(node, point, sample.distance, sample.normal);
                    }
                }
            }
            if scratch.nodes.len() + BLOCK > BATCH {
                batches.query(network, scratch);
            }
        }
    }
    batches.query(network, scratch);
    batches.writer.finish(options);
}

/// Excludes nodes by the part's exact distance.
struct NodeCulling<'a> {
    of: &'a PairBody<'a>,
    against: &'a Part,
    culling: BlockCulling<'a>,
    thinning: Option<Thinning>,
}

/// Up to 32 blocks with their bounds.
struct CullGroup<'a> {
    cull: &'a NodeCulling<'a>,
    first: usize,
    bounds: Bounds<'a>,
}

impl Vectorise for CullGroup<'_> {
    /// The remaining nodes of every block, as bits.
    type Output = [u32; BLOCK];

    #[inline(always)]
    fn run(self) -> [u32; BLOCK] {
        let Self { cull, first, mut bounds } = self;
        let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
        let selected = cull.culling.select(&cull.of.nodes.boxes()[first / BLOCK], &mut bounds);
        let mut left = [0; BLOCK];
        for lane in 0..bounds.len() {
            let (nodes, frame, block) = (cull.of.nodes, cull.culling.frame, first + lane);
            let hides = |thinning: &Thinning| thinning.hides_block(nodes, block, frame);
            if selected[lane] && !cull.thinning.as_ref().is_some_and(hides) {
                nodes.carry(block, frame, &mut points);
                cull.against.face_block(&points, cull.culling.reach, 0.0, &mut faces);
                bounds.keep(lane, [faces.clear, faces.clear_of_ends]);
                if let Some(thinning) = &cull.thinning {
                    thinning.hide(nodes, block, &points, &mut faces.verdict);
                }
                for (node, verdict) in faces.verdict.iter().enumerate() {
                    left[lane] |= u32::from(*verdict != FAR) << node;
                }
            }
        }
        left
    }
}

/// Writes the network's results into the record.
struct Batches<'a> {
    of: &'a PairBody<'a>,
    /// o [m].
    offset: f64,
    /// Contacts with a larger gap are left out [m].
    margin: f64,
    writer: ContactWriter<'a>,
}

impl Batches<'_> {
    /// Queries the network for the nodes collected so far.
    fn query(&mut self, network: &DepthNetwork, scratch: &mut NetworkScratch) {
        let NetworkScratch { points, nodes, values, gradients, field } = scratch;
        // where most points are far, their gradients are not needed
        if network.cells.is_none() && network.field.values(points, values, field).is_ok() {
            let mut kept = 0;
            for place in 0..nodes.len() {
                if values[place] - self.offset < self.margin {
                    points.set(kept, points.get(place));
                    nodes[kept] = nodes[place];
                    kept += 1;
                }
            }
            points.truncate(kept);
            nodes.truncate(kept);
        }
        // The evaluation of a valid field cannot fail; if it did, the audit would report the missing contacts.
        if network.field.evaluate(points, values, gradients, field).is_ok() {
            for (index, node) in nodes.iter().enumerate() {
                let gradient = gradients.get(index);
                let slope = gradient.norm();
                if slope > 0.0 {
                    self.add(*node, points.get(index), values[index], gradient / slope);
                }
            }
        }
        points.clear();
        nodes.clear();
    }

    /// Writes a contact within the margin.
    fn add(&mut self, node: u32, point: Vector3<f64>, distance: f64, normal: Vector3<f64>) {
        let gap = distance - self.offset;
        if gap < self.margin {
            let id = (self.of.first_id + node) * Part::MOST_PIECES;
            self.writer.push(point - normal * self.offset, normal, gap, id);
        }
    }
}
