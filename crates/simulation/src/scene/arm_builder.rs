//! An arm under construction: where it stands, how it holds its part and what controls it.

use nalgebra::Vector6;
use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_robot::chain::JointKind;
use tightfit_robot::control::{
    Admittance, AdmittanceGains, CartesianImpedance, ControlError, ImpedanceGains, JointController,
};
use tightfit_robot::grasp::{Grasp, RigidGrasp};
use tightfit_robot::sensing::{ForceSensor, SensorFilter};
use tightfit_robot::strategy::{Strategy, StrategyKind, StrategyLimits};
use tightfit_robot::{Chain, ChainError, JointVector, ReachOptions};
use tightfit_spatial::Pose;

use super::problem::{Problem, Problems};
use super::{Body, BodyId, Motion, Task};
use crate::arm::{Arm, Controller, Sensor, SensorPlace, TorquePoint};
use crate::{Drive, Methods};

/// Creep of joints that dry friction holds [rad/s or m/s]: with a tenth of it 4 of 5,880 steps of variants of
/// `peg-in-hole-arm` end unconverged, with this none.
const STICKING_SPEED: f64 = 1e-5;

/// Posture from which the start of the built-in arms is sought [deg].
const READY: [f64; 8] = [0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0, 0.0];

/// An arm for [`SceneBuilder::arm`](super::SceneBuilder::arm), in SI units. It holds a free part and guides it along
/// the set-points of the part's drive or of a strategy. Give the grasp, the joints at the start, or both.
#[derive(Clone, Debug)]
#[must_use]
pub struct ArmBuilder {
    pub(super) holds: String,
    chain: Chain,
    ready: Option<JointVector>,
    control: ArmControl,
    joints: Option<Vec<f64>>,
    posture: Option<Vec<f64>>,
    tip_from_part: Option<Pose>,
    grasp: Grasp,
    sensor: Option<Sensor>,
    strategy: Option<(StrategyKind, StrategyLimits)>,
    has_joint_friction: bool,
}

/// How an arm is controlled. Springs and dampers act along and about the world's axes, at the frame of the held part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArmControl {
    /// Joint torques act as a spring and damper between the part and its set-point.
    Impedance(ImpedanceGains),
    /// A virtual mass on a spring to the set-point, pushed by the measured force; the joints follow it.
    Admittance(AdmittanceGains, JointController),
    /// Joints that follow the set-point by inverse kinematics, whatever the force.
    Joints(JointController),
}

impl ArmBuilder {
    /// An arm that holds a part, with its base where `chain` has it.
    pub fn new(chain: Chain, holds: &str, control: ArmControl) -> Self {
        Self {
            holds: holds.to_string(),
            chain,
            ready: None,
            control,
            joints: None,
            posture: None,
            tip_from_part: None,
            grasp: Grasp::Rigid(RigidGrasp::default()),
            sensor: None,
            strategy: None,
            has_joint_friction: true,
        }
    }

    /// A Franka Panda that holds a part.
    ///
    /// # Errors
    /// Never in practice: its description is built in.
    pub fn panda(holds: &str, control: ArmControl) -> Result<Self, ChainError> {
        Ok(Self::new(Chain::panda()?, holds, control).built_in())
    }

    /// Seeks the start from the ready posture of the built-in arms.
    pub(super) fn built_in(mut self) -> Self {
        self.ready = Some(self.chain.joints_from(&READY.map(f64::to_radians)));
        self
    }

    /// Pose of the base in the world.
    pub fn base(mut self, world_from_base: Pose) -> Self {
        self.chain = self.chain.with_base(world_from_base);
        self
    }

    /// Pose of the part's frame in the hand.
    pub fn tip_from_part(mut self, tip_from_part: Pose) -> Self {
        self.tip_from_part = Some(tip_from_part);
        self
    }

    /// Rigid grasp, or compliant fingers; rigid by default.
    pub fn grasp(mut self, grasp: Grasp) -> Self {
        self.grasp = grasp;
        self
    }

    /// Joints at the start [rad or m]; by default those with which the hand holds the part where the part starts.
    pub fn joints(mut self, joints: &[f64]) -> Self {
        self.joints = Some(joints.to_vec());
        self
    }

    /// Preferred posture where the set-point leaves a choice [rad or m]; by default the start.
    pub fn posture(mut self, joints: &[f64]) -> Self {
        self.posture = Some(joints.to_vec());
        self
    }

    /// Force sensor; by default an ideal one in the wrist.
    pub fn sensor(mut self, sensor: Sensor) -> Self {
        self.sensor = Some(sensor);
        self
    }

    /// Set-points by force feedback, in place of a drive.
    pub fn strategy(mut self, kind: StrategyKind, limits: StrategyLimits) -> Self {
        self.strategy = Some((kind, limits));
        self
    }

    /// Leaves out the dry and viscous friction of the joints.
    pub fn without_joint_friction(mut self) -> Self {
        self.has_joint_friction = false;
        self
    }

    pub(super) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// What does not fit the drives of the scene.
    pub(super) fn check(&self, drives: &[String], problems: &mut Problems) {
        let is_driven = drives.contains(&self.holds);
        match &self.strategy {
            Some(_) if is_driven => {
                let remedy =
                    "is given beside a drive of the held part; both make set-points: keep one of the two";
                problems.add("arm.strategy.kind", remedy.into());
            }
            None if !is_driven && !drives.is_empty() => {
                let remedy = "names another part than the arm holds; the arm needs a drive of its part";
                problems.add("drives[0].part", remedy.into());
            }
            _ => {}
        }
        problems.position("arm.base_position", self.chain.world_from_base().translation);
    }

    /// The arm; the part that it holds is moved to where the arm has it.
    pub(super) fn arm(
        self,
        body: BodyId,
        bodies: &mut [Body],
        drives: &[Drive],
        task: Option<&Task>,
        methods: &Methods,
    ) -> Result<Arm, Problem> {
        if !matches!(methods.integration, IntegrationMethod::Midpoint | IntegrationMethod::PaperMidpoint) {
            let remedy = format!(
                "is `{}`; an arm and its part are coupled at the middle of the step: choose `midpoint` or \
                 `paper-midpoint`",
                methods.integration.name()
            );
            return Err(("method.integration".into(), remedy));
        }
        let inertia = bodies[body].inertia.filter(|_| bodies[body].motion == Motion::Free);
        let inertia = inertia.ok_or_else(|| -> Problem {
            ("arm.holds".into(), "names a part that is not free; leave its motion out".into())
        })?;
        debug_assert!(self.strategy.is_none() || drives.iter().all(|drive| drive.body != body));
        let mut chain = self.chain.with_sticking_speed(STICKING_SPEED);
        if !self.has_joint_friction {
            chain = chain.without_friction();
        }
        let posture = joints(&chain, "arm.posture", self.posture.as_deref())?;
        let given = joints(&chain, "arm.joints", self.joints.as_deref())?;
        let (start, tip_from_part) = match (given, self.tip_from_part) {
            (Some(start), Some(tip_from_part)) => {
                bodies[body].world_from_part = chain.posture(&start).world_from_tip * tip_from_part;
                (start, tip_from_part)
            }
            (Some(start), None) => {
                (start, chain.posture(&start).world_from_tip.inverse() * bodies[body].world_from_part)
            }
            (None, Some(tip_from_part)) => {
                let target = bodies[body].world_from_part * tip_from_part.inverse();
                let from =
                    posture.or(self.ready).unwrap_or_else(|| chain.of_joints(|joint| joint.limits.middle()));
                let options = ReachOptions { preferred: Some(from), ..ReachOptions::default() };
                let reached = chain.reach(&target, &from, &options).map_err(|error| -> Problem {
                    let remedy = format!("the arm cannot hold `{}` where it starts: {error}", self.holds);
                    ("arm.base_position".into(), remedy)
                })?;
                (reached.angles, tip_from_part)
            }
            (None, None) => {
                let remedy = "is missing, and so are the arm's joints at the start; give the part's pose in the hand, the joints, \
                              or both";
                return Err(("arm.grasp.position".into(), remedy.into()));
            }
        };
        let preferred = posture.unwrap_or(start);
        let model = chain.clone().with_payload(&tip_from_part, &inertia).with_tip(tip_from_part);
        let controller = controller(self.control, preferred, posture)
            .map_err(|error| -> Problem { ("arm.controller".into(), error.to_string()) })?;
        let sensor = match self.sensor {
            Some(sensor) => sensor,
            None => ideal_sensor()?,
        };
        let strategy = self.strategy.map(|(kind, limits)| goal(kind, limits, bodies, task)).transpose()?;
        if strategy.is_some() && matches!(controller, Controller::Joints(..)) {
            let remedy =
                "is `joints`, which does not yield to force; a strategy needs `impedance` or `admittance`";
            return Err(("arm.controller.kind".into(), remedy.into()));
        }
        let grasp = self.grasp;
        Ok(Arm { chain, model, body, tip_from_part, grasp, start, preferred, controller, sensor, strategy })
    }
}

/// A sensor in the wrist without bias, noise and filter.
fn ideal_sensor() -> Result<Sensor, Problem> {
    let sensor = ForceSensor::new(Pose::identity(), Vector6::zeros(), [0.0; 2], SensorFilter::None)
        .map_err(|error| -> Problem { ("arm.sensor".into(), error.to_string()) })?;
    Ok(Sensor { sensor, place: SensorPlace::Wrist, torque_about: TorquePoint::Frame, seed: 0 })
}

/// Joints within their ranges.
fn joints(chain: &Chain, key: &str, given: Option<&[f64]>) -> Result<Option<JointVector>, Problem> {
    let Some(given) = given else { return Ok(None) };
    if given.len() != chain.count() {
        let remedy = format!("has {} numbers; the arm has {} joints", given.len(), chain.count());
        return Err((key.into(), remedy));
    }
    for (joint, value) in chain.joints().iter().zip(given) {
        if !(joint.limits.lower..=joint.limits.upper).contains(value) {
            let (scale, unit) = match joint.kind {
                JointKind::Turning => (1_f64.to_radians(), "deg"),
                JointKind::Sliding => (1e-3, "mm"),
            };
            let [lower, upper] = [joint.limits.lower, joint.limits.upper].map(|limit| limit / scale);
            // what a file gave in degrees comes back without the last digits of the conversion
            let value = (value / scale * 1e6).round() / 1e6;
            let remedy = format!("`{}` is {value}; allowed: {lower:.2} to {upper:.2} {unit}", joint.name);
            return Err((key.into(), remedy));
        }
    }
    Ok(Some(chain.joints_from(given)))
}

fn controller(
    control: ArmControl,
    preferred: JointVector,
    posture: Option<JointVector>,
) -> Result<Controller, ControlError> {
    Ok(match control {
        ArmControl::Impedance(gains) => Controller::Impedance(CartesianImpedance::new(gains)?),
        ArmControl::Admittance(gains, joints) => {
            Controller::Admittance(Admittance::new(gains, joints, Some(preferred))?)
        }
        ArmControl::Joints(joints) => Controller::Joints(joints, posture),
    })
}

/// The strategy with the pose of the part that the task names.
fn goal(
    kind: StrategyKind,
    limits: StrategyLimits,
    bodies: &[Body],
    task: Option<&Task>,
) -> Result<Strategy, Problem> {
    let is_for_pegs =
        matches!(kind, StrategyKind::Spiral(_) | StrategyKind::Tilt(_) | StrategyKind::Chamfer(_));
    let goal = match (is_for_pegs, task) {
        (true, Some(Task::Insert { into, .. })) => *into,
        (false, Some(Task::Thread { onto, .. })) => *onto,
        (true, _) => {
            let remedy = "puts a peg into a hole: give a task of kind `insert`";
            return Err(("arm.strategy.kind".into(), remedy.into()));
        }
        (false, _) => {
            let remedy = "turns a nut on a bolt: give a task of kind `thread`";
            return Err(("arm.strategy.kind".into(), remedy.into()));
        }
    };
    Strategy::new(bodies[goal].world_from_part, kind, limits)
        .map_err(|error| (format!("arm.strategy.{}", error.key), error.to_string()))
}
