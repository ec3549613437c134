//! Exceptions, with the program's text.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(tightfit, TightfitError, PyValueError, "Base class of the exceptions of this package.");
create_exception!(tightfit, SceneError, TightfitError, "A scene that cannot be built.");
create_exception!(tightfit, PartError, TightfitError, "A part or mesh file that cannot be used.");
create_exception!(tightfit, LogError, TightfitError, "A log that cannot be written or read.");
create_exception!(tightfit, EnvironmentError, TightfitError, "An environment or action that cannot be used.");

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("TightfitError", python.get_type::<TightfitError>())?;
    module.add("SceneError", python.get_type::<SceneError>())?;
    module.add("PartError", python.get_type::<PartError>())?;
    module.add("LogError", python.get_type::<LogError>())?;
    module.add("EnvironmentError", python.get_type::<EnvironmentError>())
}

pub(crate) fn scene(error: impl std::fmt::Display) -> PyErr {
    SceneError::new_err(error.to_string())
}

pub(crate) fn part(error: impl std::fmt::Display) -> PyErr {
    PartError::new_err(error.to_string())
}

pub(crate) fn log(error: impl std::fmt::Display) -> PyErr {
    LogError::new_err(error.to_string())
}

pub(crate) fn environment(error: impl std::fmt::Display) -> PyErr {
    EnvironmentError::new_err(error.to_string())
}

pub(crate) fn general(error: impl std::fmt::Display) -> PyErr {
    TightfitError::new_err(error.to_string())
}
