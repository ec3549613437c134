//! Where a held part is, as a strategy thinks of it: place, tilt and turn.
//!
//! ```text
//! R = exp(tilt) R_z(turn),   tilt ⊥ z        every rotation less than half a turn away from upright has one such form
//! ```

use nalgebra::{Vector2, Vector3};
use tightfit_spatial::Pose;

use crate::{rotation_about, rotation_vector};

/// Place, tilt and turn of a part in the axes of the goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the part's frame [m].
    pub position: Vector3<f64>,
    /// Rotation vector of its tilt about x and y [rad].
    pub tilt: Vector2<f64>,
    /// Turn about its own axis, counted over whole turns [rad].
    pub turn: f64,
}

/// What a strategy knows of a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perception {
    /// Where the joints have the part.
    pub part: Placement,
    /// Force of the surroundings on it, by the sensor [N].
    pub force: Vector3<f64>,
    /// Torque about its frame [N·m].
    pub torque: Vector3<f64>,
}

impl Placement {
    /// Of a pose; whole turns are those nearest to `near` [rad].
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
