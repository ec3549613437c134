//! NumPy arrays of vectors, poses and columns. Every array is a copy that belongs to Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tightfit::scene::log::{Column, Values};
use tightfit::spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

/// Rows of three numbers.
pub(crate) fn rows<'py>(
    python: Python<'py>,
    vectors: impl Iterator<Item = Vector3<f64>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = vectors.flat_map(|vector| [vector.x, vector.y, vector.z]).collect();
    let count = flat.len() / 3;
    PyArray1::from_vec(python, flat).reshape([count, 3])
}

/// Three numbers.
pub(crate) fn vector(python: Python<'_>, vector: Vector3<f64>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(python, vector.as_slice())
}

/// Position [m] and quaternion x, y, z, w.
pub(crate) type PoseArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

pub(crate) fn pose<'py>(python: Python<'py>, pose: &Pose) -> PoseArrays<'py> {
    let quaternion = PyArray1::from_slice(python, pose.rotation.coords.as_slice());
    (vector(python, pose.translation), quaternion)
}

/// A pose of position [m] and quaternion x, y, z, w, which is normalised.
pub(crate) fn to_pose(position: [f64; 3], quaternion: [f64; 4]) -> PyResult<Pose> {
    let [x, y, z, w] = quaternion;
    let norm = (x * x + y * y + z * z + w * w).sqrt();
    if !position.iter().chain(&quaternion).all(|value| value.is_finite()) || (norm - 1.0).abs() > 1e-3 {
        return Err(PyValueError::new_err(format!(
            "pose {position:?}, {quaternion:?}: allowed: a finite position [m] and a quaternion x, y, z, w of length 1"
        )));
    }
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    Ok(Pose::new(position.into(), rotation))
}

/// A dictionary from the names of columns to arrays. Values that were not measured are NaN.
pub(crate) fn table<'py>(python: Python<'py>, columns: &[Column]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(python);
    for Column { name, values } in columns {
        match values {
            Values::Real(values) => table.set_item(name, PyArray1::from_slice(python, values))?,
            Values::Measured(values) => {
                let values = values.iter().map(|value| value.unwrap_or(f64::NAN));
                table.set_item(name, PyArray1::from_iter(python, values))?;
            }
            Values::Whole(values) => table.set_item(name, PyArray1::from_slice(python, values))?,
            Values::Flag(values) => table.set_item(name, PyArray1::from_slice(python, values))?,
        }
    }
    Ok(table)
}
