//! The arm within a step: with the part that it holds it is one body of six velocities (MATH 7).
//!
//! ```text
//! prepare   M⁻¹ of the part → W_i with the arm behind it         impact   q̇₀ → q̇₀⁺ by the part's impulse
//! predict   V_f, W of the part → V_c, W_c                        advance  λ from the smooth impulse, q₁, q̇₁, sensor
//! ```
//!
//! A projection moves arm and part as one: δq = S W_i⁻¹ δx, with S the joint speeds per impulse, so that J δq = δx. It
//! pays for what it moves the part against the load of the arm, −λᵀδx. Only soft fingers leave the joints where they are.
//! Dry friction of the joints and the bend of the arm's way are those of an expected effort: that of the last step. Where the
//! step turns out so far from it that a joint resists by more than its friction or the tie misses the part, the step is begun
//! again with the effort that was found. A nut that wedges would else press against joints as if they were locked. So it is where
//! a drive would need more effort than it has at the speeds that contact leaves, or has more than it was given.
//! Sensors feel what passes in a step: impacts and forces of all its pieces, as a mean.
//! Without an arm nothing of this is done.

use nalgebra::{Matrix6, Vector6};
use tightfit_pipeline::integration::{BodyMotion, FreeStep, IntegrationMethod, advance_pose};
use tightfit_robot::JointVector;
use tightfit_robot::arm::{ArmCommand, ArmRule, ArmState, ArmStep, Expected, Shares};
use tightfit_robot::chain::Joint;
use tightfit_robot::grasp::{Condensation, Grasp, Held, ImpactCondensation};

use super::workspace::Environment;
use crate::arm::{ArmFailure, Passed};
use crate::{ArmCertificate, Certificate, Limit, State};

/// Share of its own response that a part keeps at an impact where the arm cannot give way at all [-]; it keeps the contact
/// problem solvable there.
const SOFTNESS: f64 = 1e-9;
/// A joint this many times faster than it may be has run away: the arm is stopped [-].
const RUNAWAY: f64 = 10.0;

/// Dry friction beyond its Coulomb level that is put up with [-].
const MOST_FRICTION: f64 = 1.5;
/// Drift that a wrong expectation may add to the grasp in a step [m], and turning drift [rad].
const MOST_MISSED: [f64; 2] = [0.2e-6, 4e-6];
/// Effort of a drive beyond what it has that is put up with, and share of the command that it could give besides [-].
const MOST_OVERLOAD: f64 = 1.01;
const MOST_IDLE: f64 = 0.05;
/// Times that a step is begun again for what the arm did not expect.
const EXPECTATIONS: u32 = 4;

/// The arm while a step is under way.
#[derive(Debug, Default)]
pub(super) struct ArmScratch {
    /// q̇ at the start of the piece, after its impact [rad/s or m/s].
    speeds: JointVector,
    impact: Option<ImpactCondensation>,
    /// M of the part alone, where the arm is behind it at impacts.
    own_mass: Matrix6<f64>,
    /// What the impact of the piece passed on, and what has passed since the step began.
    struck: Passed,
    passed: Passed,
    /// What the projection has moved the joints [rad or m].
    pub(super) shift: JointVector,
    /// The arm's own step and the two as one body; none where the arm cannot be advanced.
    under_way: Option<(ArmStep, Condensation)>,
    /// Why it cannot.
    failure: Option<ArmFailure>,
    /// Effort of the part on the joints that is expected, where a step was begun again for it [N·m or N]; shares of the
    /// command that drives have the effort for, likewise; and how often.
    expected: Option<JointVector>,
    shares: Option<Shares>,
    expectations: u32,
}

impl Environment<'_> {
    /// Number of the free body that an arm holds.
    fn held_index(&self) -> Option<usize> {
        self.scene.arm.as_ref().and_then(|arm| self.scene.free_index(arm.body))
    }

    /// Puts the arm behind the part for impacts and projections.
    pub(super) fn condense_impact(&mut self, state: &State) {
        let (Some(arm), Some(index), Some(motion)) = (&self.scene.arm, self.held_index(), &state.arm) else {
            return;
        };
        let scratch = &mut *self.scratch;
        scratch.arm.speeds = motion.joints.speeds;
        scratch.arm.impact = None;
        scratch.arm.struck = Passed::default();
        scratch.arm.shift = JointVector::zeros();
        // soft fingers do not pass an impact on
        let Grasp::Rigid(_) = arm.grasp else { return };
        let posture = arm.chain.posture(&motion.joints.angles);
        let own = scratch.inverse_mass[index];
        let impact = ImpactCondensation::new(&arm.chain, &posture, &motion.held.jacobian(&posture), &own);
        if let Some(impact) = impact {
            let response = symmetric(impact.response) + own * SOFTNESS;
            if let Some(mass) = response.try_inverse() {
                scratch.inverse_mass[index] = response;
                scratch.arm.own_mass = scratch.mass[index];
                scratch.mass[index] = symmetric(mass);
                scratch.arm.impact = Some(impact);
            }
        }
    }

    /// The step of a part without contact, with the arm behind it where it is the one that is held.
    pub(super) fn with_arm(
        &mut self,
        index: usize,
        state: &State,
        body: &BodyMotion,
        alone: FreeStep,
    ) -> FreeStep {
        let (Some(arm), Some(motion)) = (&self.scene.arm, &state.arm) else { return alone };
        if self.held_index() != Some(index) {
            return alone;
        }
        (self.scratch.arm.under_way, self.scratch.arm.failure) = (None, None);
        // the tie is one of midpoint velocities
        if self.parameters.methods.integration != IntegrationMethod::Midpoint {
            self.scratch.arm.failure = Some(ArmFailure::Method);
            return alone;
        }
        let joints = ArmState { angles: motion.joints.angles, speeds: self.scratch.arm.speeds };
        let command = self.input.arm.as_ref().map_or_else(ArmCommand::none, |input| input.command);
        let begun = self.scratch.before.arm.as_ref().map_or(joints.angles, |arm| arm.joints.angles);
        let command = command.after(self.elapsed, &(joints.angles - begun));
        let held = Held { impulse: motion.held.impulse * (self.duration / self.scene.step), ..motion.held };
        let of_last_step = || held.expected_effort(&arm.chain.posture(&joints.angles));
        let effort = self.scratch.arm.expected.unwrap_or_else(of_last_step);
        let expected = Expected { effort, shares: self.scratch.arm.shares };
        let rule = ArmRule::QuasiVelocity;
        let step = arm.chain.free_step(&joints, &command, &expected, self.scene.gravity, self.duration, rule);
        let step = match step {
            Ok(step) => step,
            Err(error) => {
                self.scratch.arm.failure = Some(ArmFailure::Dynamics(error));
                return alone;
            }
        };
        let together = arm.grasp.condense(&arm.chain, &held, &step, body, &alone, self.duration);
        let Some(together) = together else { return alone };
        let free = together.free;
        self.scratch.arm.under_way = Some((step, together));
        free
    }

    /// Passes the impact that was just solved on to the joints.
    pub(super) fn pass_impact_on(&mut self) {
        let Some(index) = self.held_index() else { return };
        let scratch = &mut *self.scratch;
        let impulse = impulse_of(&scratch.solver.generalised, index);
        scratch.arm.struck.contacts += impulse;
        if let Some(impact) = &scratch.arm.impact {
            scratch.arm.speeds += impact.speed_change(&impulse);
            // what the part's own inertia does not need comes from the hand
            let change = scratch.inverse_mass[index] * impulse;
            scratch.arm.struck.hand += scratch.arm.own_mass * change - impulse;
        }
    }

    /// Forgets what an earlier step or piece was begun again for, and what an earlier step passed on.
    pub(super) fn expect_as_before(&mut self) {
        let arm = &mut self.scratch.arm;
        (arm.expected, arm.shares, arm.expectations) = (None, None, 0);
        if self.elapsed == 0.0 {
            arm.passed = Passed::default();
        }
    }

    /// Whether the arm comes out far from what it expected; it then expects what came.
    pub(super) fn surprises_arm(&mut self, state: &State) -> bool {
        let (Some(arm), Some(index), Some(motion)) = (&self.scene.arm, self.held_index(), &state.arm) else {
            return false;
        };
        let scratch = &mut *self.scratch;
        let Some((step, together)) = &scratch.arm.under_way else { return false };
        if scratch.arm.expectations == EXPECTATIONS {
            return false;
        }
        let impulse = impulse_of(&scratch.solver.generalised, index);
        let found = together.effort(&together.load(&impulse));
        // not finite: left to the checks at the end of the step
        if !found.iter().all(|effort| effort.is_finite()) {
            return false;
        }
        let middle = step.speeds_under(&found);
        // where nothing touches the prediction had the speeds
        let is_touched = impulse != Vector6::zeros();
        let (given, most) = (step.shares(), step.shares_at(&arm.chain, &middle));
        let is_overloaded = step.drive_load(&arm.chain, &middle) > MOST_OVERLOAD;
        let is_idle = is_touched && most.spring > given.spring + MOST_IDLE;
        if most != given && (is_overloaded || is_idle) {
            scratch.arm.shares = Some(most);
            scratch.arm.expected = Some(found);
            scratch.arm.expectations += 1;
            return true;
        }
        if !matches!(arm.grasp, Grasp::Rigid(_)) {
            return false;
        }
        // where both come to, less the drift that the tie leaves to later steps
        let angles = step.start().angles + middle * self.duration;
        let mut body = state.motions[index];
        let [start, end] = [&scratch.start, &scratch.end].map(|all| impulse_of(all, index));
        advance_pose(&mut body, ((start + end) / 2.0).as_slice(), self.duration);
        let before = motion.held.error(&arm.chain.posture(&step.start().angles), &state.motions[index]);
        let after = motion.held.error(&arm.chain.posture(&angles), &body);
        let added = |rows: usize| after.fixed_rows::<3>(rows).norm() - before.fixed_rows::<3>(rows).norm();
        let is_missed = added(0) > MOST_MISSED[0] || added(3) > MOST_MISSED[1];
        let is_held_too_hard = step.friction_excess(&arm.chain, &middle) > MOST_FRICTION;
        if !(is_missed || is_held_too_hard) {
            return false;
        }
        // friction that holds or gives way may answer in turns: meet in the middle
        let next = scratch.arm.expected.map_or(found, |expected| (expected + found) / 2.0);
        scratch.arm.expected = Some(next);
        scratch.arm.expectations += 1;
        true
    }

    /// λ of the step under way: wrench of the arm on the part that it holds, and the number of that part.
    pub(super) fn arm_load(&self) -> Option<(usize, Vector6<f64>)> {
        let index = self.held_index()?;
        let (_, together) = self.scratch.arm.under_way.as_ref()?;
        Some((index, together.load(&impulse_of(&self.scratch.solver.generalised, index))))
    }

    /// Moves the joints along with what the projection moves the part beyond the wanted way, over `step` seconds.
    pub(super) fn shift_arm(&mut self, step: f64) {
        let Some(index) = self.held_index() else { return };
        let scratch = &mut *self.scratch;
        let Some(impact) = &scratch.arm.impact else { return };
        let [moved, wanted] = [&scratch.pose_velocity, &scratch.wanted].map(|all| impulse_of(all, index));
        let shift = scratch.mass[index] * ((moved - wanted) * step);
        scratch.arm.shift += impact.speed_change(&shift);
    }

    /// Advances the joints under what contact asks of the arm through the part.
    pub(super) fn advance_arm(&mut self, state: &mut State, certificate: &mut Certificate) {
        let (Some(arm), Some(index), Some(motion)) =
            (&self.scene.arm, self.held_index(), state.arm.as_deref_mut())
        else {
            return;
        };
        let mut own = ArmCertificate::default();
        if let Some(input) = &self.input.arm {
            if let Some(error) = input.error {
                certificate.stop_arm(ArmFailure::Control(error));
                return;
            }
            motion.controller = input.memory;
            motion.strategy = input.strategy;
            own.out_of_reach = input.out_of_reach;
            own.report.speed_limited = input.speed_limited;
        }
        let Some((step, together)) = &self.scratch.arm.under_way else {
            certificate.stop_arm(self.scratch.arm.failure.unwrap_or(ArmFailure::Grasp));
            return;
        };
        let impulse = impulse_of(&self.scratch.solver.generalised, index);
        let load = together.load(&impulse);
        let (joints, mut report) = match arm.chain.finish(step, &together.effort(&load)) {
            Ok(finished) => finished,
            Err(error) => return certificate.stop_arm(ArmFailure::Dynamics(error)),
        };
        let runs_away =
            |(index, joint): &(usize, &Joint)| joints.speeds[*index].abs() > RUNAWAY * joint.limits.speed;
        if let Some((joint, _)) = arm.chain.joints().iter().enumerate().find(runs_away) {
            return certificate.stop_arm(ArmFailure::RanAway { joint, speed: joints.speeds[joint] });
        }
        report.speed_limited = report.speed_limited.union(own.report.speed_limited);
        own.report = report;
        motion.joints = ArmState { angles: joints.angles + self.scratch.arm.shift, ..joints };
        self.scratch.arm.shift = JointVector::zeros();
        motion.held.load = load;
        // as of a whole step: the next piece may be of another length
        motion.held.impulse = impulse * (self.scene.step / self.duration);
        let ArmScratch { struck, passed, .. } = &mut self.scratch.arm;
        passed.hand += load * self.duration + struck.hand;
        passed.contacts += impulse + struck.contacts;
        certificate.arm = Some(own);
    }

    /// What became of the grasp after the pose has come to its end, and what the sensor shows.
    pub(super) fn certify_arm(&mut self, state: &mut State, certificate: &mut Certificate) {
        let (Some(arm), Some(index), Some(motion)) =
            (&self.scene.arm, self.held_index(), state.arm.as_deref_mut())
        else {
            return;
        };
        let Some(own) = &mut certificate.arm else { return };
        let body = &state.motions[index];
        // of the correction after the step
        motion.joints.angles += std::mem::take(&mut self.scratch.arm.shift);
        let posture = arm.chain.posture(&motion.joints.angles);
        own.slip = arm.grasp.slip(&mut motion.held, &posture, body);
        let error = motion.held.error(&posture, body);
        own.drift = error.fixed_rows::<3>(0).norm();
        own.turning_drift = error.fixed_rows::<3>(3).norm();
        // a sensor samples once a step
        if self.duration >= self.left {
            let load = arm.sensor_load(&self.scratch.arm.passed, body.center, self.scene.step);
            let parent = arm.sensor_parent(&posture.world_from_tip);
            let sensor = &arm.sensor.sensor;
            motion.measured = sensor.measure(&mut motion.sensor, &parent, &load, self.scene.step);
        }
        let limits = [
            (Limit::JointRange, !own.report.position_limited.is_empty()),
            (Limit::JointSpeed, !own.report.speed_limited.is_empty()),
            (Limit::DriveEffort, !own.report.effort_limited.is_empty()),
            (Limit::GraspSlipped, own.slip.ratio > 1.0),
            (Limit::OutOfReach, own.out_of_reach > 0.0),
        ];
        for (limit, _) in limits.into_iter().filter(|(_, is_hit)| *is_hit) {
            certificate.limits.insert(limit);
        }
    }
}

/// Six numbers of one body [N·s, N·m·s]; zero where there was no contact to solve.
fn impulse_of(generalised: &[f64], index: usize) -> Vector6<f64> {
    generalised.get(6 * index..6 * index + 6).map_or_else(Vector6::zeros, Vector6::from_column_slice)
}

fn symmetric(matrix: Matrix6<f64>) -> Matrix6<f64> {
    (matrix + matrix.transpose()) / 2.0
}
