//! Presets of methods side by side.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tightfit::scene::{Assessment, Outcome, Preset, Simulation, Summary, WrenchDifference};

use crate::scene::scene_of;
use crate::simulation::{assessment_dictionary, outcome_dictionary};
use crate::{errors, interrupt};

/// Runs a scene with several presets of methods. One dictionary per preset: outcome, assessment, penetration, and the difference
/// of its contact wrenches from those of the first preset.
#[pyfunction]
#[pyo3(signature = (scene, presets = vec!["tight".to_string(), "standard".to_string(), "refined".to_string()], *, seconds = None, seed = 1, audit = true))]
pub fn compare<'py>(
    python: Python<'py>,
    scene: &Bound<'py, PyAny>,
    presets: Vec<String>,
    seconds: Option<f64>,
    seed: u64,
    audit: bool,
) -> PyResult<Bound<'py, PyList>> {
    let scene = scene_of(scene)?;
    let results = PyList::empty(python);
    let mut reference = None;
    for name in presets {
        let known = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        let preset = known.ok_or_else(|| {
            let names: Vec<_> = Preset::ALL.iter().map(|preset| preset.name()).collect();
            PyValueError::new_err(format!("there is no preset `{name}`; presets: {}", names.join(", ")))
        })?;
        let replacement = format!("method={{ preset = \"{}\" }}", preset.name());
        let source = &scene.source;
        let own = tightfit::scene::Scene::from_source_with(source, &scene.name, &[replacement]);
        let mut run = Simulation::new(own.map_err(errors::scene)?, seed);
        if audit {
            run.with_audit();
        }
        let steps =
            (seconds.unwrap_or_else(|| run.scene.duration()) / run.scene.dt).round().max(1.0) as usize;
        let mut records = Vec::new();
        interrupt::repeat(python, steps, |_| {
            records.push(run.advance());
            !run.is_over() && run.certificate().arm_failure.is_none()
        })?;
        let (outcome, summary) = (Outcome::of(&run, &records), Summary::of(&records));
        let assessment = Assessment::from_parts(&run, &outcome, &summary);
        let result = PyDict::new(python);
        result.set_item("preset", preset.name())?;
        result.set_item("outcome", outcome_dictionary(python, &outcome)?)?;
        result.set_item("assessment", assessment_dictionary(python, &assessment)?)?;
        result.set_item("penetration", summary.penetration[0])?;
        result.set_item("audited", summary.audited.map(|[deepest, ..]| deepest))?;
        let step_seconds: f64 = records.iter().map(|record| record.step_seconds).sum();
        result.set_item("real_time_factor", records.len() as f64 * run.scene.dt / step_seconds)?;
        let reference: &Vec<_> = reference.get_or_insert_with(|| records.clone());
        let difference = WrenchDifference::between(reference, &records);
        result.set_item("force_difference", difference.force)?;
        result.set_item("torque_difference", difference.torque)?;
        results.append(result)?;
    }
    Ok(results)
}
