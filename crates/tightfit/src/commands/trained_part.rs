//! The part that a network is trained for: a preset, a mesh file, or a part of a scene.

use std::path::Path;

use anyhow::{Context, Result, bail};
use tightfit::scene::Scene;
use tightfit::shape::Part;
use tightfit::shape::doctor::check_shells;
use tightfit::shape::mesh::{MeshPart, load};
use tightfit::shape::preset::preset;
use tightfit::spatial::Inertia;

/// Base name of a part's files. Files of a mesh go to the working directory, not to the folder of the mesh.
pub(super) fn stem_of(given: &str) -> String {
    let stem = Path::new(given).file_stem().filter(|_| Path::new(given).is_file());
    stem.map_or_else(|| given.to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// A part of a scene, with its inertia there where it is free.
pub(super) fn part_of_scene(scene: &str, name: &str) -> Result<(Part, Option<Inertia>)> {
    let bodies = Scene::find(scene)?.bodies;
    let names: Vec<String> = bodies.iter().map(|body| body.name.clone()).collect();
    match bodies.into_iter().find(|body| body.name == name) {
        Some(body) => Ok((body.part, body.inertia)),
        None => bail!("the scene {scene} has no part `{name}`; parts: {}", names.join(", ")),
    }
}

/// A mesh file, in the unit of its format or one guessed from its size, or a part by name.
pub(super) fn part_or_mesh(name: &str) -> Result<Part> {
    let path = Path::new(name);
    if !path.is_file() {
        return Ok(preset(name)?);
    }
    let loaded = load(path)?;
    let part = MeshPart::new(loaded.in_metres(loaded.raw_unit.unit))
        .with_context(|| format!("{name}; `tightfit part {name} --repair OUT.stl` repairs it"))?;
    check_shells(part.mesh()).with_context(|| format!("{name}; `tightfit part {name}` examines it"))?;
    Ok(Part::Mesh(part))
}
