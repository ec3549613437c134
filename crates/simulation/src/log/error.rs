//! What can be wrong with a log.

use std::path::{Path, PathBuf};

use crate::SceneError;

/// A log that cannot be written, read or replayed.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The extension names no form of a log.
    #[error("{}: the name of a log ends in .parquet or .csv", .path.display())]
    Extension {
        /// The path.
        path: PathBuf,
    },
    /// The program was built without Parquet.
    #[error("{}: this program was built without the feature `parquet`; use .csv", .path.display())]
    NoParquet {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {verb} {}: {reason}", .path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system said; no source of the error, since its text says it already.
        reason: std::io::Error,
    },
    /// A file of another kind, or of another program.
    #[error("{} is no log of tightfit: {reason}", .path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
        /// What gave it away.
        reason: String,
    },
    /// The file ends early.
    #[error("{} is cut off: {reason}; the run that wrote it or a copy of it was interrupted", .path.display())]
    Truncated {
        /// The path.
        path: PathBuf,
        /// Where it ends.
        reason: String,
    },
    /// The file is damaged.
    #[error("{} is damaged: {reason}", .path.display())]
    Damaged {
        /// The path.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The scene in the log cannot be built again.
    #[error("the scene in {} cannot be built: {problem}", .path.display())]
    Scene {
        /// The path.
        path: PathBuf,
        /// What is wrong with it; no source of the error, since its text says it already.
        problem: SceneError,
    },
}

impl LogError {
    pub(super) fn io(verb: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |reason| Self::Io { verb, path, reason }
    }

    pub(super) fn foreign(path: &Path, reason: impl Into<String>) -> Self {
        Self::Foreign { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(super) fn truncated(path: &Path, reason: impl Into<String>) -> Self {
        Self::Truncated { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_path_buf(), reason: reason.into() }
    }
}
