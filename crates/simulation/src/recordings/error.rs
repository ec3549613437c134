//! What can be wrong with a folder of recordings.

use std::path::{Path, PathBuf};

use super::npy::NotAnArray;

/// Recordings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The system refused to read a file.
    #[error("cannot read {}: {reason}; the folder of recordings holds tosses.npy and index.csv", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file is not what the format asks for.
    #[error("{}: {found}; {remedy}", .path.display())]
    Malformed {
        /// The path.
        path: PathBuf,
        /// What was found, and where.
        found: String,
        /// What would be accepted.
        remedy: String,
    },
    /// A file that is no array.
    #[error(transparent)]
    Array(#[from] NotAnArray),
}

impl RecordingError {
    pub(super) fn malformed(path: &Path, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), found: found.into(), remedy: remedy.into() }
    }

    pub(super) fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Unreadable { path, reason: error.to_string() }
    }
}
