//! The command `tightfit` that the wheel installs.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the program with these arguments, the first of which is its name, and returns the exit code.
#[pyfunction]
pub fn run_program(python: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = python.detach(|| tightfit::program::run(arguments));
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}
