//! `tightfit scenes`: the built-in scenes, or one scene body by body.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tightfit::scene::{Body, Motion, Scene, built_in_scenes};
use tightfit::shape::mesh::MeshOptions;
use tightfit::shape::node::NodeKind;

use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(crate) struct ScenesArguments {
    /// Show this built-in scene or scene file [default: list the built-in scenes].
    scene: Option<String>,
    /// Print the scene's TOML text, as a start for a new scene.
    #[arg(long, requires = "scene")]
    toml: bool,
    /// Build, check and draw every built-in scene into a folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "scene")]
    draw: Option<std::path::PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ScenesArguments) -> Result<ExitCode> {
    if let Some(folder) = &arguments.draw {
        return super::survey::run(folder, arguments.json);
    }
    match &arguments.scene {
        Some(name) if arguments.toml => {
            let text = text_of(name)?;
            match arguments.json {
                true => say!("{}", serde_json::to_string_pretty(&json!({ "name": name, "toml": text }))?),
                false => put!("{text}"),
            }
        }
        Some(name) => {
            let scene = Scene::find(name)?;
            match arguments.json {
                true => say!("{}", serde_json::to_string_pretty(&scene_json(&scene))?),
                false => print_scene(&scene)?,
            }
        }
        None => {
            let scenes: Result<Vec<_>, _> =
                built_in_scenes().iter().map(|scene| Scene::find(scene.name)).collect();
            let scenes = scenes?;
            if arguments.json {
                let all: Vec<_> = scenes.iter().map(scene_json).collect();
                say!("{}", serde_json::to_string_pretty(&all)?);
                return Ok(ExitCode::SUCCESS);
            }
            let mut table = Table::new(&["scene", "parts", "what happens"]);
            for scene in &scenes {
                let parts: Vec<_> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
                table.row(vec![scene.name.clone(), parts.join(", "), scene.description.clone()]);
            }
            put!("{table}");
            say!("\n`tightfit scenes NAME` shows one; `tightfit scenes NAME --toml` prints its file.");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Text of a built-in scene or a file, valid or not.
fn text_of(name: &str) -> Result<String> {
    if let Some(scene) = built_in_scenes().iter().find(|scene| scene.name == name) {
        return Ok(scene.text.to_string());
    }
    if !Path::new(name).exists() {
        // the error lists the names
        Scene::find(name)?;
    }
    std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))
}

fn print_scene(scene: &Scene) -> Result<()> {
    say!("{}: {}", scene.name, scene.description);
    say!("step {} ms, gravity {:?} m/s²\n", scene.dt * 1e3, scene.gravity.as_slice());
    put!("{}", bodies_table(scene));
    for pair in &scene.contacts {
        let [a, b] = pair.bodies.map(|index| &scene.bodies[index]);
        let gap = smallest_gap(a, b);
        say!(
            "\n{} against {}: friction {}, smallest gap at the start {}",
            a.name,
            b.name,
            pair.friction,
            micrometres(gap)
        );
    }
    Ok(())
}

/// One row per body.
pub(crate) fn bodies_table(scene: &Scene) -> Table {
    let mut table = Table::new(&[
        "body",
        "motion",
        "size mm",
        "mass kg",
        "face nodes",
        "edge",
        "corner",
        "off surface nm",
    ]);
    for body in &scene.bodies {
        // The part's own box is a bound, wider than a hexagon; the mesh has the size that `tightfit part` prints.
        let size = body.part.mesh(&MeshOptions::default()).map_or("unbounded".into(), |mesh| {
            let size = mesh.aabb().size() * 1e3;
            format!("{:.1} x {:.1} x {:.1}", size.x, size.y, size.z)
        });
        table.row(vec![
            body.name.clone(),
            motion(body.motion).into(),
            size,
            body.inertia.map_or(String::new(), |inertia| format!("{:.4}", inertia.mass)),
            body.nodes.count(NodeKind::Face).to_string(),
            body.nodes.count(NodeKind::Edge).to_string(),
            body.nodes.count(NodeKind::Corner).to_string(),
            if body.nodes.is_empty() { String::new() } else { format!("{:.3}", off_surface(body) * 1e9) },
        ]);
    }
    table
}

/// Largest distance of a body's nodes from its surface [m]: nodes and distance are computed separately and must agree.
pub(crate) fn off_surface(body: &Body) -> f64 {
    let off = |index: usize| {
        let point = body.part.place_one(body.nodes.chart(index));
        (body.part.sample(point).distance + body.part.node_offset()).abs()
    };
    let distances = (0..body.nodes.len()).map(off).filter(|distance| distance.is_finite());
    distances.fold(0.0, f64::max)
}

/// Smallest distance between two bodies at the start [m], over the nodes of both; negative when they overlap.
pub(crate) fn smallest_gap(a: &Body, b: &Body) -> f64 {
    let one_way = |of: &Body, against: &Body| {
        let against_from_of = against.world_from_part.inverse() * of.world_from_part;
        let gap = |index: usize| {
            let point = against_from_of.transform_point(of.part.place_one(of.nodes.chart(index)));
            against.part.sample(point).distance - of.part.node_offset()
        };
        (0..of.nodes.len()).map(gap).fold(f64::INFINITY, f64::min)
    };
    one_way(a, b).min(one_way(b, a))
}

pub(crate) fn micrometres(length: f64) -> String {
    if length.is_finite() { format!("{:.3} um", length * 1e6) } else { "none".into() }
}

fn motion(motion: Motion) -> &'static str {
    match motion {
        Motion::Free => "free",
        Motion::Fixed => "fixed",
        Motion::Kinematic => "kinematic",
    }
}

pub(crate) fn scene_json(scene: &Scene) -> serde_json::Value {
    let body = |body: &Body| {
        json!({
            "name": body.name,
            "motion": motion(body.motion),
            "mass_kg": body.inertia.map(|inertia| inertia.mass),
            "position_m": body.world_from_part.translation.as_slice(),
            "nodes": body.nodes.len(),
        })
    };
    let pair = |pair: &tightfit::scene::ContactPair| {
        let [a, b] = pair.bodies.map(|index| &scene.bodies[index]);
        let gap = smallest_gap(a, b);
        json!({
            "bodies": [a.name, b.name],
            "friction": pair.friction,
            "restitution": pair.restitution,
            "smallest_gap_um": gap.is_finite().then_some(gap * 1e6),
        })
    };
    json!({
        "name": scene.name,
        "description": scene.description,
        "step_s": scene.dt,
        "bodies": scene.bodies.iter().map(body).collect::<Vec<_>>(),
        "contacts": scene.contacts.iter().map(pair).collect::<Vec<_>>(),
    })
}
