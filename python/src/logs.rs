//! Logs of runs.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tightfit::scene::log;

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
