//! Environments over NumPy arrays. Every returned array is new, so that no step overwrites what an earlier one returned.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tightfit_environments::{
    ACTIONS, Columns, Device, Environments, Kind, OBSERVATIONS, Options, PRIVILEGED,
};

use crate::device_array::DeviceArray;
use crate::errors;
use crate::scene::Scene;

/// Many environments of one task; `tightfit.VectorEnv` wraps it.
#[pyclass(module = "tightfit._native")]
pub struct NativeEnvironments {
    inner: Environments,
}

/// The scene of a built-in environment and its options as JSON text.
#[pyfunction]
pub fn environment_defaults(name: &str) -> PyResult<(Scene, String)> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        errors::environment(format!("there is no environment `{name}`; environments: {}", names.join(", ")))
    })?;
    let (inner, options) = kind.scene_and_options().map_err(errors::scene)?;
    Ok((Scene { inner }, serde_json::to_string(&options).map_err(errors::environment)?))
}

#[pymethods]
impl NativeEnvironments {
    /// Names and units of an observation.
    #[classattr]
    const OBSERVATIONS: [&'static str; OBSERVATIONS.len()] = OBSERVATIONS;
    /// Names and units of a privileged observation.
    #[classattr]
    const PRIVILEGED: [&'static str; PRIVILEGED.len()] = PRIVILEGED;

    /// `count` environments of a scene over `threads` threads (0: one per core), or on a device such as `cuda:0`; options as
    /// JSON text.
    #[new]
    #[pyo3(signature = (scene, count, threads, options, device = "cpu"))]
    fn new(scene: &Scene, count: usize, threads: usize, options: &str, device: &str) -> PyResult<Self> {
        let options: Options = serde_json::from_str(options).map_err(errors::environment)?;
        let scene = scene.inner.clone();
        let inner = match device_of(device)? {
            None => Environments::new(scene, count, threads, options),
            Some(device) => Environments::on_device(scene, count, &device, options),
        };
        Ok(Self { inner: inner.map_err(errors::environment)? })
    }

    /// The default options of a scene without a name of its own, as JSON text.
    #[staticmethod]
    fn default_options() -> PyResult<String> {
        serde_json::to_string(&Options::default()).map_err(errors::environment)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Policy steps of the longest episode.
    #[getter]
    fn most_steps(&self) -> u32 {
        self.inner.most_steps()
    }

    /// Seconds that all steps spent in the native batch: the rest is what environments and Python add.
    #[getter]
    fn batch_seconds(&self) -> f64 {
        self.inner.batch_time().as_secs_f64()
    }

    /// Begins episodes of the environments with a true mask; a seed for each, or `None` for their next episode.
    fn reset(
        &mut self,
        python: Python<'_>,
        mask: PyReadonlyArray1<'_, bool>,
        seeds: Vec<Option<u64>>,
    ) -> PyResult<()> {
        let mask = self.mask(&mask)?;
        if seeds.len() != mask.len() {
            let (found, count) = (seeds.len(), mask.len());
            return Err(errors::environment(format!("{found} seeds for {count} environments")));
        }
        let inner = &mut self.inner;
        python.detach(|| {
            let chosen = (0..mask.len()).filter(|index| mask[*index]);
            let seeds: Vec<_> = chosen.map(|index| (index, seeds[index])).collect();
            inner.reset_many(&seeds).map_err(errors::environment)
        })
    }

    /// One policy step of the environments with a true mask; actions are (n, 6), contiguous or not.
    fn step(
        &mut self,
        python: Python<'_>,
        actions: PyReadonlyArray2<'_, f32>,
        mask: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let mask = self.mask(&mask)?;
        let (rows, columns) = (actions.shape()[0], actions.shape()[1]);
        if (rows, columns) != (mask.len(), ACTIONS) {
            let count = mask.len();
            return Err(errors::environment(format!(
                "actions of shape ({rows}, {columns}); allowed: ({count}, 6)"
            )));
        }
        let actions: Vec<f32> = actions.as_array().iter().copied().collect();
        let inner = &mut self.inner;
        let mask = mask.as_slice();
        python.detach(|| inner.step(&actions, |index| mask[index]).map_err(errors::environment))
    }

    /// Observations (n, 30) of the last step or reset.
    fn observations<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.inner.columns();
        matrix(python, &columns.observation, OBSERVATIONS.len())
    }

    /// Observations (n, 30) in the memory of the graphics device, for `torch.from_dlpack`.
    fn device_observations(&self, python: Python<'_>) -> PyResult<DeviceArray> {
        let inner = &self.inner;
        let array = python.detach(|| inner.device_observations()).map_err(errors::environment)?;
        let none = || {
            errors::environment("the environments are not on a graphics device; make them with device='cuda'")
        };
        Ok(DeviceArray::new(array.ok_or_else(none)?, OBSERVATIONS.len()))
    }

    /// Rewards, terminated and truncated (n,) of the last step.
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn ends<'py>(
        &self,
        python: Python<'py>,
    ) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>) {
        let Columns { reward, terminated, truncated, .. } = self.inner.columns();
        (
            PyArray1::from_slice(python, reward),
            PyArray1::from_slice(python, terminated),
            PyArray1::from_slice(python, truncated),
        )
    }

    /// Success, certificate and privileged observations of the last step or reset.
    fn info<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = self.inner.columns();
        let info = PyDict::new(python);
        let flags = [("success", &columns.success), ("engaged", &columns.engaged), ("fault", &columns.fault)];
        for (name, values) in flags {
            info.set_item(name, PyArray1::from_slice(python, values))?;
        }
        let reals = [
            ("depth", &columns.depth),
            ("turns", &columns.turns),
            ("penetration", &columns.penetration),
            ("peak_force", &columns.peak_force),
        ];
        for (name, values) in reals {
            info.set_item(name, PyArray1::from_slice(python, values))?;
        }
        if self.inner.options().audit {
            info.set_item("audited", PyArray1::from_slice(python, &columns.audited))?;
        }
        let counts = [
            ("unconverged", &columns.unconverged),
            ("limits", &columns.limits),
            ("episode_step", &columns.episode_step),
        ];
        for (name, values) in counts {
            info.set_item(name, PyArray1::from_slice(python, values))?;
        }
        info.set_item("privileged", matrix(python, &columns.privileged, PRIVILEGED.len())?)?;
        Ok(info)
    }

    /// Fingerprints of the states (n,).
    fn hashes<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let inner = &self.inner;
        let hashes: Result<Vec<u64>, _> =
            (0..inner.len()).map(|index| inner.state(index).map(tightfit::scene::State::hash)).collect();
        Ok(PyArray1::from_vec(python, hashes.map_err(errors::environment)?))
    }

    /// Why an environment is frozen, if it is.
    fn fault(&self, index: usize) -> PyResult<Option<String>> {
        let fault = self.inner.fault(index).map_err(errors::environment)?;
        Ok(fault.map(ToString::to_string))
    }

    /// Seed and number of the episode of an environment.
    fn episode(&self, index: usize) -> Option<(u64, u64)> {
        self.inner.episode_of(index)
    }

    /// Unshared memory of an environment [bytes].
    fn environment_bytes(&self, index: usize) -> PyResult<usize> {
        self.inner.environment_bytes(index).map_err(errors::environment)
    }
}

impl NativeEnvironments {
    fn mask(&self, mask: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<bool>> {
        let mask: Vec<bool> = mask.as_array().iter().copied().collect();
        if mask.len() != self.inner.len() {
            let (found, count) = (mask.len(), self.inner.len());
            return Err(errors::environment(format!("a mask of {found} flags for {count} environments")));
        }
        Ok(mask)
    }
}

/// The graphics device of a name; `None` for the processor.
fn device_of(name: &str) -> PyResult<Option<Device>> {
    let number = match name {
        "cpu" => return Ok(None),
        "cuda" => Some(0),
        _ => name.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
    };
    let unknown = || errors::environment(format!("device = '{name}': allowed: 'cpu', 'cuda', 'cuda:0', …"));
    Ok(Some(Device::Cuda(number.ok_or_else(unknown)?)))
}

fn matrix<'py>(python: Python<'py>, flat: &[f32], width: usize) -> PyResult<Bound<'py, PyAny>> {
    let rows = flat.len() / width;
    Ok(PyArray1::from_slice(python, flat).reshape([rows, width])?.into_any())
}
