//! Error between the true and the assumed pose of a part in the hand.

use tightfit_pipeline::integration::twist_angle;
use tightfit_robot::sensing::SensorMemory;
use tightfit_spatial::{Pose, SplitMix, Vector3};

use crate::drive::about;
use crate::{Simulation, Task};

/// True pose of the part in the assumed frame of the part: world_from_part = world_from_believed *
/// believed_from_part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StartError {
    /// Shift along the axes of the part's frame [m].
    pub shift: Vector3<f64>,
    /// Rotations about x and then y [rad].
    pub tilt: [f64; 2],
    /// Rotation about z before `tilt` [rad]: the phase of a thread.
    pub turn: f64,
}

impl StartError {
    /// Error of trial `number`: shifts uniform in ± `shift` [m], tilts in ± `tilt` [rad], any phase if `any_turn`.
    #[must_use]
    pub fn draw(seed: u64, number: u64, shift: f64, tilt: f64, any_turn: bool) -> Self {
        let mut random = stream(seed, number);
        let shift = random.centered_cube() * shift;
        let tilt = [random.signed() * tilt, random.signed() * tilt];
        let turn = if any_turn { random.signed() * std::f64::consts::PI } else { 0.0 };
        Self { shift, tilt, turn }
    }

    /// The error as a pose.
    #[must_use]
    pub fn believed_from_part(&self) -> Pose {
        let [about_x, about_y] = self.tilt;
        let tilt = about(Vector3::y(), about_y) * about(Vector3::x(), about_x);
        Pose::new(self.shift, tilt * about(Vector3::z(), self.turn))
    }
}

/// Random numbers of a trial.
fn stream(seed: u64, number: u64) -> SplitMix {
    SplitMix::stream(SplitMix::stream(seed).bits() ^ number)
}

impl Simulation {
    /// Applies a start error that the arm does not know, before the first step of a run. The sensor's noise is that
    /// of trial `number` of a `seed`. Without an arm it has no effect.
    pub fn misplace(&mut self, error: &StartError, seed: u64, number: u64) {
        let Some(arm) = &self.scene.arm else { return };
        let (Some(inertia), Some(index), Some(motion)) = (
            self.parameters.bodies[arm.body].inertia,
            self.scene.free_index(arm.body),
            self.state.arm.as_deref_mut(),
        ) else {
            return;
        };
        let believed_from_part = error.believed_from_part();
        let part_from_center = Pose::from_translation(inertia.center_of_mass);
        motion.held.tip_from_center = arm.tip_from_part * believed_from_part * part_from_center;
        motion.sensor = SensorMemory::new(arm.sensor.seed ^ stream(seed, number).bits());
        let posture = arm.chain.posture(&motion.joints.angles);
        motion.measured = arm.shown_at_rest(&posture, &motion.held, inertia.mass, self.scene.gravity);
        let world_from_part = posture.world_from_tip * arm.tip_from_part * believed_from_part;
        let body = &mut self.state.motions[index];
        body.center = world_from_part.transform_point(inertia.center_of_mass);
        body.rotation = world_from_part.rotation;
        self.state.spins[index] = twist_angle(&world_from_part.rotation);
    }

    /// Whether the held part has a thread phase, as a nut does.
    #[must_use]
    pub fn has_phase(&self) -> bool {
        matches!(self.scene.task, Some(Task::Thread { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fill_their_ranges_and_repeat_by_seed_and_number() {
        let draw = |seed, number| StartError::draw(seed, number, 1e-3, 0.02, true);
        assert_eq!(draw(1, 7), draw(1, 7));
        assert!(draw(1, 7) != draw(1, 8) && draw(1, 7) != draw(2, 7));
        let all: Vec<_> = (0..2000).map(|number| draw(3, number)).collect();
        let span = |of: fn(&StartError) -> f64| {
            let values = all.iter().map(of);
            values.fold([f64::MAX, f64::MIN], |[low, high], value| [low.min(value), high.max(value)])
        };
        for (of, range) in [
            ((|error: &StartError| error.shift.x) as fn(&StartError) -> f64, 1e-3),
            (|error| error.shift.z, 1e-3),
            (|error| error.tilt[1], 0.02),
            (|error| error.turn, std::f64::consts::PI),
        ] {
            let [low, high] = span(of);
            assert!(low >= -range && high <= range && high - low > 1.98 * range, "{low} {high}");
        }
        assert_eq!(StartError::draw(1, 7, 1e-3, 0.02, false).turn, 0.0);
    }
}
