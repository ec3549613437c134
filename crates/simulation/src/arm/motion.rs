//! State of an arm in a scene, and its record after a step.

use nalgebra::{Vector3, Vector6};
use tightfit_robot::JointVector;
use tightfit_robot::arm::ArmState;
use tightfit_robot::control::AdmittanceMemory;
use tightfit_robot::grasp::Held;
use tightfit_robot::sensing::SensorMemory;
use tightfit_robot::strategy::{Phase, StrategyMemory};
use tightfit_spatial::{Inertia, Pose};

use super::Arm;

/// State of an arm between steps: joints, grasp, controller and sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmMotion {
    /// Angles and speeds.
    pub joints: ArmState,
    /// The part in the hand.
    pub held: Held,
    /// Memory of the controller.
    pub controller: AdmittanceMemory,
    /// Memory of the sensor.
    pub sensor: SensorMemory,
    /// Reading of the sensor after the last step, [f; τ] in its axes [N, N·m].
    pub measured: Vector6<f64>,
    /// Memory of the strategy, if the arm has one.
    pub strategy: Option<StrategyMemory>,
}

impl ArmMotion {
    /// At rest, with the part at its nominal pose in the hand.
    pub(crate) fn start(arm: &Arm, angles: JointVector, inertia: &Inertia, gravity: Vector3<f64>) -> Self {
        let joints = ArmState::at_rest(angles);
        let held = arm.held(inertia);
        let controller = AdmittanceMemory {
            world_from_command: arm.model.posture(&joints.angles).world_from_tip,
            velocity: Vector6::zeros(),
            angles: joints.angles,
            speeds: JointVector::zeros(),
        };
        let strategy = arm.strategy.map(|strategy| strategy.start(&controller.world_from_command));
        Self {
            strategy,
            joints,
            held,
            controller,
            sensor: SensorMemory::new(arm.sensor.seed),
            measured: arm.shown_at_rest(&arm.chain.posture(&angles), &held, inertia.mass, gravity),
        }
    }

    /// Whether every number is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let Held { tip_from_center, load, impulse } = &self.held;
        let numbers = load.iter().chain(impulse).chain(&self.measured);
        self.joints.is_finite() && tip_from_center.is_finite() && numbers.copied().all(f64::is_finite)
    }

    /// Visits every number in a fixed order.
    pub(crate) fn each_word(&self, mut word: impl FnMut(u64)) {
        let mut pose = |pose: &Pose| {
            pose.translation
                .iter()
                .chain(pose.rotation.coords.iter())
                .for_each(|value| word(value.to_bits()));
        };
        pose(&self.held.tip_from_center);
        pose(&self.controller.world_from_command);
        let joints =
            [&self.joints.angles, &self.joints.speeds, &self.controller.angles, &self.controller.speeds];
        joints.into_iter().flat_map(|vector| vector.iter()).for_each(|value| word(value.to_bits()));
        let wrenches = [&self.held.load, &self.held.impulse, &self.controller.velocity, &self.measured];
        wrenches.into_iter().flat_map(|vector| vector.iter()).for_each(|value| word(value.to_bits()));
        word(self.sensor.random.0);
        let (samples, next) = self.sensor.filter.parts();
        samples.iter().flat_map(|sample| sample.iter()).for_each(|value| word(value.to_bits()));
        word(next as u64);
        if let Some(strategy) = &self.strategy {
            word(u64::from(strategy.phase.code()));
            word(u64::from(strategy.count));
            strategy.numbers().iter().for_each(|value| word(value.to_bits()));
        }
    }
}

/// Record of an arm after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmRecord {
    /// Angles and speeds.
    pub joints: ArmState,
    /// Reading of the sensor, [f; τ] in its axes [N, N·m].
    pub measured: Vector6<f64>,
    /// Wrench of the arm on the part over the step, about its centre of mass, world axes [N, N·m].
    pub load: Vector6<f64>,
    /// Phase of the strategy after the step, if the arm has one.
    pub phase: Option<Phase>,
}

impl From<&ArmMotion> for ArmRecord {
    fn from(motion: &ArmMotion) -> Self {
        Self {
            joints: motion.joints,
            measured: motion.measured,
            load: motion.held.load,
            phase: motion.strategy.map(|strategy| strategy.phase),
        }
    }
}
