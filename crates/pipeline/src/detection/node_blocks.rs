//! Nodes in blocks that are skipped as a whole.
//!
//! Neighbouring nodes of a set lie in one row; 32 of them have a small box. Seen from the other part's frame the box
//! covers the heights z ± h, h = |R_z|·(half size): a block that misses the other part's heights, or lies wholly
//! outside its largest radius, is not looked at. Skipping never changes what is found, since the boxes contain their
//! nodes.

use nalgebra::{Matrix3, Vector3};
use tightfit_shape::block::{BLOCK, PointBlock};
use tightfit_shape::mesh::Aabb;
use tightfit_spatial::{Columns3, Pose};

/// Nodes in the part's frame, in blocks.
#[derive(Clone, Debug, Default)]
pub struct NodeBlocks {
    /// Positions [m].
    pub positions: Columns3,
    boxes: Vec<Aabb>,
}

impl NodeBlocks {
    /// Puts the positions into blocks.
    #[must_use]
    pub fn new(positions: Columns3) -> Self {
        let count = positions.len();
        let block =
            |first: usize| Aabb::of((first..count.min(first + BLOCK)).map(|index| positions.get(index)));
        Self { boxes: (0..count).step_by(BLOCK).map(block).collect(), positions }
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

    /// Blocks that may have a node between two heights of another frame, and within a radius of its axis.
    #[inline(always)]
    pub(super) fn near(&self, frame: &Frame, heights: [f64; 2], radius: f64) -> impl Iterator<Item = usize> {
        let spread = frame.turn.abs();
        self.boxes.iter().enumerate().filter_map(move |(block, aabb)| {
            let middle = frame.turn * aabb.center() + frame.shift;
            let half = spread * (aabb.size() / 2.0);
            let misses_height = middle.z + half.z < heights[0] || middle.z - half.z > heights[1];
            let gap = |axis: usize| (middle[axis].abs() - half[axis]).max(0.0);
            let is_outside = gap(0).powi(2) + gap(1).powi(2) > radius * radius;
            (!misses_height && !is_outside).then_some(block)
        })
    }

    /// Carries the nodes of a block into another frame; returns how many there are.
    #[inline(always)]
    pub(super) fn carry(&self, block: usize, frame: &Frame, out: &mut PointBlock) -> usize {
        let first = block * BLOCK;
        let count = BLOCK.min(self.len() - first);
        let Columns3 { x, y, z } = &self.positions;
        let mut own = PointBlock::default();
        for (lanes, column) in own.axes.iter_mut().zip([x, y, z]) {
            lanes[..count].copy_from_slice(&column[first..first + count]);
        }
        let [x, y, z] = &own.axes;
        for axis in 0..3 {
            let (tx, ty, tz) = (frame.turn[(axis, 0)], frame.turn[(axis, 1)], frame.turn[(axis, 2)]);
            let shift = frame.shift[axis];
            for lane in 0..BLOCK {
                out.axes[axis][lane] = tx * x[lane] + ty * y[lane] + tz * z[lane] + shift;
            }
        }
        count
    }
}

/// Where points of one frame are in another.
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
}
