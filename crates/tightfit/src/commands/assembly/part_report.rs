//! What `tightfit part` found, for people and for programs.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};
use tightfit::shape::Symmetry;
use tightfit::shape::doctor::{Diagnosis, RepairReport};
use tightfit::shape::mesh::baked::ErrorReport;
use tightfit::shape::node::{NodeKind, NodeSet};
use tightfit::shape::recognition::{RoundSurface, Unrecognised};
use tightfit::spatial::Inertia;

/// Where the mesh came from.
pub(crate) enum Source {
    /// A file, read in this unit.
    File { unit: String, reason: String },
    /// A part by name, with what is known of it in closed form.
    Preset { symmetry: Symmetry, inertia: Inertia, nodes: NodeSet },
}

/// What became of the baked field.
pub(crate) enum BakeOutcome {
    Baked { report: ErrorReport, memory: u64, band: f64 },
    Skipped(String),
}

/// Everything that the command found and did.
pub(crate) struct PartReport {
    name: String,
    source: Source,
    pub(crate) diagnosis: Diagnosis,
    pub(crate) repair: Option<RepairReport>,
    pub(crate) baked: Option<BakeOutcome>,
    /// Round surfaces that a scene takes for the triangles; `None` where the mesh has no inside.
    pub(crate) recognised: Option<Recognition>,
    pub(crate) written: Vec<PathBuf>,
}

/// Round surfaces of a mesh.
pub(crate) enum Recognition {
    /// The surfaces, and what a scene makes of the mesh.
    Found { surfaces: Vec<RoundSurface>, faces: Option<usize>, facet_error: f64, part: &'static str },
    /// The triangles stay.
    Nothing(Unrecognised),
}

impl PartReport {
    pub(crate) fn new(name: &str, source: Source, diagnosis: Diagnosis) -> Self {
        Self {
            name: name.to_string(),
            source,
            diagnosis,
            repair: None,
            baked: None,
            recognised: None,
            written: Vec::new(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        let source = match &self.source {
            Source::File { unit, reason } => json!({ "kind": "file", "unit": unit, "unit_reason": reason }),
            Source::Preset { symmetry, inertia, nodes } => json!({
                "kind": "preset",
                "symmetry": symmetry_text(*symmetry),
                "mass_kg": inertia.mass,
                "center_of_mass_m": inertia.center_of_mass.as_slice(),
                "inertia_kg_m2": (0..3).map(|i| inertia.moment.row(i).iter().copied().collect()).collect::<Vec<Vec<f64>>>(),
                "nodes": {
                    "face": nodes.count(NodeKind::Face),
                    "edge": nodes.count(NodeKind::Edge),
                    "corner": nodes.count(NodeKind::Corner),
                },
            }),
        };
        let baked = self.baked.as_ref().map(|baked| match baked {
            BakeOutcome::Baked { report, memory, band } => {
                json!({ "error_m": report, "memory_bytes": memory, "band_m": band })
            }
            BakeOutcome::Skipped(reason) => json!({ "skipped": reason }),
        });
        json!({
            "part": self.name,
            "source": source,
            "facts": self.diagnosis.facts,
            "findings": self.diagnosis.findings,
            "not_checked": self.diagnosis.skipped,
            "repair": self.repair,
            "recognised": self.recognised.as_ref().map(|recognised| match recognised {
                Recognition::Found { surfaces, faces, facet_error, part } => json!({
                    "part": part, "faces": faces, "facet_error_m": facet_error, "surfaces": surfaces,
                }),
                Recognition::Nothing(reason) => {
                    json!({ "part": "the triangles", "reason": reason.to_string(), "surfaces": [] })
                }
            }),
            "baked_field": baked,
            "written": self.written,
        })
    }
}

impl fmt::Display for PartReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        match &self.source {
            Source::File { unit, reason } => writeln!(f, "unit        {unit}: {reason}")?,
            Source::Preset { symmetry, inertia, nodes } => {
                let moment = inertia.moment.diagonal() * 1e6;
                writeln!(f, "symmetry    {}", symmetry_text(*symmetry))?;
                writeln!(
                    f,
                    "closed form {:.6} kg, inertia {:.4} {:.4} {:.4} kg mm2",
                    inertia.mass, moment.x, moment.y, moment.z
                )?;
                let count = |kind| nodes.count(kind);
                let (face, edge, corner) =
                    (count(NodeKind::Face), count(NodeKind::Edge), count(NodeKind::Corner));
                writeln!(
                    f,
                    "nodes       {face} on faces, {edge} on edges, {corner} on corners at the default spacing"
                )?;
            }
        }
        write!(f, "{}", self.diagnosis)?;
        if let Some(repair) = &self.repair {
            write!(f, "{repair}")?;
        }
        match &self.recognised {
            Some(Recognition::Found { surfaces, faces, facet_error, part }) => {
                let micro = facet_error * 1e6;
                let faces = faces.map_or_else(String::new, |faces| format!(" {faces} faces;"));
                writeln!(f, "recognised  {part}:{faces} the facets stand off by {micro:.1} um")?;
                let most = 12;
                surfaces.iter().take(most).try_for_each(|surface| writeln!(f, "            {surface}"))?;
                if surfaces.len() > most {
                    writeln!(f, "            and {} more", surfaces.len() - most)?;
                }
            }
            Some(Recognition::Nothing(reason)) => writeln!(f, "recognised  the triangles stay: {reason}")?,
            None => {}
        }
        match &self.baked {
            Some(BakeOutcome::Baked { report, memory, band }) => writeln!(
                f,
                "baked field {:.3} um median, {:.3} um at 99 %, {:.3} um bound within {:.0} um; {:.1} MB",
                report.median * 1e6,
                report.p99 * 1e6,
                report.bound * 1e6,
                band * 1e6,
                *memory as f64 / 1e6
            )?,
            Some(BakeOutcome::Skipped(reason)) => writeln!(f, "baked field none: {reason}")?,
            None => {}
        }
        self.written.iter().try_for_each(|path| writeln!(f, "wrote       {}", path.display()))
    }
}

fn symmetry_text(symmetry: Symmetry) -> String {
    match symmetry {
        Symmetry::None => "none".into(),
        Symmetry::Revolved => "revolved".into(),
        Symmetry::Screw { pitch } => format!("screw, {:.4} mm per turn", pitch * 1e3),
    }
}
