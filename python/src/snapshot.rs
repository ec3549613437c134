//! Snapshots of simulations.

use pyo3::prelude::*;
use tightfit::scene;

use crate::errors;

/// A simulation at one moment: every bit that its future depends on. It can be pickled and compared.
#[pyclass(module = "tightfit", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Snapshot {
    pub(crate) inner: scene::Snapshot,
}

#[pymethods]
impl Snapshot {
    /// Reads a snapshot from the JSON text of `to_json`.
    #[staticmethod]
    fn from_json(json: &str) -> PyResult<Self> {
        Ok(Self { inner: serde_json::from_str(json).map_err(errors::general)? })
    }

    /// The snapshot as JSON text, which keeps every bit.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner).map_err(errors::general)
    }

    /// Steps taken.
    #[getter]
    fn step(&self) -> u64 {
        self.inner.state.step_count
    }

    /// 64-bit fingerprint of the state.
    #[getter]
    fn hash(&self) -> u64 {
        self.inner.state.hash()
    }

    fn __repr__(&self) -> String {
        format!("<tightfit.Snapshot of step {}, hash {:016x}>", self.step(), self.hash())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let rebuild = slf.py().import("tightfit._rebuild")?.getattr("snapshot")?;
        Ok((rebuild, (slf.borrow().to_json()?,)))
    }
}
