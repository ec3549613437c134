//! Lower bounds on the distance of blocks that are not near: the distance at their last query less their displacement
//! since.
//!
//! A node at a distance d cannot touch before it has moved by d. Displacement along the other part's symmetry does not
//! count: a nut that is screwed down moves 1.4 mm per step and comes no nearer to the flank that it does not press.
//!
//! ```text
//! S = turn by θ about the other part's axis with the rise k θ,   θ the turn of B A⁻¹ about that axis
//! displacement(c, h) = |(S⁻¹B − A) c| + ‖R(S⁻¹B) − R(A)‖ h ,   ‖R − Q‖ = ‖R − Q‖_F/√2 = 2 sin(φ/2)
//! ```
//!
//! The ends and cones of a thread do not have its screw symmetry: their bound falls by the larger of the displacements
//! with the rise k and with none.
//!
//! A, B pose of the nodes in the other part's frame before and now, c middle of a block's box [m], h its half diagonal
//! [m], φ angle between the two attitudes. The bound is stored with the pose that it holds for, so it stays valid
//! whatever pose follows, and a workspace that has lost it finds the same contacts.

use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, Lanes};
use tightfit_shape::{Part, Symmetry};
use tightfit_spatial::Pose;

use super::node_blocks::{Boxes, Frame, Region};

/// Rounding error of a displacement [m]; thousands of steps add up to less than [`SLACK`].
const ROUNDING: f64 = 1e-15;
/// Blocks within this much beyond the reach are still queried [m].
const SLACK: f64 = 1e-9;

/// Bounds on the distance of the blocks of one body's nodes from the surface of another.
#[derive(Clone, Debug, Default)]
pub struct Clearances {
    /// Pose of the nodes in the other's frame that the bounds hold for.
    pose: Option<Pose>,
    /// Bound on the distance of every block from what the other part's symmetry maps to itself [m].
    bounds: Vec<f32>,
    /// Bound on its distance from the part with its ends [m]; −∞ where the other bound suffices.
    of_ends: Vec<f32>,
}

/// Rounds down to single precision: bounds are kept for every block of every environment.
#[inline(always)]
fn below(bound: f64) -> f32 {
    const ROUNDED: f64 = f32::EPSILON as f64;
    (bound * if bound > 0.0 { 1.0 - ROUNDED } else { 1.0 + ROUNDED }) as f32
}

/// Bounds of up to 32 blocks.
pub(super) struct Bounds<'a> {
    along: &'a mut [f32],
    of_ends: &'a mut [f32],
}

impl Bounds<'_> {
    /// Number of blocks.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.along.len()
    }

    /// Stores the distance of a block that was queried.
    #[inline(always)]
    pub(super) fn keep(&mut self, lane: usize, [clear, clear_of_ends]: [f64; 2]) {
        self.along[lane] = below(clear);
        self.of_ends[lane] = below(clear_of_ends);
    }
}

impl Clearances {
    /// Memory of the bounds [bytes].
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.bounds.capacity() + self.of_ends.capacity()) * size_of::<f32>()
    }

    /// Moves on to another pose; returns the motion since the last one.
    pub(super) fn advance_to(
        &mut self,
        against_from_of: &Pose,
        against: &Part,
        blocks: usize,
    ) -> RelativeMotion {
        let known = self.pose.filter(|_| self.bounds.len() == blocks);
        if known.is_none() {
            for bounds in [&mut self.bounds, &mut self.of_ends] {
                bounds.clear();
                bounds.resize(blocks, f32::NEG_INFINITY);
            }
        }
        self.pose = Some(*against_from_of);
        RelativeMotion::between(
            known.as_ref().unwrap_or(against_from_of),
            against_from_of,
            against.symmetry(),
        )
    }

    /// The bounds, 32 blocks at a time.
    #[inline(always)]
    pub(super) fn groups(&mut self) -> impl Iterator<Item = Bounds<'_>> {
        let both = self.bounds.chunks_mut(BLOCK).zip(self.of_ends.chunks_mut(BLOCK));
        both.map(|(along, of_ends)| Bounds { along, of_ends })
    }
}

/// Selects the blocks that must be queried.
pub(super) struct BlockCulling<'a> {
    /// Motion of the blocks since their bounds were updated.
    pub(super) motion: &'a RelativeMotion,
    /// From the frame of the nodes to that of the other part.
    pub(super) frame: &'a Frame,
    /// Where the other part is within reach.
    pub(super) region: &'a Region,
    /// Farther blocks are skipped [m].
    pub(super) reach: f64,
    /// Height above which the other part's symmetry holds [m].
    pub(super) symmetric_from: f64,
}

impl BlockCulling<'_> {
    /// Selects those of up to 32 blocks that may be near, and lowers the bounds of all by their displacement.
    #[inline(always)]
    pub(super) fn select(&self, boxes: &Boxes, bounds: &mut Bounds) -> [bool; BLOCK] {
        let (is_within, lowest) = boxes.within(self.frame, self.region);
        let mut may_skip = [false; BLOCK];
        for (lane, low) in lowest.iter().enumerate() {
            may_skip[lane] = *low > self.symmetric_from;
        }
        let mut selected = self.motion.lower(boxes, bounds, &may_skip, self.reach);
        for lane in 0..BLOCK {
            selected[lane] &= is_within[lane];
        }
        selected
    }
}

/// Motion between two poses of the nodes, less the motion along the other part's symmetry.
pub(super) struct RelativeMotion {
    /// S⁻¹B − A.
    change: Frame,
    /// ‖R(S⁻¹B) − R(A)‖ [-].
    turn: f64,
    /// k θ: advance of S along the axis [m].
    advance: f64,
}

impl RelativeMotion {
    fn between(from: &Pose, to: &Pose, symmetry: Symmetry) -> Self {
        let rise = match symmetry {
            Symmetry::None => None,
            Symmetry::Revolved => Some(0.0),
            Symmetry::Screw { pitch } => Some(pitch / std::f64::consts::TAU),
        };
        let (to, advance) = rise.map_or((*to, 0.0), |rise| {
            let turn = (to.rotation * from.rotation.inverse()).quaternion().coords;
            let half = libm::atan2(turn.z, turn.w);
            let (sin, cos) = libm::sincos(half);
            let back =
                nalgebra::UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(cos, 0.0, 0.0, -sin));
            let advance = 2.0 * half * rise;
            (Pose::new(-Vector3::z() * advance, back) * *to, advance)
        });
        let (now, then) = (Frame::of(&to), Frame::of(from));
        let change = Frame { turn: now.turn - then.turn, shift: now.shift - then.shift };
        Self { turn: change.turn.norm() * std::f64::consts::FRAC_1_SQRT_2, change, advance }
    }

    /// Lowers the bounds of up to 32 blocks by their displacement. Returns which blocks must be queried: those that may
    /// have come within `reach` of the part with its ends, and that either may have come within `reach` of its
    /// symmetric part or have `may_skip` false.
    #[inline(always)]
    pub(super) fn lower(
        &self,
        boxes: &Boxes,
        bounds: &mut Bounds,
        may_skip: &[bool; BLOCK],
        reach: f64,
    ) -> [bool; BLOCK] {
        let mut displacements: Lanes = [0.0; BLOCK];
        let (turn, shift) = (&self.change.turn, &self.change.shift);
        let length = |x: f64, y: f64, z: f64| (x * x + y * y + z * z).sqrt();
        let moved = |axis: usize, lane: usize| {
            let [x, y, z] = &boxes.middle;
            turn[(axis, 0)] * x[lane] + turn[(axis, 1)] * y[lane] + turn[(axis, 2)] * z[lane] + shift[axis]
        };
        let turned = |lane: usize| {
            let [x, y, z] = &boxes.half;
            self.turn * length(x[lane], y[lane], z[lane]) + ROUNDING
        };
        for (lane, own) in displacements.iter_mut().enumerate() {
            *own = length(moved(0, lane), moved(1, lane), moved(2, lane)) + turned(lane);
        }
        // The displacement without the rise of S, where that is longer.
        let mut longer = displacements;
        if self.advance != 0.0 {
            for (lane, own) in longer.iter_mut().enumerate() {
                let along = moved(2, lane);
                let along =
                    if along.abs() > (along + self.advance).abs() { along } else { along + self.advance };
                *own = length(moved(0, lane), moved(1, lane), along) + turned(lane);
            }
        }
        let mut selected = [false; BLOCK];
        for (lane, (along, of_ends)) in bounds.along.iter_mut().zip(bounds.of_ends.iter_mut()).enumerate() {
            *along = below(f64::from(*along) - displacements[lane]);
            *of_ends = below(f64::from(*of_ends) - longer[lane]);
            // A bound that is NaN, from a pose that was NaN, bounds nothing.
            let is_beyond = |bound: f32| f64::from(bound) > reach + SLACK;
            let (is_far, is_far_from_ends) = (is_beyond(*along), is_beyond(*of_ends));
            selected[lane] = !((may_skip[lane] & is_far) | is_far_from_ends);
        }
        selected
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use tightfit_shape::block::{FaceBlock, PointBlock};
    use tightfit_shape::node::NodeSpacing;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::Columns3;

    use super::super::NodeBlocks;
    use super::*;

    /// Clearance of a block from the symmetric part, and from the part with its ends.
    fn clear(nodes: &NodeBlocks, block: usize, pose: &Pose, against: &Part) -> [f64; 2] {
        let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
        nodes.carry(block, &Frame::of(pose), &mut points);
        against.face_block(&points, 1e-4, 5e-6, &mut faces);
        [faces.clear, faces.clear_of_ends]
    }

    #[test]
    fn a_pose_that_is_nan_hides_no_block_afterwards() {
        let (of, against) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let mut positions = Columns3::default();
        of.place(&of.nodes(&NodeSpacing::default()), &mut positions);
        let nodes = NodeBlocks::new(positions);
        let mut known = Clearances::default();
        let (good, bad) = (Pose::identity(), Pose::from_translation(Vector3::repeat(f64::NAN)));
        known.advance_to(&good, &against, nodes.blocks());
        known.bounds.fill(1.0);
        known.of_ends.fill(1.0);
        for pose in [bad, good] {
            let motion = known.advance_to(&pose, &against, nodes.blocks());
            let count = BLOCK.min(nodes.blocks());
            let mut bounds = known.groups().next().expect("a group");
            let selected = motion.lower(&nodes.boxes()[0], &mut bounds, &[true; BLOCK], 1e-4);
            assert!(selected[..count].iter().all(|is_selected| *is_selected));
        }
    }

    #[test]
    fn no_block_comes_nearer_than_its_bound() {
        for (of, against, rise) in
            [("m48x5-nut", "m48x5-bolt", 5e-3 / std::f64::consts::TAU), ("peg-50", "hole-50", 0.0)]
        {
            let (of, against) = (preset(of).expect(of), preset(against).expect(against));
            let mut positions = Columns3::default();
            of.place(&of.nodes(&NodeSpacing::default()), &mut positions);
            let nodes = NodeBlocks::new(positions);
            let wave = |k: usize, size: f64| ((k * k * 7 + 3 * k) as f64).sin() * size;
            let (mut tight, mut worst) = (0, f64::INFINITY);
            for trial in 0..40 {
                let pose = |shift: usize| {
                    let k = 11 * trial + shift;
                    let turn = wave(k, 4.0);
                    let tilt = Vector3::new(wave(k + 1, 3e-3), wave(k + 2, 3e-3), 0.0);
                    let at = Vector3::new(
                        wave(k + 3, 1e-4),
                        wave(k + 4, 1e-4),
                        0.03 + rise * turn + wave(k + 5, 1e-4),
                    );
                    let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * turn);
                    Pose::new(at, UnitQuaternion::from_scaled_axis(tilt) * spin)
                };
                let (from, to) = (pose(0), pose(5));
                let mut known = Clearances::default();
                known.advance_to(&from, &against, nodes.blocks());
                let motion = known.advance_to(&to, &against, nodes.blocks());
                for (group, boxes) in nodes.boxes().iter().enumerate() {
                    let first = group * BLOCK;
                    let count = BLOCK.min(nodes.blocks() - first);
                    let before: Vec<f64> = (first..first + count)
                        .map(|block| clear(&nodes, block, &from, &against)[0])
                        .collect();
                    let mut bounds: Vec<f32> = before.iter().copied().map(below).collect();
                    let mut none = vec![f32::NEG_INFINITY; count];
                    let mut both = Bounds { along: &mut bounds, of_ends: &mut none };
                    motion.lower(boxes, &mut both, &[true; BLOCK], 1e-4);
                    for (lane, (bound, before)) in bounds.into_iter().map(f64::from).zip(&before).enumerate()
                    {
                        let now = clear(&nodes, first + lane, &to, &against)[0];
                        assert!(now >= bound, "block {}: {now} is nearer than {bound}", first + lane);
                        worst = worst.min(now - bound);
                        tight += usize::from(before - bound < 2e-3);
                    }
                }
            }
            // Turns of several radians do not lower the bounds.
            assert!(tight > 1000 && worst < 1e-3, "{tight} blocks, {worst}");
        }
    }

    #[test]
    fn a_thread_with_its_ends_comes_no_nearer_than_its_bound() {
        let (nut, bolt) = (preset("m48x5-nut").expect("nut"), preset("m48x5-bolt").expect("bolt"));
        let [_, top] = bolt.extent().heights;
        let mut random = tightfit_spatial::SplitMix(4);
        let mut saved = 0;
        for _ in 0..12 {
            let mut pose = |at: Vector3<f64>, turn: f64| {
                let lean = UnitQuaternion::from_scaled_axis(random.centered_cube() * 0.02);
                let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * turn);
                Pose::new(at + random.centered_cube() * 1e-3, lean * spin)
            };
            let from = pose(Vector3::z() * (top + 4e-3), 1.0);
            let to = pose(from.translation, 1.3);
            for (of, against, from, to) in
                [(&nut, &bolt, from, to), (&bolt, &nut, from.inverse(), to.inverse())]
            {
                let mut positions = Columns3::default();
                of.place(&of.nodes(&NodeSpacing::default()), &mut positions);
                let nodes = NodeBlocks::new(positions);
                let mut known = Clearances::default();
                known.advance_to(&from, against, nodes.blocks());
                for (block, bound) in known.of_ends.iter_mut().enumerate() {
                    let [along, of_ends] = clear(&nodes, block, &from, against);
                    *bound = below(of_ends);
                    saved += usize::from(of_ends > 1e-4 && along < 1e-4);
                }
                let motion = known.advance_to(&to, against, nodes.blocks());
                for (bounds, boxes) in known.groups().zip(nodes.boxes()) {
                    let mut bounds = bounds;
                    motion.lower(boxes, &mut bounds, &[true; BLOCK], 1e-4);
                }
                for index in 0..nodes.len() {
                    let bound = f64::from(known.of_ends[index / BLOCK]);
                    let distance = against.sample(to.transform_point(nodes.positions.get(index))).distance;
                    assert!(distance >= bound - 1e-6, "node {index}: {distance} is nearer than {bound}");
                }
            }
        }
        assert!(saved > 100, "{saved} blocks are known to be far by the ends alone");
    }
}
