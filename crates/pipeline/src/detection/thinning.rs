//! Where two threads conform, few nodes say as much as many.
//!
//! Nodes along an edge stand so close because of what they may meet: the start of another thread, at a point. In the
//! middle of the other thread the gap along the edge is a wave with the turn, and between two nodes it falls by no more than
//!
//! ```text
//! dip = A s²/8r²,   A = e + t r
//! ```
//!
//! s distance of the nodes [m], r radius [m], e largest distance of the two axes where the parts overlap [m], t tilt [rad].
//! Nodes without which the dip stays below 0.1 µm are left out there. A nut on its bolt, 20 µm off its axis, needs them
//! every 4 mm, not every 0.5 mm; one that rattles in its play needs all of 1 mm. What is left out follows from the pose alone.

use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FAR, PointBlock, Verdict};

use super::NodeBlocks;
use super::node_blocks::Frame;

/// How deep the other part may dip in between two nodes [m].
const DIP: f64 = 0.1e-6;
/// Rise of an edge per length at most [-]: the other thread must be endless as far as the nodes on either side reach.
const STEEPEST_EDGE: f64 = 0.1;
/// Axes more inclined than this do not conform [-]: cosine of the angle.
const UPRIGHT: f64 = 0.99;

/// Which nodes of one thread may be left out against another.
pub(super) struct Thinning {
    /// A/8r² [1/m].
    bend: f64,
    /// Heights of the other's frame between which nothing of it that is within reach cuts it [m].
    heights: [f64; 2],
}

impl Thinning {
    /// Of the nodes of one part at a place in the frame of another; `None` where all count.
    pub(super) fn between(of: &Part, against: &Part, against_from_of: &Frame, reach: f64) -> Option<Self> {
        let ((radius, _), (_, heights)) = (of.endless_thread()?, against.endless_thread()?);
        of.common_rise(against)?;
        let Frame { turn, shift } = against_from_of;
        let axis = turn.column(2);
        if axis.z < UPRIGHT {
            return None;
        }
        let (own, other) = (of.extent().heights, against.extent().heights);
        let overlap = [other[0].max(own[0] + shift.z), other[1].min(own[1] + shift.z)];
        let beside = |height: f64| {
            let along = (height - shift.z) / axis.z;
            (shift.x + along * axis.x).hypot(shift.y + along * axis.y)
        };
        let tilt = axis.x.hypot(axis.y);
        let wave = beside(overlap[0]).max(beside(overlap[1])) + tilt * radius;
        Some(Self { bend: wave / (8.0 * radius * radius), heights: [heights[0] + reach, heights[1] - reach] })
    }

    /// Heights between which nodes do not count that stand between others `left` apart; `None` where they do.
    #[inline(always)]
    fn hides(&self, left: f64) -> Option<[f64; 2]> {
        // not a number: not hidden
        let is_shallow = self.bend * left * left <= DIP;
        let beyond = STEEPEST_EDGE * left;
        is_shallow.then(|| [self.heights[0] + beyond, self.heights[1] - beyond])
    }

    /// Whether no node of a block counts.
    #[inline(always)]
    pub(super) fn hides_block(&self, nodes: &NodeBlocks, block: usize, against_from_of: &Frame) -> bool {
        self.hides(nodes.left(block)).is_some_and(|[low, high]| {
            let heights = nodes.heights(block, against_from_of);
            heights[0] > low && heights[1] < high
        })
    }

    /// Makes the nodes of a block that do not count far.
    #[inline(always)]
    pub(super) fn hide(
        &self,
        nodes: &NodeBlocks,
        block: usize,
        points: &PointBlock,
        verdicts: &mut [Verdict; BLOCK],
    ) {
        if let Some([low, high]) = self.hides(nodes.left(block)) {
            for (verdict, z) in verdicts.iter_mut().zip(&points.axes[2]) {
                *verdict = if (*z > low) & (*z < high) { FAR } else { *verdict };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};
    use tightfit_shape::node::NodeSpacing;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::*;

    /// Smallest distance of the nodes that count, and of all [m]; how many count.
    fn nearest(of: &Part, against: &Part, pose: &Pose) -> (f64, f64, usize) {
        let set = of.nodes(&NodeSpacing::default());
        let mut positions = Columns3::default();
        of.place(&set, &mut positions);
        let nodes = NodeBlocks::weighed(positions, &set.left);
        let frame = Frame::of(pose);
        let thinning = Thinning::between(of, against, &frame, 1e-5).expect("two threads");
        let (mut few, mut all, mut counted) = (f64::INFINITY, f64::INFINITY, 0);
        let (mut points, mut verdicts) = (PointBlock::default(), [FAR; BLOCK]);
        for block in 0..nodes.blocks() {
            let count = nodes.carry(block, &frame, &mut points);
            let is_hidden = thinning.hides_block(&nodes, block, &frame);
            verdicts.fill(!FAR);
            thinning.hide(&nodes, block, &points, &mut verdicts);
            for (lane, verdict) in verdicts[..count].iter().enumerate() {
                assert!(!is_hidden || *verdict == FAR, "a block is hidden with all its nodes");
                let distance = against.sample(points.get(lane)).distance;
                all = all.min(distance);
                if *verdict != FAR {
                    few = few.min(distance);
                    counted += 1;
                }
            }
        }
        (few, all, counted)
    }

    #[test]
    fn what_is_left_out_is_hardly_nearer_than_what_is_kept() {
        let (nut, bolt) = (preset("m48x5-nut").expect("nut"), preset("m48x5-bolt").expect("bolt"));
        let (_, heights) = bolt.endless_thread().expect("a thread");
        let (mut random, mut fewest) = (SplitMix(3), usize::MAX);
        for trial in 0..12 {
            // from a nut that sits to one that rattles in its play
            let size = [1e-6, 2e-5, 2e-4][trial % 3];
            let turn = 3.0 * random.cube().x;
            let shift = random.cube() * size;
            let tilt = random.cube() * (size / 0.02);
            let rise = 5e-3 / std::f64::consts::TAU;
            let at = Vector3::new(shift.x, shift.y, f64::midpoint(heights[0], heights[1]));
            let turns = (at.z / 5e-3).floor() * 5e-3 + rise * turn + shift.z;
            let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * turn);
            let lean = UnitQuaternion::from_scaled_axis(Vector3::new(tilt.x, tilt.y, 0.0));
            let pose = Pose::new(Vector3::new(at.x, at.y, turns), lean * spin);
            for (of, against, pose) in [(&nut, &bolt, pose), (&bolt, &nut, pose.inverse())] {
                let (few, all, counted) = nearest(of, against, &pose);
                assert!(few - all <= DIP, "{few} m instead of {all} m");
                fewest = fewest.min(counted);
            }
        }
        let all = nut.nodes(&NodeSpacing::default()).len();
        assert!(4 * fewest < 3 * all, "{fewest} of {all} nodes count");
    }
}
