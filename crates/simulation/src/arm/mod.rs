//! An arm in a scene: it holds a part and moves it along the set-points.
//!
//! ```text
//! set-point of the part, measured state ─► controller ─► ArmCommand ─► step: arm and part as one body ─► sensor
//!         scene.drives                     `Input`                     crates/simulation/src/step/arm.rs
//! ```
//!
//! The controlled frame is that of the held part, so springs and dampers act about it. The controller knows the
//! part's weight. A strategy, if the arm has one, replaces the drive: it makes the set-points from joints and sensor
//! alone.

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
    /// The controller's model of the arm: with the part as payload and the part's frame as the tip.
    pub model: Chain,
    /// The held body.
    pub body: BodyId,
    /// Nominal pose of the part's frame in the hand.
    pub tip_from_part: Pose,
    /// How the part is held.
    pub grasp: Grasp,
    /// Angles at the start [rad or m].
    pub start: JointVector,
    /// Preferred posture of the redundant joints [rad or m]; ignored for continuous joints.
    pub preferred: JointVector,
    /// The controller.
    pub controller: Controller,
    /// The force sensor.
    pub sensor: Sensor,
    /// The strategy that makes the set-points, if no drive does.
    pub strategy: Option<Strategy>,
}

/// A force sensor and its mounting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// Frame, bias, noise and filter.
    pub sensor: ForceSensor,
    /// Mounting of the sensor.
    pub place: SensorPlace,
    /// Point about which the controller receives the torque.
    pub torque_about: TorquePoint,
    /// Random stream of its noise.
    pub seed: u64,
}

/// Mounting of a sensor: between which bodies it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorPlace {
    /// Between hand and part: contact, weight and inertia of the part, in the axes of the arm's tip.
    Wrist,
    /// Under the fixed parts: contact on the held part alone, in world axes.
    Table,
}

/// Impulses on the held part over a step, about its centre of mass, world axes [N·s, N·m·s].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// From the arm, through the hand.
    pub(crate) hand: Vector6<f64>,
    /// From contacts.
    pub(crate) contacts: Vector6<f64>,
}

/// Point of a held part about which a torque is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorquePoint {
    /// Origin of the part's frame, the controlled frame.
    Frame,
    /// Centre of mass of the part.
    CenterOfMass,
}

impl Arm {
    /// The grasp at the start of a run.
    #[must_use]
    pub fn held(&self, inertia: &Inertia) -> Held {
        Held::at(&self.tip_from_part, inertia)
    }

    /// Frame to which the sensor is fixed.
    pub(crate) fn sensor_parent(&self, world_from_tip: &Pose) -> Pose {
        match self.sensor.place {
            SensorPlace::Wrist => *world_from_tip,
            SensorPlace::Table => Pose::identity(),
        }
    }

    /// Load of the sensor over a step: the reaction to the hand's force for a wrist sensor, the contact load for a
    /// table sensor.
    pub(crate) fn sensor_load(&self, passed: &Passed, center: Vector3<f64>, step: f64) -> Load {
        let load = match self.sensor.place {
            SensorPlace::Wrist => -passed.hand / step,
            SensorPlace::Table => passed.contacts / step,
        };
        Load { force: load.fixed_rows::<3>(0).into(), torque: load.fixed_rows::<3>(3).into(), point: center }
    }

    /// Reading of the sensor at rest: bias, and the weight of the held part for a wrist sensor.
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

    /// Measured wrench of the environment on the part, about its frame or centre of mass, world axes [N, N·m]. The
    /// known weight of the part is subtracted.
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
