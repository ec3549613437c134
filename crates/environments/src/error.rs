//! Errors of environments.

use tightfit_gpu::GpuError;
use tightfit_shape::ShapeError;
use tightfit_simulation::batch::BatchError;

/// An environment that cannot be made, or a step that cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EnvironmentError {
    /// The scene does not describe an environment.
    #[error("scene `{scene}` {problem}; {remedy}")]
    Scene {
        /// Name of the scene.
        scene: String,
        /// What it lacks.
        problem: &'static str,
        /// How to fix it.
        remedy: &'static str,
    },
    /// A value of the options is out of range.
    #[error("option {name} = {value}: allowed: {allowed}")]
    Option {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// The number of actions differs from six per environment.
    #[error("{found} numbers of actions for {environments} environments; give 6 for each")]
    ActionCount {
        /// Numbers given.
        found: usize,
        /// Environments.
        environments: usize,
    },
    /// An action is not finite.
    #[error("action {column} of environment {environment} is {value}; actions must be finite")]
    Action {
        /// Index of the environment.
        environment: usize,
        /// Index of the action.
        column: usize,
        /// Its value.
        value: f32,
    },
    /// The environment has not been reset yet.
    #[error("environment {0} has not been reset; call reset first")]
    NotReset(usize),
    /// Drawn dimensions give no part.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A draw from the scene's uncertainty makes no valid scene.
    #[error("a draw from the scene's uncertainty is invalid: {0}")]
    Uncertainty(String),
    /// The batch refused a request.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The graphics device refused a request, or failed.
    #[error(transparent)]
    Device(#[from] GpuError),
}
