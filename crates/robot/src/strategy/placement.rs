//! Pose of a held part in the coordinates of strategies: position, tilt and turn.
//!
//! ```text
//! R = exp(tilt) R_z(turn),   tilt ⊥ z        unique for every rotation less than half a turn away from upright
//! ```

use nalgebra::{Vector2, Vector3};
use tightfit_spatial::Pose;

use crate::{rotation_about, rotation_vector};

/// Position, tilt and turn of a part in the axes of the goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the part's frame [m].
    pub position: Vector3<f64>,
    /// Rotation vector of its tilt about x and y [rad].
    pub tilt: Vector2<f64>,
    /// Turn about the part's axis, including whole turns [rad].
    pub turn: f64,
}

/// What a strategy measures in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perception {
    /// Pose of the part by the joints.
    pub part: Placement,
    /// Measured force of the environment on the part [N].
    pub force: Vector3<f64>,
    /// Measured torque on the part about its frame [N·m].
    pub torque: Vector3<f64>,
}

impl Placement {
    /// The placement of a pose, with the turn nearest to `near` [rad].
    #[must_use]
    pub fn of(pose: &Pose, near: f64) -> Self {
        let angle = 2.0 * libm::atan2(pose.rotation.k, pose.rotation.w);
        let tilt = rotation_vector(&(pose.rotation * rotation_about(Vector3::z(), -angle)));
        let turns = ((near - angle) / std::f64::consts::TAU).round();
        Self { position: pose.translation, tilt: tilt.xy(), turn: angle + std::f64::consts::TAU * turns }
    }

    /// The pose.
    #[must_use]
    pub fn pose(&self) -> Pose {
        let angle = self.tilt.norm();
        let turn = rotation_about(Vector3::z(), self.turn);
        let rotation = match angle > 0.0 {
            true => {
                let axis = self.tilt / angle;
                rotation_about(Vector3::new(axis.x, axis.y, 0.0), angle) * turn
            }
            false => turn,
        };
        Pose::new(self.position, rotation)
    }
}
