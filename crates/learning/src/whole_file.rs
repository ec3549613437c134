//! Files that are there whole or not at all.

use std::path::Path;

use crate::LearningError;

/// Writes beside the file and renames, so that a killed program leaves the old file or the new one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LearningError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| unusable(path, error.to_string(), "check that its folder exists and has room"))
}

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, LearningError> {
    std::fs::read(path).map_err(|error| unusable(path, error.to_string(), "check the name"))
}

pub(crate) fn unusable(path: &Path, problem: String, remedy: &'static str) -> LearningError {
    LearningError::File { path: path.display().to_string(), problem, remedy }
}
