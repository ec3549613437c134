//! Rest pose of a part that a spring presses against another, independently for each recorded moment.
//!
//! ```text
//! H(t) = recorded pose, moved by the recorded twist over t         hand, from −T to 0
//! F    = least squares of −min(gap, 0) over all nodes, from H(−T)   free pose beside it (paper 5.1)
//! F ─► H(−T)  without friction: the faces that hold the part are met from outside
//! H(−T) ─► H(0)  with friction: it points against the recorded motion
//! ```
//!
//! Simulator steps with all contacts and the ladder solver follow these poses. From H itself no solver finds the loaded
//! faces: a thread that deflects by 70 µm has nodes behind an edge, nearer to another face than to theirs. Only a few
//! of thousands of nodes are misassigned, and least squares outvote them; a step, which must keep every node out, would
//! not.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use tightfit_learning::identification::HoldingSpring;
use tightfit_simulation::{BodyMotion, Input, Parameters, Preset, State, Workspace, step};
use tightfit_spatial::{Pose, Twist, UnitQuaternion};

use super::RecordedScene;
use super::moment::is_near;

/// Steps from the free pose to the hand, and steps of the hand along the recorded motion.
const APPROACH: usize = 8;
const ALONG: usize = 5;
/// Penetration at which a pose counts as free [m], and the maximum number of rounds.
const FREE: f64 = 0.5e-6;
const ROUNDS: usize = 30;
/// Weight of motion relative to penetration [-]: undetermined directions do not move.
const INERTNESS: f64 = 1e-3;

/// Moments per task of a thread: enough to amortise its workspace.
const PIECE: usize = 50;

/// Start motions of the moments' steps, from the recorded motions.
pub(super) fn settle(
    recorded: &RecordedScene,
    spring: &HoldingSpring,
    motions: &[BodyMotion],
) -> Vec<BodyMotion> {
    let piece = |motions: &[BodyMotion]| {
        let mut settler = Settler::new(recorded, spring);
        motions.iter().map(|motion| settler.settled(motion)).collect::<Vec<_>>()
    };
    motions.par_chunks(PIECE).flat_map_iter(piece).collect()
}

/// Settles the part of one scene, moment by moment. Only buffers are kept between moments.
struct Settler<'a> {
    recorded: &'a RecordedScene,
    spring: &'a HoldingSpring,
    with_friction: Parameters,
    without_friction: Parameters,
    workspace: Workspace,
}

impl<'a> Settler<'a> {
    fn new(recorded: &'a RecordedScene, spring: &'a HoldingSpring) -> Self {
        let with_friction = recorded.with(Preset::Tight.into());
        let mut without_friction = with_friction.clone();
        without_friction.friction.fill(0.0);
        Self { recorded, spring, with_friction, without_friction, workspace: Workspace::default() }
    }

    fn settled(&mut self, recorded: &BodyMotion) -> BodyMotion {
        let period = self.recorded.scene.dt;
        let hand = |steps: f64| moved(recorded, steps * period);
        let early = hand(-(ALONG as f64));
        let mut state = State::start(&self.recorded.scene, &self.with_friction);
        state.motions[0] = at_rest(&early);
        let free = self.freed(&mut state);
        for k in 0..APPROACH {
            let [from, to] = [k, k + 1].map(|k| between(&free, &early, k as f64 / APPROACH as f64));
            self.lead(&mut state, [from, to], false);
        }
        for k in 0..ALONG {
            let [from, to] = [k, k + 1].map(|k| hand(k as f64 - ALONG as f64));
            self.lead(&mut state, [from, to], true);
        }
        let own = state.motions[0];
        if is_near(&own, recorded) && state.is_finite() { own } else { *recorded }
    }

    fn lead(&mut self, state: &mut State, targets: [Pose; 2], has_friction: bool) {
        let parameters = if has_friction { &self.with_friction } else { &self.without_friction };
        let mut input = Input::none(state);
        input.couplings[0] = Some(self.spring.coupling(targets[0], targets[1]));
        let _ = step(&self.recorded.scene, parameters, state, &input, &mut self.workspace);
    }

    /// Moves the part to a nearby pose without penetration, or with the least; returns that pose.
    fn freed(&mut self, state: &mut State) -> Pose {
        let lever = self.recorded.lever;
        let mut best = (f64::INFINITY, pose(&state.motions[0]));
        for _ in 0..ROUNDS {
            let penetration = self.penetration(state);
            if penetration.deepest < best.0 {
                best = (penetration.deepest, pose(&state.motions[0]));
            }
            if penetration.deepest < FREE {
                break;
            }
            let mut matrix = penetration.matrix;
            let inert = INERTNESS * matrix.fixed_view::<3, 3>(0, 0).trace();
            for axis in 0..3 {
                matrix[(axis, axis)] += inert;
                matrix[(3 + axis, 3 + axis)] += inert * lever * lever;
            }
            let Some(factors) = matrix.cholesky() else { break };
            let way = factors.solve(&penetration.right);
            let turn = UnitQuaternion::from_scaled_axis(way.fixed_rows::<3>(3).into_owned());
            let here = pose(&state.motions[0]);
            state.motions[0] =
                at_rest(&Pose::new(here.translation + way.fixed_rows::<3>(0), turn * here.rotation));
        }
        state.motions[0] = at_rest(&best.1);
        best.1
    }

    fn penetration(&mut self, state: &mut State) -> Penetration {
        let mut own = Penetration { deepest: 0.0, matrix: Matrix6::zeros(), right: Vector6::zeros() };
        let scene = &self.recorded.scene;
        let contacts = self.workspace.contacts_at(scene, &self.without_friction, state, FREE);
        for (index, gap) in contacts.gap.iter().enumerate() {
            own.deepest = own.deepest.max(-gap);
            let (normal, arm) = (contacts.normal.get(index), contacts.arm_a.get(index));
            let moment = arm.cross(&normal);
            let row = Vector6::new(normal.x, normal.y, normal.z, moment.x, moment.y, moment.z);
            own.matrix += row * row.transpose();
            own.right += row * (FREE - gap).max(0.0);
        }
        own
    }
}

/// Penetration of the parts, and the normal equations of the separating motion.
struct Penetration {
    /// Deepest penetration [m].
    deepest: f64,
    matrix: Matrix6<f64>,
    right: Vector6<f64>,
}

fn pose(motion: &BodyMotion) -> Pose {
    Pose::new(motion.center, motion.rotation)
}

fn at_rest(pose: &Pose) -> BodyMotion {
    BodyMotion { center: pose.translation, rotation: pose.rotation, twist: Twist::zero() }
}

/// Pose of the centre of mass after a time [s] at constant twist.
fn moved(motion: &BodyMotion, time: f64) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(motion.twist.angular_in_body * time);
    Pose::new(motion.center + motion.twist.linear_in_world * time, motion.rotation * turn)
}

/// Interpolates between two poses.
fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    let turn = (from.rotation.inverse() * to.rotation).scaled_axis() * share;
    Pose::new(
        from.translation + (to.translation - from.translation) * share,
        from.rotation * UnitQuaternion::from_scaled_axis(turn),
    )
}
