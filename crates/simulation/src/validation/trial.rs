//! One environment of an experiment: sets inputs, takes steps, reads impulses.

use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::{Vector3, Wrench};

use crate::{Certificate, Input, Parameters, Scene, SceneError, State, Workspace, step};

/// A scene with exactly one free body, and its inputs.
pub(super) struct Trial {
    pub(super) scene: Scene,
    pub(super) parameters: Parameters,
    pub(super) state: State,
    pub(super) input: Input,
    workspace: Workspace,
}

impl Trial {
    /// A scene at its start, without load.
    pub(super) fn new(scene: Scene) -> Self {
        let parameters = Parameters::of(&scene);
        let state = State::start(&scene, &parameters);
        let input = Input::none(&state);
        Self { scene, parameters, state, input, workspace: Workspace::default() }
    }

    /// The scene of a TOML text.
    pub(super) fn from_toml(text: &str) -> Result<Self, SceneError> {
        Scene::from_toml(text).map(Self::new)
    }

    /// One step.
    pub(super) fn step(&mut self) -> Certificate {
        step(&self.scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace)
    }

    /// Steps over a time [s].
    pub(super) fn run(&mut self, time: f64) {
        for _ in 0..(time / self.scene.dt).round() as usize {
            self.step();
        }
    }

    /// The free body.
    pub(super) fn body(&self) -> &BodyMotion {
        &self.state.motions[0]
    }

    /// The free body, to set its motion.
    pub(super) fn body_mut(&mut self) -> &mut BodyMotion {
        &mut self.state.motions[0]
    }

    /// Sets the wrench on the free body: force and torque about its centre of mass, world axes [N, N·m].
    pub(super) fn load(&mut self, force: Vector3<f64>, torque: Vector3<f64>) {
        let torque = self.body().rotation.inverse() * torque;
        self.input.wrenches[0] = Wrench::new(force, torque);
    }

    /// Mean contact force and torque about the centre of mass over the last step, world axes [N, N·m].
    pub(super) fn contact_wrench(&self) -> [Vector3<f64>; 2] {
        let impulse = self.workspace.generalised_impulse();
        let value = |at: usize| impulse.get(at).copied().unwrap_or(0.0) / self.scene.dt;
        [Vector3::new(value(0), value(1), value(2)), Vector3::new(value(3), value(4), value(5))]
    }
}

/// Threshold of a predicate by bisection: `is_above` is false at `low` and true at `high`.
pub(super) fn threshold(
    [mut low, mut high]: [f64; 2],
    precision: f64,
    mut is_above: impl FnMut(f64) -> Result<bool, SceneError>,
) -> Result<f64, SceneError> {
    while (high - low).abs() > precision {
        let middle = f64::midpoint(low, high);
        *(if is_above(middle)? { &mut high } else { &mut low }) = middle;
    }
    Ok(f64::midpoint(low, high))
}
