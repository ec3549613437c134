//! `tightfit scenes --draw FOLDER`: every built-in scene is built, checked and drawn.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use tightfit::scene::{Scene, built_in_scenes};
use tightfit::shape::doctor::{DoctorOptions, examine, picture_svg};
use tightfit::shape::mesh::MeshOptions;

use super::scenes::{bodies_table, micrometres, scene_json, smallest_gap};
use crate::output::{put, say};
use crate::progress;

/// Builds, checks and draws every built-in scene into `folder`.
pub(crate) fn run(folder: &Path, is_json: bool) -> Result<ExitCode> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {shown}"))?;
    let bar = progress::bar("building and drawing the scenes");
    let mut text = String::new();
    let mut scenes = Vec::new();
    let mut pictures = Vec::new();
    let mut findings = 0;
    for (index, built_in) in built_in_scenes().iter().enumerate() {
        let scene = Scene::find(built_in.name)?;
        text += &format!("\n{}: {}\n\n{}", scene.name, scene.description, bodies_table(&scene));
        for pair in &scene.contacts {
            let [a, b] = pair.bodies.map(|index| &scene.bodies[index]);
            let gap = micrometres(smallest_gap(a, b));
            text += &format!("smallest gap between {} and {} at the start: {gap}\n", a.name, b.name);
        }
        for body in &scene.bodies {
            let Ok(mesh) = body.part.mesh(&MeshOptions::default()) else { continue };
            let diagnosis = examine(&mesh, &DoctorOptions::default());
            findings += diagnosis.findings.len();
            let title = format!("{} of {}", body.name, scene.name);
            let path = folder.join(format!("{}-{}.svg", scene.name, body.name));
            std::fs::write(&path, picture_svg(&mesh, &diagnosis, &title))
                .with_context(|| format!("cannot write {}", path.display()))?;
            pictures.push(path);
        }
        scenes.push(scene_json(&scene));
        progress::set(&bar, (index + 1) as f64 / built_in_scenes().len() as f64);
    }
    bar.finish_and_clear();
    if is_json {
        let report = json!({ "scenes": scenes, "pictures": pictures, "findings": findings });
        say!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    put!("{}", text.trim_start());
    say!("\n{} pictures are in {shown}; the mesh doctor has {findings} findings about them.", pictures.len());
    Ok(ExitCode::SUCCESS)
}
