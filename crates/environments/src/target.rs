//! What a task asks of a pose: depth, engagement, success, and the potential of the shaped reward.
//!
//! ```text
//! Φ = −mean |p_k − p_k*| / L      p_k  keypoints on the axis of the part, p_k* where they are at the target
//! ```

use tightfit_shape::{Part, Symmetry};
use tightfit_simulation::Task;
use tightfit_spatial::Vector3;

use crate::SetPoint;

/// Largest distance from the axis at success [m].
const LATERAL: f64 = 2.5e-3;
/// Largest tilt of a nut that is on its thread [rad].
const UPRIGHT: f64 = 1.0 / 57.295_779_513_082_32;
/// Distance of the second keypoint from the part's origin [m].
const KEYPOINT: f64 = 50e-3;

/// The target of one environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    task: Task,
    /// Height of the part's frame at depth 0 [m].
    at_mouth: f64,
    /// Pitch of the bolt, negative for a left-hand thread [m].
    pub(crate) pitch: f64,
}

/// What a pose came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// Depth of a peg, or overlap of nut and bolt [m].
    pub(crate) depth: f64,
    /// Turns since the start, positive when a nut goes on.
    pub(crate) turns: f64,
    pub(crate) engaged: bool,
    pub(crate) success: bool,
    /// −mean distance of the keypoints from the target [m].
    pub(crate) potential: f64,
}

impl Target {
    /// Of a task for these parts.
    pub(crate) fn new(task: Task, moving: &Part, fixed: &Part) -> Self {
        let pitch = match fixed.symmetry() {
            Symmetry::Screw { pitch } => pitch,
            _ => 0.0,
        };
        let at_mouth = match (task, fixed.aabb(), moving.aabb()) {
            (Task::Thread { .. }, Some(bolt), Some(nut)) => bolt.max.z - nut.min.z,
            _ => 0.0,
        };
        Self { task, at_mouth, pitch }
    }

    /// Depth at which the task is done [m]: turns of a nut count from where it is engaged, so that none is made in the air.
    pub(crate) fn depth(&self) -> f64 {
        match self.task {
            Task::Insert { depth, .. } => depth,
            Task::Thread { engaged, turns, .. } => engaged + turns.abs() * self.pitch.abs(),
        }
    }

    /// Lowest useful height of the part's frame [m].
    pub(crate) fn lowest(&self) -> f64 {
        self.at_mouth - self.depth()
    }

    /// Judges a pose of a part that started at an angle [rad].
    pub(crate) fn judge(&self, point: &SetPoint, start_angle: f64) -> Progress {
        let depth = self.at_mouth - point.position.z;
        // a right-hand nut goes on by turning clockwise seen from its outer side
        let turns = -(point.angle - start_angle) / std::f64::consts::TAU * self.pitch.signum();
        let is_near = point.position.xy().norm() < LATERAL;
        let is_upright = point.tilt.iter().all(|tilt| tilt.abs() < UPRIGHT);
        let (engaged, success) = match self.task {
            Task::Insert { depth: wanted, engaged, .. } => (depth > engaged, depth >= wanted && is_near),
            Task::Thread { turns: wanted, engaged, .. } => {
                let done = depth >= self.depth() && turns >= wanted;
                (depth > engaged, done && is_near && is_upright)
            }
        };
        let axis = point.swing() * Vector3::z() * KEYPOINT;
        let goal = Vector3::new(0.0, 0.0, self.lowest());
        let first = (point.position - goal).norm();
        let second = (point.position + axis - goal - Vector3::z() * KEYPOINT).norm();
        let potential = -0.5 * (first + second);
        Progress { depth, turns, engaged: engaged && is_near, success, potential }
    }
}
