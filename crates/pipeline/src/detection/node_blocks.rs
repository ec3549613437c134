//! Nodes in blocks of 32, which are skipped as a whole.
//!
//! Consecutive nodes of a set are neighbours, so 32 of them have a small box. In the other part's frame the box covers
//! the heights z ± h, h = |R_z|·(half size). A block is skipped if it misses the other part's heights, lies wholly
//! outside its largest radius, or cannot have come near since its last query (`clearances.rs`). Skipping never changes
//! the contacts.

use nalgebra::{Matrix3, Vector3};
use tightfit_shape::block::{BLOCK, Lanes, PointBlock};
use tightfit_shape::mesh::Aabb;
use tightfit_shape::node::Slides;
use tightfit_shape::{Part, RoundWall, SharpEdge};
use tightfit_spatial::{Columns3, Pose};

use super::PairBody;
use super::convex_edges::ConvexEdges;

/// Nodes in the part's frame, in blocks.
#[derive(Clone, Debug, Default)]
pub struct NodeBlocks {
    /// Positions [m].
    pub positions: Columns3,
    /// Boxes of the blocks, in groups of 32.
    boxes: Vec<Boxes>,
    /// Spacing of the nodes that remain when those of a block are left out [m] (`thinning.rs`), from the first block on
    /// where it is finite. Blocks before that one are always used.
    left: Vec<f64>,
    always: usize,
    /// How nodes slide along round features, and which blocks consist of idle and of ruled nodes.
    slides: Slides,
    uses: Vec<BlockUse>,
    /// How far below a node of each block its feature is lowest [m], and the length on either side that a node stands for [m], where
    /// nodes slide.
    sags: Vec<Sag>,
    largest_sag: Sag,
    /// Largest curvature of a convex round face of the part [1/m].
    most_bent: f64,
    /// Convex edges, which may cross those of another part, and convex round walls, which may touch them.
    edges: ConvexEdges,
    walls: Vec<RoundWall>,
}

/// Nodes deeper than this are contacts where they are [m].
pub(super) const INSIDE: f64 = 50e-6;
/// How much farther than needed a round face is looked for [m], so that it need not be looked for again until a block has moved so far.
const FARTHER: [f64; 2] = [3e-3, 0.0];

/// Where a block of nodes is needed beside the nodes of the other part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BlockUse {
    /// Nowhere.
    Idle,
    /// Where a convex round face of the other part is near, other than a wall if these are walls themselves; nodes stand for what is so
    /// far from them at most [m].
    Ruled { length: f64, is_wall: bool },
    /// Everywhere.
    Always,
}

/// How far below its node a feature can be lowest.
#[derive(Clone, Copy, Debug, Default)]
struct Sag {
    /// Over a plane [m].
    over_plane: f64,
    /// Length on either side of the node [m].
    length: f64,
}

impl Sag {
    /// Over faces of this curvature [1/m] at most, of what is within a distance of them [m]: a line that passes the axis of a fillet of
    /// radius R at g + R passes it at √((g + R)² + length²) − R at most where the node is.
    #[inline(always)]
    fn over(self, curvature: f64, within: f64) -> f64 {
        let Self { over_plane, length } = self;
        if curvature <= 0.0 {
            return over_plane;
        }
        let least = within.max(0.0) + curvature.recip();
        over_plane + length * length / (least.mul_add(least, length * length).sqrt() + least)
    }

    fn max(self, other: Self) -> Self {
        Self { over_plane: self.over_plane.max(other.over_plane), length: self.length.max(other.length) }
    }
}

/// A region about the z axis of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// Lowest and highest z [m].
    pub(super) heights: [f64; 2],
    /// Largest distance from the axis [m].
    pub(super) radius: f64,
}

impl NodeBlocks {
    /// Blocks of nodes that are always used.
    #[must_use]
    pub fn new(positions: Columns3) -> Self {
        Self::weighed(positions, &[])
    }

    /// Blocks of nodes; `left` of every node as in [`tightfit_shape::node::NodeSet`], in falling order.
    #[must_use]
    pub fn weighed(positions: Columns3, left: &[f64]) -> Self {
        let count = positions.len();
        let weights = left.chunks(BLOCK).map(|block| block.iter().copied().fold(0.0, f64::max));
        let always = weights.clone().take_while(|left| left.is_infinite()).count();
        let left = weights.skip(always).collect();
        let mut boxes = vec![Boxes::new(); count.div_ceil(BLOCK).div_ceil(BLOCK)];
        for (block, first) in (0..count).step_by(BLOCK).enumerate() {
            let aabb = Aabb::of((first..count.min(first + BLOCK)).map(|index| positions.get(index)));
            let (group, lane) = (&mut boxes[block / BLOCK], block % BLOCK);
            for axis in 0..3 {
                group.middle[axis][lane] = aabb.center()[axis];
                group.half[axis][lane] = aabb.size()[axis] / 2.0;
            }
        }
        Self {
            positions,
            boxes,
            left,
            always,
            slides: Slides::default(),
            uses: Vec::new(),
            sags: Vec::new(),
            largest_sag: Sag::default(),
            most_bent: 0.0,
            edges: ConvexEdges::default(),
            walls: Vec::new(),
        }
    }

    /// The same blocks with nodes of a part that slide, and with its convex edges.
    #[must_use]
    pub fn sliding(self, slides: Slides, part: &Part) -> Self {
        let of = |block: usize| {
            let nodes = block * BLOCK..self.len().min((block + 1) * BLOCK);
            if part.has_core_nodes() {
                BlockUse::Always
            } else if nodes.clone().all(|node| slides.is_idle(node)) {
                BlockUse::Idle
            } else if nodes.clone().all(|node| slides.is_idle(node) || slides.is_ruled(node)) {
                let length = |node: usize| slides.line(node).map_or(0.0, |(_, cell)| cell[0].max(cell[1]));
                let is_wall = nodes.clone().all(|node| slides.is_idle(node) || slides.is_wall(node));
                BlockUse::Ruled { length: nodes.map(length).fold(0.0, f64::max), is_wall }
            } else {
                BlockUse::Always
            }
        };
        let sag = |block: usize| {
            let nodes = block * BLOCK..self.len().min((block + 1) * BLOCK);
            let lengths = nodes.clone().map(|node| slides.length(node, self.positions.get(node)));
            Sag { over_plane: slides.sag(nodes), length: lengths.fold(0.0, f64::max) }
        };
        let blocks = if slides.is_empty() { 0 } else { self.blocks() };
        let (uses, sags): (_, Vec<Sag>) = ((0..blocks).map(of).collect(), (0..blocks).map(sag).collect());
        let largest_sag = sags.iter().copied().fold(Sag::default(), Sag::max);
        let (most_bent, edges) = (part.most_bent(), ConvexEdges::new(part.sharp_edges()));
        let walls = part.round_walls();
        Self { slides, uses, sags, largest_sag, most_bent, edges, walls, ..self }
    }

    /// The same blocks with convex edges, which may cross those of another part.
    #[must_use]
    pub fn with_edges(self, edges: Vec<SharpEdge>) -> Self {
        Self { edges: ConvexEdges::new(edges), ..self }
    }

    /// The same blocks with the convex round walls of a part, which may touch those of another one.
    #[must_use]
    pub fn with_walls(self, part: &Part) -> Self {
        Self { walls: part.round_walls(), ..self }
    }

    /// How nodes slide along round features.
    pub(super) fn slides(&self) -> &Slides {
        &self.slides
    }

    /// How far below a node of a block its feature is lowest over faces of this curvature [1/m] that it is within a distance of, at
    /// most [m].
    #[inline(always)]
    pub(super) fn sag(&self, block: usize, curvature: f64, within: f64) -> f64 {
        self.sags.get(block).map_or(0.0, |sag| sag.over(curvature, within))
    }

    /// The same for all blocks.
    pub(super) fn largest_sag(&self, curvature: f64, within: f64) -> f64 {
        self.largest_sag.over(curvature, within)
    }

    /// Centre and radius of a ball around a block [m].
    pub(super) fn ball(&self, block: usize) -> (Vector3<f64>, f64) {
        let (boxes, lane) = (&self.boxes[block / BLOCK], block % BLOCK);
        let of_lane = |sides: &[Lanes; 3]| Vector3::from_fn(|axis, _| sides[axis][lane]);
        (of_lane(&boxes.middle), of_lane(&boxes.half).norm())
    }

    /// Number of convex round walls.
    #[must_use]
    pub fn wall_count(&self) -> usize {
        self.walls.len()
    }

    /// Convex round walls, which may touch those of another part.
    pub(super) fn walls(&self) -> &[RoundWall] {
        &self.walls
    }

    /// Largest curvature of a convex round face of the part [1/m].
    pub(super) fn most_bent(&self) -> f64 {
        self.most_bent
    }

    /// Convex edges, which may cross those of another part.
    pub(super) fn edges(&self) -> &ConvexEdges {
        &self.edges
    }

    /// Clearance of a block that is not needed against a part [m], none where it is needed: it need not be asked for again before it has
    /// moved by what this is larger than `reach`, the reach of all blocks. `knows_walls` tells whether places where walls touch are known.
    #[inline(always)]
    pub(super) fn spared(
        &self,
        block: usize,
        frame: &Frame,
        against: &PairBody,
        [reach, margin]: [f64; 2],
        knows_walls: bool,
    ) -> Option<f64> {
        let (part, curvature) = (against.part, against.nodes.most_bent());
        let clear = match self.uses.get(block) {
            Some(BlockUse::Idle) => f64::INFINITY,
            Some(BlockUse::Ruled { is_wall: true, .. }) if knows_walls => f64::INFINITY,
            Some(BlockUse::Ruled { length, .. }) => {
                let (middle, half) = self.ball(block);
                let own_reach =
                    reach - self.largest_sag(curvature, margin) + self.sag(block, curvature, margin);
                let (centre, radius) = (frame.carry_one(middle), half + length + own_reach);
                let is_near = |farther: f64| part.is_round_near(centre, radius + farther);
                match FARTHER.into_iter().find(|farther| !is_near(*farther)) {
                    Some(farther) => reach + farther,
                    None => return None,
                }
            }
            Some(BlockUse::Always) | None => return None,
        };
        let inside = self.clearance(block, frame, part);
        (inside >= -INSIDE).then(|| clear.min(inside))
    }

    /// Clearance of a few nodes of a block from a part [m]: no edge or corner need be where they are inside, as where a rod pierces a
    /// plate.
    fn clearance(&self, block: usize, frame: &Frame, part: &Part) -> f64 {
        let (first, end) = (block * BLOCK, self.len().min((block + 1) * BLOCK));
        let mut least = f64::INFINITY;
        for third in 0..4 {
            let own = self.positions.get(first + (end - 1 - first) * third / 3);
            least = least.min(part.clearance(frame.carry_one(own), INSIDE));
            if least < -INSIDE {
                break;
            }
        }
        least
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Memory of the positions and boxes [bytes].
    #[must_use]
    pub fn bytes(&self) -> usize {
        let Columns3 { x, y, z } = &self.positions;
        let numbers = x.capacity() + y.capacity() + z.capacity();
        size_of::<Self>()
            + numbers * size_of::<f64>()
            + self.boxes.capacity() * size_of::<Boxes>()
            + self.left.capacity() * size_of::<f64>()
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.len().div_ceil(BLOCK)
    }

    /// Boxes of the blocks, in groups of 32; the last group may be incomplete.
    #[inline(always)]
    pub(super) fn boxes(&self) -> &[Boxes] {
        &self.boxes
    }

    /// Spacing of the nodes that remain when those of a block are left out [m]; infinite where the block is always
    /// used.
    #[inline(always)]
    pub(super) fn left(&self, block: usize) -> f64 {
        let place = block.checked_sub(self.always).and_then(|place| self.left.get(place));
        place.copied().unwrap_or(f64::INFINITY)
    }

    /// Largest spacing of the nodes that can remain [m]; infinite where all nodes are always used.
    pub(super) fn apart(&self) -> f64 {
        self.left.first().copied().unwrap_or(f64::INFINITY)
    }

    /// Heights that the box of a block covers in another frame [m].
    #[inline(always)]
    pub(super) fn heights(&self, block: usize, frame: &Frame) -> [f64; 2] {
        let (boxes, lane) = (&self.boxes[block / BLOCK], block % BLOCK);
        let (mut middle, mut half) = (frame.shift.z, 0.0);
        for axis in 0..3 {
            let along = frame.turn[(2, axis)];
            middle += along * boxes.middle[axis][lane];
            half += along.abs() * boxes.half[axis][lane];
        }
        [middle - half, middle + half]
    }

    /// Transforms up to 32 nodes of any blocks into another frame; unused lanes repeat the last node.
    #[inline(always)]
    pub(super) fn carry_some(&self, nodes: &[u32], frame: &Frame, out: &mut PointBlock) {
        let mut own = PointBlock::default();
        for lane in 0..BLOCK {
            let position = self.positions.get(nodes[lane.min(nodes.len() - 1)] as usize);
            for (lanes, along) in own.axes.iter_mut().zip(position.as_slice()) {
                lanes[lane] = *along;
            }
        }
        let [x, y, z] = &own.axes;
        frame.carry([x, y, z], out);
    }

    /// Transforms the nodes of a block into another frame; returns their number. Unused lanes repeat the last node.
    #[inline(always)]
    pub(super) fn carry(&self, block: usize, frame: &Frame, out: &mut PointBlock) -> usize {
        let first = block * BLOCK;
        let count = BLOCK.min(self.len() - first);
        let Columns3 { x, y, z } = &self.positions;
        let whole = (x[first..].first_chunk(), y[first..].first_chunk(), z[first..].first_chunk());
        if let (Some(x), Some(y), Some(z)) = whole {
            frame.carry([x, y, z], out);
        } else {
            let mut own = PointBlock::default();
            for (lanes, column) in own.axes.iter_mut().zip([x, y, z]) {
                lanes[..count].copy_from_slice(&column[first..first + count]);
                lanes[count..].fill(column[first + count - 1]);
            }
            let [x, y, z] = &own.axes;
            frame.carry([x, y, z], out);
        }
        count
    }
}

/// Boxes of 32 blocks, in columns [m].
#[derive(Clone, Debug)]
pub(super) struct Boxes {
    pub(super) middle: [Lanes; 3],
    pub(super) half: [Lanes; 3],
}

impl Boxes {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { middle: [[0.0; BLOCK]; 3], half: [[0.0; BLOCK]; 3] }
    }

    /// Which boxes reach into a region of another frame, and their lowest points there [m].
    #[inline(always)]
    pub(super) fn within(&self, frame: &Frame, region: &Region) -> ([bool; BLOCK], Lanes) {
        let (mut reaches, mut lowest) = ([false; BLOCK], [0.0; BLOCK]);
        let spread = frame.turn.abs();
        let (turn, shift) = (&frame.turn, &frame.shift);
        let ([x, y, z], [hx, hy, hz]) = (&self.middle, &self.half);
        // middle and half size of a box along one axis of the frame
        let along = |axis: usize, lane: usize| {
            let middle = turn[(axis, 0)] * x[lane]
                + turn[(axis, 1)] * y[lane]
                + turn[(axis, 2)] * z[lane]
                + shift[axis];
            let half =
                spread[(axis, 0)] * hx[lane] + spread[(axis, 1)] * hy[lane] + spread[(axis, 2)] * hz[lane];
            (middle, half)
        };
        for lane in 0..BLOCK {
            let ((cx, dx), (cy, dy), (cz, dz)) = (along(0, lane), along(1, lane), along(2, lane));
            let is_level = (cz + dz >= region.heights[0]) & (cz - dz <= region.heights[1]);
            let (gx, gy) = (cx.abs() - dx, cy.abs() - dy);
            let (gx, gy) = (if gx > 0.0 { gx } else { 0.0 }, if gy > 0.0 { gy } else { 0.0 });
            reaches[lane] = is_level & (gx * gx + gy * gy <= region.radius * region.radius);
            lowest[lane] = cz - dz;
        }
        (reaches, lowest)
    }
}

/// Transform from one frame to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) turn: Matrix3<f64>,
    /// [m].
    pub(super) shift: Vector3<f64>,
}

impl Frame {
    pub(super) fn of(pose: &Pose) -> Self {
        Self { turn: pose.rotation.to_rotation_matrix().into_inner(), shift: pose.translation }
    }

    /// Transforms a point.
    pub(super) fn carry_one(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.turn * point + self.shift
    }

    /// Transforms points.
    #[inline(always)]
    fn carry(&self, [x, y, z]: [&Lanes; 3], out: &mut PointBlock) {
        for axis in 0..3 {
            let (tx, ty, tz) = (self.turn[(axis, 0)], self.turn[(axis, 1)], self.turn[(axis, 2)]);
            let shift = self.shift[axis];
            for lane in 0..BLOCK {
                out.axes[axis][lane] = tx * x[lane] + ty * y[lane] + tz * z[lane] + shift;
            }
        }
    }
}
