//! The pose moves.

use tightfit_pipeline::integration::{advance_pose, twist_angle};

use super::context::{Context, Span};
use crate::State;
use crate::state::unwrapped;

/// Moves the free bodies with the velocity `moved` to the twist `end`, and kinematic parts towards the poses of the input.
pub(super) fn advance(context: &Context, span: Span, moved: &[f64], end: &[f64], state: &mut State) {
    for (index, motion) in state.motions.iter_mut().enumerate() {
        let next = motion.with_world_velocity(&end[6 * index..6 * index + 6]).twist;
        advance_pose(motion, &moved[6 * index..6 * index + 6], span.duration);
        motion.twist = next;
    }
    for (pose, next) in state.kinematic.iter_mut().zip(&context.input.kinematic) {
        *pose = match span.is_last() {
            true => *next,
            false => pose.towards(next, span.duration / span.left),
        };
    }
}

/// Counts the turns of the free bodies about their z axes.
pub(super) fn count_turns(state: &mut State) {
    for (spin, motion) in state.spins.iter_mut().zip(&state.motions) {
        *spin = unwrapped(twist_angle(&motion.rotation), *spin);
    }
}
