//! `tightfit scenes --draw FOLDER`: every built-in scene is built, checked and drawn.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use tightfit::scene::{Scene, built_in_scenes};
use tightfit::shape::doctor::{DoctorOptions, examine, picture_svg};
use tightfit::shape::mesh::MeshOptions;

use super::scenes::{bodies_table, micrometres, smallest_gap};
use crate::output::{put, say};
use crate::progress;

/// Builds, checks and draws every built-in scene into `folder`.
pub(crate) fn run(folder: &Path) -> Result<ExitCode> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {shown}"))?;
    let bar = progress::bar("building and drawing the scenes");
    let mut text = String::new();
    let mut pictures = 0;
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
            pictures += 1;
        }
        progress::set(&bar, (index + 1) as f64 / built_in_scenes().len() as f64);
    }
    bar.finish_and_clear();
    put!("{}", text.trim_start());
    say!("\n{pictures} pictures are in {shown}; the mesh doctor has {findings} findings about them.");
    Ok(ExitCode::SUCCESS)
}
