//! The arm within a step: with the part that it holds it is one body of six velocities (docs/design/math.md §7).
//!
//! ```text
//! masses    M⁻¹ of the part → W_i with the arm behind it         impact   q̇₀ → q̇₀⁺ by the part's impulse
//! predict   V_f, W of the part → V_c, W_c                        advance  λ from the smooth impulse, q₁, q̇₁, sensor
//! ```
//!
//! A projection moves arm and part as one: δq = S W_i⁻¹ δx, with S the joint speeds per impulse, so that J δq = δx. It
//! pays for what it moves the part against the load of the arm, −λᵀδx. Only soft fingers leave the joints where they are.
//!
//! Dry friction of the joints and the curvature of the arm's path are those of an expected effort: that of the last step. An
//! attempt that comes out so far from it that a joint resists by more than its friction, or that the tie misses the part, is
//! repeated with the effort that was found. Otherwise a nut that wedges would press against joints as if they were locked. The
//! attempt is also repeated when a drive would exceed its effort limit at the post-contact speed, or has effort to spare.
//! Sensors measure what passes in a step: impacts and forces of all its pieces, as a mean.

use nalgebra::{Matrix6, Vector6};
use tightfit_pipeline::integration::{BodyMotion, FreeStep, IntegrationMethod, advance_pose};
use tightfit_robot::JointVector;
use tightfit_robot::arm::{ArmCommand, ArmRule, ArmState, ArmStep, Expected, Shares};
use tightfit_robot::chain::Joint;
use tightfit_robot::grasp::{Condensation, Grasp, Held, ImpactCondensation};

use super::contact_problem::StageSolution;
use super::context::{Context, Piece, Span};
use super::free_motion::Masses;
use crate::arm::{ArmFailure, Passed};
use crate::{ArmCertificate, Certificate, Limit, State};

/// Share of its own response that a part keeps at an impact where the arm cannot yield at all [-]; it keeps the contact
/// problem solvable there.
const SOFTNESS: f64 = 1e-9;
/// A joint this many times faster than its limit has run away: the arm is stopped [-].
const RUNAWAY: f64 = 10.0;
/// Dry friction beyond its Coulomb level that is tolerated [-].
const MOST_FRICTION: f64 = 1.5;
/// Drift that a wrong expectation may add to the grasp in a step [m], and turning drift [rad].
const MOST_MISSED: [f64; 2] = [0.2e-6, 4e-6];
/// Effort of a drive relative to its limit that is tolerated, and share of the command that it may leave unused [-].
const MOST_OVERLOAD: f64 = 1.01;
const MOST_IDLE: f64 = 0.05;
/// Times that an attempt is repeated for what the arm did not expect.
const EXPECTATIONS: u32 = 4;

/// What an attempt assumes of the arm.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArmExpectation {
    /// Effort of the part on the joints [N·m or N]; that of the last step when none is known better.
    effort: Option<JointVector>,
    /// Shares of the command that the drives have the effort for.
    shares: Option<Shares>,
    /// Attempts before this one that were repeated for it.
    repeats: u32,
}

/// The arm during one attempt at a piece.
#[derive(Debug)]
pub(super) struct ArmPiece {
    /// Free body that it holds.
    pub(super) index: usize,
    expectation: ArmExpectation,
    /// q̇ at the start of the piece; after `pass_on`, that after the impact [rad/s or m/s].
    speeds: JointVector,
    impact: Option<ImpactCondensation>,
    /// M of the part alone, where the arm is behind it at impacts.
    own_mass: Matrix6<f64>,
    /// Impulses of the impact.
    struck: Passed,
    /// The arm's step and the two as one body, or why the arm cannot be advanced.
    under_way: Result<(ArmStep, Condensation), ArmFailure>,
}

impl ArmPiece {
    /// The arm of the scene, if there is one, put behind the part in `masses` for impacts and projections.
    pub(super) fn new(piece: &Piece, expectation: ArmExpectation, masses: &mut Masses) -> Option<Self> {
        let (arm, motion) = (piece.context.scene.arm.as_ref()?, piece.state.arm.as_deref()?);
        let index = piece.context.held_index()?;
        let mut own = Self {
            index,
            expectation,
            speeds: motion.joints.speeds,
            impact: None,
            own_mass: Matrix6::zeros(),
            struck: Passed::default(),
            under_way: Err(ArmFailure::Grasp),
        };
        // soft fingers do not pass an impact on
        let Grasp::Rigid(_) = arm.grasp else { return Some(own) };
        let posture = arm.chain.posture(&motion.joints.angles);
        let alone = masses.inverse[index];
        let impact = ImpactCondensation::new(&arm.chain, &posture, &motion.held.jacobian(&posture), &alone);
        if let Some(impact) = impact {
            let response = symmetric(impact.response) + alone * SOFTNESS;
            if let Some(mass) = response.try_inverse() {
                own.own_mass = std::mem::replace(&mut masses.own[index], symmetric(mass));
                masses.inverse[index] = response;
                own.impact = Some(impact);
            }
        }
        Some(own)
    }

    /// Passes the impulse of the impact on to the joints; it is empty where nothing struck.
    pub(super) fn pass_on(&mut self, impulse: &[f64], masses: &Masses) {
        if impulse.is_empty() {
            return;
        }
        let impulse = of_body(impulse, self.index);
        self.struck.contacts += impulse;
        if let Some(impact) = &self.impact {
            self.speeds += impact.speed_change(&impulse);
            // what the part's own inertia does not need comes from the hand
            let change = masses.inverse[self.index] * impulse;
            self.struck.hand += self.own_mass * change - impulse;
        }
    }

    /// The free step of the part with the arm behind it, from that of the part alone.
    pub(super) fn predict(&mut self, piece: &Piece, body: &BodyMotion, alone: FreeStep) -> FreeStep {
        let together = self.condense(piece, body, &alone);
        let free = together.as_ref().map_or(alone, |(_, together)| together.free);
        self.under_way = together;
        free
    }

    fn condense(
        &self,
        piece: &Piece,
        body: &BodyMotion,
        alone: &FreeStep,
    ) -> Result<(ArmStep, Condensation), ArmFailure> {
        let Piece { context, state, span, .. } = *piece;
        let (Some(arm), Some(motion)) = (&context.scene.arm, &state.arm) else {
            return Err(ArmFailure::Grasp);
        };
        // the tie is one of midpoint velocities
        let rule = match piece.integration() {
            IntegrationMethod::Midpoint => ArmRule::QuasiVelocity,
            IntegrationMethod::PaperMidpoint => ArmRule::PaperJointSpace,
            _ => return Err(ArmFailure::Method),
        };
        let joints = ArmState { angles: motion.joints.angles, speeds: self.speeds };
        let command = context.input.arm.as_ref().map_or_else(ArmCommand::none, |input| input.command);
        let at_start = context.start.arm.as_ref().map_or(joints.angles, |arm| arm.joints.angles);
        let command = command.after(span.elapsed, &(joints.angles - at_start));
        let held = Held { impulse: motion.held.impulse * (span.duration / context.dt()), ..motion.held };
        let of_last_step = || held.expected_effort(&arm.chain.posture(&joints.angles));
        let effort = self.expectation.effort.unwrap_or_else(of_last_step);
        let expected = Expected { effort, shares: self.expectation.shares };
        let gravity = context.scene.gravity;
        let step = arm.chain.free_step(&joints, &command, &expected, gravity, span.duration, rule);
        let step = step.map_err(ArmFailure::Dynamics)?;
        let together = arm.grasp.condense(&arm.chain, &held, &step, body, alone, span.duration);
        together.map(|together| (step, together)).ok_or(ArmFailure::Grasp)
    }

    /// What the next attempt should expect, if the arm came out too far from what this one did.
    pub(super) fn surprise(
        &self,
        piece: &Piece,
        span: Span,
        after_impact: &[f64],
        end: &StageSolution,
    ) -> Option<ArmExpectation> {
        let (arm, motion) = (piece.context.scene.arm.as_ref()?, piece.state.arm.as_ref()?);
        let (step, together) = self.under_way.as_ref().ok()?;
        let Self { index, expectation, .. } = *self;
        if expectation.repeats == EXPECTATIONS {
            return None;
        }
        let repeats = expectation.repeats + 1;
        let impulse = of_body(&end.impulse, index);
        let found = together.effort(&together.load(&impulse));
        // not finite: left to the checks at the end of the step
        if !found.iter().all(|effort| effort.is_finite()) {
            return None;
        }
        let middle = step.speeds_under(&found);
        // where nothing touches the prediction had the speeds
        let is_touched = impulse != Vector6::zeros();
        let (given, most) = (step.shares(), step.shares_at(&arm.chain, &middle));
        let is_overloaded = step.drive_load(&arm.chain, &middle) > MOST_OVERLOAD;
        let is_idle = is_touched && most.spring > given.spring + MOST_IDLE;
        if most != given && (is_overloaded || is_idle) {
            return Some(ArmExpectation { effort: Some(found), shares: Some(most), repeats });
        }
        if !matches!(arm.grasp, Grasp::Rigid(_)) {
            return None;
        }
        // where both come to, less the drift that the tie leaves to later steps
        let angles = step.start().angles + middle * span.duration;
        let mut body = piece.state.motions[index];
        let [start, end] = [after_impact, &end.velocity].map(|all| of_body(all, index));
        advance_pose(&mut body, ((start + end) / 2.0).as_slice(), span.duration);
        let at = |angles, body| motion.held.error(&arm.chain.posture(angles), body);
        let (before, after) = (at(&step.start().angles, &piece.state.motions[index]), at(&angles, &body));
        let added = |rows: usize| after.fixed_rows::<3>(rows).norm() - before.fixed_rows::<3>(rows).norm();
        let is_missed = added(0) > MOST_MISSED[0] || added(3) > MOST_MISSED[1];
        let is_held_too_hard = step.friction_excess(&arm.chain, &middle) > MOST_FRICTION;
        // friction may hold and yield by turns from attempt to attempt: meet in the middle
        let effort = expectation.effort.map_or(found, |expected| (expected + found) / 2.0);
        (is_missed || is_held_too_hard).then_some(ArmExpectation {
            effort: Some(effort),
            repeats,
            ..expectation
        })
    }

    /// λ: wrench of the arm on the part that it holds, under the part's contact impulse.
    pub(super) fn load(&self, impulse: &[f64]) -> Option<Vector6<f64>> {
        let (_, together) = self.under_way.as_ref().ok()?;
        Some(together.load(&of_body(impulse, self.index)))
    }

    /// How far the joints move along with a part that moves with the second instead of the first velocity for `time` seconds.
    pub(super) fn displacement(&self, velocities: [&[f64]; 2], masses: &Masses, time: f64) -> JointVector {
        let [wanted, moved] = velocities.map(|all| of_body(all, self.index));
        let shift = masses.own[self.index] * ((moved - wanted) * time);
        self.impact.as_ref().map_or_else(JointVector::zeros, |impact| impact.speed_change(&shift))
    }

    /// Advances the joints under the part's contact impulse and by the displacement of the projection.
    pub(super) fn advance(
        &self,
        context: &Context,
        span: Span,
        impulse: &[f64],
        displacement: &JointVector,
        state: &mut State,
        passed: &mut Passed,
    ) -> Result<ArmCertificate, ArmFailure> {
        let (Some(arm), Some(motion)) = (&context.scene.arm, state.arm.as_deref_mut()) else {
            return Err(ArmFailure::Grasp);
        };
        let mut own = ArmCertificate::default();
        if let Some(input) = &context.input.arm {
            if let Some(error) = input.error {
                return Err(ArmFailure::Control(error));
            }
            motion.controller = input.memory;
            motion.strategy = input.strategy;
            own.out_of_reach = input.out_of_reach;
            own.report.speed_limited = input.speed_limited;
        }
        let (step, together) = self.under_way.as_ref().map_err(|failure| *failure)?;
        let impulse = of_body(impulse, self.index);
        let load = together.load(&impulse);
        let (joints, mut report) =
            arm.chain.finish(step, &together.effort(&load)).map_err(ArmFailure::Dynamics)?;
        let runs_away =
            |(index, joint): &(usize, &Joint)| joints.speeds[*index].abs() > RUNAWAY * joint.limits.speed;
        if let Some((joint, _)) = arm.chain.joints().iter().enumerate().find(runs_away) {
            return Err(ArmFailure::RanAway { joint, speed: joints.speeds[joint] });
        }
        report.speed_limited = report.speed_limited.union(own.report.speed_limited);
        own.report = report;
        motion.joints = ArmState { angles: joints.angles + displacement, ..joints };
        motion.held.load = load;
        // as of a whole step: the next piece may be of another length
        motion.held.impulse = impulse * (context.dt() / span.duration);
        passed.hand += load * span.duration + self.struck.hand;
        passed.contacts += impulse + self.struck.contacts;
        Ok(own)
    }

    /// Moves the joints along with the correction, and reports grasp, sensor and limits at the end of the piece.
    pub(super) fn certify(
        &self,
        context: &Context,
        span: Span,
        displacement: &JointVector,
        passed: &Passed,
        state: &mut State,
        certificate: &mut Certificate,
    ) {
        let (Some(arm), Some(motion), Some(own)) =
            (&context.scene.arm, state.arm.as_deref_mut(), &mut certificate.arm)
        else {
            return;
        };
        let body = &state.motions[self.index];
        motion.joints.angles += displacement;
        let posture = arm.chain.posture(&motion.joints.angles);
        own.slip = arm.grasp.slip(&mut motion.held, &posture, body);
        let error = motion.held.error(&posture, body);
        own.drift = error.fixed_rows::<3>(0).norm();
        own.turning_drift = error.fixed_rows::<3>(3).norm();
        // a sensor samples once a step
        if span.is_last() {
            let load = arm.sensor_load(passed, body.center, context.dt());
            let parent = arm.sensor_parent(&posture.world_from_tip);
            let sensor = &arm.sensor.sensor;
            motion.measured = sensor.measure(&mut motion.sensor, &parent, &load, context.dt());
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

/// Six numbers of one body; zero where there was no contact to solve.
fn of_body(stacked: &[f64], index: usize) -> Vector6<f64> {
    stacked.get(6 * index..6 * index + 6).map_or_else(Vector6::zeros, Vector6::from_column_slice)
}

fn symmetric(matrix: Matrix6<f64>) -> Matrix6<f64> {
    (matrix + matrix.transpose()) / 2.0
}
