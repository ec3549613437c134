//! Why an environment stands still, and what was asked of a batch in vain.

use crate::{ArmFailure, Motion, Scene};

/// Why an environment is frozen. The step it names was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A parameter that no step can be taken with.
    #[error("parameter {name} is {value}; {remedy}")]
    Parameter {
        /// Its name, with the body or pair.
        name: String,
        /// What it is.
        value: String,
        /// What is allowed.
        remedy: &'static str,
    },
    /// A state that no step can be taken from.
    #[error("step {step}: {name} of the state is {value}; {remedy}")]
    State {
        /// Number of the step, from 1.
        step: u64,
        /// Which part of the state.
        name: String,
        /// What it is.
        value: String,
        /// What is allowed.
        remedy: &'static str,
    },
    /// An input that no step can be taken with.
    #[error("step {step}: {name} of the input is {value}; {remedy}")]
    Input {
        /// Number of the step, from 1.
        step: u64,
        /// Which part of the input.
        name: String,
        /// What it is.
        value: String,
        /// What is allowed.
        remedy: &'static str,
    },
    /// The step led to numbers that are not finite.
    #[error("step {step}: its result is not finite; the forces or speeds are beyond reason")]
    NotFinite {
        /// Number of the step, from 1.
        step: u64,
    },
    /// The arm could not go on.
    #[error("step {step}: {failure}")]
    Arm {
        /// Number of the step, from 1.
        step: u64,
        /// What stopped it.
        failure: ArmFailure,
    },
}

/// What was asked of a batch in vain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// There is no such environment.
    #[error("environment {index} of {count}: the last is {}", .count.saturating_sub(1))]
    NoEnvironment {
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// There is no such body, or it does not move freely.
    #[error("`{name}` is no such body of the scene; those are: {known}")]
    UnknownBody {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A part of another kind cannot carry the scene's nodes.
    #[error(
        "body `{name}` is given a part of another kind; nodes of the scene lie on it by face, so keep the kind"
    )]
    OtherKind {
        /// The body.
        name: String,
    },
    /// A part that an arm cannot hold where it is put.
    #[error("the arm cannot hold `{name}` there: {reason}")]
    OutOfHand {
        /// The part.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A part in a hand cannot start on its own.
    #[error("`{name}` is held by the arm, which starts at rest; give it no velocity")]
    HeldMoving {
        /// The part.
        name: String,
    },
    /// The threads could not be started.
    #[error("threads could not be started: {0}; ask for fewer")]
    Threads(String),
}

impl BatchError {
    /// With the free bodies that could have been meant.
    pub(super) fn unknown_body(name: &str, scene: &Scene) -> Self {
        let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free);
        let known: Vec<_> = free.map(|body| body.name.as_str()).collect();
        Self::UnknownBody { name: name.to_string(), known: known.join(", ") }
    }
}
