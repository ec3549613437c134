//! What can be wrong with a recording, its folder or its column map.

use std::path::{Path, PathBuf};

use super::npy::NotAnArray;
use crate::log::LogError;

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The system refused to read a file.
    #[error("cannot read {}: {reason}", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system reported.
        reason: String,
    },
    /// A file does not follow its format.
    #[error("{}: {found}; {remedy}", .path.display())]
    Malformed {
        /// The path.
        path: PathBuf,
        /// What was found, and where.
        found: String,
        /// Expected contents.
        remedy: String,
    },
    /// A `.npy` file.
    #[error(transparent)]
    Array(#[from] NotAnArray),
    /// A log of this program, or a Parquet file.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl RecordingError {
    /// A file that does not follow its format.
    #[must_use]
    pub fn malformed(path: &Path, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), found: found.into(), remedy: remedy.into() }
    }

    /// Converts the system's error for a path.
    pub fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Unreadable { path, reason: error.to_string() }
    }
}
