//! One simulation of a scene.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tightfit::report::{RunSummary, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{self, Assessment, Audit, BodyId, Disturbance, Outcome, Record};
use tightfit::spatial::Twist;

use crate::arrays::{self, PoseArrays};
use crate::certificate::Certificate;
use crate::scene::{Scene, scene_of};
use crate::snapshot::Snapshot;
use crate::{errors, interrupt, logs};

/// A scene under way.
#[pyclass(module = "tightfit")]
pub struct Simulation {
    inner: scene::Simulation,
    /// Records of all steps from the start, unless they are not wanted or the state was set.
    summary: Option<RunSummary>,
    seed: u64,
    audit: Option<Audit>,
}

/// Force [N] and torque [N·m], world axes.
type WrenchArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Simulation {
    /// Starts a scene, or one found by name or path. With `record` every step is kept for logs and reports; with `audit` every step is audited.
    #[new]
    #[pyo3(signature = (scene, *, seed = 1, audit = false, record = true))]
    fn new(scene: &Bound<'_, PyAny>, seed: u64, audit: bool, record: bool) -> PyResult<Self> {
        let mut inner = scene::Simulation::new(scene_of(scene)?, seed);
        if audit {
            inner.with_audit();
        }
        let summary = record.then(|| RunSummary::new(&inner.scene));
        Ok(Self { inner, summary, seed, audit: None })
    }

    /// The scene.
    #[getter]
    fn scene(&self) -> Scene {
        Scene { inner: self.inner.scene.clone() }
    }

    /// Time [s].
    #[getter]
    fn time(&self) -> f64 {
        self.inner.time()
    }

    /// Steps taken.
    #[getter]
    fn step_count(&self) -> u64 {
        self.inner.state.step_count
    }

    /// 64-bit fingerprint of every bit of the state, the same on every machine.
    #[getter]
    fn hash(&self) -> u64 {
        self.inner.state.hash()
    }

    /// Whether the strategy of the arm has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    /// Takes steps and returns the certificate of the last one. Ctrl+C stops between two steps.
    #[pyo3(signature = (steps = 1))]
    fn step(&mut self, python: Python<'_>, steps: usize) -> PyResult<Certificate> {
        let Self { inner, summary, .. } = self;
        interrupt::repeat(python, steps, |_| {
            advance(inner, summary.as_mut());
            true
        })?;
        Ok(self.inner.certificate().into())
    }

    /// Steps to the end of the drives, of the strategy or of `seconds`, and returns the outcome.
    #[pyo3(signature = (seconds = None))]
    fn run<'py>(&mut self, python: Python<'py>, seconds: Option<f64>) -> PyResult<Bound<'py, PyDict>> {
        let duration = seconds.unwrap_or_else(|| self.inner.scene.duration() - self.inner.time());
        if !(duration.is_finite() && duration <= 1e6) {
            return Err(PyValueError::new_err(format!(
                "seconds = {duration}: allowed: finite, up to 1000000"
            )));
        }
        let steps = (duration / self.inner.parameters.dt).round().max(0.0) as usize;
        let Self { inner, summary, .. } = self;
        interrupt::repeat(python, steps, |_| {
            advance(inner, summary.as_mut());
            !inner.is_over() && inner.certificate().arm_failure.is_none()
        })?;
        self.outcome(python)
    }

    /// Certificate of the last step.
    #[getter]
    fn certificate(&self) -> Certificate {
        self.inner.certificate().into()
    }

    /// Deepest true penetration now [m], by the audit's denser nodes.
    fn audit(&mut self, python: Python<'_>) -> f64 {
        let Self { inner, audit, .. } = self;
        python.detach(|| {
            let audit = audit.get_or_insert_with(|| Audit::new(&inner.scene, &inner.parameters));
            audit.penetration(&inner.scene, &inner.parameters, &inner.state)
        })
    }

    /// Position [m] and quaternion x, y, z, w of a part.
    fn pose<'py>(&self, python: Python<'py>, body: &str) -> PyResult<PoseArrays<'py>> {
        Ok(arrays::pose(python, &self.inner.world_from_part(self.body(body)?)))
    }

    /// Velocity of a free part's centre of mass in world axes [m/s] and angular velocity in body axes [rad/s].
    fn velocity<'py>(&self, python: Python<'py>, body: &str) -> PyResult<WrenchArrays<'py>> {
        let twist = self.inner.state.motions[self.free(body)?].twist;
        Ok((arrays::vector(python, twist.linear_in_world), arrays::vector(python, twist.angular_in_body)))
    }

    /// Sets pose and velocity of a free part that no arm holds.
    #[pyo3(signature = (body, position, quaternion = [0.0, 0.0, 0.0, 1.0], velocity = [0.0; 3], angular_velocity = [0.0; 3]))]
    fn set_motion(
        &mut self,
        body: &str,
        position: [f64; 3],
        quaternion: [f64; 4],
        velocity: [f64; 3],
        angular_velocity: [f64; 3],
    ) -> PyResult<()> {
        let (place, index) = (self.body(body)?, self.free(body)?);
        if self.inner.scene.arm.as_ref().is_some_and(|arm| arm.body == place) {
            return Err(PyValueError::new_err(format!(
                "`{body}` is held by the arm; restore a snapshot instead"
            )));
        }
        let pose = arrays::to_pose(position, quaternion)?;
        if !velocity.iter().chain(&angular_velocity).all(|value| value.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "velocity {velocity:?}, {angular_velocity:?}: not finite"
            )));
        }
        let inertia = self.inner.parameters.bodies[place].inertia;
        let center = inertia.map_or(pose.translation, |inertia| pose.transform_point(inertia.center_of_mass));
        let motion = &mut self.inner.state.motions[index];
        (motion.center, motion.rotation) = (center, pose.rotation);
        motion.twist = Twist::new(velocity.into(), angular_velocity.into());
        self.inner.forget();
        self.summary = None;
        Ok(())
    }

    /// Candidate contacts: position (n, 3) [m], normal (n, 3), gap (n,) [m], force on the first body (n, 3) [N].
    fn contacts<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let points = self.inner.contact_points();
        let contacts = PyDict::new(python);
        contacts.set_item("position", arrays::rows(python, points.iter().map(|point| point.position))?)?;
        contacts.set_item("normal", arrays::rows(python, points.iter().map(|point| point.normal))?)?;
        contacts.set_item("gap", PyArray1::from_iter(python, points.iter().map(|point| point.gap)))?;
        contacts.set_item("force", arrays::rows(python, points.iter().map(|point| point.force))?)?;
        Ok(contacts)
    }

    /// Contact force [N] and torque [N·m] on a part in the last step, by all others or by one of them.
    #[pyo3(signature = (body, by = None))]
    fn wrench<'py>(&self, python: Python<'py>, body: &str, by: Option<&str>) -> PyResult<WrenchArrays<'py>> {
        let own = self.body(body)?;
        let wrench = match by {
            Some(other) => self.inner.wrench_between(own, self.body(other)?),
            None => self.inner.wrench_on(own),
        };
        Ok((arrays::vector(python, wrench.force), arrays::vector(python, wrench.torque)))
    }

    /// Moves the set-point of a driven part to this pose by the end of the next step, instead of the drive's waypoints.
    #[pyo3(signature = (body, position, quaternion = [0.0, 0.0, 0.0, 1.0]))]
    fn guide(&mut self, body: &str, position: [f64; 3], quaternion: [f64; 4]) -> PyResult<()> {
        let place = self.body(body)?;
        self.inner.guide(place, arrays::to_pose(position, quaternion)?);
        Ok(())
    }

    /// Joint angles and speeds [rad, rad/s] and the force sensor's reading [N, N·m]; `None` without an arm.
    #[getter]
    fn arm<'py>(&self, python: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(arm) = &self.inner.state.arm else { return Ok(None) };
        let state = PyDict::new(python);
        state.set_item("angles", PyArray1::from_slice(python, arm.joints.angles.as_slice()))?;
        state.set_item("speeds", PyArray1::from_slice(python, arm.joints.speeds.as_slice()))?;
        state.set_item("sensor", PyArray1::from_slice(python, arm.measured.as_slice()))?;
        state.set_item("phase", arm.strategy.map(|strategy| strategy.phase.name()))?;
        Ok(Some(state))
    }

    /// Applies a random wrench after the drives: amplitudes of force [N] and torque [N·m]; 0, 0 removes it.
    fn disturb(&mut self, force: f64, torque: f64) -> PyResult<()> {
        if !((0.0..=1e6).contains(&force) && (0.0..=1e6).contains(&torque)) {
            return Err(PyValueError::new_err(format!(
                "disturbance {force}, {torque}: allowed: 0 to 1000000"
            )));
        }
        self.inner.disturbance = (force > 0.0 || torque > 0.0).then_some(Disturbance { force, torque });
        Ok(())
    }

    /// Everything that the future depends on.
    fn snapshot(&self) -> Snapshot {
        Snapshot { inner: self.inner.snapshot() }
    }

    /// Returns to a snapshot of the same scene. Records of the run so far are dropped.
    fn restore(&mut self, snapshot: &Snapshot) -> PyResult<()> {
        self.inner.restore(&snapshot.inner).map_err(errors::general)?;
        self.summary = None;
        Ok(())
    }

    /// An independent copy that continues to the same bits.
    fn branch(&self) -> Self {
        Self {
            inner: self.inner.branch(),
            summary: self.summary.clone(),
            seed: self.seed,
            audit: self.audit.clone(),
        }
    }

    /// What the recorded run came to.
    #[getter]
    fn outcome<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        outcome_dictionary(python, &Outcome::of(&self.inner, self.records()))
    }

    /// How far the recorded run may be relied on: grade, reasons and tolerance [m].
    #[getter]
    fn assessment<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        assessment_dictionary(python, &Assessment::of(&self.inner, self.recorded()?))
    }

    /// The recorded steps as a dictionary of columns, with units in the names.
    fn log<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays::table(python, &log::columns(&self.inner.scene, self.recorded()?))
    }

    /// Writes the recorded steps (.parquet or .csv).
    fn write_log(&self, path: PathBuf) -> PyResult<()> {
        let meta = RunMeta::new(self.seed, self.inner.disturbance);
        log::write(&path, &self.inner.scene, &meta, self.recorded()?).map_err(errors::log)
    }

    /// Writes the recorded steps with the parts and the contact forces for Foxglove (.mcap). The run is repeated; one that was
    /// guided by hand has no contacts.
    fn write_mcap(&self, python: Python<'_>, path: PathBuf) -> PyResult<()> {
        let records = self.recorded()?;
        python.detach(|| logs::write_mcap(&path, &self.inner, self.seed, records))
    }

    /// The report of the recorded steps: one HTML page.
    fn report_html(&self, python: Python<'_>) -> PyResult<String> {
        let Some(summary) = &self.summary else { return Err(self.unrecorded()) };
        python.detach(|| {
            let mut summary = summary.clone();
            summary.conclude(&self.inner, None);
            Ok(report_html(&[summary]))
        })
    }

    /// The recorded steps as a pandas data frame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "to_pandas", ())
    }

    /// The recorded steps as a pyarrow table.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "to_arrow", ())
    }

    /// Writes the report page, opens it in a browser and returns its path.
    #[pyo3(signature = (path = None, *, open_browser = true))]
    fn show<'py>(
        slf: &Bound<'py, Self>,
        path: Option<PathBuf>,
        open_browser: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "show", (path, open_browser))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "page", ())
    }

    fn __reduce__(&self) -> PyResult<()> {
        let text = "a Simulation cannot be pickled; pickle its scene and its snapshot() instead";
        Err(PyTypeError::new_err(text))
    }

    fn __repr__(&self) -> String {
        format!("<tightfit.Simulation {} at {:.3} s>", self.inner.scene.name, self.inner.time())
    }

    /// Vertices (n, 3) [m] and triangles (m, 3) of a part, in world axes.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn mesh<'py>(
        &self,
        python: Python<'py>,
        body: &str,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>)> {
        use numpy::PyArrayMethods;
        let place = self.body(body)?;
        let part = &self.inner.parameters.bodies[place].part;
        let options = tightfit::shape::mesh::MeshOptions { chord_tolerance: 50e-6, ..Default::default() };
        let mesh = part.mesh(&options).map_err(errors::part)?;
        let world_from_part = self.inner.world_from_part(place);
        let vertices = mesh.vertices.iter().map(|vertex| world_from_part.transform_point(*vertex));
        let flat: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        let count = flat.len() / 3;
        Ok((arrays::rows(python, vertices)?, PyArray1::from_vec(python, flat).reshape([count, 3])?))
    }
}

impl Simulation {
    fn body(&self, name: &str) -> PyResult<BodyId> {
        self.inner.scene.body_id(name).map_err(errors::scene)
    }

    fn free(&self, name: &str) -> PyResult<usize> {
        let place = self.body(name)?;
        let index = self.inner.scene.free_index(place);
        index.ok_or_else(|| PyValueError::new_err(format!("`{name}` does not move freely")))
    }

    fn records(&self) -> &[Record] {
        self.summary.as_ref().map_or(&[], |summary| &summary.records)
    }

    fn recorded(&self) -> PyResult<&[Record]> {
        self.summary.as_ref().map(|summary| summary.records.as_slice()).ok_or_else(|| self.unrecorded())
    }

    fn unrecorded(&self) -> PyErr {
        errors::general(
            "the steps were not recorded: the simulation was made with record=False, or its state was set; start \
             another Simulation",
        )
    }
}

/// Calls a function of the package's Python half with the simulation as first argument.
fn helper<'py, A>(slf: &Bound<'py, Simulation>, name: &str, arguments: A) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
{
    let function = slf.py().import("tightfit._notebook")?.getattr(name)?;
    let arguments = arguments.into_pyobject(slf.py()).map_err(Into::into)?;
    let all: Vec<_> = std::iter::once(slf.as_any().clone()).chain(arguments.iter()).collect();
    function.call1(PyTuple::new(slf.py(), all)?)
}

/// One step, kept in the summary if there is one.
fn advance(run: &mut scene::Simulation, summary: Option<&mut RunSummary>) {
    match summary {
        Some(summary) => {
            let record = run.advance();
            summary.follow(run, record);
        }
        None => {
            run.step();
        }
    }
}

pub(crate) fn outcome_dictionary<'py>(
    python: Python<'py>,
    outcome: &Outcome,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(python);
    dictionary.set_item("completed", outcome.completed)?;
    dictionary.set_item("depth", outcome.depth)?;
    dictionary.set_item("turns", outcome.turns)?;
    dictionary.set_item("lead", outcome.lead)?;
    dictionary.set_item("state", outcome.state.map(scene::ThreadState::name))?;
    dictionary.set_item("torque", outcome.torque)?;
    Ok(dictionary)
}

pub(crate) fn assessment_dictionary<'py>(
    python: Python<'py>,
    assessment: &Assessment,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(python);
    dictionary.set_item("grade", assessment.grade.name())?;
    let reasons: Vec<String> = assessment.reasons.iter().map(ToString::to_string).collect();
    dictionary.set_item("reasons", reasons)?;
    dictionary.set_item("tolerance", assessment.tolerance)?;
    Ok(dictionary)
}
