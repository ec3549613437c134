//! Logs of runs.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Record, Simulation};
use tightfit::viewer::{Recording, mcap};

use crate::{arrays, errors};

/// Reads a log (.parquet or .csv) into a dictionary of columns.
#[pyfunction]
pub fn read_log(python: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let log = python.detach(|| log::read(&path)).map_err(errors::log)?;
    arrays::table(python, &log.columns)
}

/// Repeats the run of a log; true when every number is the same.
#[pyfunction]
pub fn replay_log(python: Python<'_>, path: PathBuf) -> PyResult<bool> {
    let report = python.detach(|| log::replay(&path)).map_err(errors::log)?;
    Ok(report.is_same())
}

/// Writes the records of a run as an MCAP file, by way of its log: the recording is made as `tightfit render` makes it.
pub(crate) fn write_mcap(path: &Path, run: &Simulation, seed: u64, records: &[Record]) -> PyResult<()> {
    let between = path.with_extension("log-of-mcap.parquet");
    log::write(&between, &run.scene, &RunMeta::new(seed, run.disturbance), records).map_err(errors::log)?;
    let log = log::read(&between);
    let removed = std::fs::remove_file(&between);
    let (recording, _) =
        Recording::of_log(&log.map_err(errors::log)?, &run.scene.name).map_err(errors::scene)?;
    removed
        .and_then(|()| std::fs::write(path, mcap(&recording)))
        .map_err(|error| errors::log(format!("{} cannot be written: {error}", path.display())))
}
