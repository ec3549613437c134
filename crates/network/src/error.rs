//! Errors of networks, their files and their training.

/// A network cannot be built, read or trained; the message names the value, the place and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// Sizes that do not fit together.
    #[error("{place}: {what} is {found}; expected {expected}")]
    Size {
        /// Where: the layer, tensor or argument.
        place: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        found: String,
        /// Expected value.
        expected: String,
    },
    /// A number that is not finite, or outside its range.
    #[error("{place}: {value} is not allowed; allowed: {allowed}")]
    Value {
        /// Where: the tensor and index, or the option.
        place: String,
        /// The offending value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A file of another kind, or a damaged file.
    #[error("{path}: {problem}; {remedy}")]
    File {
        /// The file.
        path: String,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The loss became infinite or not a number.
    #[error(
        "the loss is {loss} at training step {step}; lower `learning_rate` (now {learning_rate}) or check the samples"
    )]
    Diverged {
        /// The loss.
        loss: f64,
        /// Number of steps done.
        step: u64,
        /// Learning rate at the start.
        learning_rate: f64,
    },
}

impl NetworkError {
    /// Sizes that do not match.
    pub fn size(
        place: impl Into<String>,
        what: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> Self {
        Self::Size { place: place.into(), what, found: found.to_string(), expected: expected.to_string() }
    }
}
