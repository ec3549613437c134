//! The examination: runs every check once. Defects that hide other defects are checked first.

use super::check_input::{place_and_size, unusable, used_box};
use super::check_surface::{crossings, edges, faces, orientation, thickness};
use super::finding::counted;
use super::measure::{measure, sharpness};
use super::nesting::depths;
use super::surface::{Surface, WELD_TOLERANCE, weld_open_edges};
use super::{Diagnosis, Finding, FindingKind, Severity};
use crate::mesh::{DEFAULT_SHARP_ANGLE, EdgeTable, TriMesh};

/// Options of an examination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoctorOptions {
    /// Vertices at open edges are merged when closer than this times the diagonal [-].
    pub weld_tolerance: f64,
    /// Angle between the normals of two triangles above which their edge is sharp, not part of a curved surface [rad].
    pub sharp_angle: f64,
    /// Clearance of the fit that the part belongs to [m]; facets and spacing are compared with it.
    pub clearance: Option<f64>,
    /// Density for the mass properties [kg/m³].
    pub density: Option<f64>,
    /// Meshes with more triangles are not searched for self-intersections: 2 million take about ten seconds.
    pub crossing_triangles: usize,
    /// Largest number of intersecting pairs of triangles that are listed.
    pub crossing_pairs: usize,
}

impl Default for DoctorOptions {
    fn default() -> Self {
        Self {
            weld_tolerance: WELD_TOLERANCE,
            sharp_angle: DEFAULT_SHARP_ANGLE,
            clearance: None,
            density: None,
            crossing_triangles: 2_000_000,
            crossing_pairs: 1000,
        }
    }
}

/// Examines a mesh in metres.
#[must_use]
pub fn examine(mesh: &TriMesh, options: &DoctorOptions) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    diagnosis.facts.triangles = mesh.triangles.len();
    diagnosis.facts.vertices = mesh.vertices.len();
    if let Some(finding) = unusable(mesh) {
        diagnosis.findings.push(finding);
        return diagnosis;
    }
    let used = used_box(mesh, &mut diagnosis);
    place_and_size(&used, &mut diagnosis);
    let diagonal = used.diagonal();

    let table = EdgeTable::new(mesh);
    let welded = weld_open_edges(mesh, &table, options.weld_tolerance * diagonal);
    if let Some(weld) = &welded {
        let places = weld.merged.iter().map(|&vertex| mesh.vertices[vertex as usize]);
        let finding = Finding::at(FindingKind::UnweldedVertices, Severity::Error, places);
        let (count, micrometres) =
            (counted(finding.count, "vertex", "vertices"), options.weld_tolerance * diagonal * 1e6);
        let message = format!(
            "{count} at open edges within {micrometres:.3} um of another; \
             all other findings describe the welded mesh"
        );
        diagnosis.findings.push(finding.saying(message, "weld them").repairable());
    }
    let surface = match &welded {
        Some(weld) => Surface::new(&weld.mesh, EdgeTable::new(&weld.mesh)),
        None => Surface::new(mesh, table),
    };
    let (depths, left_out) = depths(&surface);
    if left_out > 0 {
        diagnosis.skipped.push(format!("nesting of {left_out} pairs of shells: too many to check"));
    }
    faces(&surface, diagonal, &mut diagnosis);
    edges(&surface, &mut diagnosis);
    orientation(&surface, &depths, &mut diagnosis);
    thickness(&surface, diagonal, &mut diagnosis);
    crossings(&surface, diagonal, options, &mut diagnosis);
    measure(&surface, &depths, options, &mut diagnosis);
    sharpness(&surface, options, &mut diagnosis);
    diagnosis.findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.kind.cmp(&b.kind)));
    diagnosis
}
