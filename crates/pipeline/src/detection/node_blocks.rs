//! Nodes in blocks that are skipped as a whole.
//!
//! Neighbouring nodes of a set lie in one row; 32 of them have a small box. Seen from the other part's frame the box
//! covers the heights z ± h, h = |R_z|·(half size): a block that misses the other part's heights, or lies wholly
//! outside its largest radius, is not looked at. Skipping never changes what is found, since the boxes contain their
//! nodes.

use nalgebra::{Matrix3, Vector3};
use tightfit_shape::mesh::Aabb;
use tightfit_spatial::Columns3;

/// Nodes of a block.
const BLOCK: usize = 32;

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

    /// Ranges of nodes that may lie between two heights of another frame, and within a radius of its axis.
    pub(super) fn near(
        &self,
        turn: Matrix3<f64>,
        shift: Vector3<f64>,
        heights: [f64; 2],
        radius: f64,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let count = self.len();
        let spread = turn.abs();
        self.boxes.iter().enumerate().filter_map(move |(index, aabb)| {
            let middle = turn * aabb.center() + shift;
            let half = spread * (aabb.size() / 2.0);
            let misses_height = middle.z + half.z < heights[0] || middle.z - half.z > heights[1];
            let gap = |axis: usize| (middle[axis].abs() - half[axis]).max(0.0);
            let is_outside = gap(0).powi(2) + gap(1).powi(2) > radius * radius;
            let first = index * BLOCK;
            (!misses_height && !is_outside).then(|| first..count.min(first + BLOCK))
        })
    }
}
