//! Where a recorded state and its load are taken to be. The choice holds for every set of methods that are compared.
//!
//! A rigid solver at a recorded pose knows of the load only what the spring to the recorded poses tells it:
//!
//! - `next-pose`: the part is at the recorded pose. The spring is as long as the motion of one step, so a part that stands
//!   under load seems unloaded.
//! - `placed`: the recorded pose is that of a hand that holds the part through the spring. The part is where the spring is
//!   shortest outside of the other part: argmin ½ δᵀK δ, φ(x ⊕ δ) ≥ 0. Recorded penetration carries load so.
//! - `followed`: the same hand, and the part has followed it, by the spring, from the start of the trial: friction that holds
//!   the part is remembered too. All contacts and the ladder solver make this state, whatever is compared.

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};
use tightfit_simulation::{BodyMotion, Input, Parameters, Preset, Scene, State, Workspace, step};
use tightfit_spatial::{Inertia, Pose, Twist};

use super::{HoldingSpring, Moment, Moments, RecordedScene};
use crate::LearningError;
use crate::recordings::Recording;

/// How states are made of recorded poses.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadModel {
    /// The part is at the recorded pose.
    NextPose,
    /// The part is the nearest to it, by the spring, that does not penetrate.
    Placed,
    /// The part has followed the recorded poses by the spring.
    #[default]
    Followed,
}

impl LoadModel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NextPose, Self::Placed, Self::Followed];

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NextPose => "next-pose",
            Self::Placed => "placed",
            Self::Followed => "followed",
        }
    }

    /// The moments of a trial: all samples but the last, `every` apart.
    ///
    /// # Errors
    /// When the trial has fewer than two samples.
    pub fn moments(
        self,
        recorded: &RecordedScene,
        spring: &HoldingSpring,
        recording: &Recording,
    ) -> Result<Moments, LearningError> {
        if recording.samples.len() < 2 {
            return Err(LearningError::Option {
                option: "samples of a trial",
                value: format!("{} in {}", recording.samples.len(), recording.name),
                allowed: "two or more",
            });
        }
        let mut moments = Moments { trial: recording.name.clone(), ..Moments::default() };
        let mut maker = Maker::new(recorded, spring)?;
        for pair in recording.samples.windows(2) {
            let targets = [&pair[0], &pair[1]].map(|sample| recorded.center(&sample.world_from_part));
            let as_recorded = BodyMotion {
                center: targets[0].translation,
                rotation: targets[0].rotation,
                twist: pair[0].twist,
            };
            let motion = match self {
                Self::NextPose => as_recorded,
                Self::Placed => maker.placed(as_recorded),
                Self::Followed => maker.followed(as_recorded, targets),
            };
            let (f, t) = (pair[0].force, pair[0].torque);
            moments.times.push(pair[0].time);
            moments.moments.push(Moment { motion, targets });
            moments.measured.push([f.x, f.y, f.z, t.x, t.y, t.z]);
        }
        Ok(moments)
    }
}

/// Farther from the recorded pose the part has lost it, and is placed anew [m].
const LOST: f64 = 2e-3;

/// Makes states of recorded poses.
struct Maker<'a> {
    recorded: &'a RecordedScene,
    spring: &'a HoldingSpring,
    state: State,
    input: Input,
    workspace: Workspace,
    parameters: Parameters,
    /// The scene without weight, its part with a mass that goes with the spring: a projection is then the shortest spring.
    weightless: (Scene, Parameters),
    following: Option<State>,
}

impl<'a> Maker<'a> {
    fn new(recorded: &'a RecordedScene, spring: &'a HoldingSpring) -> Result<Self, LearningError> {
        let parameters = recorded.with(Preset::Tight.into());
        let state = State::start(&recorded.scene, &parameters);
        let (mass, moment) = (1.0, spring.turning_stiffness / spring.stiffness);
        let center = recorded.inertia.center_of_mass;
        let as_spring = Inertia::new(mass, center, Matrix3::identity() * moment).map_err(|error| {
            LearningError::Option {
                option: "spring",
                value: format!("{spring:?}: {error}"),
                allowed: "positive stiffness",
            }
        })?;
        let mut weightless = (recorded.scene.clone(), parameters.clone());
        weightless.0.gravity.fill(0.0);
        let bodies = weightless.1.bodies.iter_mut().filter(|body| body.inertia.is_some());
        bodies.for_each(|body| body.inertia = Some(as_spring));
        let input = Input::none(&state);
        let workspace = Workspace::default();
        Ok(Self { recorded, spring, state, input, workspace, parameters, weightless, following: None })
    }

    /// A step without load and motion is a projection alone; twice, since surfaces are not flat.
    fn placed(&mut self, recorded: BodyMotion) -> BodyMotion {
        self.state.motions[0] = BodyMotion { twist: Twist::zero(), ..recorded };
        self.input = Input::none(&self.state);
        for _ in 0..2 {
            self.state.step = 0;
            // nothing pays for the way out: it is no motion
            self.state.tank = 1e3;
            let _ = step(&self.weightless.0, &self.weightless.1, &mut self.state, &self.input, &mut self.workspace);
            self.state.motions[0].twist = Twist::zero();
        }
        BodyMotion { twist: recorded.twist, ..self.state.motions[0] }
    }

    /// The state that the step of this moment begins with; goes on by that step.
    fn followed(&mut self, recorded: BodyMotion, targets: [Pose; 2]) -> BodyMotion {
        let is_near =
            |state: &State| (state.motions[0].center - recorded.center).norm() < LOST && state.is_finite();
        let mut state = match self.following.take().filter(is_near) {
            Some(state) => state,
            None => {
                let motion = self.placed(recorded);
                self.workspace.clear();
                let mut state = State::start(&self.recorded.scene, &self.parameters);
                state.motions[0] = motion;
                state
            }
        };
        let motion = state.motions[0];
        self.input = Input::none(&state);
        self.input.couplings[0] = Some(self.spring.coupling(targets[0], targets[1]));
        let _ = step(&self.recorded.scene, &self.parameters, &mut state, &self.input, &mut self.workspace);
        self.following = Some(state);
        motion
    }
}
