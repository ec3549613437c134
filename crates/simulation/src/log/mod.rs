//! Logs of runs: one row per step, and everything that is needed to repeat the run.
//!
//! ```text
//! Scene, RunMeta, [Record] ─► table ─► .parquet or .csv ─► read ─► replay: every number again
//! ```
//!
//! `meta` holds what is needed to repeat a run, `table` the columns of a row; both file formats hold both, unchanged.
//! Without the feature `parquet` only .csv logs can be written and read.
//!
//! ```no_run
//! use tightfit_simulation::log::{self, RunMeta};
//! use tightfit_simulation::{Scene, Simulation};
//!
//! let scene = Scene::find("peg-in-hole")?;
//! let mut run = Simulation::new(scene.clone(), 1);
//! let records: Vec<_> = (0..100).map(|_| run.advance()).collect();
//! log::write("run.parquet".as_ref(), &scene, &RunMeta::new(1, run.disturbance), &records)?;
//! assert!(log::replay("run.parquet".as_ref())?.is_same());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csv_file;
mod error;
mod meta;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet_file.rs"]
mod parquet_file;
mod replay;
mod table;

pub use error::LogError;
pub use meta::RunMeta;
pub use replay::{ChangedNumber, Difference, ReplayReport, replay};
pub use table::{Column, Values};

use std::path::{Path, PathBuf};

use crate::{Record, Scene, SceneSource};

/// A log that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Number of the format.
    pub format: u32,
    /// Scene that was run.
    pub scene: SceneSource,
    /// Folder of the scene from the root on, where the log has it: it is there from any working directory.
    pub absolute_folder: Option<PathBuf>,
    /// How it was run.
    pub meta: RunMeta,
    /// Columns of equal length, in the order of the file.
    pub columns: Vec<Column>,
}

impl Log {
    /// A column by name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

/// The two forms of a log.
#[derive(Clone, Copy)]
enum Format {
    Parquet,
    Csv,
}

impl Format {
    fn of(path: &Path) -> Result<Self, LogError> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("parquet") if cfg!(feature = "parquet") => Ok(Self::Parquet),
            Some("parquet") => Err(LogError::NoParquet { path: path.to_path_buf() }),
            Some("csv") => Ok(Self::Csv),
            _ => Err(LogError::Extension { path: path.to_path_buf() }),
        }
    }
}

/// Checks the name of a log, so that a bad one is refused before the run.
///
/// # Errors
/// On any extension but `.parquet` and `.csv`, and on `.parquet` without the feature `parquet`.
pub fn check_name(path: &Path) -> Result<(), LogError> {
    Format::of(path).map(|_| ())
}

/// Writes the log of a run; the extension, `.parquet` or `.csv`, chooses the form.
///
/// The records are those of every step from the start of the run.
///
/// # Errors
/// On any other extension, and when the file cannot be written.
pub fn write(path: &Path, scene: &Scene, meta: &RunMeta, records: &[Record]) -> Result<(), LogError> {
    let format = Format::of(path)?;
    let columns = table::columns(scene, records);
    let entries = meta.entries(&scene.source, records.len());
    match format {
        Format::Parquet => parquet_file::write(path, &entries, &columns),
        Format::Csv => csv_file::write(path, &entries, &columns),
    }
}

/// The columns that [`write`] writes for these records.
#[must_use]
pub fn columns(scene: &Scene, records: &[Record]) -> Vec<Column> {
    table::columns(scene, records)
}

/// Reads a log.
///
/// # Errors
/// When the file cannot be read, ends early, or is no log of this program.
pub fn read(path: &Path) -> Result<Log, LogError> {
    let (entries, columns) = match Format::of(path)? {
        Format::Parquet => parquet_file::read(path)?,
        Format::Csv => csv_file::read(path)?,
    };
    let format = RunMeta::format(path, &entries)?;
    let (scene, meta, steps) = RunMeta::from_entries(path, &entries)?;
    for column in &columns {
        let found = column.values.len();
        if found != steps {
            return Err(LogError::Truncated {
                path: path.to_path_buf(),
                reason: format!("column {} has {found} of {steps} steps", column.name),
            });
        }
    }
    Ok(Log { format, scene, absolute_folder: RunMeta::absolute_folder(path, &entries), meta, columns })
}

/// The columns of any flat Parquet file of numbers, whoever wrote it.
///
/// # Errors
/// When the file cannot be read, or a column holds other than numbers and flags.
pub fn read_parquet_columns(path: &Path) -> Result<Vec<Column>, LogError> {
    parquet_file::read_any(path).map(|(_, columns)| columns)
}
