//! All trials behind a path.

use std::path::{Path, PathBuf};

use super::{ColumnMap, Trial, TrialError, npy_forms, own_recordings, run_logs};

/// What a path held.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialSet {
    /// The form that was recognised.
    pub form: LogForm,
    /// By name.
    pub trials: Vec<Trial>,
}

/// Forms that are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogForm {
    /// Arrays of the two published data sets.
    Arrays,
    /// Recordings of this program, such as virtual experiments write.
    Recordings,
    /// Simulated runs: our own logs, or those of the paper's authors.
    Runs,
    /// Any table with a column map.
    Mapped,
}

impl LogForm {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrays => "arrays of a published data set",
            Self::Recordings => "recordings of this program",
            Self::Runs => "logs of simulated runs",
            Self::Mapped => "tables with a column map",
        }
    }
}

/// Reads a file, or every file of a folder (or of its folder `npy`); with a map, tables of any origin.
///
/// # Errors
/// When nothing is there that can be read, or a file is not what its form asks for.
pub fn read_trials(path: &Path, map: Option<&Path>) -> Result<TrialSet, TrialError> {
    let map = map.map(|file| Ok::<_, TrialError>((ColumnMap::load(file)?, file))).transpose()?;
    let wanted: &[&str] =
        if map.is_some() { &["csv", "parquet", "txt", "tsv"] } else { &["npy", "csv", "parquet"] };
    let files = files(path, wanted)?;
    let mut form = LogForm::Mapped;
    let mut trials = Vec::new();
    for file in &files {
        if let Some((map, name)) = &map {
            trials.extend(map.read(file, name)?);
        } else if is(file, "npy") {
            form = LogForm::Arrays;
            trials.push(npy_forms::read(file)?);
        } else if let Some(trial) = own_recordings::read(file)? {
            form = LogForm::Recordings;
            trials.push(trial);
        } else {
            form = LogForm::Runs;
            let remedy = "name the meaning of its columns in a column map";
            let found = "is no log or recording of this program and no run of the paper's authors";
            trials.push(run_logs::read(file)?.ok_or_else(|| TrialError::malformed(file, found, remedy))?);
        }
    }
    trials.retain(|trial| !trial.is_empty());
    if trials.is_empty() {
        return Err(TrialError::malformed(path, "holds no row", "name a log with at least one"));
    }
    Ok(TrialSet { form, trials })
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// The file itself, or the folder's files with one of the extensions; arrays alone where there are any.
fn files(path: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, TrialError> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let arrays = path.join("npy");
    let folder = if arrays.is_dir() && extensions.contains(&"npy") { &arrays } else { path };
    let entries = std::fs::read_dir(folder).map_err(TrialError::unreadable(folder))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| extensions.iter().any(|extension| is(file, extension)))
        .collect();
    if files.iter().any(|file| is(file, "npy")) {
        files.retain(|file| is(file, "npy"));
    }
    files.sort();
    if files.is_empty() {
        let found = format!("has no file that ends in {}", extensions.join(", "));
        return Err(TrialError::malformed(folder, found, "name a log or a folder of logs"));
    }
    Ok(files)
}
