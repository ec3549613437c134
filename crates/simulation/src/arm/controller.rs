//! The controllers of an arm as one enum, and their command for one step.

use nalgebra::{Vector3, Vector6};
use tightfit_robot::arm::{ArmCommand, ArmState};
use tightfit_robot::control::{
    Admittance, AdmittanceMemory, AdmittanceOutput, CartesianImpedance, ControlError, JointController,
    JointTarget, Posed, next_angles,
};
use tightfit_robot::strategy::StrategyMemory;
use tightfit_robot::{Chain, JointSet, JointVector};
use tightfit_spatial::Pose;

use super::{Arm, ArmMotion};
use crate::{Parameters, Scene, State};

/// Controller of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Controller {
    /// A spring and damper between the part and its set-point.
    Impedance(CartesianImpedance),
    /// The measured force moves a virtual mass on a spring to the set-point; the joints follow it.
    Admittance(Admittance),
    /// The joints follow the set-point by inverse kinematics, with an optional preferred posture.
    Joints(JointController, Option<JointVector>),
}

/// Command of a controller for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmInput {
    /// Effort of the drives.
    pub command: ArmCommand,
    /// Memory of the controller after the step.
    pub memory: AdmittanceMemory,
    /// Joints whose speed limit slowed the command.
    pub speed_limited: JointSet,
    /// Distance of the command from the reachable pose [m]; zero if it is reachable.
    pub out_of_reach: f64,
    /// Why there is no command; the step is then not taken.
    pub error: Option<ControlError>,
    /// Memory of the strategy after the step, if the arm has one.
    pub strategy: Option<StrategyMemory>,
}

impl ArmInput {
    /// A command given by the caller.
    #[must_use]
    pub fn of_command(command: ArmCommand, motion: &ArmMotion) -> Self {
        Self {
            command,
            memory: motion.controller,
            speed_limited: JointSet::default(),
            out_of_reach: 0.0,
            error: None,
            strategy: motion.strategy,
        }
    }
}

/// Target pose of the part over a step, and its pressing force.
pub(crate) struct Wanted {
    /// Target pose of the part at the start of the step, and its velocity.
    pub(crate) posed: Posed,
    /// Additional force on the part, world axes [N].
    pub(crate) force: Vector3<f64>,
}

impl Arm {
    /// The controller's command for the step after a state.
    pub(crate) fn input(
        &self,
        wanted: &Wanted,
        scene: &Scene,
        parameters: &Parameters,
        state: &State,
    ) -> Option<ArmInput> {
        let motion = state.arm.as_deref()?;
        let inertia = parameters.bodies[self.body].inertia?;
        let felt = self.felt(motion, &inertia, scene.gravity, self.sensor.torque_about);
        let answer = self.ask(wanted, motion, &felt, scene, parameters.dt);
        Some(answer.unwrap_or_else(|error| ArmInput {
            error: Some(error),
            ..ArmInput::of_command(ArmCommand::none(), motion)
        }))
    }

    fn ask(
        &self,
        wanted: &Wanted,
        motion: &ArmMotion,
        felt: &Vector6<f64>,
        scene: &Scene,
        dt: f64,
    ) -> Result<ArmInput, ControlError> {
        let Wanted { posed, force } = wanted;
        let (gravity, step) = (scene.gravity, dt);
        let joints = &motion.joints;
        let push = Vector6::new(force.x, force.y, force.z, 0.0, 0.0, 0.0);
        let mut input = match &self.controller {
            Controller::Impedance(impedance) => {
                let preferred = self.preferred_from(&joints.angles);
                let command = impedance.command(&self.model, joints, posed, &preferred, gravity)?;
                return Ok(ArmInput::of_command(self.pushing(command, joints, &push), motion));
            }
            Controller::Admittance(admittance) => {
                let AdmittanceOutput { command, memory, speed_limited, out_of_reach } = admittance.command(
                    &self.model,
                    &motion.controller,
                    joints,
                    &(felt + push),
                    posed,
                    gravity,
                    step,
                )?;
                let rest = ArmInput::of_command(command, motion);
                return Ok(ArmInput { memory, speed_limited, out_of_reach, ..rest });
            }
            Controller::Joints(controller, preferred) => {
                let next = next_pose(posed, step);
                follow(&self.model, controller, &next, preferred.as_ref(), motion, gravity, step)?
            }
        };
        input.command = self.pushing(input.command, joints, &push);
        Ok(input)
    }

    /// Adds a pressing force to a command.
    fn pushing(&self, mut command: ArmCommand, joints: &ArmState, push: &Vector6<f64>) -> ArmCommand {
        command.forward += self.model.posture(&joints.angles).tip_jacobian().tr_mul(push);
        command
    }

    /// The preferred posture; continuous joints keep their angle.
    fn preferred_from(&self, angles: &JointVector) -> JointVector {
        let mut preferred = self.preferred;
        for (index, joint) in self.chain.joints().iter().enumerate() {
            if !(joint.limits.upper - joint.limits.lower).is_finite() {
                preferred[index] = angles[index];
            }
        }
        preferred
    }
}

/// Set-point at the end of a step.
fn next_pose(posed: &Posed, step: f64) -> Pose {
    let turn = Vector3::new(posed.velocity[3], posed.velocity[4], posed.velocity[5]) * step;
    let angle = turn.norm();
    let here = posed.world_from_tip;
    let rotation = match angle > 0.0 {
        true => tightfit_robot::rotation_about(turn / angle, angle) * here.rotation,
        false => here.rotation,
    };
    Pose::new(here.translation + posed.velocity.fixed_rows::<3>(0) * step, rotation)
}

/// Moves the joints to a pose within their speed limits.
fn follow(
    model: &Chain,
    controller: &JointController,
    next: &Pose,
    preferred: Option<&JointVector>,
    motion: &ArmMotion,
    gravity: Vector3<f64>,
    step: f64,
) -> Result<ArmInput, ControlError> {
    let memory = &motion.controller;
    let (reached, mut way) = next_angles(model, next, &memory.angles, preferred, step)
        .map_err(|_| ControlError::NotFinite("the set-point"))?;
    let mut speed_limited = JointSet::default();
    for (index, joint) in model.joints().iter().enumerate() {
        let allowed = joint.limits.speed * step;
        if way[index].abs() > allowed {
            speed_limited.insert(index);
            way[index] = way[index].clamp(-allowed, allowed);
        }
    }
    let speeds = way / step;
    let accelerations = (speeds - memory.speeds) / step;
    let target = JointTarget { angles: memory.angles, speeds, accelerations };
    let command = controller.command(model, &motion.joints, &target, gravity)?;
    let angles = memory.angles + way;
    let world_from_command = model.posture(&angles).world_from_tip;
    Ok(ArmInput {
        memory: AdmittanceMemory { world_from_command, velocity: Vector6::zeros(), angles, speeds },
        speed_limited,
        out_of_reach: if reached.is_reached { 0.0 } else { reached.position_error },
        ..ArmInput::of_command(command, motion)
    })
}
