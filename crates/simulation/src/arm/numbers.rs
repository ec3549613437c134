//! An arm's motion as plain numbers, for snapshots.

use nalgebra::Vector6;
use serde::{Deserialize, Serialize};
use tightfit_robot::JointVector;
use tightfit_robot::arm::ArmState;
use tightfit_robot::control::AdmittanceMemory;
use tightfit_robot::grasp::Held;
use tightfit_robot::sensing::{FilterMemory, SensorMemory};
use tightfit_robot::strategy::{Phase, StrategyMemory};
use tightfit_spatial::SplitMix;

use super::ArmMotion;
use crate::snapshot::{PoseNumbers, SnapshotError};

/// Angles and speeds have the largest number of joints of any arm.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmNumbers {
    angles: Vec<f64>,
    speeds: Vec<f64>,
    tip_from_center: PoseNumbers,
    load: [f64; 6],
    impulse: [f64; 6],
    command: PoseNumbers,
    command_velocity: [f64; 6],
    command_angles: Vec<f64>,
    command_speeds: Vec<f64>,
    noise: u64,
    filter_samples: Vec<[f64; 6]>,
    filter_next: usize,
    measured: [f64; 6],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<StrategyNumbers>,
}

/// Memory of a strategy, in the order of [`StrategyMemory::numbers`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrategyNumbers {
    phase: u8,
    probes: u32,
    numbers: [f64; 10],
}

impl From<ArmMotion> for ArmNumbers {
    fn from(motion: ArmMotion) -> Self {
        let ArmMotion { joints, held, controller, sensor, measured, strategy } = motion;
        let list = |vector: &JointVector| vector.iter().copied().collect();
        let (samples, next) = sensor.filter.parts();
        Self {
            angles: list(&joints.angles),
            speeds: list(&joints.speeds),
            tip_from_center: PoseNumbers::of(&held.tip_from_center),
            load: held.load.into(),
            impulse: held.impulse.into(),
            command: PoseNumbers::of(&controller.world_from_command),
            command_velocity: controller.velocity.into(),
            command_angles: list(&controller.angles),
            command_speeds: list(&controller.speeds),
            noise: sensor.random.0,
            filter_samples: samples.iter().map(|sample| (*sample).into()).collect(),
            filter_next: next,
            measured: measured.into(),
            strategy: strategy.map(|memory| StrategyNumbers {
                phase: memory.phase.code(),
                probes: memory.count,
                numbers: memory.numbers(),
            }),
        }
    }
}

impl TryFrom<ArmNumbers> for ArmMotion {
    type Error = SnapshotError;

    fn try_from(numbers: ArmNumbers) -> Result<Self, SnapshotError> {
        let vector = |list: &[f64]| {
            let wanted = JointVector::zeros().len();
            let found = list.len();
            (found == wanted)
                .then(|| JointVector::from_column_slice(list))
                .ok_or(SnapshotError::Joints { found, wanted })
        };
        let samples: Vec<Vector6<f64>> = numbers.filter_samples.iter().map(|s| Vector6::from(*s)).collect();
        let filter = FilterMemory::from_parts(&samples, numbers.filter_next)
            .ok_or(SnapshotError::Filter { samples: samples.len(), next: numbers.filter_next })?;
        let strategy = numbers.strategy.map(|strategy| {
            let phase = Phase::of_code(strategy.phase).ok_or(SnapshotError::Phase(strategy.phase))?;
            Ok(StrategyMemory::from_numbers(phase, strategy.numbers, strategy.probes))
        });
        Ok(Self {
            strategy: strategy.transpose()?,
            joints: ArmState { angles: vector(&numbers.angles)?, speeds: vector(&numbers.speeds)? },
            held: Held {
                tip_from_center: numbers.tip_from_center.pose()?,
                load: numbers.load.into(),
                impulse: numbers.impulse.into(),
            },
            controller: AdmittanceMemory {
                world_from_command: numbers.command.pose()?,
                velocity: numbers.command_velocity.into(),
                angles: vector(&numbers.command_angles)?,
                speeds: vector(&numbers.command_speeds)?,
            },
            sensor: SensorMemory { random: SplitMix(numbers.noise), filter },
            measured: numbers.measured.into(),
        })
    }
}
