//! The equations of motion of an arm over one step, for both rules.
//!
//! ```text
//! quasi-velocity   [2/T M + L Q Lᵀ] q̄̇ = 2/T L ν₀ − g + τ        M, L, Q, g at the middle of the step,  ν₀ = L(q₀)ᵀq̇₀
//! paper            [2/T M + C] q̄̇ = 2/T M q̇₀ − g + τ             M, C, g at its start
//! ```
//!
//! Fixed-point sweeps find the middle of the step without contact. The equations are frozen there and so stay linear.

use nalgebra::Vector3;

use super::quasi_velocity::{QuasiVelocity, factor};
use super::settle::{Acting, Inertial, Settled, settle};
use super::{ArmError, ArmRule};
use crate::{Chain, JointMatrix, JointVector, Posture};

/// Sweeps for the middle of the step; each reduces the error by T times the relative change of M over the step.
const SWEEPS: usize = 2;
/// Change of the middle at which the sweeps stop [rad].
const SETTLED: f64 = 1e-9;

/// A step without external effort.
pub(super) struct FreeMotion {
    pub(super) settled: Settled,
    /// L at the middle; identity under the paper's rule.
    pub(super) factor: JointMatrix,
    /// ν₀, or q̇₀ under the paper's rule.
    pub(super) carried: JointVector,
    /// Posture at which L and the Jacobians are evaluated.
    pub(super) posture: Posture,
    /// g at that posture [N·m or N].
    pub(super) gravity: JointVector,
}

pub(super) fn free_motion(
    chain: &Chain,
    acting: &Acting,
    gravity: Vector3<f64>,
    rule: ArmRule,
) -> Result<FreeMotion, ArmError> {
    match rule {
        ArmRule::QuasiVelocity => quasi_velocity(chain, acting, gravity),
        ArmRule::PaperJointSpace => paper(chain, acting, gravity),
    }
}

fn quasi_velocity(chain: &Chain, acting: &Acting, gravity: Vector3<f64>) -> Result<FreeMotion, ArmError> {
    let Acting { state, step, .. } = *acting;
    let start = factor(chain.mass_matrix(&chain.posture(&state.angles))).ok_or(ArmError::Unsolvable)?;
    let carried = start.tr_mul(&state.speeds);
    let mut speeds = state.speeds;
    let mut sweep = 0;
    loop {
        sweep += 1;
        let posture = chain.posture(&(state.angles + speeds * (step / 2.0)));
        let dynamics = chain.dynamics(&posture, &speeds, gravity);
        let quasi = QuasiVelocity::of(&dynamics).ok_or(ArmError::Unsolvable)?;
        let inertial = Inertial {
            matrix: dynamics.mass * (2.0 / step) + quasi.gyroscopic,
            effort: quasi.factor * carried * (2.0 / step) - dynamics.gravity,
        };
        let settled = settle(chain, &inertial, acting)?;
        // The middle of the step is predicted with the load of the held part.
        let expected = settled.speeds + settled.response * acting.expected;
        let moved = (expected - speeds).amax() * (step / 2.0);
        speeds = expected;
        if sweep >= SWEEPS || moved <= SETTLED {
            return Ok(FreeMotion {
                settled,
                factor: quasi.factor,
                carried,
                posture,
                gravity: dynamics.gravity,
            });
        }
    }
}

fn paper(chain: &Chain, acting: &Acting, gravity: Vector3<f64>) -> Result<FreeMotion, ArmError> {
    let Acting { state, step, .. } = *acting;
    let posture = chain.posture(&state.angles);
    let dynamics = chain.dynamics(&posture, &state.speeds, gravity);
    let inertial = Inertial {
        matrix: dynamics.mass * (2.0 / step) + dynamics.coriolis,
        effort: dynamics.mass * state.speeds * (2.0 / step) - dynamics.gravity,
    };
    let settled = settle(chain, &inertial, acting)?;
    let factor = JointMatrix::identity();
    Ok(FreeMotion { settled, factor, carried: state.speeds, posture, gravity: dynamics.gravity })
}
