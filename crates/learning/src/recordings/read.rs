//! Reads all trials of a file or folder.

use std::path::{Path, PathBuf};

use tightfit_simulation::recordings::RecordingError;

use super::{ColumnMap, Trial, own_recordings, run_logs, torque_angle};

/// The trials of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialSet {
    /// The recognised form.
    pub form: LogForm,
    /// Trials, sorted by name.
    pub trials: Vec<Trial>,
}

/// Forms of a log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogForm {
    /// Recordings of this program, for example of virtual experiments.
    Recordings,
    /// Logs of `tightfit run`.
    Runs,
    /// Any table with a column map.
    Mapped,
}

impl LogForm {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recordings => "recordings of this program",
            Self::Runs => "logs of simulated runs",
            Self::Mapped => "tables with a column map",
        }
    }
}

/// Reads a file, or every file of a folder; with a map, tables of any origin.
///
/// # Errors
/// When nothing can be read, or a file does not follow its form.
pub fn read_trials(path: &Path, map: Option<&Path>) -> Result<TrialSet, RecordingError> {
    let map = map.map(|file| Ok::<_, RecordingError>((ColumnMap::load(file)?, file))).transpose()?;
    let wanted: &[&str] =
        if map.is_some() { &["csv", "parquet", "npy", "txt", "tsv"] } else { &["csv", "parquet", "npy"] };
    if torque_angle::is_torque_angle(path) {
        return Err(RecordingError::malformed(path, torque_angle::FOUND, torque_angle::REMEDY));
    }
    let files = files(path, wanted)?;
    let mut form = LogForm::Mapped;
    let mut trials = Vec::new();
    for file in &files {
        if let Some((map, name)) = &map {
            trials.extend(map.read(file, name)?);
        } else if let Some(trial) = own_recordings::read(file)? {
            form = LogForm::Recordings;
            trials.push(trial);
        } else {
            form = LogForm::Runs;
            let remedy = "state the meaning of its columns in a column map (--map)";
            let found = "is not a log or recording of this program";
            trials.push(run_logs::read(file)?.ok_or_else(|| RecordingError::malformed(file, found, remedy))?);
        }
    }
    trials.retain(|trial| !trial.is_empty());
    if trials.is_empty() {
        return Err(RecordingError::malformed(path, "holds no row", "name a log with at least one"));
    }
    Ok(TrialSet { form, trials })
}

/// The file itself, or the folder's files with one of the extensions, sorted by name.
fn files(path: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, RecordingError> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let has = |file: &Path, extension: &str| {
        file.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    let entries = std::fs::read_dir(path).map_err(RecordingError::unreadable(path))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| extensions.iter().any(|extension| has(file, extension)))
        .collect();
    files.sort();
    if files.is_empty() {
        let found = format!("has no file that ends in {}", extensions.join(", "));
        return Err(RecordingError::malformed(path, found, "name a log or a folder of logs"));
    }
    Ok(files)
}
