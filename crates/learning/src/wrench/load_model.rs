//! Where a recorded state and its load are taken to be. The choice holds for every set of methods that are compared.
//!
//! A rigid solver at a recorded pose knows of the load only what the spring to the recorded poses tells it:
//!
//! - `next-pose`: the part is at the recorded pose. The spring is as long as the motion of one step, so a part that stands
//!   under load seems unloaded.
//! - `followed`: the recorded pose is that of a hand that holds the part through the spring. The part has followed the hand
//!   from the start of the trial, kept out of the other part by all contacts and the ladder solver, whatever is compared.
//!   Recorded penetration carries load so, and friction that holds the part is remembered.
//! - `settled`: the part rests where that spring holds it, each moment for itself (`settled.rs`). Nothing is remembered, so that a
//!   gap in the recording, or a part that was lost, spoils no other moment.
//!
//! The first tenth of a second of a trial is followed but not judged: the part begins at the hand's pose, without the load that it had.
//!
//! To push the recorded pose out of the other part by a projection, instead of following, does not do: at some tens of
//! micrometres of recorded penetration a thread has left the faces that hold it, and the projection leads astray.

use serde::{Deserialize, Serialize};
use tightfit_simulation::{BodyMotion, Input, Parameters, Preset, State, Workspace, step};
use tightfit_spatial::Pose;

use super::settled::settle;
use super::{HoldingSpring, Moment, Moments, RecordedScene};
use crate::LearningError;
use crate::recordings::{Recording, Sample};

/// How states are made of recorded poses.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadModel {
    /// The part is at the recorded pose.
    NextPose,
    /// The part has followed the recorded poses by the spring.
    #[default]
    Followed,
    /// The part has settled where the spring holds it at the recorded pose, each moment for itself.
    Settled,
}

impl LoadModel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NextPose, Self::Followed, Self::Settled];

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NextPose => "next-pose",
            Self::Followed => "followed",
            Self::Settled => "settled",
        }
    }

    /// The moments of a trial: all samples but those of its first tenth of a second and the last.
    ///
    /// # Errors
    /// When the trial has fewer than two samples.
    pub fn moments(
        self,
        recorded: &RecordedScene,
        spring: &HoldingSpring,
        recording: &Recording,
    ) -> Result<Moments, LearningError> {
        self.moments_every(1, recorded, spring, recording)
    }

    /// The model by whose moments a load is fitted that this one is to use: a part that follows sticks and slips, so that its errors
    /// jump with the load; those of a settled part do not.
    #[must_use]
    pub(super) fn smooth(self) -> Self {
        match self {
            Self::NextPose => Self::NextPose,
            Self::Followed | Self::Settled => Self::Settled,
        }
    }

    /// Some of the moments, so many samples apart; all of them where each needs the one before.
    pub(super) fn moments_every(
        self,
        every: usize,
        recorded: &RecordedScene,
        spring: &HoldingSpring,
        recording: &Recording,
    ) -> Result<Moments, LearningError> {
        let every = if self == Self::Followed { 1 } else { every };
        if recording.samples.len() < 2 {
            return Err(LearningError::Option {
                option: "samples of a trial",
                value: format!("{} in {}", recording.samples.len(), recording.name),
                allowed: "two or more",
            });
        }
        let starts: Vec<(BodyMotion, [Pose; 2])> = recording
            .samples
            .windows(2)
            .step_by(every)
            .map(|pair| {
                let targets = [&pair[0], &pair[1]].map(|sample| recorded.center(&sample.world_from_part));
                let Pose { translation: center, rotation } = targets[0];
                (BodyMotion { center, rotation, twist: pair[0].twist }, targets)
            })
            .collect();
        let as_recorded = || starts.iter().map(|(motion, _)| *motion);
        let motions: Vec<BodyMotion> = match self {
            Self::NextPose => as_recorded().collect(),
            Self::Followed => {
                let mut follower = Follower::new(recorded, spring);
                starts.iter().map(|(motion, targets)| follower.begin(*motion, *targets)).collect()
            }
            Self::Settled => settle(recorded, spring, &as_recorded().collect::<Vec<_>>()),
        };
        // a step answers the pose that it leads to: its spring is as long there as the load at its end asks for. A sample that
        // is a rounding error early counts
        let begin = recording.samples[0].time + SETTLING;
        let judged: Vec<&Sample> = recording.samples[1..].iter().step_by(every).collect();
        let skipped = judged.partition_point(|sample| sample.time < begin - 1e-9);
        let judged = &judged[skipped..];
        Ok(Moments {
            trial: recording.name.clone(),
            skipped,
            times: judged.iter().map(|sample| sample.time).collect(),
            moments: motions
                .iter()
                .zip(&starts)
                .map(|(motion, (_, targets))| Moment { motion: *motion, targets: *targets })
                .skip(skipped)
                .collect(),
            measured: judged
                .iter()
                .map(|Sample { force, torque, .. }| [force.x, force.y, force.z, torque.x, torque.y, torque.z])
                .collect(),
        })
    }
}

/// How long after its start a trial is not judged [s].
const SETTLING: f64 = 0.1;
/// Farther from the recorded pose, in place [m] or in attitude [rad], the part has lost it and begins anew there: it hangs on a rim
/// that the real one slipped off, or is caught in a hole over which the real one turns.
const LOST: [f64; 2] = [2e-3, 0.2];

/// Whether a part still has to do with the pose that was recorded.
pub(super) fn is_near(own: &BodyMotion, recorded: &BodyMotion) -> bool {
    (own.center - recorded.center).norm() < LOST[0] && own.rotation.angle_to(&recorded.rotation) < LOST[1]
}

/// The part on its way behind the recorded poses.
struct Follower<'a> {
    recorded: &'a RecordedScene,
    spring: &'a HoldingSpring,
    parameters: Parameters,
    /// `None` before the first moment.
    state: Option<State>,
    workspace: Workspace,
}

impl<'a> Follower<'a> {
    fn new(recorded: &'a RecordedScene, spring: &'a HoldingSpring) -> Self {
        let parameters = recorded.with(Preset::Tight.into());
        Self { recorded, spring, parameters, state: None, workspace: Workspace::default() }
    }

    /// The motion that the step of this moment begins with; goes on by that step.
    fn begin(&mut self, recorded: BodyMotion, targets: [Pose; 2]) -> BodyMotion {
        let serves = |state: &State| is_near(&state.motions[0], &recorded) && state.is_finite();
        let mut state = self.state.take().filter(serves).unwrap_or_else(|| {
            self.workspace.clear();
            let mut state = State::start(&self.recorded.scene, &self.parameters);
            state.motions[0] = recorded;
            state
        });
        let motion = state.motions[0];
        let mut input = Input::none(&state);
        input.couplings[0] = Some(self.spring.coupling(targets[0], targets[1]));
        let _ = step(&self.recorded.scene, &self.parameters, &mut state, &input, &mut self.workspace);
        self.state = Some(state);
        motion
    }
}
