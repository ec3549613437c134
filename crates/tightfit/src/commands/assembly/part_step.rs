//! `tightfit part FILE.step`: bodies, faces, mass, exported mesh, picture and distances of a STEP file.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tightfit::shape::Part;
use tightfit::shape::cad::{CadPart, File, Solid, is_thread_like};
use tightfit::shape::doctor::{DoctorOptions, examine, picture_svg};
use tightfit::shape::mesh::{MeshOptions, TriMesh, save};
use tightfit::spatial::Vector3;

use super::part::PartArguments;
use crate::output::{put, say};
use crate::progress;

pub(crate) fn run(arguments: &PartArguments, path: &Path) -> Result<ExitCode> {
    if arguments.repair.is_some() || arguments.bake.is_some() {
        bail!("--repair and --bake are for meshes; export the STEP file with --export OUT.stl first");
    }
    let file = File::open(path)?;
    let names = file.names();
    if names.len() > 1 && arguments.body.is_none() {
        let text: String = names.iter().map(|name| format!("  {name}\n")).collect();
        put!("{} holds {} bodies; choose one with --body NAME:\n{text}", path.display(), names.len());
        return Ok(ExitCode::SUCCESS);
    }
    let solid = progress::spin("reading the solid", || file.solid(arguments.body.as_deref()))
        .with_context(|| path.display().to_string())?;
    if let Some(points) = arguments.distances.as_ref().filter(|_| !solid.is_inside_out()) {
        print_distances(points, &|point| solid.sample(point).distance)?;
        return Ok(ExitCode::SUCCESS);
    }
    let part = CadPart::new(solid)?;
    let options = MeshOptions { chord_tolerance: arguments.chord_um * 1e-6, ..MeshOptions::default() };
    let mut written = Vec::new();
    let mesh = progress::spin("triangulating the solid", || part.mesh(&options));
    // boxes around curved faces are loose, those around their triangles are not
    let bounds = mesh.as_ref().map_or_else(|_| part.aabb(), TriMesh::aabb);
    if arguments.export.is_some() || arguments.picture.is_some() {
        let mesh = mesh?;
        if let Some(out) = &arguments.export {
            save(&mesh, out, arguments.export_unit)?;
            written.push(out.clone());
        }
        if let Some(out) = &arguments.picture {
            let name = path.display().to_string();
            let diagnosis =
                examine(&mesh, &DoctorOptions { density: Some(arguments.density), ..Default::default() });
            let picture = picture_svg(&mesh, &diagnosis, &name);
            std::fs::write(out, picture).with_context(|| format!("cannot write {}", out.display()))?;
            written.push(out.clone());
        }
    }
    let inertia = part.inertia(arguments.density)?;
    let solid = part.solid();
    let kinds = counts(solid.faces.iter().map(|face| face.surface.name()));
    let used = representation(solid)?;
    if arguments.json {
        let faces: serde_json::Map<_, _> =
            kinds.iter().map(|(kind, count)| ((*kind).to_string(), json!(count))).collect();
        let report = json!({
            "file": path,
            "body": solid.name,
            "faces": faces,
            "edges": solid.edges.len(),
            "size_m": bounds.size().as_slice(),
            "edge_gap_m": solid.edge_gap,
            "repairs": solid.repairs,
            "volume_m3": part.mass().volume,
            "mass_kg": inertia.mass,
            "center_of_mass_m": inertia.center_of_mass.as_slice(),
            "inertia_kg_m2": (0..3).map(|i| inertia.moment.row(i).iter().copied().collect()).collect::<Vec<Vec<f64>>>(),
            "simulated_as": used,
            "written": written,
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    let size = bounds.size() * 1e3;
    let centre = inertia.center_of_mass * 1e3;
    let list: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    writeln!(text, "{}: body `{}`", path.display(), solid.name)?;
    writeln!(text, "  size         {:.3} x {:.3} x {:.3} mm", size.x, size.y, size.z)?;
    writeln!(text, "  faces        {} ({})", solid.faces.len(), list.join(", "))?;
    writeln!(
        text,
        "  edges        {}, at most {:.3e} mm off their faces",
        solid.edges.len(),
        solid.edge_gap * 1e3
    )?;
    writeln!(text, "  volume       {:.9} cm³", part.mass().volume * 1e6)?;
    writeln!(text, "  mass         {:.6} kg at {} kg/m³", inertia.mass, arguments.density)?;
    writeln!(text, "  centre       {:.6} {:.6} {:.6} mm", centre.x, centre.y, centre.z)?;
    writeln!(text, "  simulated as {used}")?;
    for repair in &solid.repairs {
        writeln!(text, "  repaired     {repair}")?;
    }
    if solid.edge_gap > 1e-6 {
        let gap = solid.edge_gap * 1e3;
        writeln!(
            text,
            "  warning      edges lie up to {gap:.4} mm off their faces; contacts there are no more exact"
        )?;
    }
    if is_thread_like(solid) && used.starts_with("an exact solid") {
        writeln!(
            text,
            "  hint         helical faces look like a thread, but not like a bolt or nut about z with flanks of 30°; free-form faces\n               are slow: use a thread preset (`tightfit part --list`)"
        )?;
    }
    for out in written {
        writeln!(text, "  wrote        {}", out.display())?;
    }
    put!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// How scenes represent the solid.
fn representation(solid: &Solid) -> Result<&'static str> {
    Ok(match Part::from_solid(solid.clone())? {
        Part::Sectioned(_) => "a solid of revolution about z, exact",
        Part::Mesh(_) => "a polyhedron, exact",
        Part::Bolt(_) => "a bolt with an exact thread about z",
        Part::Nut(_) => "a nut with an exact thread about z",
        _ => "an exact solid with faces, edges and corners",
    })
}

/// Number of each name, the most frequent first.
fn counts<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Prints `x y z distance` [mm] for each line `x y z` of a file; more columns are ignored, as are comments.
pub(super) fn print_distances(path: &Path, distance: &dyn Fn(Vector3<f64>) -> f64) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().replace([',', ';'], " ");
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Option<Vec<f64>> = words.iter().take(3).map(|word| word.parse().ok()).collect();
        let Some([x, y, z]) = numbers.as_deref() else {
            bail!(
                "{} line {}: `{line}` is no point; write `x y z` in millimetres",
                path.display(),
                number + 1
            );
        };
        let found = distance(Vector3::new(*x, *y, *z) * 1e-3) * 1e3;
        writeln!(out, "{} {} {} {found:.15}", words[0], words[1], words[2])?;
    }
    put!("{out}");
    Ok(())
}
