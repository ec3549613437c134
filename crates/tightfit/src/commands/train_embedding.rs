//! `tightfit train embedding PART`: embeds the surface of a part in eight dimensions, where straight distances approximate
//! geodesics. The file also holds an untrained interaction network, whose clusters lie outermost in twelve directions.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tightfit::interaction::InteractionFile;
use tightfit::interaction_training::clustering::spread_start;
use tightfit::interaction_training::embedding::{
    EmbeddingRecipe, embed, embedding_errors, refined, surface, usual_ranges,
};
use tightfit::shape::mesh::MeshOptions;

use super::habit_options::HabitOptions;
use super::trained_part::{part_of_scene, part_or_mesh, stem_of};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(super) struct EmbeddingArguments {
    /// Part by name (`tightfit part --list` shows them), a mesh file, or with --scene a part of that scene.
    part: String,
    /// Scene that has the part: built-in, or a file. Its centre of mass is then that of the scene.
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,
    /// File to write [default: PART-clustering.safetensors].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of landmarks: vertices from which geodesics are computed.
    #[arg(long, value_name = "COUNT", default_value_t = EmbeddingRecipe::default().landmarks)]
    landmarks: usize,
    /// Longest edge of the triangles [mm].
    #[arg(long, value_name = "MM", default_value_t = 5.0, allow_negative_numbers = true)]
    edge_mm: f64,
    #[command(flatten)]
    habits: HabitOptions,
    /// Seed of the network's parameters.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Density for the centre of mass without a scene [kg/m³]; any uniform density gives the same centre.
const DENSITY: f64 = 7850.0;

pub(super) fn run(arguments: &EmbeddingArguments) -> Result<ExitCode> {
    if !(arguments.edge_mm > 0.0 && arguments.edge_mm <= 1000.0) {
        anyhow::bail!("--edge-mm is {}; allowed: more than 0 up to 1000", arguments.edge_mm);
    }
    let habits = arguments.habits.options()?;
    let (part, inertia) = match &arguments.scene {
        Some(scene) => part_of_scene(scene, &arguments.part)?,
        None => (part_or_mesh(&arguments.part)?, None),
    };
    let center = match inertia {
        Some(inertia) => inertia.center_of_mass,
        None => part.inertia(DENSITY)?.center_of_mass,
    };
    let longest = arguments.edge_mm * 1e-3;
    let mesh = refined(&part.mesh(&MeshOptions { max_edge: longest, ..MeshOptions::default() })?, longest);
    let recipe = EmbeddingRecipe { landmarks: arguments.landmarks, ..EmbeddingRecipe::default() };
    let clock = Instant::now();
    let bar = progress::bar(&format!("{}: {} vertices", arguments.part, mesh.vertices.len()));
    let embedding = embed(&mesh, &recipe, |fraction| progress::set(&bar, fraction))?;
    let seconds = clock.elapsed().as_secs_f64();
    bar.set_message(format!("{}: comparing with geodesics", arguments.part));
    let errors = embedding_errors(&mesh, &embedding, 2 * recipe.points_per_edge);
    bar.finish_and_clear();
    let surface = surface(&mesh, embedding, center)?;
    let network = spread_start(usual_ranges(&surface), habits, arguments.seed)?;
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}-clustering.safetensors", stem_of(&arguments.part))));
    let summary = json!({
        "part": arguments.part,
        "vertices": surface.points().len(),
        "triangles": surface.faces().len(),
        "recipe": recipe,
        "seed": arguments.seed,
        "seconds": seconds,
        "correlation": errors.correlation,
        "median_relative_error": errors.median_relative,
        "compared_pairs": errors.pairs,
    });
    InteractionFile { network, surface, recipe: summary.clone() }.save(&out)?;
    if arguments.json {
        say!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["part", "vertices", "s", "correlation", "median error"]);
    table.row(vec![
        arguments.part.clone(),
        mesh.vertices.len().to_string(),
        format!("{seconds:.1}"),
        format!("{:.4}", errors.correlation),
        format!("{:.1} %", 100.0 * errors.median_relative),
    ]);
    put!("{table}");
    say!("\nstraight distances compared with geodesics, {} pairs", errors.pairs);
    say!("{}: written, with an untrained network", out.display());
    Ok(ExitCode::SUCCESS)
}
