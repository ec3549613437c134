//! One step of an arm: its linear response before contacts are solved, its end state afterwards.
//!
//! ```text
//! q̄̇ = q̄̇_f + H τ,      q₁ = q₀ + T q̄̇,      ν₁ = 2 Lᵀq̄̇ − ν₀,      q̇₁ = L(q₁)⁻ᵀν₁
//! ```
//!
//! τ is the effort of the held part, unknown until contacts are solved. E₁ − E₀ = T q̄̇ᵀ(all efforts) exactly.

use nalgebra::Vector3;

use super::free_motion::free_motion;
use super::quasi_velocity::{factor, speeds};
use super::settle::{Acting, Settled};
use super::{ArmCommand, ArmError, ArmReport, ArmRule, Shares};
use crate::{Chain, JointMatrix, JointSet, JointVector, Posture};

/// The integrated state of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmState {
    /// q [rad or m].
    pub angles: JointVector,
    /// q̇ [rad/s or m/s].
    pub speeds: JointVector,
}

impl ArmState {
    /// At rest.
    #[must_use]
    pub fn at_rest(angles: JointVector) -> Self {
        Self { angles, speeds: JointVector::zeros() }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.angles.iter().chain(&self.speeds).all(|value| value.is_finite())
    }
}

/// Expected external effort of a step, before contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Effort of the held part [N·m or N], zero if there is none. Dry friction and the middle of the step include it;
    /// the free speeds do not.
    pub effort: JointVector,
    /// Shares of the command within the effort limits, if an earlier attempt found them. Otherwise they follow from
    /// `effort`.
    pub shares: Option<Shares>,
}

impl Expected {
    /// An effort alone, such as that of the last step.
    #[must_use]
    pub fn effort(effort: JointVector) -> Self {
        Self { effort, shares: None }
    }

    /// No external effort.
    #[must_use]
    pub fn nothing() -> Self {
        Self::effort(JointVector::zeros())
    }
}

/// A step of an arm that lacks only the effort of the held part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmStep {
    /// q̄̇_f: midpoint speeds without that effort [rad/s].
    pub free_speeds: JointVector,
    /// H: change of the midpoint speeds per effort [rad/s per N·m]. Not symmetric; its symmetric part is positive.
    pub response: JointMatrix,
    /// Midpoint speeds with the effort that was expected [rad/s].
    pub expected_speeds: JointVector,
    /// Posture at which the Jacobians of the step are evaluated.
    pub posture: Posture,
    state: ArmState,
    command: ArmCommand,
    step: f64,
    rule: ArmRule,
    settled: Settled,
    factor: JointMatrix,
    carried: JointVector,
    gravity: JointVector,
}

impl Chain {
    /// The step of the arm alone, `step` seconds long, under gravity [m/s², world].
    ///
    /// # Errors
    /// When a number is not finite, the step is not positive, or the command has negative stiffness or damping.
    pub fn free_step(
        &self,
        state: &ArmState,
        command: &ArmCommand,
        expected: &Expected,
        gravity: Vector3<f64>,
        step: f64,
        rule: ArmRule,
    ) -> Result<ArmStep, ArmError> {
        if !state.is_finite() {
            return Err(ArmError::NotFinite("the state"));
        }
        if !command.is_finite() {
            return Err(ArmError::NotFinite("the command"));
        }
        let Expected { effort, shares } = expected;
        if !effort.iter().all(|effort| effort.is_finite()) {
            return Err(ArmError::NotFinite("the expected effort"));
        }
        if !gravity.iter().all(|value| value.is_finite()) {
            return Err(ArmError::NotFinite("the gravity"));
        }
        if !(step > 0.0 && step.is_finite()) {
            return Err(ArmError::Step);
        }
        let acting = Acting { state, command, expected: effort, shares: *shares, step };
        let free = free_motion(self, &acting, gravity, rule)?;
        Ok(ArmStep {
            free_speeds: free.settled.speeds,
            expected_speeds: free.settled.speeds + free.settled.response * effort,
            response: free.settled.response,
            posture: free.posture,
            state: *state,
            command: *command,
            step,
            rule,
            settled: free.settled,
            factor: free.factor,
            carried: free.carried,
            gravity: free.gravity,
        })
    }

    /// The end of a step under the effort of the held part [N·m or N].
    ///
    /// # Errors
    /// When the effort is not finite.
    pub fn finish(&self, step: &ArmStep, outer: &JointVector) -> Result<(ArmState, ArmReport), ArmError> {
        let middle = step.speeds_under(outer);
        if !middle.iter().all(|speed| speed.is_finite()) {
            return Err(ArmError::NotFinite("the effort of the held part"));
        }
        let angles = step.state.angles + middle * step.step;
        let end = step.factor.tr_mul(&middle) * 2.0 - step.carried;
        let speeds = match step.rule {
            ArmRule::QuasiVelocity => {
                let factor = factor(self.mass_matrix(&self.posture(&angles))).ok_or(ArmError::Unsolvable)?;
                speeds(&factor, &end).ok_or(ArmError::Unsolvable)?
            }
            ArmRule::PaperJointSpace => end,
        };
        let state = ArmState { angles, speeds };
        Ok((state, step.report(self, &state, &middle, outer)))
    }
}

impl ArmStep {
    /// The arm at the start of the step.
    #[must_use]
    pub fn start(&self) -> &ArmState {
        &self.state
    }

    /// q̄̇ under the effort of the held part [rad/s].
    #[must_use]
    pub fn speeds_under(&self, outer: &JointVector) -> JointVector {
        self.free_speeds + self.response * outer
    }

    /// Largest ratio of a joint's dry friction to its Coulomb level at midpoint speeds q̄̇ [-]. Friction is frozen
    /// for the expected effort: a joint held at rest resists a much larger effort without bound.
    #[must_use]
    pub fn friction_excess(&self, chain: &Chain, middle: &JointVector) -> f64 {
        let [resistance, _] = &self.settled.friction;
        let joints = chain.joints().iter().enumerate().filter(|(_, joint)| joint.friction > 0.0);
        let ratio = joints
            .map(|(index, joint)| (resistance[index] - joint.damping) * middle[index].abs() / joint.friction);
        ratio.fold(0.0, f64::max)
    }

    /// Effort of the drives over the step, at midpoint speeds q̄̇ [N·m or N].
    #[must_use]
    pub fn drive_effort(&self, middle: &JointVector) -> JointVector {
        self.settled.drive(&self.command, self.step, middle)
    }

    /// s and r of the step.
    #[must_use]
    pub fn shares(&self) -> Shares {
        self.settled.shares
    }

    /// The largest shares of the command within the effort limits at midpoint speeds q̄̇.
    #[must_use]
    pub fn shares_at(&self, chain: &Chain, middle: &JointVector) -> Shares {
        self.settled.shares_at(chain, &self.command, self.step, middle)
    }

    /// Largest ratio of a drive's effort to its limit at midpoint speeds q̄̇ [-].
    #[must_use]
    pub fn drive_load(&self, chain: &Chain, middle: &JointVector) -> f64 {
        let drive = self.drive_effort(middle);
        let joints = chain.joints().iter().enumerate();
        joints.map(|(index, joint)| drive[index].abs() / joint.limits.effort).fold(0.0, f64::max)
    }

    fn report(&self, chain: &Chain, end: &ArmState, middle: &JointVector, outer: &JointVector) -> ArmReport {
        let work = |effort: JointVector| effort.dot(middle) * self.step;
        let drive = self.drive_effort(middle);
        let [resistance, turning] = self.settled.friction;
        let mut position_limited = JointSet::default();
        let mut speed_limited = JointSet::default();
        let mut effort_limited = self.settled.effort_limited;
        for (index, joint) in chain.joints().iter().enumerate() {
            let limits = &joint.limits;
            if end.angles[index] < limits.lower || end.angles[index] > limits.upper {
                position_limited.insert(index);
            }
            if end.speeds[index].abs() > limits.speed {
                speed_limited.insert(index);
            }
            // The held part may load a drive more than the arm alone does.
            if drive[index].abs() > limits.effort * (1.0 + 1e-9) {
                effort_limited.insert(index);
            }
        }
        // Shares found under contact: report the drive nearest to its limit as the cause.
        if self.shares() != Shares::WHOLE && effort_limited.is_empty() {
            let load = |index: &usize| drive[*index].abs() / chain.joints()[*index].limits.effort;
            let busiest = (0..chain.count()).max_by(|a, b| load(a).total_cmp(&load(b)));
            busiest.into_iter().for_each(|index| effort_limited.insert(index));
        }
        let energy = |state: &ArmState| chain.kinetic_energy(&state.angles, &state.speeds);
        ArmReport {
            effort_limited,
            position_limited,
            speed_limited,
            feedback_share: self.settled.shares.spring,
            energy_gain: energy(end) - energy(&self.state),
            drive_work: work(drive),
            weight_work: -work(self.gravity),
            friction_work: work(turning - resistance.component_mul(middle)),
            stop_work: work(self.settled.stop),
            outer_work: work(*outer),
        }
    }
}
