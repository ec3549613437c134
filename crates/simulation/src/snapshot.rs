//! Snapshots: a run put away as numbers, and taken up again with every bit the same.
//!
//! JSON numbers are written with as many digits as tell them apart and read back exactly. A quaternion is not
//! normalised again on the way: that would change its last bits, and with them every later step.

use serde::{Deserialize, Serialize};
use tightfit_pipeline::integration::BodyMotion;
use tightfit_pipeline::solving::WarmStart;
use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use crate::State;
use crate::arm::ArmNumbers;

/// Quaternions further from unit length are no rotations [-].
const UNIT: f64 = 1e-6;

/// A snapshot that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// A quaternion is not of unit length.
    #[error("the snapshot's quaternion {0:?} is not of unit length")]
    NotARotation([f64; 4]),
    /// Contacts and impulses of the warm start are not as many.
    #[error("the snapshot's warm start has {ids} contacts and {impulses} impulses")]
    WarmStart {
        /// Number of contacts.
        ids: usize,
        /// Number of impulses.
        impulses: usize,
    },
    /// Vectors over joints have another length.
    #[error("the snapshot's arm has vectors of {found} joints where {wanted} are written")]
    Joints {
        /// Length found.
        found: usize,
        /// Length wanted.
        wanted: usize,
    },
    /// The memory of the arm's sensor is not one.
    #[error("the snapshot's force sensor has {samples} samples and its next is {next}; at most 64 are kept")]
    Filter {
        /// Number of samples.
        samples: usize,
        /// Place of the next.
        next: usize,
    },
    /// The phase of the arm's strategy is none.
    #[error("the snapshot's strategy is in phase {0}, which there is not")]
    Phase(u8),
    /// It was taken of another scene.
    #[error(
        "the snapshot has {found:?} free bodies, kinematic bodies and arms, the scene {wanted:?}; it is of another scene"
    )]
    OtherScene {
        /// Free and kinematic bodies and arms of the snapshot.
        found: [usize; 3],
        /// Free and kinematic bodies and arms of the scene.
        wanted: [usize; 3],
    },
}

/// A run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What is integrated.
    pub state: State,
    /// Angle of the driven part, counted over turns [rad].
    pub(crate) angle: f64,
    /// The random generator.
    pub(crate) random: u64,
    /// Disturbance that holds now: its period, force [N] and torque [N·m].
    pub(crate) drawn: Option<(u64, [[f64; 3]; 2])>,
}

impl Snapshot {
    pub(crate) fn new(
        state: State,
        angle: f64,
        random: u64,
        drawn: Option<(u64, Vector3<f64>, Vector3<f64>)>,
    ) -> Self {
        let drawn = drawn.map(|(period, force, torque)| (period, [force.into(), torque.into()]));
        Self { state, angle, random, drawn }
    }

    /// Whether it has the bodies of another state.
    pub(crate) fn fits(&self, other: &State) -> Result<(), SnapshotError> {
        let bodies =
            |state: &State| [state.motions.len(), state.kinematic.len(), usize::from(state.arm.is_some())];
        let (found, wanted) = (bodies(&self.state), bodies(other));
        if found == wanted { Ok(()) } else { Err(SnapshotError::OtherScene { found, wanted }) }
    }
}

/// A state as plain numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateNumbers {
    step: u64,
    tank_j: f64,
    free: Vec<MotionNumbers>,
    spins_rad: Vec<f64>,
    kinematic: Vec<PoseNumbers>,
    warm_velocity: Vec<f64>,
    warm_ids: Vec<u32>,
    warm_impulses_ns: Vec<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arm: Option<ArmNumbers>,
}

#[derive(Serialize, Deserialize)]
struct MotionNumbers {
    #[serde(flatten)]
    pose: PoseNumbers,
    linear_m_s: [f64; 3],
    angular_in_body_rad_s: [f64; 3],
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PoseNumbers {
    position_m: [f64; 3],
    /// x, y, z, w.
    quaternion: [f64; 4],
}

impl PoseNumbers {
    fn new(position: Vector3<f64>, rotation: UnitQuaternion<f64>) -> Self {
        Self { position_m: position.into(), quaternion: rotation.coords.into() }
    }

    pub(crate) fn of(pose: &Pose) -> Self {
        Self::new(pose.translation, pose.rotation)
    }

    pub(crate) fn pose(&self) -> Result<Pose, SnapshotError> {
        Ok(Pose::new(self.position_m.into(), self.rotation()?))
    }

    fn rotation(&self) -> Result<UnitQuaternion<f64>, SnapshotError> {
        let quaternion = Quaternion::from_vector(self.quaternion.into());
        let is_unit = (quaternion.norm() - 1.0).abs() < UNIT;
        is_unit
            .then(|| UnitQuaternion::new_unchecked(quaternion))
            .ok_or(SnapshotError::NotARotation(self.quaternion))
    }
}

impl From<State> for StateNumbers {
    fn from(state: State) -> Self {
        let motion = |motion: &BodyMotion| MotionNumbers {
            pose: PoseNumbers::new(motion.center, motion.rotation),
            linear_m_s: motion.twist.linear_in_world.into(),
            angular_in_body_rad_s: motion.twist.angular_in_body.into(),
        };
        Self {
            step: state.step_count,
            tank_j: state.tank,
            free: state.motions.iter().map(motion).collect(),
            spins_rad: state.spins.clone(),
            kinematic: state.kinematic.iter().map(PoseNumbers::of).collect(),
            warm_velocity: state.warm.velocity,
            warm_ids: state.warm.ids,
            warm_impulses_ns: state.warm.impulses.into_iter().map(Into::into).collect(),
            arm: state.arm.map(|arm| (*arm).into()),
        }
    }
}

impl TryFrom<StateNumbers> for State {
    type Error = SnapshotError;

    fn try_from(numbers: StateNumbers) -> Result<Self, SnapshotError> {
        let (ids, impulses) = (numbers.warm_ids.len(), numbers.warm_impulses_ns.len());
        if ids != impulses {
            return Err(SnapshotError::WarmStart { ids, impulses });
        }
        let motion = |body: &MotionNumbers| {
            let twist = Twist::new(body.linear_m_s.into(), body.angular_in_body_rad_s.into());
            let rotation = body.pose.rotation()?;
            Ok(BodyMotion { center: body.pose.position_m.into(), rotation, twist })
        };
        Ok(Self {
            spins: numbers.spins_rad,
            step_count: numbers.step,
            motions: numbers.free.iter().map(motion).collect::<Result<_, _>>()?,
            kinematic: numbers.kinematic.iter().map(PoseNumbers::pose).collect::<Result<_, _>>()?,
            warm: WarmStart {
                velocity: numbers.warm_velocity,
                ids: numbers.warm_ids,
                impulses: numbers.warm_impulses_ns.into_iter().map(Into::into).collect(),
            },
            tank: numbers.tank_j,
            arm: numbers.arm.map(|arm| arm.try_into().map(Box::new)).transpose()?,
        })
    }
}
