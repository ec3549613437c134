//! What acts on the bodies during one step.

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Pose, Wrench};

use crate::{Drive, Parameters, Scene, State};

/// Loads and targets of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Spring and damper of every free body, where it has one.
    pub couplings: Vec<Option<Coupling>>,
    /// External wrench on every free body, gravity aside.
    pub wrenches: Vec<Wrench>,
    /// Pose of every kinematic part at the end of the step.
    pub kinematic: Vec<Pose>,
}

impl Input {
    /// No load, and kinematic parts stay where they are.
    #[must_use]
    pub fn none(state: &State) -> Self {
        let mut input = Self::default();
        input.clear(state);
        input
    }

    /// The loads of a drive over the step that follows a state.
    #[must_use]
    pub fn of_drive(drive: &Drive, scene: &Scene, parameters: &Parameters, state: &State) -> Self {
        let mut input = Self::none(state);
        input.follow(drive, scene, parameters, state);
        input
    }

    /// Becomes [`Self::none`] and keeps its memory.
    pub(crate) fn clear(&mut self, state: &State) {
        let count = state.motions.len();
        self.couplings.clear();
        self.couplings.resize(count, None);
        self.wrenches.clear();
        self.wrenches.resize(count, Wrench::zero());
        self.kinematic.clone_from(&state.kinematic);
    }

    /// Sets spring, damper and force of a driven free body, or the next pose of a driven kinematic one.
    pub(crate) fn follow(&mut self, drive: &Drive, scene: &Scene, parameters: &Parameters, state: &State) {
        let time = state.step as f64 * scene.step;
        if let Some(index) = scene.kinematic_index(drive.body) {
            self.kinematic[index] = drive.target(time + scene.step);
        }
        if let Some(index) = scene.free_index(drive.body)
            && let Some(inertia) = parameters.bodies[drive.body].inertia
        {
            self.couplings[index] = Some(drive.coupling(time, scene.step, &inertia, state.spins[index]));
            self.wrenches[index] = drive.wrench();
        }
    }
}
