//! How far detection must search: everything that could touch within the step.
//!
//! margin = max(0.01 mm, 1.5 T v), v a bound on how fast the gap of any node can close:
//!
//! ```text
//! turned parts on one axis   v = |v_across| + |ω_tilt| R + |v_z|
//! threads on one axis        v = |v_across| + |ω_tilt| R + |v_z − k ω_z|,   max(|v_z − k ω_z|, |v_z|) near shank or head
//! turned on plane faces      v = |v| + |ω_tilt| R
//! other pairs                v = |v| + |ω| R, or less where they meet (`overlap.rs`)
//! ```
//!
//! v is the velocity at the middle of the region that both parts occupy, and R the radius of that region: on one axis the
//! heights and the radius that both have, else the smaller part.
//!
//! A turn about the common axis of two turned parts closes no gap, and a turn with the thread's advance closes none between
//! two threads. Cones and ends of a thread lie within the endless one, so what moves with the thread does not meet them. But
//! a nut that is screwed down approaches the head of its bolt.

use nalgebra::Vector3;

use super::overlap::{self, Moved};
use super::{PairBody, TurnedPair};

/// Least margin [m]: contact forces change velocities within the step. A step that goes farther is repeated.
const LEAST: f64 = 0.01e-3;
/// Steps that the margin covers [-]: the pose moves with the mean of two velocities (docs/design/math.md §4.1).
pub const AHEAD: f64 = 1.5;
/// Largest margin [m]: faster parts than 13 m/s at 10 ms are not simulated well. A fall from 0.3 m needs 36 mm.
pub const LARGEST_MARGIN: f64 = 200e-3;
/// Cosine of the largest angle between axes that count as one [-].
const PARALLEL: f64 = 0.995;

/// Margin of a pair for the velocities that the sides carry [m].
#[must_use]
pub fn search_margin(sides: [&PairBody; 2], step: f64) -> f64 {
    closed_within(sides, AHEAD * step).clamp(LEAST, LARGEST_MARGIN)
}

/// How far a motion bends off its tangent while it closes gaps [m]: what contact planes at its start miss at its end.
#[must_use]
pub fn bend(sides: [&PairBody; 2], step: f64) -> f64 {
    0.5 * step * (sides[0].angular - sides[1].angular).norm() * moved_within(sides, step).way
}

/// By how much the gap of any node closes within a time, at most [m].
#[must_use]
pub fn closed_within(sides: [&PairBody; 2], time: f64) -> f64 {
    moved_within(sides, time).closed
}

fn moved_within(sides: [&PairBody; 2], time: f64) -> Moved {
    let axes = sides.map(|side| side.world_from_part.rotation * Vector3::z());
    let angular = (sides[0].angular - sides[1].angular) * time;
    let is_on_axis = axes[0].dot(&axes[1]).abs() > PARALLEL;
    let Some(rise) = sides[0].part.common_rise(sides[1].part).filter(|_| is_on_axis) else {
        let Meeting { middle, reach } = Meeting::anywhere(sides);
        // the middle of a turned solid lies on its axis, and its spin moves none of its contacts
        let turning = match TurnedPair::of(sides) {
            Some(pair) if pair.is_around(middle) => angular.cross(&pair.axis()),
            _ => angular,
        };
        let anywhere = velocity(sides, middle).norm() * time + turning.norm() * reach;
        // smaller ones are all the same
        if anywhere <= LEAST {
            return Moved { way: anywhere, closed: anywhere };
        }
        let Moved { way, closed } = overlap::moved_within(sides, time, LEAST);
        return Moved { way: anywhere.min(way), closed: anywhere.min(closed) };
    };
    let Meeting { middle, reach } = Meeting::on_axis(sides, axes);
    let linear = velocity(sides, middle) * time;
    let axis = axes[0];
    let (along, turn) = (linear.dot(&axis), angular.dot(&axis));
    let across = (linear - axis * along).norm();
    let tilt = (angular - axis * turn).norm();
    let off_thread = (along - rise * turn).abs();
    // between parts without a thread both are the same
    let closed = match rise == 0.0 || meet_at_threads_alone(sides, along.abs()) {
        true => off_thread,
        false => off_thread.max(along.abs()),
    };
    let closed = across + tilt * reach + closed;
    Moved { way: closed, closed }
}

/// Velocity of one part against the other at a place [m/s].
fn velocity(sides: [&PairBody; 2], place: Vector3<f64>) -> Vector3<f64> {
    sides[0].velocity_at(place) - sides[1].velocity_at(place)
}

/// Where two parts can touch.
struct Meeting {
    /// World axes [m].
    middle: Vector3<f64>,
    /// R: no such place is farther from there [m].
    reach: f64,
}

impl Meeting {
    /// Anywhere on the smaller one.
    fn anywhere(sides: [&PairBody; 2]) -> Self {
        let balls = sides.map(|side| {
            let aabb = side.part.aabb();
            let middle = aabb.map_or_else(Vector3::zeros, |aabb| aabb.center());
            let reach = aabb.map_or(f64::INFINITY, |aabb| aabb.diagonal() / 2.0);
            Self { middle: side.world_from_part.transform_point(middle), reach }
        });
        let [first, second] = balls;
        if first.reach <= second.reach { first } else { second }
    }

    /// On one axis: within the heights and the radius that both have, about the axis of the narrower one.
    fn on_axis(sides: [&PairBody; 2], axes: [Vector3<f64>; 2]) -> Self {
        let extents = sides.map(|side| side.part.extent());
        let origins = sides.map(|side| side.world_from_part.translation);
        let radii = extents.map(|extent| extent.radii[1]);
        let narrow = usize::from(radii[1] < radii[0]);
        let (own, other) = (&extents[narrow], &extents[1 - narrow]);
        // heights of the other part along the axis of the narrower one
        let place = axes[narrow].dot(&(origins[1 - narrow] - origins[narrow]));
        let up = axes[0].dot(&axes[1]);
        let [one, two] = other.heights.map(|height| place + up * height);
        let low = own.heights[0].max(one.min(two));
        let high = own.heights[1].min(one.max(two));
        let middle = origins[narrow] + axes[narrow] * f64::midpoint(low, high);
        Self { middle, reach: libm::hypot(radii[narrow], 0.5 * (high - low)) }
    }
}

/// Whether two threads meet without anything that does not follow them, shank or head, being near.
fn meet_at_threads_alone(sides: [&PairBody; 2], displacement: f64) -> bool {
    let lowest = |side: &PairBody, in_frame_of: &PairBody| {
        let from_world = in_frame_of.world_from_part.rotation.inverse();
        let middle =
            from_world * (side.world_from_part.translation - in_frame_of.world_from_part.translation);
        let up = (from_world * (side.world_from_part.rotation * Vector3::z())).z;
        let [low, high] = side.part.extent().heights.map(|height| middle.z + up * height);
        low.min(high)
    };
    [[sides[0], sides[1]], [sides[1], sides[0]]]
        .into_iter()
        .all(|[own, other]| lowest(other, own) > own.part.symmetric_from(displacement + LEAST))
}

#[cfg(test)]
mod tests {
    use crate::detection::{Clearances, DetectionOptions, DetectionScratch, NodeBlocks, detect_pair};
    use crate::records::{Contacts, NOT_FREE};
    use nalgebra::UnitQuaternion;
    use tightfit_shape::Part;
    use tightfit_shape::node::NodeSpacing;
    use tightfit_shape::preset::preset;
    use tightfit_shape::primitive::Block;
    use tightfit_shape::thread::{Bolt, HexHead};
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::*;

    const STEP: f64 = 0.01;

    fn nodes_of(part: &Part) -> NodeBlocks {
        let set = part.nodes(&NodeSpacing::default());
        let mut positions = Columns3::default();
        part.place(&set, &mut positions);
        NodeBlocks::weighed(positions, &set.left)
    }

    fn side<'a>(part: &'a Part, nodes: &'a NodeBlocks, pose: Pose, body: u32) -> PairBody<'a> {
        let first_id = if body == 0 { 0 } else { 1_000_000 };
        PairBody { first_id, ..PairBody::at_rest(part, nodes, pose, body) }
    }

    /// Smallest distance after a step of the nodes that were found before it, and of all [m].
    fn after_step(sides: [&PairBody; 2]) -> [f64; 2] {
        let options = DetectionOptions {
            margin: search_margin(sides, STEP),
            crossings: true,
            horizon: STEP,
            friction: 0.1,
            restitution: 0.0,
        };
        let (mut contacts, mut clearances) = (Contacts::default(), <[Clearances; 2]>::default());
        detect_pair(sides, &options, &mut clearances, &mut DetectionScratch::default(), &mut contacts);
        let mut found: Vec<u32> = contacts.id.iter().map(|id| id / Part::MOST_PIECES).collect();
        found.sort_unstable();
        let [moving, fixed] = sides;
        let turn = UnitQuaternion::from_scaled_axis(moving.angular * STEP);
        let pose = Pose::new(
            moving.world_from_part.translation + moving.linear * STEP,
            turn * moving.world_from_part.rotation,
        );
        let mut smallest = [f64::INFINITY; 2];
        for (of, other, into) in [
            (moving, fixed, fixed.world_from_part.inverse() * pose),
            (fixed, moving, pose.inverse() * fixed.world_from_part),
        ] {
            for index in 0..of.nodes.len() {
                let distance =
                    other.part.sample(into.transform_point(of.nodes.positions.get(index))).distance;
                smallest[1] = smallest[1].min(distance);
                if found.binary_search(&(of.first_id + index as u32)).is_ok() {
                    smallest[0] = smallest[0].min(distance);
                }
            }
        }
        smallest
    }

    #[test]
    fn what_touches_within_a_step_was_found_before_it() {
        let [peg, hole, nut] = ["peg-50", "hole-50", "m48x5-nut"].map(|name| preset(name).expect("a preset"));
        let Part::Bolt(bolt) = preset("m48x5-bolt").expect("a preset") else { panic!("a bolt") };
        let head = HexHead { height: 10e-3, across_flats: 75e-3 };
        let bolt = Part::Bolt(Bolt::with_body(bolt, 0.0, Some(head)).expect("a head"));
        let mut random = SplitMix(7);
        let mut touched = [0; 2];
        for (kind, (moving, fixed)) in [(&peg, &hole), (&nut, &bolt)].into_iter().enumerate() {
            let (own, other) = (nodes_of(moving), nodes_of(fixed));
            for trial in 0..40 {
                let [a, b, c] = [(); 3].map(|()| random.centered_cube());
                let turn = 3.0 * a.z;
                // a peg at the floor of its hole or on its way, a nut in phase above the head or farther up
                let height = match (kind, trial % 2) {
                    (0, 0) => -50e-3 + 1e-4 * random.unit(),
                    (0, _) => -20e-3 * random.unit(),
                    (_, 0) => 7.5e-3 + 4e-5 * random.unit(),
                    _ => 15e-3 + 10e-3 * random.unit(),
                };
                let rise = if kind == 0 { 0.0 } else { 5e-3 / std::f64::consts::TAU };
                let turn = if kind == 0 { turn } else { height / rise };
                let lean = UnitQuaternion::from_scaled_axis(Vector3::new(a.x, a.y, 0.0) * 2e-4);
                let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * turn);
                let place = Vector3::new(b.x * 3e-5, b.y * 3e-5, height);
                let mut first = side(moving, &own, Pose::new(place, lean * spin), 0);
                let speed = -6.0 * c.z.abs();
                // going with its thread the nut hardly moves otherwise
                let besides = if (kind, trial % 2) == (1, 0) { 0.02 } else { 1.0 };
                let across = Vector3::new(c.x, c.y, 0.0) * (3e-3 * besides);
                let along = if kind == 0 { -2e-2 * b.z.abs() } else { rise * speed + 1e-3 * besides * b.z };
                first.linear = across + lean * Vector3::z() * along;
                first.angular = lean * Vector3::z() * speed + Vector3::new(b.y, b.x, 0.0) * (0.02 * besides);
                let second = side(fixed, &other, Pose::identity(), NOT_FREE);
                let [found, all] = after_step([&first, &second]);
                if all < 0.0 {
                    touched[kind] += 1;
                    // nodes between others that dip in as deep may be left out
                    assert!(found < all + 0.2e-6, "part {kind}, trial {trial}: {all} m, found {found} m");
                }
            }
        }
        assert!(touched[0] > 10 && touched[1] > 10, "{touched:?} of 40 trials touch");
    }

    #[test]
    fn what_turns_about_a_far_place_is_found_before_it_touches() {
        let cube = Block::new(Vector3::repeat(20e-3)).expect("a cube");
        let (block, table) = (Part::Block(cube), Part::HalfSpace);
        let (own, other) = (nodes_of(&block), nodes_of(&table));
        let second = side(&table, &other, Pose::identity(), NOT_FREE);
        let mut random = SplitMix(11);
        let mut touched = 0;
        for trial in 0..40 {
            let lean = UnitQuaternion::from_scaled_axis(random.centered_cube());
            let place = Vector3::new(0.4 * random.unit(), 0.4 * random.unit(), 20e-3);
            let mut first = side(&block, &own, Pose::new(place, lean), 0);
            let lowest = (0..own.len())
                .map(|index| first.world_from_part.transform_point(own.positions.get(index)).z)
                .fold(f64::INFINITY, f64::min);
            first.world_from_part.translation.z += 1e-3 * random.unit() - lowest;
            first.center = first.world_from_part.translation;
            // where the table has its origin the block would stand still
            first.angular = random.centered_cube() * 2.0;
            first.linear = first.angular.cross(&first.center);
            let [found, all] = after_step([&first, &second]);
            if all < 0.0 {
                touched += 1;
                assert!(found <= all, "trial {trial}: {all} m, found {found} m");
            }
        }
        assert!(touched > 5, "{touched} of 40 trials touch");
    }
}
