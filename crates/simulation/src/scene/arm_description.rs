//! `[arm]` of a scene file, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::strategy_description::StrategyDescription;

/// An arm that holds a free part and moves it along the set-points of the part's drive or of a strategy.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArmDescription {
    /// `panda`, `panda-turning-gripper`, or a URDF file relative to the scene file.
    pub robot: String,
    /// Link of the URDF file whose frame is the hand; by default the last one of the chain.
    pub tip: Option<String>,
    /// Name of the free part that it holds.
    pub holds: String,
    /// Position of its base [mm].
    #[serde(default)]
    pub base_position_mm: [f64; 3],
    /// Attitude of its base: rotations about the world's x, then y, then z axis [deg].
    #[serde(default)]
    pub base_rotation_deg: [f64; 3],
    /// Joints at the start [deg; mm for sliding ones]; by default those with which the hand holds the part where the
    /// part starts.
    pub joints_deg: Option<Vec<f64>>,
    /// Preferred posture where the set-point leaves a choice, and first guess of the start [deg; mm for sliding
    /// joints]; by default the start.
    pub posture_deg: Option<Vec<f64>>,
    /// Whether the joints have the dry friction of their description.
    #[serde(default = "yes")]
    pub joint_friction: bool,
    /// How the part is held.
    #[serde(default)]
    pub grasp: GraspDescription,
    /// How the arm is controlled.
    pub controller: ControllerDescription,
    /// Its force sensor; by default an ideal one in the wrist.
    #[serde(default)]
    pub sensor: SensorDescription,
    /// Set-points by force feedback, in place of a drive.
    pub strategy: Option<StrategyDescription>,
}

/// Pose of the part in the hand, and compliance of the fingers.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GraspDescription {
    /// Position of the part's frame in the frame of the hand [mm]. Without position and rotation the start decides, and
    /// `joints_deg` must be given.
    pub position_mm: Option<[f64; 3]>,
    /// Attitude of the part in the hand: rotations about the hand's x, then y, then z axis [deg].
    pub rotation_deg: Option<[f64; 3]>,
    /// Compliant fingers; by default the grasp is rigid.
    pub compliance: Option<ComplianceDescription>,
}

/// Compliant fingers: springs and dampers along and about the axes of the hand.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ComplianceDescription {
    /// Stiffness [N/m].
    #[schemars(inner(range(min = 1e-12, max = 1e9)))]
    pub stiffness_n_m: [f64; 3],
    /// Damping [N·s/m].
    #[schemars(inner(range(min = 1e-12, max = 1e9)))]
    pub damping_ns_m: [f64; 3],
    /// Stiffness about the axes [N·m/rad].
    #[schemars(inner(range(min = 1e-12, max = 1e9)))]
    pub turning_stiffness_nm_rad: [f64; 3],
    /// Damping about the axes [N·m·s/rad].
    #[schemars(inner(range(min = 1e-12, max = 1e9)))]
    pub turning_damping_nms_rad: [f64; 3],
    /// Force without torque at which the part slips [N]; by default never.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9))]
    pub slip_force_n: Option<f64>,
    /// Torque without force at which it slips [N·m]; by default never.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9))]
    pub slip_torque_nm: Option<f64>,
}

/// How an arm is controlled. Springs and dampers act along and about the world's axes, at the frame of the held part.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControllerDescription {
    /// Joint torques act as a spring and damper between the part and its set-point.
    Impedance {
        /// Stiffness [N/m].
        stiffness_n_m: [f64; 3],
        /// Damping [N·s/m].
        damping_ns_m: [f64; 3],
        /// Stiffness about the axes [N·m/rad].
        turning_stiffness_nm_rad: [f64; 3],
        /// Damping about the axes [N·m·s/rad].
        turning_damping_nms_rad: [f64; 3],
        /// Stiffness of the joints towards the preferred posture, in directions that do not move the part [N·m/rad].
        #[serde(default = "ten")]
        posture_stiffness_nm_rad: f64,
        /// Damping in the same directions [N·m·s/rad].
        #[serde(default = "five")]
        posture_damping_nms_rad: f64,
    },
    /// A virtual mass on a spring to the set-point, pushed by the measured force; the joints follow it. This is the
    /// paper's controller.
    Admittance {
        /// Virtual mass [kg].
        mass_kg: [f64; 3],
        /// Damping [N·s/m].
        damping_ns_m: [f64; 3],
        /// Stiffness [N/m].
        stiffness_n_m: [f64; 3],
        /// Virtual inertia about the axes [kg·m²].
        turning_mass_kg_m2: [f64; 3],
        /// Damping about the axes [N·m·s/rad].
        turning_damping_nms_rad: [f64; 3],
        /// Stiffness about the axes [N·m/rad].
        turning_stiffness_nm_rad: [f64; 3],
        /// Frequency at which the joints follow [rad/s].
        #[serde(default = "forty")]
        joint_frequency_rad_s: f64,
        /// Damping ratio of the joints [-]; 1 is critical.
        #[serde(default = "one")]
        joint_damping_ratio: f64,
    },
    /// Joints that follow the set-point by inverse kinematics, whatever the force.
    Joints {
        /// Frequency at which they follow [rad/s].
        #[serde(default = "forty")]
        joint_frequency_rad_s: f64,
        /// Damping ratio [-]; 1 is critical.
        #[serde(default = "one")]
        joint_damping_ratio: f64,
    },
}

/// A force and torque sensor.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SensorDescription {
    /// Where it is mounted.
    #[serde(default)]
    pub place: SensorPlaceDescription,
    /// Reference point of the torque that the controller reads.
    #[serde(default)]
    pub torque_about: TorquePointDescription,
    /// Position of its frame in the hand, or in the world for one under the table [mm].
    #[serde(default)]
    pub position_mm: [f64; 3],
    /// Attitude of its frame: rotations about x, then y, then z [deg].
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// Force reading without load [N].
    #[serde(default)]
    pub bias_n: [f64; 3],
    /// Torque reading without load [N·m].
    #[serde(default)]
    pub bias_nm: [f64; 3],
    /// Standard deviation of a force sample [N].
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub noise_n: f64,
    /// Standard deviation of a torque sample [N·m].
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub noise_nm: f64,
    /// Seed of the noise.
    #[serde(default)]
    pub seed: u32,
    /// Number of samples of a moving mean.
    #[schemars(range(min = 1, max = 64))]
    pub mean_samples: Option<u32>,
    /// Cut-off frequency of a first-order low pass [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
    pub low_pass_hz: Option<f64>,
}

/// Where a force sensor is mounted.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SensorPlaceDescription {
    /// Between hand and part: measures contact, weight and inertia of the part.
    #[default]
    Wrist,
    /// Under the fixed parts: measures contact alone, as force on the held part.
    Table,
}

/// Point of a held part.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TorquePointDescription {
    /// Origin of the part's frame, which follows the set-points.
    #[default]
    Frame,
    /// Its centre of mass.
    CenterOfMass,
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

fn five() -> f64 {
    5.0
}

fn ten() -> f64 {
    10.0
}

fn forty() -> f64 {
    40.0
}
