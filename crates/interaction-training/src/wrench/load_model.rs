//! Load model: how state and load are derived from recorded poses. All compared sets of methods share it.
//!
//! A rigid solver at a recorded pose knows the load only through the spring to the recorded poses:
//!
//! - `next-pose`: the part is at the recorded pose. The spring is as long as the motion of one step, so a resting part
//!   under load seems unloaded.
//! - `followed`: the recorded pose is that of a hand that holds the part through the spring. The part has followed the
//!   hand from the start of the trial, kept out of the other part by all contacts and the ladder solver, for every
//!   compared method. Recorded penetration thus carries load, and static friction keeps its history.
//! - `settled`: the part rests where that spring holds it, independently for each moment (`settled.rs`). Without
//!   history, a gap in the recording or a lost part affects no other moment.
//!
//! - `measured`: the part is at the recorded pose, and its load is what a sensor at the wrist measures, as in the paper. The
//!   contact force is measured by another sensor, at the table.
//!
//! The first tenth of a second of a trial is followed but not evaluated: the part starts at the hand's pose without its
//! load.
//!
//! Projecting the recorded pose out of the other part, instead of following, fails: at some tens of micrometres of
//! recorded penetration a thread has left the faces that hold it, and the projection moves to the wrong ones.

use serde::{Deserialize, Serialize};
use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::{Recording, Sample};
use tightfit_simulation::{BodyMotion, Input, Parameters, Preset, State, Workspace, step};
use tightfit_spatial::Pose;

use super::moment::is_near;
use super::settled::settle;
use super::{Moment, Moments, RecordedScene};
use crate::LearningError;

/// How states are derived from recorded poses.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadModel {
    /// The part is at the recorded pose.
    NextPose,
    /// The part has followed the recorded poses by the spring.
    #[default]
    Followed,
    /// The part has settled where the spring holds it at the recorded pose, independently for each moment.
    Settled,
    /// The part is at the recorded pose under the load that a sensor at the wrist measures.
    Measured,
}

impl LoadModel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::NextPose, Self::Followed, Self::Settled, Self::Measured];

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NextPose => "next-pose",
            Self::Followed => "followed",
            Self::Settled => "settled",
            Self::Measured => "measured",
        }
    }

    /// The moments of a trial: all samples except the last and those of the first tenth of a second.
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

    /// The model for fitting a load that this model uses. A following part sticks and slips, so its errors jump with
    /// the load; those of a settled part are smooth.
    #[must_use]
    pub(super) fn smooth(self) -> Self {
        match self {
            Self::NextPose | Self::Measured => self,
            Self::Followed | Self::Settled => Self::Settled,
        }
    }

    /// Moments that are `every` samples apart; all of them where each needs the previous one.
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
        let is_told = self == Self::Measured;
        if let Some(sample) = recording.samples.iter().find(|sample| is_told && sample.load.is_none()) {
            return Err(LearningError::Option {
                option: "load of a sample, for the load model `measured`",
                value: format!("none at {} s of {}", sample.time, recording.name),
                allowed: "the readings of a sensor at the wrist; choose another load model, or record them",
            });
        }
        let loads =
            recording.samples[1..].iter().step_by(every).map(|sample| sample.load.filter(|_| is_told));
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
            Self::NextPose | Self::Measured => as_recorded().collect(),
            Self::Followed => {
                let mut follower = Follower::new(recorded, spring);
                starts.iter().map(|(motion, targets)| follower.begin(*motion, *targets)).collect()
            }
            Self::Settled => settle(recorded, spring, &as_recorded().collect::<Vec<_>>()),
        };
        // A step is compared with the sample at its end: there the spring is as long as the load requires. A sample
        // that is early by a rounding error counts.
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
                .zip(loads)
                .map(|((motion, (_, targets)), load)| Moment { motion: *motion, targets: *targets, load })
                .skip(skipped)
                .collect(),
            measured: judged
                .iter()
                .map(|Sample { force, torque, .. }| [force.x, force.y, force.z, torque.x, torque.y, torque.z])
                .collect(),
        })
    }
}

/// Time after the start of a trial that is not evaluated [s].
const SETTLING: f64 = 0.1;
/// A part that follows the recorded poses.
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

    /// Returns the motion at the start of this moment's step and advances by that step.
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
