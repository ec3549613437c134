//! Options of an environment, with the unit in every name as in scene files.

use serde::{Deserialize, Serialize};

use crate::EnvironmentError;

/// How a policy acts, what it is paid for, and what is drawn anew for every episode.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Simulation steps per policy step.
    pub substeps: usize,
    /// Longest episode [s].
    pub episode_s: f64,
    /// Displacement of the set-point per policy step at action 1 [mm].
    pub action_mm: f64,
    /// Tilt of the set-point per policy step at action 1, about x and about y [deg].
    pub action_tilt_deg: f64,
    /// Turn of the set-point about z per policy step at action 1 [deg].
    pub action_turn_deg: f64,
    /// Largest distance of the set-point from the part along each axis [mm]: it limits the force of the drive.
    pub lead_mm: f64,
    /// Largest tilt of the set-point against the part about each axis [deg].
    pub lead_tilt_deg: f64,
    /// Largest turn of the set-point against the part [deg].
    pub lead_turn_deg: f64,
    /// Largest distance of the set-point from the axis of the fixed part [mm].
    pub workspace_mm: f64,
    /// Reward.
    pub reward: Reward,
    /// Change of the mean keypoint distance that earns a shaped reward of 1 [mm].
    pub reward_length_mm: f64,
    /// Reward at success.
    pub reward_success: f64,
    /// Shaped cost of a policy step.
    pub reward_step: f64,
    /// Contact force above which a shaped cost grows [N].
    pub reward_force_n: f64,
    /// Shaped cost per policy step at twice that force.
    pub reward_force: f64,
    /// Whether success ends the episode.
    pub ends_at_success: bool,
    /// Whether every simulation step is audited, which is slow.
    pub audit: bool,
    /// What is drawn anew for every episode.
    pub randomisation: Randomisation,
}

/// Reward of a policy step.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reward {
    /// Success alone.
    Sparse,
    /// Success, and the change of a potential that grows as the part approaches its target.
    Shaped,
}

/// Ranges of an episode's draws. A single number x means ±x, a pair is a range.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Randomisation {
    /// Without it all draws have the middle of their range and readings have no noise.
    pub enabled: bool,
    /// Start position, each axis [mm].
    pub start_mm: [f64; 3],
    /// Start tilt about x and about y [deg].
    pub start_tilt_deg: f64,
    /// Start angle about z [deg].
    pub start_turn_deg: f64,
    /// Friction coefficient of all pairs [-]; the scene's without it.
    pub friction: Option<[f64; 2]>,
    /// Diametral clearance of a round peg-50, or radial play of an M48x5 thread [mm]; the scene's without it.
    pub clearance_mm: Option<[f64; 2]>,
    /// Pitch of an M48 thread [mm]; the scene's without it.
    pub pitch_mm: Option<[f64; 2]>,
    /// Error of the assumed position of the fixed part, each axis [mm].
    pub estimate_mm: [f64; 3],
    /// Error of the assumed position of the part in the hand, each axis of the part [mm].
    pub in_hand_mm: [f64; 3],
    /// Noise of the observed position, standard deviation [mm].
    pub position_noise_mm: f64,
    /// Noise of the observed force, standard deviation [N].
    pub force_noise_n: f64,
    /// Noise of the observed torque, standard deviation [N·m].
    pub torque_noise_nm: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            substeps: 7,
            episode_s: 10.0,
            action_mm: 1.0,
            action_tilt_deg: 0.5,
            action_turn_deg: 2.0,
            lead_mm: 5.0,
            lead_tilt_deg: 5.0,
            lead_turn_deg: 30.0,
            workspace_mm: 10.0,
            reward: Reward::Shaped,
            reward_length_mm: 10.0,
            reward_success: 5.0,
            reward_step: 0.01,
            reward_force_n: 20.0,
            reward_force: 0.05,
            ends_at_success: true,
            audit: false,
            randomisation: Randomisation::default(),
        }
    }
}

impl Default for Randomisation {
    fn default() -> Self {
        Self {
            enabled: true,
            start_mm: [2.0, 2.0, 1.0],
            start_tilt_deg: 2.0,
            start_turn_deg: 0.0,
            friction: Some([0.05, 0.3]),
            clearance_mm: None,
            pitch_mm: None,
            estimate_mm: [0.25, 0.25, 0.25],
            in_hand_mm: [0.25, 0.25, 0.25],
            position_noise_mm: 0.01,
            force_noise_n: 0.1,
            torque_noise_nm: 0.005,
        }
    }
}

impl Options {
    /// Refuses values that no episode can have.
    ///
    /// # Errors
    /// With the name, the value and the allowed range of the first wrong one.
    pub fn check(&self) -> Result<(), EnvironmentError> {
        let refuse = |name, value: String, allowed| Err(EnvironmentError::Option { name, value, allowed });
        if !(1..=1000).contains(&self.substeps) {
            return refuse("substeps", self.substeps.to_string(), "1 to 1000");
        }
        let positive = [
            ("episode_s", self.episode_s),
            ("action_mm", self.action_mm),
            ("action_tilt_deg", self.action_tilt_deg),
            ("action_turn_deg", self.action_turn_deg),
            ("lead_mm", self.lead_mm),
            ("workspace_mm", self.workspace_mm),
            ("reward_length_mm", self.reward_length_mm),
            ("reward_force_n", self.reward_force_n),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value <= 1e5) {
                return refuse(name, value.to_string(), "more than 0 up to 100000");
            }
        }
        for (name, value) in [("lead_tilt_deg", self.lead_tilt_deg), ("lead_turn_deg", self.lead_turn_deg)] {
            if !(value > 0.0 && value <= 90.0) {
                return refuse(name, value.to_string(), "more than 0 up to 90");
            }
        }
        let plain = [
            ("reward_success", self.reward_success),
            ("reward_step", self.reward_step),
            ("reward_force", self.reward_force),
        ];
        for (name, value) in plain {
            if !value.is_finite() {
                return refuse(name, value.to_string(), "a finite number");
            }
        }
        self.randomisation.check()
    }
}

impl Randomisation {
    fn check(&self) -> Result<(), EnvironmentError> {
        let refuse = |name, value: String, allowed| Err(EnvironmentError::Option { name, value, allowed });
        let triples =
            [("start_mm", self.start_mm), ("estimate_mm", self.estimate_mm), ("in_hand_mm", self.in_hand_mm)];
        let singles = [
            ("start_tilt_deg", self.start_tilt_deg, 45.0),
            ("start_turn_deg", self.start_turn_deg, 180.0),
            ("position_noise_mm", self.position_noise_mm, 100.0),
            ("force_noise_n", self.force_noise_n, 1e4),
            ("torque_noise_nm", self.torque_noise_nm, 1e4),
        ];
        for (name, value) in triples {
            if !value.iter().all(|value| (0.0..=100.0).contains(value)) {
                return refuse(name, format!("{value:?}"), "three numbers from 0 to 100");
            }
        }
        for (name, value, most) in singles {
            if !(0.0..=most).contains(&value) {
                return refuse(
                    name,
                    value.to_string(),
                    "0 to 45 deg of tilt, 180 deg of turn, 100 mm, 10000 N",
                );
            }
        }
        let ranges = [
            ("friction", self.friction, [0.0, 10.0], "a range within 0 to 10"),
            ("clearance_mm", self.clearance_mm, [1e-3, 2.0], "a range within 0.001 to 2"),
            ("pitch_mm", self.pitch_mm, [1.0, 8.0], "a range within 1 to 8"),
        ];
        for (name, range, [least, most], allowed) in ranges {
            let Some([low, high]) = range else { continue };
            if !(low >= least && high <= most && low <= high) {
                return refuse(name, format!("[{low}, {high}]"), allowed);
            }
        }
        Ok(())
    }
}
