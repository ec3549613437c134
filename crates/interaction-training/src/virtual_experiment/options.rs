//! Options of a virtual experiment.

use serde::{Deserialize, Serialize};

use crate::LearningError;

/// Options of a virtual experiment; parts, drive and nominal friction come from the scene.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct VirtualOptions {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Length of a trial [s].
    pub seconds: f64,
    /// Step of the simulation [s]; ten milliseconds must be a multiple of it.
    pub step: f64,
    /// Stiffness of the grasp between hand and part [N/m] and [N·m/rad].
    pub grasp: [f64; 2],
    /// Standard deviation of the set-points around the drive's: sideways [m], tilt [rad].
    pub wander: [f64; 2],
    /// Standard deviation of the push along the drive's axis [N].
    pub push: f64,
    /// Standard deviation of the bolt's radius along the thread, and of its mean between trials [m].
    pub waviness: [f64; 2],
    /// Relative standard deviation of friction over time and between trials [-].
    pub friction: [f64; 2],
    /// Standard deviation of the noise of the recorded pose [m] and [rad].
    pub pose_noise: [f64; 2],
    /// Standard deviation of the slow error of the recorded pose [m] and [rad]: kinematics of the arm, pose of the fixed part.
    #[serde(default)]
    pub pose_error: [f64; 2],
    /// Standard deviation of the noise of the sensor [N] and [N·m].
    pub sensor_noise: [f64; 2],
}

impl Default for VirtualOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            seconds: 10.0,
            step: 2e-3,
            grasp: [1e5, 200.0],
            wander: [0.8e-3, 0.02],
            push: 5.0,
            waviness: [3e-6, 5e-6],
            friction: [0.1, 0.1],
            pose_noise: [2e-6, 2e-5],
            pose_error: [0.0; 2],
            sensor_noise: [0.05, 0.002],
        }
    }
}

/// Disturbances of a virtual experiment. Disabled one by one, they show their share of an error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Disturbance {
    /// Noise of the recorded pose.
    PoseNoise,
    /// Noise of the sensor.
    SensorNoise,
    /// Radius of the bolt along the thread and between trials.
    Waviness,
    /// Friction over time and between trials.
    Friction,
}

impl Disturbance {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PoseNoise, Self::SensorNoise, Self::Waviness, Self::Friction];
}

/// Time between two samples [s].
pub(super) const SAMPLED: f64 = 0.01;

impl VirtualOptions {
    /// Disables a disturbance; all other random numbers stay the same.
    #[must_use]
    pub fn without(mut self, disturbance: Disturbance) -> Self {
        let amplitudes = match disturbance {
            Disturbance::PoseNoise => &mut self.pose_noise,
            Disturbance::SensorNoise => &mut self.sensor_noise,
            Disturbance::Waviness => &mut self.waviness,
            Disturbance::Friction => &mut self.friction,
        };
        *amplitudes = [0.0; 2];
        self
    }

    /// Steps from one sample to the next.
    pub(super) fn steps_per_sample(&self) -> Result<usize, LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        let steps = (SAMPLED / self.step).round();
        if !(self.step > 0.0 && (1.0..=100.0).contains(&steps) && (steps * self.step - SAMPLED).abs() < 1e-9)
        {
            return wrong("step of a virtual experiment", self.step.to_string(), "10 ms divided by 1 to 100");
        }
        if !(self.seconds >= 0.1 && self.seconds <= 600.0) {
            return wrong("seconds of a trial", self.seconds.to_string(), "0.1 to 600");
        }
        let all = [
            self.grasp,
            self.wander,
            self.waviness,
            self.friction,
            self.pose_noise,
            self.pose_error,
            self.sensor_noise,
        ];
        if all.iter().flatten().chain([&self.push]).any(|value| !(value.is_finite() && *value >= 0.0)) {
            return wrong("an amplitude of a virtual experiment", format!("{all:?}"), "0 or more");
        }
        if self.grasp.contains(&0.0) {
            return wrong("stiffness of the grasp", format!("{:?}", self.grasp), "more than 0");
        }
        Ok(steps as usize)
    }
}
