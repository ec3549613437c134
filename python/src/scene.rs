//! Scenes.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tightfit::scene::{self as simulation, Motion, SceneSource, built_in_scenes};

use crate::errors;

/// What is simulated: parts, drives, an arm, a task.
#[pyclass(module = "tightfit", frozen)]
#[derive(Clone)]
pub struct Scene {
    pub(crate) inner: simulation::Scene,
}

/// Replacements of values, as strings `key=value`.
fn replacements(set: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let Some(set) = set else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, value) in set {
        let value: String = match value.extract::<bool>() {
            Ok(flag) => flag.to_string(),
            Err(_) => value.str()?.extract()?,
        };
        found.push(format!("{}={value}", key.extract::<String>()?));
    }
    Ok(found)
}

#[pymethods]
impl Scene {
    /// Builds a scene from the text of a scene file; files that it names are relative to `folder`.
    #[new]
    #[pyo3(signature = (toml, *, folder = None))]
    fn new(toml: String, folder: Option<PathBuf>) -> PyResult<Self> {
        let source = SceneSource { text: toml, folder: folder.unwrap_or_else(|| ".".into()) };
        let inner = simulation::Scene::from_source(&source).map_err(errors::scene)?;
        Ok(Self { inner })
    }

    /// Finds a built-in scene by name, or loads a scene file by path; `set` replaces values of it.
    #[staticmethod]
    #[pyo3(signature = (name_or_path, *, set = None))]
    fn find(name_or_path: PathBuf, set: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let name = name_or_path.to_string_lossy();
        let inner = simulation::Scene::find_with(&name, &replacements(set)?).map_err(errors::scene)?;
        Ok(Self { inner })
    }

    /// Builds a scene from the keys of a scene file as JSON.
    #[staticmethod]
    #[pyo3(signature = (json, *, folder = None))]
    fn _from_json(json: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let value: toml::Value = serde_json::from_str(json).map_err(errors::scene)?;
        let text = toml::to_string(&value).map_err(errors::scene)?;
        Self::new(text, folder)
    }

    /// The same scene with values replaced, such as `{"friction": 0.4, "method.preset": "paper"}`.
    fn replaced(&self, set: &Bound<'_, PyDict>) -> PyResult<Self> {
        let Self { inner } = self;
        let replaced =
            simulation::Scene::from_source_with(&inner.source, &inner.name, &replacements(Some(set))?);
        Ok(Self { inner: replaced.map_err(errors::scene)? })
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// One sentence about it.
    #[getter]
    fn description(&self) -> &str {
        &self.inner.description
    }

    /// Text of the scene file.
    #[getter]
    fn toml(&self) -> &str {
        &self.inner.source.text
    }

    /// Folder of the files that it names.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.inner.source.folder.clone()
    }

    /// Time step [s].
    #[getter]
    fn dt(&self) -> f64 {
        self.inner.dt
    }

    /// Time that drives or strategy take [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.inner.duration()
    }

    /// Names of the parts, in the order of the file.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.inner.bodies.iter().map(|body| body.name.clone()).collect()
    }

    /// Names of the parts that move freely.
    #[getter]
    fn free_bodies(&self) -> Vec<String> {
        let free = self.inner.bodies.iter().filter(|body| body.motion == Motion::Free);
        free.map(|body| body.name.clone()).collect()
    }

    /// The preset of methods.
    #[getter]
    fn preset(&self) -> &'static str {
        self.inner.methods.preset.name()
    }

    /// Whether an arm holds a part.
    #[getter]
    fn has_arm(&self) -> bool {
        self.inner.arm.is_some()
    }

    /// Whether the scene has a task.
    #[getter]
    fn has_task(&self) -> bool {
        self.inner.task.is_some()
    }

    /// What is allowed but probably not meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings.iter().map(ToString::to_string).collect()
    }

    fn __repr__(&self) -> String {
        format!("<tightfit.Scene {}: {}>", self.inner.name, self.bodies().join(", "))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, PathBuf))> {
        let scene = slf.borrow();
        let rebuild = slf.py().import("tightfit._rebuild")?.getattr("scene")?;
        Ok((rebuild, (scene.inner.source.text.clone(), scene.inner.source.folder.clone())))
    }
}

/// A scene, or one found by name or path.
pub(crate) fn scene_of(scene: &Bound<'_, PyAny>) -> PyResult<simulation::Scene> {
    if let Ok(scene) = scene.cast::<Scene>() {
        return Ok(scene.get().inner.clone());
    }
    let path: PathBuf = scene.extract()?;
    simulation::Scene::find(&path.to_string_lossy()).map_err(errors::scene)
}

/// Names of the built-in scenes.
#[pyfunction]
pub fn scene_names() -> Vec<&'static str> {
    built_in_scenes().iter().map(|scene| scene.name).collect()
}

/// The JSON schema of scene files, as text.
#[pyfunction]
pub fn scene_schema() -> String {
    simulation::scene_schema().to_string()
}
