//! How a set-point is moved: at a speed to a place, by a force along the axis, or after the part.
//!
//! ```text
//! ż_d = −clamp(g (F_p − F_z), ±v)           pressing: F_z → F_p with the rate k g, k the stiffness of the controller
//! ẋ_d = (x − x_d)/τ                          giving way: springs across the axis lose their force within some τ
//! ```
//!
//! In free air pressing is lowering at the speed v or g F_p, whichever is less; joints' dry friction, which a force that is only
//! commanded would lose, does not matter. With k = 2000 N/m the default g makes a rate of 4 1/s, slow against the 0.1 s of a
//! sensor's mean. D. E. Whitney, "Force feedback control of manipulator fine motions", J. Dyn. Sys. Meas. Control 99(2), 1977.

use nalgebra::{Vector2, Vector3};

use super::{Perception, Placement, StrategyError, StrategyMemory};

/// How fast a set-point follows force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressing {
    /// F_p [N].
    pub force: f64,
    /// v: largest speed along the axis [m/s].
    pub speed: f64,
    /// g: speed per lacking force [m/s per N].
    pub gain: f64,
}

impl Pressing {
    /// Pressing with a force at a speed; the gain is the usual one.
    #[must_use]
    pub fn new(force: f64, speed: f64) -> Self {
        Self { force, speed, gain: 2e-3 }
    }

    pub(super) fn check(&self, force: &'static str, speed: &'static str) -> Result<(), StrategyError> {
        StrategyError::check(force, self.force, 1.0)?;
        StrategyError::check(speed, self.speed, 1e-3)
    }

    /// Moves the set-point along the axis.
    pub(super) fn press(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        let speed = (self.gain * (self.force - seen.force.z)).clamp(-self.speed, self.speed);
        memory.command.position.z -= speed * step;
    }

    /// Whether the part is pressed on with most of the force.
    pub(super) fn is_felt(&self, seen: &Perception) -> bool {
        seen.force.z > 0.7 * self.force
    }
}

impl StrategyMemory {
    /// Moves the set-point straight to a place at a speed [m/s]; true once it is there.
    pub(super) fn glide(&mut self, place: Vector3<f64>, speed: f64, step: f64) -> bool {
        let way = place - self.command.position;
        let distance = way.norm();
        if distance <= speed * step {
            self.command.position = place;
            return true;
        }
        self.command.position += way * (speed * step / distance);
        false
    }

    /// Tilts the set-point to a tilt at a rate [rad/s]; true once it is there.
    pub(super) fn tilt_to(&mut self, tilt: Vector2<f64>, rate: f64, step: f64) -> bool {
        let way = tilt - self.command.tilt;
        let angle = way.norm();
        if angle <= rate * step {
            self.command.tilt = tilt;
            return true;
        }
        self.command.tilt += way * (rate * step / angle);
        false
    }

    /// Lets the set-point follow the part across the axis and in its tilt, with a time constant [s].
    pub(super) fn give_way(&mut self, part: &Placement, time_constant: f64, step: f64) {
        let share = (step / time_constant).min(1.0);
        self.command.position += across(part.position - self.command.position) * share;
        self.command.tilt += (part.tilt - self.command.tilt) * share;
    }
}

/// A vector less its part along the axis.
pub(super) fn across(vector: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, 0.0)
}
