//! Points near a part, collected from several blocks into full batches.
//!
//! Of a block that reaches beyond an end or a cone only some nodes are near. The query of their faces is most of the
//! work, so it is done for 32 points at a time, whatever blocks they come from. The order of the nodes stays.

use tightfit_shape::block::{BLOCK, FAR, PlaceBlock, PointBlock};

/// Points that are skipped together where none is near.
const ROW: usize = 8;

/// Nodes with their places: fewer than 32, plus those of one block.
pub(super) struct PointQueue {
    axes: [[f64; 2 * BLOCK]; 3],
    own: [[f64; 2 * BLOCK]; 2],
    verdict: [u64; 2 * BLOCK],
    node: [u32; 2 * BLOCK],
    count: usize,
}

/// Up to 32 nodes, taken from the queue.
#[derive(Default)]
pub(super) struct PointBatch {
    pub(super) points: PointBlock,
    pub(super) places: PlaceBlock,
    /// Indices of the nodes.
    pub(super) nodes: [u32; BLOCK],
    pub(super) count: usize,
}

impl PointQueue {
    pub(super) fn new() -> Self {
        Self {
            axes: [[0.0; 2 * BLOCK]; 3],
            own: [[0.0; 2 * BLOCK]; 2],
            verdict: [FAR; 2 * BLOCK],
            node: [0; 2 * BLOCK],
            count: 0,
        }
    }

    /// Adds those of the `count` nodes of a block that are near; `first` is the block's first node. Returns whether the
    /// queue holds 32 nodes or more.
    #[inline(always)]
    pub(super) fn add(&mut self, first: u32, count: usize, points: &PointBlock, places: &PlaceBlock) -> bool {
        let ([x, y, z], [phase, radius]) = (&points.axes, &places.own);
        let mut is_whole = count == BLOCK;
        for verdict in &places.verdict {
            is_whole &= *verdict != FAR;
        }
        if is_whole {
            let at = self.count..self.count + BLOCK;
            for (own, from) in self.axes.iter_mut().zip(&points.axes) {
                own[at.clone()].copy_from_slice(from);
            }
            for (own, from) in self.own.iter_mut().zip(&places.own) {
                own[at.clone()].copy_from_slice(from);
            }
            self.verdict[at.clone()].copy_from_slice(&places.verdict);
            for (lane, node) in self.node[at].iter_mut().enumerate() {
                *node = first + lane as u32;
            }
            self.count += BLOCK;
            return true;
        }
        for row in (0..BLOCK).step_by(ROW) {
            let mut any = FAR;
            for lane in row..row + ROW {
                any |= places.verdict[lane];
            }
            if any == FAR {
                continue;
            }
            for lane in row..count.min(row + ROW) {
                let at = self.count;
                self.axes[0][at] = x[lane];
                self.axes[1][at] = y[lane];
                self.axes[2][at] = z[lane];
                self.own[0][at] = phase[lane];
                self.own[1][at] = radius[lane];
                self.verdict[at] = places.verdict[lane];
                self.node[at] = first + lane as u32;
                // A far point is overwritten by the next one.
                self.count += usize::from(places.verdict[lane] != FAR);
            }
        }
        self.count >= BLOCK
    }

    /// Moves the first 32 nodes, or all, into a batch; unused lanes repeat the last node.
    #[inline(always)]
    pub(super) fn take(&mut self, batch: &mut PointBatch) {
        let count = self.count.min(BLOCK);
        if count == 0 {
            batch.count = 0;
            return;
        }
        for (own, from) in batch.points.axes.iter_mut().zip(&self.axes) {
            own.copy_from_slice(&from[..BLOCK]);
            own[count..].fill(from[count - 1]);
        }
        for (own, from) in batch.places.own.iter_mut().zip(&self.own) {
            own.copy_from_slice(&from[..BLOCK]);
            own[count..].fill(from[count - 1]);
        }
        batch.places.verdict.copy_from_slice(&self.verdict[..BLOCK]);
        batch.places.verdict[count..].fill(self.verdict[count - 1]);
        batch.nodes.copy_from_slice(&self.node[..BLOCK]);
        batch.count = count;
        self.count -= count;
        if self.count > 0 {
            for column in self.axes.iter_mut().chain(&mut self.own) {
                move_down(column);
            }
            move_down(&mut self.verdict);
            move_down(&mut self.node);
        }
    }
}

/// Copies the second 32 over the first; the fixed length avoids a call of `memmove`.
#[inline(always)]
fn move_down<T: Copy>(column: &mut [T; 2 * BLOCK]) {
    let (first, second) = column.split_at_mut(BLOCK);
    first.copy_from_slice(second);
}
