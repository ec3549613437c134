//! How far detection must look: everything that could touch within the step.
//!
//! margin = max(0.01 mm, 1.5 T v), v a bound on how fast the gap of any node can close. A turn about the common
//! axis of two turned parts closes no gap, and a turn with the thread's advance none between two threads:
//! v = |v_across| + |v_z − k ω_z| + |ω_tilt| R. Other pairs: v = |v| + |ω| R.

use tightfit_pipeline::detection::Side;

/// Least margin [m]: velocities change within the step by what contacts push. A step that goes farther is begun again.
const LEAST: f64 = 0.01e-3;
/// Detection looks beyond one step because the pose moves with the mean of two velocities (MATH 4.1).
pub(super) const AHEAD: f64 = 1.5;
/// No part of ours moves farther in a step and is still simulated well [m]: 13 m/s at 10 ms. What falls from 0.3 m
/// already needs 36 mm.
pub(super) const MOST: f64 = 200e-3;

/// Margin of a pair for the velocities that the sides carry [m].
pub(super) fn margin(sides: [&Side; 2], step: f64) -> f64 {
    let axis = sides[0].world_from_part.rotation * nalgebra::Vector3::z();
    let linear = sides[0].velocity_at(sides[1].center) - sides[1].linear;
    let angular = sides[0].angular - sides[1].angular;
    let radius = sides.iter().map(|side| reach(side)).fold(f64::INFINITY, f64::min);
    let speed = match sides[0].part.common_rise(sides[1].part) {
        Some(rise) => {
            let (along, spin) = (linear.dot(&axis), angular.dot(&axis));
            let across = (linear - axis * along).norm();
            let tilt = (angular - axis * spin).norm();
            across + (along - rise * spin).abs() + tilt * radius
        }
        None => linear.norm() + angular.norm() * radius,
    };
    (AHEAD * step * speed).clamp(LEAST, MOST)
}

/// Largest distance of a part from its centre [m].
fn reach(side: &Side) -> f64 {
    side.part.aabb().map_or(f64::INFINITY, |aabb| aabb.diagonal() / 2.0)
}
