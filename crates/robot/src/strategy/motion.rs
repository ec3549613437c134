//! Motions of a set-point: at a speed to a place, by an axial force, or yielding to the measured force and torque.
//!
//! ```text
//! ż_d = −clamp(g (F_p − F_z), ±v)           pressing: F_z → F_p with the rate k g, k the stiffness of the controller
//! ẋ_d = g F_xy (1 − f F_z/|F_xy|)₊           yielding: lateral forces go to zero, less a share f for friction
//! tilt_d˙ = g_t τ_xy                          yielding: lateral torques go to zero
//! ```
//!
//! In free air pressing lowers the part at the lesser of the speeds v and g F_p. Dry friction of the joints reduces a
//! force that is only commanded, but not a force under feedback. With k = 2000 N/m the default g gives a rate of
//! 4 1/s, slow against the 0.1 s of a sensor's mean. D. E. Whitney, "Force feedback control of manipulator fine
//! motions", J. Dyn. Sys. Meas. Control 99(2), 1977.

use nalgebra::{Vector2, Vector3};

use super::{Perception, Phase, StrategyError, StrategyMemory};

/// Force, speed and gain of pressing along the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressing {
    /// F_p [N].
    pub force: f64,
    /// v: largest speed along the axis [m/s].
    pub speed: f64,
    /// g: speed per force error [m/s per N].
    pub gain: f64,
}

impl Pressing {
    /// Pressing with a force [N] and a largest speed [m/s], at the default gain.
    #[must_use]
    pub fn new(force: f64, speed: f64) -> Self {
        Self { force, speed, gain: 2e-3 }
    }

    pub(super) fn check(&self, force: &'static str, speed: &'static str) -> Result<(), StrategyError> {
        StrategyError::check(force, self.force, 1.0)?;
        StrategyError::check(speed, self.speed, 1e-3)
    }

    /// Moves the set-point along the axis for one step.
    pub(super) fn press(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        let speed = (self.gain * (self.force - seen.force.z)).clamp(-self.speed, self.speed);
        memory.command.position.z -= speed * step;
    }

    /// Whether the measured force is most of the pressing force.
    pub(super) fn is_felt(&self, seen: &Perception) -> bool {
        seen.force.z > 0.7 * self.force
    }
}

impl StrategyMemory {
    /// Moves the set-point straight to a place at a speed [m/s]; true once it arrives.
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

    /// Tilts the set-point to a tilt at a rate [rad/s]; true once it arrives.
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

    /// Begins to lift the part by a height [m].
    pub(super) fn lift(&mut self, seen: &Perception, height: f64) {
        self.enter(Phase::Lift);
        self.height = seen.part.position.z + height;
    }

    /// Lifts for one step; true once the set-point is up.
    pub(super) fn rise(&mut self, speed: f64, step: f64) -> bool {
        let place = Vector3::new(self.command.position.x, self.command.position.y, self.height);
        self.glide(place, speed, step)
    }

    /// Moves the set-point with the lateral force beyond friction; `friction` is its share of the axial force [-].
    pub(super) fn shift_with(&mut self, seen: &Perception, friction: f64, step: f64) {
        let force = across(seen.force);
        let size = force.norm();
        let beyond = size - friction * seen.force.z.abs();
        if beyond > 0.0 {
            self.command.position += force * (beyond / size * GIVING * step);
        }
    }

    /// Tilts the set-point with the lateral torque.
    pub(super) fn tilt_with(&mut self, seen: &Perception, step: f64) {
        self.command.tilt += seen.torque.xy() * (TILTING * step);
    }
}

/// g: speed of the set-point per lateral force [m/s per N].
pub(super) const GIVING: f64 = 2e-3;
/// g_t: tilting rate of the set-point per torque [rad/s per N·m].
const TILTING: f64 = 0.25;

/// The lateral part of a vector, perpendicular to the axis.
pub(super) fn across(vector: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, 0.0)
}
