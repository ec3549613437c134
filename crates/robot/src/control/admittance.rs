//! The paper's admittance controller: the measured force moves a virtual mass on a spring to the set-point; the arm
//! follows the virtual mass.
//!
//! ```text
//! M_d V̇_c + B_d V_c + K_d e = F,    e = [p_c − p_d; log(R_c R_dᵀ)]        docs/design/math.md §7
//! (2/T M_d + B_d + T/2 K_d) V̄ = 2/T M_d V_c + T/2 K_d V_d − K_d e + F                    passive midpoint
//! p_c⁺ = p_c + T v̄,   R_c⁺ = cay(T ω̄) R_c,   q_c⁺ from inverse kinematics,   τ as in the joint controller
//! ```
//!
//! F is the wrench of the environment on the tip. The damping acts on V_c, not on V_c − V_d: the virtual mass lags a
//! moving set-point by B_d/K_d times its speed. With this lag it follows the set-points of the paper's published runs
//! as their parts do, to 0.05 and 0.09 mm over 82 and 127 mm; with damping on V_c − V_d the error would be
//! millimetres. If the arm cannot reach the command, or not within its joint speed limits, the virtual mass stops
//! there, and the output reports it.

use nalgebra::{Vector3, Vector6};
use tightfit_spatial::{Pose, cayley};

use super::{ControlError, JointController, JointTarget, Posed, next_angles};
use crate::arm::{ArmCommand, ArmState};
use crate::kinematics::{halves, stacked};
use crate::{Chain, JointSet, JointVector, rotation_vector};

/// Virtual mass, damping and stiffness along and about the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmittanceGains {
    /// M_d [kg, kg m²].
    pub mass: Vector6<f64>,
    /// B_d [N·s/m, N·m·s/rad].
    pub damping: Vector6<f64>,
    /// K_d [N/m, N·m/rad].
    pub stiffness: Vector6<f64>,
}

impl AdmittanceGains {
    /// Critical damping for virtual masses and stiffnesses.
    #[must_use]
    pub fn critical(mass: Vector6<f64>, stiffness: Vector6<f64>) -> Self {
        Self { mass, stiffness, damping: mass.zip_map(&stiffness, |m, k| 2.0 * (m * k).sqrt()) }
    }
}

/// State of the controller between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmittanceMemory {
    /// Pose of the virtual mass.
    pub world_from_command: Pose,
    /// V_c, world axes [m/s, rad/s].
    pub velocity: Vector6<f64>,
    /// q_c [rad or m].
    pub angles: JointVector,
    /// q̇_c of the last step [rad/s or m/s].
    pub speeds: JointVector,
}

/// Output of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmittanceOutput {
    /// Effort of the drives.
    pub command: ArmCommand,
    /// State for the next step.
    pub memory: AdmittanceMemory,
    /// Joints whose speed limit slowed the command.
    pub speed_limited: JointSet,
    /// Distance of the command from the reachable pose [m]; zero if it is reachable.
    pub out_of_reach: f64,
}

/// The controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admittance {
    gains: AdmittanceGains,
    inner: JointController,
    preferred: Option<JointVector>,
}

impl Admittance {
    /// Checks the gains. `inner` makes the arm follow the virtual mass; `preferred` is the posture for the redundant
    /// joints.
    ///
    /// # Errors
    /// When a mass, stiffness or damping is not positive, or the damping less than a hundredth of critical.
    pub fn new(
        gains: AdmittanceGains,
        inner: JointController,
        preferred: Option<JointVector>,
    ) -> Result<Self, ControlError> {
        for index in 0..6 {
            let (mass, stiffness) = (gains.mass[index], gains.stiffness[index]);
            ControlError::check_positive("mass of the admittance", mass)?;
            ControlError::check_positive("stiffness of the admittance", stiffness)?;
            ControlError::check_damping("damping of the admittance", gains.damping[index], stiffness, mass)?;
        }
        Ok(Self { gains, inner, preferred })
    }

    /// The memory of an arm at rest.
    #[must_use]
    pub fn start(&self, chain: &Chain, state: &ArmState) -> AdmittanceMemory {
        AdmittanceMemory {
            world_from_command: chain.posture(&state.angles).world_from_tip,
            velocity: Vector6::zeros(),
            angles: state.angles,
            speeds: JointVector::zeros(),
        }
    }

    /// Effort over a step of `step` seconds under gravity [m/s²].
    ///
    /// `wrench` acts from the environment on the tip, about the tip, world axes [N, N·m].
    ///
    /// # Errors
    /// When a number of the measurement, the target or the memory is not finite.
    pub fn command(
        &self,
        chain: &Chain,
        memory: &AdmittanceMemory,
        state: &ArmState,
        wrench: &Vector6<f64>,
        target: &Posed,
        gravity: Vector3<f64>,
        step: f64,
    ) -> Result<AdmittanceOutput, ControlError> {
        ControlError::check_finite("the measured wrench", wrench)?;
        let pose = target.world_from_tip;
        let numbers = pose.translation.iter().chain(&pose.rotation.coords).chain(&target.velocity);
        ControlError::check_finite("the set-point", numbers)?;
        ControlError::check_finite(
            "the memory of the admittance",
            memory.velocity.iter().chain(&memory.angles),
        )?;

        let (middle, world_from_command) = self.advance(memory, wrench, target, step);
        let next = next_angles(chain, &world_from_command, &memory.angles, self.preferred.as_ref(), step);
        let (reached, way) = next.map_err(|_| ControlError::NotFinite("the command of the admittance"))?;
        let out_of_reach = if reached.is_reached { 0.0 } else { reached.position_error };
        let mut speed_limited = JointSet::default();
        let mut share = 1.0_f64;
        for (index, joint) in chain.joints().iter().enumerate() {
            let allowed = joint.limits.speed * step * (1.0 + 1e-12);
            if way[index].abs() > allowed {
                speed_limited.insert(index);
                share = share.min(allowed / way[index].abs());
            }
        }
        let next = memory.angles + way * share;
        let speeds = way * (share / step);
        let accelerations = (speeds - memory.speeds) / step;
        let joint_target = JointTarget { angles: memory.angles, speeds, accelerations };
        let command = self.inner.command(chain, state, &joint_target, gravity)?;
        let is_held_back = share < 1.0 || !reached.is_reached;
        let memory = AdmittanceMemory {
            // A virtual mass ahead of the arm would return late and cause high forces.
            world_from_command: if is_held_back {
                chain.posture(&next).world_from_tip
            } else {
                world_from_command
            },
            velocity: if is_held_back { Vector6::zeros() } else { middle * 2.0 - memory.velocity },
            angles: next,
            speeds,
        };
        Ok(AdmittanceOutput { command, memory, speed_limited, out_of_reach })
    }

    /// V̄ and the pose of the virtual mass after the step.
    fn advance(
        &self,
        memory: &AdmittanceMemory,
        wrench: &Vector6<f64>,
        target: &Posed,
        step: f64,
    ) -> (Vector6<f64>, Pose) {
        let AdmittanceGains { mass, damping, stiffness } = self.gains;
        let here = memory.world_from_command;
        let error = stacked(
            here.translation - target.world_from_tip.translation,
            rotation_vector(&(here.rotation * target.world_from_tip.rotation.inverse())),
        );
        let carried = mass.component_mul(&memory.velocity) * (2.0 / step);
        let pull = stiffness.component_mul(&(target.velocity * (step / 2.0) - error));
        let resistance = mass * (2.0 / step) + damping + stiffness * (step / 2.0);
        let middle = (carried + pull + wrench).component_div(&resistance);
        let (linear, angular) = halves(&middle);
        let mut rotation = cayley(angular * step) * here.rotation;
        rotation.renormalize();
        (middle, Pose::new(here.translation + linear * step, rotation))
    }
}
