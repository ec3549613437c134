//! Faults of environments and errors of a batch.

use crate::{ArmFailure, Motion, Scene};

/// Why an environment is frozen. The named step was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// An invalid parameter.
    #[error("parameter {name} is {value}; {remedy}")]
    Parameter {
        /// Its name, with the body or pair.
        name: String,
        /// Its value.
        value: String,
        /// Allowed values.
        remedy: &'static str,
    },
    /// An invalid state.
    #[error("step {step}: {name} of the state is {value}; {remedy}")]
    State {
        /// Number of the step, from 1.
        step: u64,
        /// Which part of the state.
        name: String,
        /// Its value.
        value: String,
        /// Allowed values.
        remedy: &'static str,
    },
    /// An invalid input.
    #[error("step {step}: {name} of the input is {value}; {remedy}")]
    Input {
        /// Number of the step, from 1.
        step: u64,
        /// Which part of the input.
        name: String,
        /// Its value.
        value: String,
        /// Allowed values.
        remedy: &'static str,
    },
    /// The result of the step is not finite.
    #[error("step {step}: its result is not finite; the forces or speeds are too large")]
    NotFinite {
        /// Number of the step, from 1.
        step: u64,
    },
    /// The arm failed.
    #[error("step {step}: {failure}")]
    Arm {
        /// Number of the step, from 1.
        step: u64,
        /// The failure.
        failure: ArmFailure,
    },
}

/// An invalid request to a batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The environment does not exist.
    #[error("environment {index} of {count}: the last is {}", .count.saturating_sub(1))]
    NoEnvironment {
        /// The requested index.
        index: usize,
        /// Number of environments.
        count: usize,
    },
    /// The body does not exist, or is not free where a free one is needed.
    #[error("body `{name}` cannot be used here; choose one of: {known}")]
    UnknownBody {
        /// The requested name.
        name: String,
        /// Names of the possible bodies.
        known: String,
    },
    /// A part of another kind, on which the scene's nodes do not fit.
    #[error(
        "the new part of body `{name}` is of another kind; nodes of the scene lie on its faces, so keep the kind"
    )]
    OtherKind {
        /// The body.
        name: String,
    },
    /// The arm cannot hold a part at the given pose.
    #[error("the arm cannot hold `{name}` there: {reason}")]
    OutOfHand {
        /// The part.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A held part cannot start with a velocity.
    #[error("`{name}` is held by the arm, which starts at rest; give it no velocity")]
    HeldMoving {
        /// The part.
        name: String,
    },
    /// The threads could not be started.
    #[error("threads could not be started: {0}; use fewer threads")]
    Threads(String),
}

impl BatchError {
    /// The error for an unknown body, with the names of the free bodies.
    pub(super) fn unknown_body(name: &str, scene: &Scene) -> Self {
        let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free);
        let known: Vec<_> = free.map(|body| body.name.as_str()).collect();
        Self::UnknownBody { name: name.to_string(), known: known.join(", ") }
    }
}
