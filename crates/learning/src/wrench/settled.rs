//! Where a part rests that a spring holds against another: each recorded moment for itself, without the way that led there.
//!
//! ```text
//! H(t) = recorded pose, moved by the recorded twist over t         hand, from −T to 0
//! F    = least squares of −min(gap, 0) over all nodes, from H(−T)   free pose beside it (paper 5.1)
//! F ─► H(−T)  without friction: the faces that hold the part are met from outside
//! H(−T) ─► H(0)  with friction: it points against the recorded motion
//! ```
//!
//! The hand is led through these by the steps of the simulator, all contacts and the ladder solver. From H itself no solver finds the faces
//! that carry: a thread that gives way by 70 µm has nodes behind an edge, nearer to another face than to their own. Of thousands of
//! nodes few are misled so, and least squares outvote them; a step, which must keep every node out, would not.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use tightfit_simulation::{BodyMotion, Input, Parameters, Preset, State, Workspace, step};
use tightfit_spatial::{Pose, Twist, UnitQuaternion};

use super::load_model::is_near;
use super::{HoldingSpring, RecordedScene};

/// Steps from the free pose to the hand, and steps that the hand then goes along the recorded motion.
const APPROACH: usize = 8;
const ALONG: usize = 5;
/// Penetration at which a pose counts as free [m], and most rounds to get there.
const FREE: f64 = 0.5e-6;
const ROUNDS: usize = 30;
/// How much motion costs against penetration [-]: what no node decides stays as it is.
const INERTNESS: f64 = 1e-3;

/// Moments that a thread takes at a time: enough to pay for a workspace.
const PIECE: usize = 50;

/// The motions that the steps of moments begin with, from those that were recorded.
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

/// Lets the part of one scene settle, moment by moment; memory is kept between them, nothing else.
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
        let period = self.recorded.scene.step;
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

    /// Brings the part to a place near by at which the parts are apart, or penetrate least; its pose.
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

/// How far parts are inside one another, and the normal equations of the motion that brings them apart.
struct Penetration {
    /// [m].
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

/// A pose on the straight way from one to another.
fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    let turn = (from.rotation.inverse() * to.rotation).scaled_axis() * share;
    Pose::new(
        from.translation + (to.translation - from.translation) * share,
        from.rotation * UnitQuaternion::from_scaled_axis(turn),
    )
}
