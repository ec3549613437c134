//! `tightfit train depth PART`: a depth network from the part's exact distance, with its errors; `--table-2` trains the
//! bolts of the paper's ten pairs one after another.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use tightfit::learning::depth::{DepthErrors, DepthRecipe, FeatureKind, TrainedDepth, train_depth};
use tightfit::network::training::Stop;
use tightfit::network::{Activation, Features, FieldFile};
use tightfit::shape::Part;
use tightfit::shape::preset::{PAPER_PAIRS, preset};

use super::train_clustering::{self, ClusteringArguments};
use super::train_cspace::{self, CspaceArguments};
use super::train_embedding::{self, EmbeddingArguments};
use super::train_options::TrainOptions;
use super::trained_part::{part_of_scene, part_or_mesh, stem_of};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct TrainArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Train a network that returns the distance from a part and its normal.
    Depth(DepthArguments),
    /// Train networks that separate free configurations of a scene's driven part from colliding ones.
    Cspace(CspaceArguments),
    /// Train the network that clusters contacts, from recorded trials with a force sensor.
    Clustering(Box<ClusteringArguments>),
    /// Embed the surface of a part for averages of clusters, with an untrained interaction network.
    Embedding(EmbeddingArguments),
}

#[derive(Args)]
struct DepthArguments {
    /// Train for this part: by name (`tightfit part --list`), a mesh file, or with --scene a part of that scene.
    #[arg(required_unless_present = "table_2")]
    part: Option<String>,
    /// Take the part from this built-in scene or scene file.
    #[arg(long, value_name = "SCENE", conflicts_with = "table_2")]
    scene: Option<String>,
    /// Train for the bolts of the ten pairs of the paper's Table II. Finished ones with the same recipe are kept.
    #[arg(long, conflicts_with = "part")]
    table_2: bool,
    /// Write to this file [default: PART-depth.safetensors]; with --table-2 to this folder. A checkpoint beside it, `.checkpoint`,
    /// lets an interrupted run continue.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use the paper's network: x, y, z in, tanh out, valid in the whole bounding volume. Optimiser and scaling to [-1, 1] do not
    /// change.
    #[arg(long, conflicts_with_all = ["features", "output", "activation", "hidden"])]
    paper: bool,
    /// Learn only the difference to a simple shape: a smooth screw for a bolt, a ring for other parts. The file holds the shape,
    /// which is added to the network's value.
    #[arg(long)]
    residual: bool,
    /// Choose the network's input coordinates.
    #[arg(long, value_enum, default_value_t = Coordinates::Symmetry)]
    features: Coordinates,
    /// Choose the activation of the output.
    #[arg(long, value_enum, default_value_t = Output::Identity)]
    output: Output,
    /// Choose the activation of the hidden layers.
    #[arg(long, value_enum, default_value_t = Hidden::Relu)]
    activation: Hidden,
    /// Use hidden layers of these widths, such as 64-64-64.
    #[arg(long, value_name = "WIDTHS", default_value = "64-64-64")]
    hidden: String,
    #[command(flatten)]
    options: TrainOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum Coordinates {
    /// (r, z) of a turned part, (r, cos, sin, z) of a thread, else x, y, z.
    Symmetry,
    /// x, y, z.
    Xyz,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    Identity,
    Tanh,
}

#[derive(Clone, Copy, ValueEnum)]
enum Hidden {
    Relu,
    Tanh,
    Silu,
}

/// A part to be trained for, and where its network goes.
struct Job {
    name: String,
    part: Part,
    out: PathBuf,
}

/// A written network and its report.
struct Done {
    job: Job,
    /// Why training ended; `None` when it was done before.
    stop: Option<Stop>,
    features: Features,
    errors: DepthErrors,
    recipe: serde_json::Value,
}

pub(crate) fn run(arguments: &TrainArguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Depth(arguments) => run_depth(arguments),
        What::Cspace(arguments) => train_cspace::run(arguments),
        What::Clustering(arguments) => train_clustering::run(arguments),
        What::Embedding(arguments) => train_embedding::run(arguments),
    }
}

fn run_depth(arguments: &DepthArguments) -> Result<ExitCode> {
    let recipe = recipe(arguments)?;
    let mut all = Vec::new();
    let jobs = jobs(arguments)?;
    let count = jobs.len();
    for (index, job) in jobs.into_iter().enumerate() {
        let note = if count > 1 { format!("{} of {count}: ", index + 1) } else { String::new() };
        let done = match arguments.table_2 {
            true => done_before(&job, &recipe)?,
            false => None,
        };
        all.push(match done {
            Some(file) => finished(job, file)?,
            None => train(job, &recipe, &note)?,
        });
    }
    match (arguments.options.json, arguments.table_2) {
        (true, true) => {
            let all: Vec<_> = all.iter().map(json_of).collect();
            say!("{}", serde_json::to_string_pretty(&all)?);
        }
        (true, false) => all.iter().try_for_each(|done| -> Result<()> {
            say!("{}", serde_json::to_string_pretty(&json_of(done))?);
            Ok(())
        })?,
        (false, _) => {
            put!("{}", errors_table(&all));
            let points = all.first().map_or(0, |done| done.errors.points);
            say!("\n{points} points within 100 um of the surface of each part");
            for Done { job, stop, .. } in &all {
                let before = if stop.is_none() { "was there before" } else { "written" };
                say!("{}: {before}", job.out.display());
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn jobs(arguments: &DepthArguments) -> Result<Vec<Job>> {
    let ending = if arguments.paper { "depth-paper" } else { "depth" };
    let file_of = |name: &str| format!("{name}-{ending}.safetensors");
    if arguments.table_2 {
        let folder = arguments.out.clone().unwrap_or_default();
        if arguments.out.is_some() {
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let job = |(diameter, pitch): &(f64, f64)| {
            let name = format!("paper-{diameter}x{pitch}-bolt");
            Ok(Job { part: preset(&name)?, out: folder.join(file_of(&name)), name })
        };
        return PAPER_PAIRS.iter().map(job).collect();
    }
    let given = arguments.part.as_deref().unwrap_or_default();
    let part = match &arguments.scene {
        Some(scene) => part_of_scene(scene, given)?.0,
        None => part_or_mesh(given)?,
    };
    let name = match &arguments.scene {
        Some(scene) => format!("{scene}:{given}"),
        None => given.to_string(),
    };
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(file_of(&stem_of(given))));
    Ok(vec![Job { name, part, out }])
}

/// Trains and saves; `note` precedes the name on the progress bar.
fn train(job: Job, recipe: &DepthRecipe, note: &str) -> Result<Done> {
    let mut checkpoint = job.out.as_os_str().to_owned();
    checkpoint.push(".checkpoint");
    let checkpoint = PathBuf::from(checkpoint);
    let bar = progress::bar(&format!("{note}{}: drawing samples", job.name));
    let trained = train_depth(&job.part, &job.name, recipe, Some(&checkpoint), |progress| {
        let (error, best) = (1e6 * progress.error, 1e6 * progress.best_error);
        bar.set_message(format!("{note}{}: error {error:.3} um, best {best:.3} um", job.name));
        progress::set(&bar, progress.step as f64 / progress.steps as f64);
        true
    });
    bar.finish_and_clear();
    let TrainedDepth { file, errors, stop } = trained?;
    file.save(&job.out).with_context(|| format!("cannot save {}", job.out.display()))?;
    Ok(Done { job, stop: Some(stop), features: file.field.features(), errors, recipe: file.recipe })
}

/// The file of a job, if it is there and was made for the same part with the same recipe.
fn done_before(job: &Job, recipe: &DepthRecipe) -> Result<Option<FieldFile>> {
    if !job.out.exists() {
        return Ok(None);
    }
    let file = FieldFile::load(&job.out)?;
    let mut same = recipe.clone();
    let found: Option<DepthRecipe> = serde_json::from_value(file.recipe["recipe"].clone()).ok();
    // threads change no result
    same.training.threads = found.as_ref().map_or(1, |found| found.training.threads);
    if file.recipe["part"] != job.name || found != Some(same) {
        bail!(
            "{} was made for another part or with another recipe; delete it or name another folder",
            job.out.display()
        );
    }
    Ok(Some(file))
}

fn finished(job: Job, file: FieldFile) -> Result<Done> {
    let errors = serde_json::from_value(file.recipe["errors_m_rad"].clone())
        .with_context(|| format!("{} does not state its errors; delete it", job.out.display()))?;
    Ok(Done { job, stop: None, features: file.field.features(), errors, recipe: file.recipe })
}

fn json_of(done: &Done) -> serde_json::Value {
    let Done { job, stop, features, errors, recipe } = done;
    json!({
        "part": job.name,
        "file": job.out,
        "stop": stop.map_or("Before".to_string(), |stop| format!("{stop:?}")),
        "features": features,
        "errors_um": {
            "mean": 1e6 * errors.mean,
            "median": 1e6 * errors.median,
            "p95": 1e6 * errors.p95,
            "p99": 1e6 * errors.p99,
            "max": 1e6 * errors.max,
        },
        "normal_errors_deg": {
            "median": errors.normal_median.to_degrees(),
            "p95": errors.normal_p95.to_degrees(),
            "p99": errors.normal_p99.to_degrees(),
        },
        "recipe": recipe,
    })
}

fn recipe(arguments: &DepthArguments) -> Result<DepthRecipe> {
    let mut recipe = DepthRecipe::default();
    if arguments.paper {
        recipe = DepthRecipe::paper();
    } else {
        let widths: Option<Vec<usize>> =
            arguments.hidden.split('-').map(|width| width.parse().ok()).collect();
        let Some(widths) = widths else {
            bail!(
                "--hidden is `{}`; allowed: numbers with - between them, such as 64-64-64",
                arguments.hidden
            );
        };
        recipe.hidden = widths;
        recipe.features = match arguments.features {
            Coordinates::Symmetry => FeatureKind::Symmetry,
            Coordinates::Xyz => FeatureKind::Cartesian,
        };
        recipe.output = match arguments.output {
            Output::Identity => Activation::Identity,
            Output::Tanh => Activation::Tanh,
        };
        recipe.activation = match arguments.activation {
            Hidden::Relu => Activation::Relu,
            Hidden::Tanh => Activation::Tanh,
            Hidden::Silu => Activation::Silu,
        };
    }
    recipe.residual = arguments.residual;
    arguments.options.replace(&mut recipe.samples, &mut recipe.training);
    Ok(recipe)
}

fn errors_table(all: &[Done]) -> Table {
    let mut table = Table::new(&["part", "error", "unit", "mean", "median", "95 %", "99 %", "max"]);
    for Done { job, errors, .. } in all {
        let micrometres = [errors.mean, errors.median, errors.p95, errors.p99, errors.max];
        let micrometres = micrometres.map(|error| format!("{:.3}", 1e6 * error));
        let degrees = [errors.normal_median, errors.normal_p95, errors.normal_p99];
        let [median, p95, p99] = degrees.map(|error| format!("{:.3}", error.to_degrees()));
        let named = |name: &str, unit: &str| vec![job.name.clone(), name.into(), unit.into()];
        table.row([named("distance", "um"), micrometres.to_vec()].concat());
        table.row([named("normal", "deg"), vec![String::new(), median, p95, p99]].concat());
    }
    table
}
