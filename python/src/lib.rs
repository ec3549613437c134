//! The compiled half of the Python package `tightfit`: scenes, simulations, parts, logs and environments over NumPy arrays.

#![deny(unsafe_code)]
// the macros of pyo3 expand to public functions
#![allow(unreachable_pub, reason = "Python sees what Rust cannot reach")]

mod arrays;
mod certificate;
mod comparison;
#[allow(unsafe_code, reason = "DLPack passes addresses")]
mod device_array;
mod environments;
mod errors;
mod evolution;
mod interrupt;
mod logs;
mod parts;
mod program;
mod scene;
mod simulation;
mod snapshot;

use pyo3::prelude::*;

/// Registers everything that the Python half imports.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<certificate::Certificate>()?;
    module.add_class::<snapshot::Snapshot>()?;
    module.add_class::<parts::Part>()?;
    module.add_class::<evolution::CmaEs>()?;
    module.add_class::<environments::NativeEnvironments>()?;
    module.add_class::<device_array::DeviceArray>()?;
    module.add_function(wrap_pyfunction!(comparison::compare, module)?)?;
    module.add_function(wrap_pyfunction!(environments::environment_defaults, module)?)?;
    module.add_function(wrap_pyfunction!(logs::read_log, module)?)?;
    module.add_function(wrap_pyfunction!(logs::replay_log, module)?)?;
    module.add_function(wrap_pyfunction!(parts::part_names, module)?)?;
    module.add_function(wrap_pyfunction!(program::run_program, module)?)?;
    module.add_function(wrap_pyfunction!(scene::scene_names, module)?)?;
    module.add_function(wrap_pyfunction!(scene::scene_schema, module)?)?;
    Ok(())
}
