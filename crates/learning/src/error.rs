//! Errors of training and identification.

use std::path::Path;

use tightfit_network::NetworkError;
use tightfit_shape::ShapeError;

/// A task that cannot be done, with value, place and remedy.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// The part cannot be sampled.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The network or its files.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// An option out of range.
    #[error("{option} is {value}; allowed: {allowed}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {problem}; {remedy}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A checkpoint of another task.
    #[error("{path} belongs to another task: {difference}; delete it or name another file")]
    OtherTask {
        /// The checkpoint.
        path: String,
        /// What differs.
        difference: String,
    },
}

impl LearningError {
    /// A file that cannot be used.
    #[must_use]
    pub fn file(path: &Path, problem: String, remedy: &'static str) -> Self {
        Self::File { path: path.display().to_string(), problem, remedy }
    }
}
