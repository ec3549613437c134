//! Cartesian impedance: a spring pulls the tip to its set-point; the redundant joints move to a preferred posture.
//!
//! ```text
//! τ = g + C q̇ − Jᵀ[K e + B (V − V_d)] + N [k (q_p − q) − d q̇],        e = [p − p_d; log(R R_dᵀ)]
//! N = I − Jᵀ Λ J M⁻¹,   Λ = (J M⁻¹ Jᵀ + 1e-9)⁻¹                        posture efforts do not act on the tip
//! ```
//!
//! K, B diagonal in world axes; k, d the same for all joints, projected from both sides. Spring and damper
//! are evaluated at the middle of the step. O. Khatib, "A unified approach for motion and force control of robot
//! manipulators: the operational space formulation", IEEE J-RA 3(1), 1987; N. Hogan, "Impedance control", 1985.

use nalgebra::{Matrix6, Vector3, Vector6};
use tightfit_spatial::Pose;

use super::ControlError;
use crate::arm::{ArmCommand, ArmState};
use crate::kinematics::stacked;
use crate::{Chain, JointMatrix, JointVector, rotation_vector};

/// A target pose of the tip and its velocity over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posed {
    /// Target pose of the tip at the start of the step.
    pub world_from_tip: Pose,
    /// V_d: its velocity over the step, world axes [m/s, rad/s].
    pub velocity: Vector6<f64>,
}

impl Posed {
    /// A target at rest.
    #[must_use]
    pub fn still(world_from_tip: Pose) -> Self {
        Self { world_from_tip, velocity: Vector6::zeros() }
    }

    /// A target that moves from one pose to the next within `step` seconds.
    #[must_use]
    pub fn between(now: &Pose, next: &Pose, step: f64) -> Self {
        let shift = next.translation - now.translation;
        let turn = rotation_vector(&(next.rotation * now.rotation.inverse()));
        Self { world_from_tip: *now, velocity: stacked(shift, turn) / step }
    }
}

/// Springs and dampers of the tip and of the posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpedanceGains {
    /// K: along and about the world's axes [N/m, N·m/rad].
    pub stiffness: Vector6<f64>,
    /// B [N·s/m, N·m·s/rad].
    pub damping: Vector6<f64>,
    /// k: stiffness of the posture [N·m/rad]; may be zero.
    pub posture_stiffness: f64,
    /// d: damping of the posture [N·m·s/rad].
    pub posture_damping: f64,
}

/// The controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CartesianImpedance {
    gains: ImpedanceGains,
}

impl CartesianImpedance {
    /// Checks the gains.
    ///
    /// # Errors
    /// When a stiffness or the posture damping is not positive (a posture stiffness of zero is allowed), or a damping
    /// of the tip is less than a hundredth of critical.
    pub fn new(gains: ImpedanceGains) -> Result<Self, ControlError> {
        for &value in &gains.stiffness {
            ControlError::check_positive("stiffness of the impedance", value)?;
        }
        for (index, &value) in gains.damping.iter().enumerate() {
            // A hundredth of critical for the least apparent inertia at the tip of an arm, about 1 kg and 1 g m².
            let mass = if index < 3 { 1.0 } else { 1e-3 };
            ControlError::check_damping("damping of the impedance", value, gains.stiffness[index], mass)?;
        }
        if gains.posture_stiffness != 0.0 {
            ControlError::check_positive("stiffness of the posture", gains.posture_stiffness)?;
        }
        ControlError::check_positive("damping of the posture", gains.posture_damping)?;
        Ok(Self { gains })
    }

    /// Effort over a step under gravity [m/s²], with the preferred posture `preferred`.
    ///
    /// # Errors
    /// When a number of the measurement or the target is not finite.
    pub fn command(
        &self,
        chain: &Chain,
        state: &ArmState,
        target: &Posed,
        preferred: &JointVector,
        gravity: Vector3<f64>,
    ) -> Result<ArmCommand, ControlError> {
        ControlError::check_finite("the measured state", state.angles.iter().chain(&state.speeds))?;
        let pose = target.world_from_tip;
        let numbers = pose.translation.iter().chain(&pose.rotation.coords).chain(&target.velocity);
        ControlError::check_finite("the set-point", numbers)?;
        ControlError::check_finite("the preferred posture", preferred)?;

        let posture = chain.posture(&state.angles);
        let dynamics = chain.dynamics(&posture, &state.speeds, gravity);
        let jacobian = posture.tip_jacobian();
        let tip = posture.world_from_tip;
        let error = stacked(
            tip.translation - pose.translation,
            rotation_vector(&(tip.rotation * pose.rotation.inverse())),
        );
        let gains = &self.gains;
        let [stiffness, damping] = [gains.stiffness, gains.damping].map(|gain| Matrix6::from_diagonal(&gain));
        let project = posture_projection(&jacobian, &dynamics.mass);
        let mut square = project * project.transpose();
        (chain.count()..square.nrows()).for_each(|index| square[(index, index)] = 0.0);

        let mut command = ArmCommand::of_effort(dynamics.gravity + dynamics.coriolis * state.speeds);
        let pull = damping * target.velocity - stiffness * error;
        let drawn = square * (preferred - state.angles) * gains.posture_stiffness;
        command.back = jacobian.tr_mul(&pull) + drawn;
        command.led = jacobian.tr_mul(&(stiffness * target.velocity));
        command.stiffness = jacobian.transpose() * stiffness * jacobian + square * gains.posture_stiffness;
        command.damping = jacobian.transpose() * damping * jacobian + square * gains.posture_damping;
        Ok(command)
    }
}

/// N.
fn posture_projection(jacobian: &crate::Jacobian, mass: &JointMatrix) -> JointMatrix {
    let Some(inverse) = mass.cholesky().map(|cholesky| cholesky.inverse()) else {
        return JointMatrix::zeros();
    };
    let answer = jacobian * inverse;
    let task = answer * jacobian.transpose() + Matrix6::from_diagonal_element(1e-9);
    let inertia = task.try_inverse().unwrap_or_else(Matrix6::zeros);
    JointMatrix::identity() - jacobian.transpose() * (inertia * answer)
}
