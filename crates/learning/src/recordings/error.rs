//! What can be wrong with a log or its column map.

use std::path::{Path, PathBuf};

use tightfit_simulation::log::LogError;
use tightfit_simulation::recordings::npy::NotAnArray;

/// A log that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The system refused.
    #[error("cannot read {}: {reason}", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file that is not what its form asks for.
    #[error("{}: {found}; {remedy}", .path.display())]
    Malformed {
        /// The path.
        path: PathBuf,
        /// What was found, and where.
        found: String,
        /// What would be accepted.
        remedy: String,
    },
    /// A `.npy` file.
    #[error(transparent)]
    Array(#[from] NotAnArray),
    /// A log of this program, or a Parquet file.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl TrialError {
    pub(crate) fn malformed(path: &Path, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), found: found.into(), remedy: remedy.into() }
    }

    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Unreadable { path, reason: error.to_string() }
    }
}
