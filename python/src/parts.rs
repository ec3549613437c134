//! Parts by name and from mesh files, and the mesh doctor.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tightfit::shape;
use tightfit::shape::doctor::{DoctorOptions, RepairOptions, examine, picture_svg, repair};
use tightfit::shape::mesh::{LengthUnit, MeshOptions, MeshPart, TriMesh, load, save};
use tightfit::shape::preset::{preset, preset_names};
use tightfit::spatial::Vector3;

use crate::{arrays, errors};

/// A part: its distance, its mass, its mesh and what the mesh doctor finds.
#[pyclass(module = "tightfit", frozen)]
pub struct Part {
    name: String,
    /// The shape, or why these triangles bound no solid.
    shape: Result<shape::Part, String>,
    mesh: Arc<TriMesh>,
}

/// Names of the built-in parts.
#[pyfunction]
pub fn part_names() -> Vec<String> {
    preset_names()
}

fn unit_of(text: &str) -> PyResult<LengthUnit> {
    text.parse().map_err(errors::part)
}

#[pymethods]
impl Part {
    /// Makes a built-in part by name, such as `peg-50` or `m48x5-nut`.
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let part = preset(name).map_err(errors::part)?;
        let mesh = part.mesh(&MeshOptions::default()).map_err(errors::part)?;
        Ok(Self { name: name.to_string(), shape: Ok(part), mesh: Arc::new(mesh) })
    }

    /// Reads a mesh file (STL, OBJ, PLY, glTF); the unit is guessed from the size unless it is given.
    #[staticmethod]
    #[pyo3(signature = (path, *, unit = None))]
    fn load(python: Python<'_>, path: PathBuf, unit: Option<&str>) -> PyResult<Self> {
        let unit = unit.map(unit_of).transpose()?;
        python.detach(|| {
            let loaded = load(&path).map_err(errors::part)?;
            let mesh = loaded.in_metres(unit.unwrap_or(loaded.raw_unit.unit));
            Ok(Self::of_mesh(path.display().to_string(), mesh))
        })
    }

    /// Makes a part of triangles: vertices (n, 3) [m] and indices (m, 3).
    #[staticmethod]
    fn from_arrays(
        vertices: PyReadonlyArray2<'_, f64>,
        triangles: PyReadonlyArray2<'_, u32>,
    ) -> PyResult<Self> {
        for (name, columns) in [("vertices", vertices.shape()[1]), ("triangles", triangles.shape()[1])] {
            if columns != 3 {
                return Err(PyValueError::new_err(format!("{name} have {columns} columns; allowed: 3")));
            }
        }
        let vertices: Vec<_> =
            vertices.as_array().rows().into_iter().map(|row| Vector3::new(row[0], row[1], row[2])).collect();
        let triangles: Vec<_> =
            triangles.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect();
        if let Some(index) = triangles.iter().flatten().find(|index| **index as usize >= vertices.len()) {
            let count = vertices.len();
            return Err(PyValueError::new_err(format!("triangle index {index} of {count} vertices")));
        }
        Ok(Self::of_mesh("mesh".into(), TriMesh { vertices, triangles }))
    }

    /// Name of the part or of its file.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Vertices of its triangles (n, 3) [m].
    #[getter]
    fn vertices<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::rows(python, self.mesh.vertices.iter().copied())
    }

    /// Triangles as indices of vertices (m, 3).
    #[getter]
    fn triangles<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let flat: Vec<u32> = self.mesh.triangles.iter().flatten().copied().collect();
        let count = flat.len() / 3;
        PyArray1::from_vec(python, flat).reshape([count, 3])
    }

    /// Signed distance [m] of points (n, 3) [m], positive outside, and outward unit normals (n, 3).
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn distance<'py>(
        &self,
        python: Python<'py>,
        points: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        if points.shape()[1] != 3 {
            let columns = points.shape()[1];
            return Err(PyValueError::new_err(format!("points have {columns} columns; allowed: 3")));
        }
        let points: Vec<_> =
            points.as_array().rows().into_iter().map(|row| Vector3::new(row[0], row[1], row[2])).collect();
        let part = self.shape.as_ref().map_err(errors::part)?;
        let samples: Vec<_> =
            python.detach(|| points.iter().map(|point| part.sample(*point)).collect::<Vec<_>>());
        let distances = PyArray1::from_iter(python, samples.iter().map(|sample| sample.distance));
        Ok((distances, arrays::rows(python, samples.iter().map(|sample| sample.normal))?))
    }

    /// Examines the mesh; a dictionary with facts and findings.
    #[pyo3(signature = (*, clearance_mm = None, density = 7850.0))]
    fn examine<'py>(
        &self,
        python: Python<'py>,
        clearance_mm: Option<f64>,
        density: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = doctor(clearance_mm, density);
        let diagnosis = python.detach(|| examine(&self.mesh, &options));
        let text = serde_json::to_string(&diagnosis).map_err(errors::general)?;
        python.import("json")?.call_method1("loads", (text,))
    }

    /// The examination as readable text.
    #[pyo3(signature = (*, clearance_mm = None, density = 7850.0))]
    fn report(&self, python: Python<'_>, clearance_mm: Option<f64>, density: f64) -> String {
        let options = doctor(clearance_mm, density);
        python.detach(|| examine(&self.mesh, &options).to_string())
    }

    /// Repairs the mesh; the repaired part, and what was changed.
    #[pyo3(signature = (*, clearance_mm = None))]
    fn repair(&self, python: Python<'_>, clearance_mm: Option<f64>) -> PyResult<(Self, Vec<String>)> {
        let options = RepairOptions { examination: doctor(clearance_mm, 7850.0), ..RepairOptions::default() };
        let (mesh, report) = python.detach(|| repair(&self.mesh, &options));
        let steps = report.steps.iter().map(|step| format!("{} {}", step.count, step.what)).collect();
        Ok((Self::of_mesh(self.name.clone(), mesh), steps))
    }

    /// Writes the triangles (.stl, .obj, .ply).
    #[pyo3(signature = (path, *, unit = "mm"))]
    fn save(&self, path: PathBuf, unit: &str) -> PyResult<()> {
        save(&self.mesh, &path, unit_of(unit)?).map_err(errors::part)
    }

    /// A drawing with the findings, shown in notebooks.
    fn _repr_svg_(&self, python: Python<'_>) -> String {
        python.detach(|| picture_svg(&self.mesh, &examine(&self.mesh, &doctor(None, 7850.0)), &self.name))
    }

    fn __repr__(&self) -> String {
        format!("<tightfit.Part {}: {} triangles>", self.name, self.mesh.triangles.len())
    }
}

impl Part {
    fn of_mesh(name: String, mesh: TriMesh) -> Self {
        let shape = MeshPart::new(mesh.clone()).map(shape::Part::Mesh).map_err(|error| error.to_string());
        Self { name, shape, mesh: Arc::new(mesh) }
    }
}

fn doctor(clearance_mm: Option<f64>, density: f64) -> DoctorOptions {
    DoctorOptions {
        clearance: clearance_mm.map(|value| value * 1e-3),
        density: Some(density),
        ..DoctorOptions::default()
    }
}
