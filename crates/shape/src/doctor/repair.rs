//! Repairs defects that need no guess about the design.
//!
//! ```text
//! drop unusable → weld open edges → drop copies → collapse and flip thin triangles → split at T-junctions
//! → orient neighbours alike → fill small flat holes → drop debris → orient shells outwards → drop unused vertices → examine
//! ```
//!
//! Every step runs once, or a bounded number of times, so the repair terminates for any input. Defects that it cannot
//! repair are the findings of the final examination.

use std::fmt;

use serde::Serialize;

use super::check_surface::{is_debris, is_inside_out};
use super::nesting::depths;
use super::repair_faces::{drop_copies, drop_marked, repair_thin_triangles};
use super::repair_holes::fill_holes;
use super::repair_orientation::orient_alike;
use super::repair_t_junctions::split_t_junctions;
use super::surface::{NEEDLE_TOLERANCE, Surface, WELD_TOLERANCE, weld_open_edges};
use super::{Diagnosis, DoctorOptions, Finding, examine};
use crate::mesh::{EdgeTable, TriMesh};

/// Limits of a repair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairOptions {
    /// Vertices at open edges are merged when closer than this times the diagonal [-].
    pub weld_tolerance: f64,
    /// Holes wider than this times the diagonal stay open [-]: they may be intended.
    pub hole_extent: f64,
    /// A hole is flat when its corners are within this times its width of a plane [-].
    pub hole_flatness: f64,
    /// Whether to drop shells that are far smaller than the part.
    pub drop_debris: bool,
    /// Options of the examination of the result.
    pub examination: DoctorOptions,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            weld_tolerance: WELD_TOLERANCE,
            hole_extent: 0.25,
            hole_flatness: 1e-3,
            drop_debris: true,
            examination: DoctorOptions::default(),
        }
    }
}

/// One step of a repair that changed something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepairStep {
    /// Number of faces, vertices, holes or shells that changed.
    pub count: usize,
    /// What changed.
    pub what: String,
}

/// Report of a repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepairReport {
    /// Steps that changed something, in order.
    pub steps: Vec<RepairStep>,
    /// Examination of the repaired mesh; its findings could not be repaired.
    pub after: Diagnosis,
}

impl RepairReport {
    /// Defects that could not be repaired.
    #[must_use]
    pub fn unmended(&self) -> &[Finding] {
        &self.after.findings
    }

    fn did(&mut self, count: usize, what: impl Into<String>) {
        if count > 0 {
            self.steps.push(RepairStep { count, what: what.into() });
        }
    }
}

impl fmt::Display for RepairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            writeln!(f, "nothing to repair")?;
        }
        self.steps.iter().try_for_each(|step| writeln!(f, "repaired: {} {}", step.count, step.what))?;
        self.unmended().iter().try_for_each(|finding| writeln!(f, "not repaired: {finding}"))
    }
}

/// Repairs a mesh in metres and examines the result.
#[must_use]
pub fn repair(mesh: &TriMesh, options: &RepairOptions) -> (TriMesh, RepairReport) {
    let mut report = RepairReport { steps: Vec::new(), after: Diagnosis::default() };
    let mut mesh = mesh.clone();

    let usable = |t: &[u32; 3]| {
        t.iter().all(|&v| mesh.vertices.get(v as usize).is_some_and(|p| p.iter().all(|x| x.is_finite())))
    };
    let marked: Vec<bool> = mesh.triangles.iter().map(|triangle| !usable(triangle)).collect();
    report.did(drop_marked(&mut mesh, &marked), "triangles with unusable vertices dropped");
    report.did(mesh.drop_unused_vertices(), "unused vertices dropped");
    let diagonal = mesh.aabb().diagonal();
    if mesh.triangles.is_empty() || !diagonal.is_finite() {
        report.after = examine(&mesh, &options.examination);
        return (mesh, report);
    }

    if let Some(weld) = weld_open_edges(&mesh, &EdgeTable::new(&mesh), options.weld_tolerance * diagonal) {
        report.did(weld.merged.len(), "vertices welded to another");
        mesh = weld.mesh;
    }
    report.did(drop_copies(&mut mesh), "copies of triangles dropped");
    report.did(
        repair_thin_triangles(&mut mesh, NEEDLE_TOLERANCE * diagonal),
        "thin triangles collapsed or flipped",
    );
    let split = split_t_junctions(&mut mesh, options.weld_tolerance * diagonal);
    report.did(split, "long edges split at vertices of their neighbours");
    report.did(orient_alike(&mut mesh), "triangles flipped to match their neighbours");
    report.did(
        repair_thin_triangles(&mut mesh, NEEDLE_TOLERANCE * diagonal),
        "thin triangles collapsed or flipped after the split",
    );
    report.did(drop_copies(&mut mesh), "copies of triangles dropped after the collapse");
    let limits = (options.hole_extent * diagonal, options.hole_flatness);
    report.did(fill_holes(&mut mesh, limits.0, limits.1), "small flat holes filled");
    if options.drop_debris {
        report.did(drop_debris(&mut mesh, diagonal), "triangles of debris dropped");
    }
    report.did(orient_outwards(&mut mesh), "shells flipped to face outwards (cavities inwards)");
    report.did(mesh.drop_unused_vertices(), "vertices that are no longer used dropped");
    report.after = examine(&mesh, &options.examination);
    (mesh, report)
}

fn drop_debris(mesh: &mut TriMesh, diagonal: f64) -> usize {
    let surface = Surface::new(mesh, EdgeTable::new(mesh));
    let small: Vec<bool> = surface.shells.iter().map(|shell| is_debris(shell, diagonal)).collect();
    let marked: Vec<bool> = surface.of_triangle.iter().map(|&shell| small[shell as usize]).collect();
    drop_marked(mesh, &marked)
}

fn orient_outwards(mesh: &mut TriMesh) -> usize {
    let surface = Surface::new(mesh, EdgeTable::new(mesh));
    let (depths, _) = depths(&surface);
    let wrong: Vec<bool> =
        surface.shells.iter().zip(&depths).map(|(shell, &d)| is_inside_out(shell, d)).collect();
    let of_triangle = surface.of_triangle;
    for (triangle, &shell) in mesh.triangles.iter_mut().zip(&of_triangle) {
        if wrong[shell as usize] {
            triangle.swap(1, 2);
        }
    }
    wrong.iter().filter(|&&wrong| wrong).count()
}
