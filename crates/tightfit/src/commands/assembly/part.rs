//! `tightfit part`: examines, repairs, exports and bakes mesh files and parts by name.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use tightfit::shape::cad::{is_step, step_text};
use tightfit::shape::doctor::{DoctorOptions, RepairOptions, Severity, examine, picture_svg, repair};
use tightfit::shape::mesh::baked::{BakeOptions, BakedField};
use tightfit::shape::mesh::{LengthUnit, MeshDistance, MeshOptions, MeshPart, TriMesh, load, save};
use tightfit::shape::preset::{preset, preset_names};
use tightfit::shape::recognition::{Recognised, Unrecognised};
use tightfit::shape::{Part, ShapeError};

use super::part_report::{BakeOutcome, PartReport, Recognition, Source};
use super::part_step;
use crate::output::{put, say};
use crate::progress;

/// Larger meshes are baked only with --bake, which takes from many seconds to minutes.
const BAKED_UNASKED: usize = 5_000;

#[derive(Args)]
pub(crate) struct PartArguments {
    /// Mesh file (STL, OBJ, PLY, glTF), STEP file, or a part by name such as `m48x5-nut`.
    #[arg(required_unless_present = "list")]
    pub(super) part: Option<String>,
    /// List the names of the built-in parts.
    #[arg(long)]
    list: bool,
    /// Read coordinates in this unit: m, cm, mm, inch [default: guessed from the size].
    #[arg(long)]
    unit: Option<LengthUnit>,
    /// Compare facets and node spacing with this clearance of the fit [mm].
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    pub(super) clearance_mm: Option<f64>,
    /// Use this density for mass and inertia [kg/m³].
    #[arg(long, value_name = "KG_M3", default_value_t = 7850.0, allow_negative_numbers = true)]
    pub(super) density: f64,
    /// Repair the mesh and write the result (.stl, .obj, .ply).
    #[arg(long, value_name = "OUT")]
    pub(super) repair: Option<PathBuf>,
    /// Write the part as a mesh (.stl, .obj, .ply), or a part by name as STEP (.step).
    #[arg(long, value_name = "OUT")]
    pub(super) export: Option<PathBuf>,
    /// Write meshes in this unit.
    #[arg(long, value_name = "UNIT", default_value = "mm")]
    pub(super) export_unit: LengthUnit,
    /// Keep exported triangles within this distance of curved faces [um].
    #[arg(long, value_name = "UM", default_value_t = 2.0, allow_negative_numbers = true)]
    pub(super) chord_um: f64,
    /// Draw the part with its findings (.svg).
    #[arg(long, value_name = "OUT")]
    pub(super) picture: Option<PathBuf>,
    /// Write the baked field.
    #[arg(long, value_name = "OUT")]
    pub(super) bake: Option<PathBuf>,
    /// Do not measure the baked field, which is measured for small meshes that keep their triangles.
    #[arg(long, conflicts_with = "bake")]
    no_bake: bool,
    /// Choose this body of a STEP file.
    #[arg(long, value_name = "NAME")]
    pub(super) body: Option<String>,
    /// Print `x y z distance` [mm] for the points `x y z` [mm] of this file, one per line.
    #[arg(long, value_name = "POINTS")]
    pub(super) distances: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

pub(crate) fn run(arguments: &PartArguments) -> Result<ExitCode> {
    if arguments.list {
        let names = preset_names();
        match arguments.json {
            true => say!("{}", serde_json::to_string_pretty(&names)?),
            false => put!("{}", names.iter().map(|name| format!("{name}\n")).collect::<String>()),
        }
        return Ok(ExitCode::SUCCESS);
    }
    check_numbers(arguments)?;
    let name = arguments.part.as_deref().unwrap_or_default();
    if is_step(Path::new(name)) {
        return part_step::run(arguments, Path::new(name));
    }
    if let Some(points) = &arguments.distances {
        let part = exact_part(name, arguments)?;
        part_step::print_distances(points, &|point| part.sample(point).distance)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = arguments.export.as_ref().filter(|path| is_step(path)) {
        let text = step_text(&exact_part(name, arguments)?, name)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        say!("wrote {}", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    let (mesh, source) = open(name, arguments)?;
    let options = DoctorOptions {
        clearance: arguments.clearance_mm.map(|mm| mm * 1e-3),
        density: Some(arguments.density),
        ..DoctorOptions::default()
    };
    let diagnosis = progress::spin("examining the mesh", || examine(&mesh, &options));
    let mut report = PartReport::new(name, source, diagnosis);
    let mut mesh = Arc::new(mesh);
    let mut drawn = (mesh.clone(), report.diagnosis.clone());

    if let Some(path) = &arguments.repair {
        let options = RepairOptions { examination: options, ..RepairOptions::default() };
        let (repaired, outcome) = progress::spin("repairing the mesh", || repair(&mesh, &options));
        save(&repaired, path, arguments.export_unit)?;
        report.written.push(path.clone());
        mesh = Arc::new(repaired);
        report.repair = Some(outcome);
        // The picture shows the mesh before the repair, with its findings.
        drawn.1.facts = report.diagnosis.facts.clone();
    }
    if let Some(path) = &arguments.export {
        save(&mesh, path, arguments.export_unit)?;
        report.written.push(path.clone());
    }
    if let Some(path) = &arguments.picture {
        let picture = picture_svg(&drawn.0, &drawn.1, name);
        std::fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))?;
        report.written.push(path.clone());
    }
    let is_file = Path::new(name).exists();
    if is_file && MeshPart::new(mesh.as_ref().clone()).is_ok() {
        let found = progress::spin("looking for round surfaces", || Part::recognised(&mesh));
        report.recognised = Some(recognition(found));
    }
    let is_exact = !is_file || matches!(report.recognised, Some(Recognition::Found { .. }));
    if arguments.bake.is_some() || !(arguments.no_bake || is_exact) {
        report.baked = Some(bake(&mesh, arguments)?);
        report.written.extend(arguments.bake.clone());
    }
    match arguments.json {
        true => say!("{}", serde_json::to_string_pretty(&report.json())?),
        false => put!("{report}"),
    }
    let left = report.repair.as_ref().map_or(&report.diagnosis, |repair| &repair.after);
    let is_sound = left.worst() != Some(Severity::Error);
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn recognition(found: Result<(Part, Recognised), Unrecognised>) -> Recognition {
    let (part, Recognised { solid, surfaces, facet_error }) = match found {
        Ok(found) => found,
        Err(reason) => return Recognition::Nothing(reason),
    };
    let part = match part {
        Part::Sectioned(_) => "a turned solid",
        Part::Bolt(_) => "a bolt",
        Part::Nut(_) => "a nut",
        _ => "a solid with exact faces",
    };
    Recognition::Found { surfaces, faces: solid.map(|solid| solid.faces.len()), facet_error, part }
}

/// The part of a mesh file or of a name, for its distance.
fn exact_part(name: &str, arguments: &PartArguments) -> Result<Part> {
    if !Path::new(name).exists() {
        return Ok(preset(name)?);
    }
    let (mesh, _) = open(name, arguments)?;
    Ok(Part::Mesh(MeshPart::new(mesh).context("the mesh has no inside; repair it first with --repair")?))
}

fn check_numbers(arguments: &PartArguments) -> Result<()> {
    let limits = [
        ("--clearance-mm", arguments.clearance_mm.unwrap_or(1.0), 1000.0),
        ("--density", arguments.density, 1e6),
        ("--chord-um", arguments.chord_um, 1e6),
    ];
    for (option, value, most) in limits {
        if !(value > 0.0 && value <= most) {
            bail!("{option} is {value}; allowed: more than 0 up to {most}");
        }
    }
    Ok(())
}

/// The mesh [m] of a file or of a part by name.
fn open(name: &str, arguments: &PartArguments) -> Result<(TriMesh, Source)> {
    let path = Path::new(name);
    if path.exists() {
        let loaded = load(path)?;
        let unit = arguments.unit.unwrap_or(loaded.raw_unit.unit);
        let reason = if arguments.unit.is_some() {
            "given by --unit".to_string()
        } else {
            loaded.raw_unit.reason.clone()
        };
        return Ok((loaded.in_metres(unit), Source::File { unit: unit.symbol().to_string(), reason }));
    }
    let part = match preset(name) {
        Err(ShapeError::UnknownPreset { hint, .. }) => {
            bail!("there is no file `{name}` and no part of that name; {hint}")
        }
        other => other?,
    };
    let options = MeshOptions { chord_tolerance: arguments.chord_um * 1e-6, ..MeshOptions::default() };
    let mesh = part.mesh(&options)?;
    Ok((mesh, preset_source(&part, arguments.density)?))
}

fn preset_source(part: &Part, density: f64) -> Result<Source> {
    let spacing = tightfit::shape::node::NodeSpacing::default();
    Ok(Source::Preset {
        symmetry: part.symmetry(),
        inertia: part.inertia(density)?,
        nodes: part.nodes(&spacing),
    })
}

/// Bakes the field, or reports why not.
fn bake(mesh: &Arc<TriMesh>, arguments: &PartArguments) -> Result<BakeOutcome> {
    if arguments.bake.is_none() && mesh.triangles.len() > BAKED_UNASKED {
        let count = mesh.triangles.len();
        return Ok(BakeOutcome::Skipped(format!("{count} triangles take long to bake; use --bake OUT")));
    }
    let exact = match MeshDistance::new(mesh.clone()) {
        Ok(exact) => Arc::new(exact),
        Err(error) if arguments.bake.is_some() => return Err(error).context("the field cannot be baked"),
        Err(error) => return Ok(BakeOutcome::Skipped(error.to_string())),
    };
    let bar = progress::bar("baking the field");
    let field = BakedField::bake(&exact, &BakeOptions::default(), &|fraction| progress::set(&bar, fraction))?;
    bar.finish_and_clear();
    if let Some(path) = &arguments.bake {
        field.save(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(BakeOutcome::Baked {
        report: field.report().clone(),
        memory: field.memory(),
        band: field.options().band,
    })
}
