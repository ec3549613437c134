//! Leaves out nodes where two parts conform and fewer nodes suffice.
//!
//! Nodes along an edge are dense because the edge may meet the start of another thread at a point. In the middle of the
//! other thread the gap along the edge varies as a wave of the angle, and between two nodes it falls by at most
//!
//! ```text
//! threads   dip = A s²/8r²,   A = e + t r
//! walls     dip = A s²/8r²,   A = e        around them
//!           dip = t² h²/8(r − e)           along them
//! ```
//!
//! s distance of the nodes [m], r radius [m], e largest distance of the two axes where the parts overlap [m], t tilt
//! [rad], h height over which they overlap [m].
//! Nodes are left out where the dip without them stays below 0.1 µm. A nut on its bolt, 20 µm off its axis, needs a
//! node every 4 mm, not every 0.5 mm; a nut loose in its clearance needs one every 1 mm. Along a line of a peg in a
//! bore the distance from the bore's axis is convex, r'' ≤ t²/r, so the gap is smallest where the line or the bore
//! ends. There are rims, so none of the nodes between is needed. A line of the bore may come nearer to the peg between
//! its ends by the second dip: 20 nm at 65 µm of clearance. Which nodes are left out depends on the pose alone.

use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FAR, PointBlock, Verdict};
use tightfit_shape::profile::Wall;

use super::NodeBlocks;
use super::node_blocks::Frame;

/// Allowed dip of the other part between two nodes [m].
const DIP: f64 = 0.1e-6;
/// Largest rise of an edge per length [-]: the other thread must not end between the nodes on either side.
const STEEPEST_EDGE: f64 = 0.1;
/// Parts whose axes are more inclined do not conform: cosine of the angle [-].
const UPRIGHT: f64 = 0.99;

/// Which nodes of one thread or wall are left out against another.
pub(super) struct Thinning {
    /// A/8r² [1/m].
    bend: f64,
    /// Heights of the other part's frame between which no end of it is within reach [m].
    heights: [f64; 2],
}

/// Offset and tilt of one part's axis against another's, between two heights of the other's frame.
struct AxisOffset {
    /// e [m].
    farthest: f64,
    /// t [rad].
    tilt: f64,
}

impl AxisOffset {
    /// `None` where the axes are too inclined.
    fn between(against_from_of: &Frame, heights: [f64; 2]) -> Option<Self> {
        let Frame { turn, shift } = against_from_of;
        let axis = turn.column(2);
        let beside = |height: f64| {
            let along = (height - shift.z) / axis.z;
            libm::hypot(shift.x + along * axis.x, shift.y + along * axis.y)
        };
        let farthest = beside(heights[0]).max(beside(heights[1]));
        (axis.z.abs() >= UPRIGHT).then(|| Self { farthest, tilt: libm::hypot(axis.x, axis.y) })
    }
}

impl Thinning {
    /// For the nodes of one part at a pose in the frame of another; `apart` is the largest spacing of the other's
    /// remaining nodes [m]. `None` where all nodes are needed.
    pub(super) fn between(
        of: &Part,
        against: &Part,
        apart: f64,
        against_from_of: &Frame,
        reach: f64,
    ) -> Option<Self> {
        match [of.wall(), against.wall()] {
            [Some(own), Some(other)] => Self::of_walls(&own, &other, apart, against_from_of, reach),
            _ => Self::of_threads(of, against, against_from_of, reach),
        }
    }

    fn of_threads(of: &Part, against: &Part, against_from_of: &Frame, reach: f64) -> Option<Self> {
        let ((radius, _), (_, heights)) = (of.endless_thread()?, against.endless_thread()?);
        of.common_rise(against)?;
        // A part that is upside down covers other heights.
        if against_from_of.turn[(2, 2)] < 0.0 {
            return None;
        }
        let (own, other, shift) = (of.extent().heights, against.extent().heights, against_from_of.shift.z);
        let overlap = [other[0].max(own[0] + shift), other[1].min(own[1] + shift)];
        let AxisOffset { farthest, tilt } = AxisOffset::between(against_from_of, overlap)?;
        let wave = farthest + tilt * radius;
        Some(Self { bend: wave / (8.0 * radius * radius), heights: [heights[0] + reach, heights[1] - reach] })
    }

    fn of_walls(own: &Wall, other: &Wall, apart: f64, against_from_of: &Frame, reach: f64) -> Option<Self> {
        if own.is_bore == other.is_bore {
            return None;
        }
        let radius = own.radius.min(other.radius);
        let [one, two] =
            own.heights.map(|height| against_from_of.shift.z + against_from_of.turn[(2, 2)] * height);
        let overlap = [other.heights[0].max(one.min(two)), other.heights[1].min(one.max(two))];
        let AxisOffset { farthest, tilt } = AxisOffset::between(against_from_of, overlap)?;
        let turned = tilt * (overlap[1] - overlap[0]);
        let (bend, room) = (farthest / (8.0 * radius * radius), radius - farthest);
        let is_shallow = bend * apart * apart <= DIP && turned * turned <= DIP * 8.0 * room;
        let heights = [other.heights[0] + reach, other.heights[1] - reach];
        (overlap[0] < overlap[1] && room > 0.0 && is_shallow).then_some(Self { bend, heights })
    }

    /// Heights between which nodes are left out, if the others are `left` apart [m]; `None` where they are needed.
    #[inline(always)]
    fn hides(&self, left: f64) -> Option<[f64; 2]> {
        // False for NaN: the nodes are used.
        let is_shallow = self.bend * left * left <= DIP;
        let beyond = STEEPEST_EDGE * left;
        is_shallow.then(|| [self.heights[0] + beyond, self.heights[1] - beyond])
    }

    /// Whether all nodes of a block are left out.
    #[inline(always)]
    pub(super) fn hides_block(&self, nodes: &NodeBlocks, block: usize, against_from_of: &Frame) -> bool {
        self.hides(nodes.left(block)).is_some_and(|[low, high]| {
            let heights = nodes.heights(block, against_from_of);
            heights[0] > low && heights[1] < high
        })
    }

    /// Marks the nodes of a block that are left out as far.
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

    /// Smallest distance of the nodes in use and of all nodes [m]; the number in use.
    fn nearest(of: &Part, against: &Part, pose: &Pose) -> (f64, f64, usize) {
        let set = of.nodes(&NodeSpacing::default());
        let mut positions = Columns3::default();
        of.place(&set, &mut positions);
        let nodes = NodeBlocks::weighed(positions, &set.left);
        let frame = Frame::of(pose);
        let thinning =
            Thinning::between(of, against, nodes.apart(), &frame, 1e-5).expect("parts that conform");
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
    fn nodes_left_out_are_nearer_by_at_most_the_dip() {
        let (nut, bolt) = (preset("m48x5-nut").expect("nut"), preset("m48x5-bolt").expect("bolt"));
        let (_, heights) = bolt.endless_thread().expect("a thread");
        let (mut random, mut fewest) = (SplitMix(3), usize::MAX);
        for trial in 0..12 {
            // From a seated nut to a loose one.
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
        assert!(4 * fewest < 3 * all, "{fewest} of {all} nodes in use");
    }

    #[test]
    fn rims_suffice_without_the_walls_between_them() {
        let (peg, hole) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let mut random = SplitMix(8);
        let mut fewest = usize::MAX;
        for trial in 0..24 {
            // Deep in the hole and at its mouth, pressed against the wall or tilted until both ends touch.
            let depth = [45e-3, 20e-3, 4e-3][trial % 3];
            let aside = random.centered_cube() * 6e-5;
            let tilt = random.centered_cube() * (6e-5 / depth);
            let lean = UnitQuaternion::from_scaled_axis(Vector3::new(tilt.x, tilt.y, 3.0 * aside.z / 6e-5));
            let pose = Pose::new(Vector3::new(aside.x, aside.y, -depth), lean);
            let own = nearest(&peg, &hole, &pose);
            let other = nearest(&hole, &peg, &pose.inverse());
            let (few, all) = (own.0.min(other.0), own.1.min(other.1));
            assert!(few - all <= DIP, "trial {trial}: {few} m instead of {all} m");
            fewest = fewest.min(own.2 + other.2);
        }
        let all = [peg, hole].map(|part| part.nodes(&NodeSpacing::default()).len()).iter().sum::<usize>();
        assert!(4 * fewest < 3 * all, "{fewest} of {all} nodes in use");
    }

    #[test]
    fn parts_that_do_not_conform_keep_all_nodes() {
        let (peg, hole) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let frame = |x: f64, z: f64, tilt: f64| {
            let lean = UnitQuaternion::from_scaled_axis(Vector3::x() * tilt);
            Frame::of(&Pose::new(Vector3::new(x, 0.0, z), lean))
        };
        for (of, against, frame, apart) in [
            // Beside the hole, above it, tilted, against another peg, against nodes that are all needed.
            (&peg, &hole, frame(0.03, -0.02, 0.0), 1e-3),
            (&peg, &hole, frame(0.0, 0.01, 0.0), 1e-3),
            (&peg, &hole, frame(0.0, -0.02, 0.05), 1e-3),
            (&peg, &peg, frame(0.0, -0.02, 0.0), 1e-3),
            (&peg, &hole, frame(0.0, -0.02, 0.0), f64::INFINITY),
        ] {
            assert!(Thinning::between(of, against, apart, &frame, 1e-5).is_none());
        }
        assert!(Thinning::between(&peg, &hole, 1e-3, &frame(1e-5, -0.02, 0.0), 1e-5).is_some());
        // A thread that is upside down.
        let (nut, bolt) = (preset("m48x5-nut").expect("nut"), preset("m48x5-bolt").expect("bolt"));
        let half_turn = std::f64::consts::PI;
        assert!(Thinning::between(&nut, &bolt, 1e-3, &frame(0.0, 0.02, 0.0), 1e-5).is_some());
        assert!(Thinning::between(&nut, &bolt, 1e-3, &frame(0.0, 0.02, half_turn), 1e-5).is_none());
    }

    #[test]
    fn a_peg_upside_down_conforms_too() {
        let (peg, hole) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let over = UnitQuaternion::from_scaled_axis(Vector3::x() * (std::f64::consts::PI + 5e-4));
        let low = peg.extent().heights[1];
        let pose = Pose::new(Vector3::new(2e-5, 0.0, low - 20e-3), over);
        let (own, other) = (nearest(&peg, &hole, &pose), nearest(&hole, &peg, &pose.inverse()));
        let (few, all) = (own.0.min(other.0), own.1.min(other.1));
        assert!(few - all <= DIP && all > -1e-4, "{few} m instead of {all} m");
    }
}
