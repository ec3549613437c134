//! An arm in a scene: what holds a part and leads it along the set-points.
//!
//! ```text
//! set-point of the part, measured state ─► controller ─► ArmCommand ─► step: arm and part as one body ─► sensor
//!         scene.drives                     `Input`                     crates/simulation/src/step/arm.rs
//! ```
//!
//! The controller leads the frame of the held part, so that springs and dampers turn about it; it knows the part's weight.
//! Where the arm has a strategy, that makes the set-points instead of a drive, from joints and sensor alone.

mod certificate;
mod controller;
mod failure;
mod motion;
mod numbers;
mod strategy;

pub use certificate::ArmCertificate;
pub(crate) use controller::Wanted;
pub use controller::{ArmInput, Controller};
pub use failure::ArmFailure;
pub use motion::{ArmMotion, ArmRecord};
pub(crate) use numbers::ArmNumbers;

use nalgebra::Vector6;
use tightfit_robot::grasp::{Grasp, Held};
use tightfit_robot::sensing::{ForceSensor, Load};
use tightfit_robot::strategy::Strategy;
use tightfit_robot::{Chain, JointVector, Posture};
use tightfit_spatial::{Inertia, Pose, Vector3};

use crate::BodyId;

/// An arm that holds one free part.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The arm.
    pub chain: Chain,
    /// The arm as its controller knows it: with the part's weight, led at the part's frame.
    pub model: Chain,
    /// Body of the scene that is held.
    pub body: BodyId,
    /// Where the part's frame belongs in the hand.
    pub tip_from_part: Pose,
    /// How it is held.
    pub grasp: Grasp,
    /// Angles at the start [rad or m].
    pub start: JointVector,
    /// Posture that is preferred where the set-point leaves a choice [rad or m]; joints without end have none.
    pub preferred: JointVector,
    /// What leads it.
    pub controller: Controller,
    /// What it feels.
    pub sensor: Sensor,
    /// What makes the set-points, where no drive does.
    pub strategy: Option<Strategy>,
}

/// A force sensor and where it sits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// Frame, bias, noise and filter.
    pub sensor: ForceSensor,
    /// Between which bodies it measures.
    pub place: SensorPlace,
    /// Point about which the controller is told the torque.
    pub torque_about: TorquePoint,
    /// Stream of its noise.
    pub seed: u64,
}

/// Between which bodies a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorPlace {
    /// Between hand and part: contact, weight and inertia of the part, in axes that go with the arm's tip.
    Wrist,
    /// Under the parts that do not move: contact on the held part alone, in world axes.
    Table,
}

/// Impulses on the held part over a step, about its centre of mass, world axes [N·s, N·m·s].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// Of the arm, through the hand.
    pub(crate) hand: Vector6<f64>,
    /// Of contacts.
    pub(crate) contacts: Vector6<f64>,
}

/// Point of a held part about which a torque is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorquePoint {
    /// Origin of the part's frame, which is led.
    Frame,
    /// Its centre of mass.
    CenterOfMass,
}

impl Arm {
    /// The grasp at the start of a run.
    #[must_use]
    pub fn held(&self, inertia: &Inertia) -> Held {
        Held::at(&self.tip_from_part, inertia)
    }

    /// Where the sensor is fixed.
    pub(crate) fn sensor_parent(&self, world_from_tip: &Pose) -> Pose {
        match self.sensor.place {
            SensorPlace::Wrist => *world_from_tip,
            SensorPlace::Table => Pose::identity(),
        }
    }

    /// What the sensor is loaded with over a step: force and torque on the part less what the arm itself gives it.
    pub(crate) fn sensor_load(&self, passed: &Passed, center: Vector3<f64>, step: f64) -> Load {
        let load = match self.sensor.place {
            SensorPlace::Wrist => -passed.hand / step,
            SensorPlace::Table => passed.contacts / step,
        };
        Load { force: load.fixed_rows::<3>(0).into(), torque: load.fixed_rows::<3>(3).into(), point: center }
    }

    /// What the sensor shows before anything moves: the weight of a part in the hand, and its bias.
    pub(crate) fn shown_at_rest(
        &self,
        posture: &Posture,
        held: &Held,
        mass: f64,
        gravity: Vector3<f64>,
    ) -> Vector6<f64> {
        let force = match self.sensor.place {
            SensorPlace::Wrist => gravity * mass,
            SensorPlace::Table => Vector3::zeros(),
        };
        let center = posture.world_from_tip.transform_point(held.tip_from_center.translation);
        let load = Load { force, torque: Vector3::zeros(), point: center };
        self.sensor.sensor.without_noise(&self.sensor_parent(&posture.world_from_tip), &load)
    }

    /// What the surroundings do to the part by the last measurement, about its frame or centre of mass, world axes [N, N·m]: the
    /// weight that the controller knows is taken off.
    pub(crate) fn felt(
        &self,
        motion: &ArmMotion,
        inertia: &Inertia,
        gravity: Vector3<f64>,
        about: TorquePoint,
    ) -> Vector6<f64> {
        let world_from_tip = self.chain.posture(&motion.joints.angles).world_from_tip;
        let world_from_part = world_from_tip * self.tip_from_part;
        let shown = self.sensor.sensor.in_world(&motion.measured, &self.sensor_parent(&world_from_tip));
        let center = world_from_part.transform_point(inertia.center_of_mass);
        let about = match about {
            TorquePoint::Frame => world_from_part.translation,
            TorquePoint::CenterOfMass => center,
        };
        let felt = shown.about(about);
        match self.sensor.place {
            SensorPlace::Table => felt,
            SensorPlace::Wrist => {
                let weight = Load { force: gravity * inertia.mass, torque: Vector3::zeros(), point: center };
                felt - weight.about(about)
            }
        }
    }
}
