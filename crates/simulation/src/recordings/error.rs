//! Errors in a folder of recordings.

use std::path::{Path, PathBuf};

use super::npy::NotAnArray;

/// Recordings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A file cannot be read.
    #[error("cannot read {}: {reason}; a folder of recordings holds tosses.npy and index.csv", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The reason given by the operating system.
        reason: String,
    },
    /// A file does not have the expected format.
    #[error("{}: {found}; {remedy}", .path.display())]
    Malformed {
        /// The path.
        path: PathBuf,
        /// What was found, and where.
        found: String,
        /// Expected contents.
        remedy: String,
    },
    /// A file is not an array.
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
