//! `tightfit train clustering RECORDINGS`: trains the interaction network from measured wrenches.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tightfit::interaction::InteractionFile;
use tightfit::interaction_training::clustering::{
    ClusteringRecipe, Subset, braced_start, input_ranges, interaction_pair, plain_surface, spread_start,
    train_clustering,
};
use tightfit::interaction_training::cma_es::Covariance;
use tightfit::interaction_training::wrench::{Moment, Moments, RecordedScene};
use tightfit::scene::{Motion, Preset};

use super::habit_options::HabitOptions;
use super::recorded_trials::{RecordedArguments, load_words};
use crate::commands::numbers::within;
use crate::commands::output_file;
use crate::commands::simulate::preset;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(super) struct ClusteringArguments {
    #[command(flatten)]
    recorded: RecordedArguments,
    /// Search by the whole covariance as in the paper, its diagonal, or a few directions.
    #[arg(long, value_enum, default_value_t = Method::Separable)]
    method: Method,
    /// Search these parameters one after another, separated by commas: last layers, object networks, all. The paper searches `all`.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "outputs,objects,all")]
    stages: Vec<Stage>,
    #[command(flatten)]
    habits: HabitOptions,
    /// Evaluate clusters with the other methods of this preset.
    #[arg(long, value_name = "PRESET", default_value = "refined", value_parser = preset)]
    solved_by: Preset,
    /// Run this many generations per stage.
    #[arg(long, default_value_t = 100)]
    generations: u64,
    /// Use this many candidates per generation; 0 is 4 + 3 ln n.
    #[arg(long, default_value_t = 0)]
    population: usize,
    /// Draw the first candidates with this standard deviation.
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    sigma: f64,
    /// Evaluate a generation at this many recorded moments, new ones for each.
    #[arg(long, default_value_t = 200)]
    batch: usize,
    /// Choose the best generation by this many recorded moments, the same throughout.
    #[arg(long, default_value_t = 400)]
    watched: usize,
    /// Restart this often with twice the population.
    #[arg(long, default_value_t = 0)]
    restarts: u32,
    /// Stop after this many seconds; the same command continues from the checkpoint.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Start from this network instead of clusters spread over the contacts.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Start with clusters at the outermost contacts, and with normals unchanged or turned to the side that carries the load.
    #[arg(long, value_enum, default_value_t = Start::Spread, conflicts_with = "from")]
    start: Start,
    /// Take the surface from this file, such as `tightfit train embedding` writes with geodesic averages.
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    surface: Option<PathBuf>,
    /// Write to this file.
    #[arg(long, value_name = "FILE", default_value = "clustering.safetensors")]
    out: PathBuf,
    /// Keep the checkpoint in this file [default: OUT.checkpoint].
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Draw candidates and moments from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use this many threads; results do not change.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Method {
    /// Full covariance, as in the paper.
    CmaEs,
    /// Diagonal covariance (sep-CMA-ES).
    Separable,
    /// A few directions (LM-MA-ES).
    LowRank,
}

#[derive(Clone, Copy, ValueEnum)]
enum Start {
    /// Clusters at the outermost contacts in twelve directions, normals unchanged.
    Spread,
    /// The same, normals turned to the side that carries the load: for poses that are off by as much as the play.
    Braced,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// Last layers.
    Outputs,
    /// Object networks.
    Objects,
    /// All parameters.
    All,
}

pub(super) fn run(arguments: &ClusteringArguments) -> Result<ExitCode> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.max(1)).build()?;
    pool.install(|| train(arguments))
}

fn train(arguments: &ClusteringArguments) -> Result<ExitCode> {
    let seconds = arguments.seconds.map(|most| within("--seconds", most, 0.0, 1e9)).transpose()?;
    if arguments.from.is_some() && arguments.habits.are_given() {
        bail!(
            "--habits and --from are both given, but the network of --from states its options; omit one of them"
        );
    }
    output_file::check("--out", Some(&arguments.out))?;
    output_file::check("--checkpoint", arguments.checkpoint.as_ref())?;
    let mut trials = arguments.recorded.load()?;
    let model = arguments.recorded.load_model(ClusteringRecipe::default().load_model);
    let load = arguments.recorded.load_of(&mut trials, model, None)?;
    let spring = load.spring;
    let recipe = ClusteringRecipe { load_model: model, load, ..recipe(arguments) };
    let recorded = &trials.recorded;
    let moments: Vec<Moments> =
        trials.train.iter().map(|trial| model.moments(recorded, &spring, trial)).collect::<Result<_, _>>()?;
    let scene = &recorded.scene;
    let (network, surface, is_plain) = match &arguments.from {
        Some(path) => {
            let file = InteractionFile::load(path)?;
            let is_plain = file.recipe["purpose"]["task"]["surface"] == "plain";
            (file.network, file.surface, is_plain)
        }
        None => {
            let surface = match &arguments.surface {
                Some(path) => InteractionFile::load(path)?.surface,
                None => {
                    let free = scene.bodies.iter().find(|body| body.motion == Motion::Free);
                    let part = &free.context("the scene has no free part")?.part;
                    plain_surface(part, recorded.inertia.center_of_mass)?
                }
            };
            let radius = contact_radius(recorded);
            let all: Vec<Moment> = moments.iter().flat_map(|own| own.moments.iter().copied()).collect();
            let ranges = input_ranges(recorded, &spring, &all, radius)?;
            let options = arguments.habits.options()?;
            let network = match arguments.start {
                Start::Spread => spread_start(ranges, options, arguments.seed)?,
                Start::Braced => braced_start(ranges, options, arguments.seed)?,
            };
            (network, surface, arguments.surface.is_none())
        }
    };
    let pair = interaction_pair(scene, network, surface)?;
    let purpose = json!({
        "recordings": trials.fingerprint,
        "train": trials.train.iter().map(|trial| trial.name.clone()).collect::<Vec<_>>(),
        "test": trials.test.iter().map(|trial| trial.name.clone()).collect::<Vec<_>>(),
        "scene": scene.name,
        "surface": if is_plain { "plain" } else { "geodesic" },
        "from": arguments.from,
        "options": pair.clustering.network.options(),
    });
    let checkpoint = arguments.checkpoint.clone().unwrap_or_else(|| {
        let mut name = arguments.out.as_os_str().to_owned();
        name.push(".checkpoint");
        PathBuf::from(name)
    });
    let bar = progress::bar("clustering: first evaluation");
    let clock = Instant::now();
    let trained = train_clustering(recorded, &pair, &moments, &recipe, &purpose, Some(&checkpoint), |now| {
        let [stage, stages] = now.stage;
        let [generation, generations] = now.generation;
        bar.set_message(format!(
            "stage {} of {stages}: RMSE {:.3} N, {:.4} N·m, best cost {:.4}",
            stage + 1,
            now.errors.force,
            now.errors.torque,
            now.best_cost
        ));
        progress::set(&bar, (stage as f64 + generation as f64 / generations as f64) / stages as f64);
        seconds.is_none_or(|most| clock.elapsed().as_secs_f64() < most)
    });
    bar.finish_and_clear();
    let trained = trained?;
    trained.file.save(&arguments.out)?;
    if trained.is_complete {
        // A leftover checkpoint would only be resumed at its end.
        let _ = std::fs::remove_file(&checkpoint);
    }
    let [before, after] = trained.errors;
    if arguments.json {
        let report = json!({
            "file": arguments.out, "is_complete": trained.is_complete, "recordings": trials.fingerprint,
            "left_out": trials.left_out, "fit_costs": trials.fit_costs, "recipe": recipe, "watched_before": before, "watched_after": after,
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        Table::new(&["watched moments of training trials", "force RMSE [N]", "torque RMSE [N·m]"]);
    for (name, errors) in [("before", before), ("after", after)] {
        table.row(vec![name.into(), format!("{:.4}", errors.force), format!("{:.5}", errors.torque)]);
    }
    put!("{table}");
    say!(
        "\n{} trials, fingerprint {}; load model {}, {}",
        trials.train.len(),
        trials.fingerprint,
        model.name(),
        load_words(&load, trials.fit_costs)
    );
    let rest = if trained.is_complete { "" } else { "; the same command resumes its checkpoint" };
    say!("{}: written{rest}", arguments.out.display());
    Ok(ExitCode::SUCCESS)
}

/// Largest distance of a contact from the centre of mass [m]: half the diagonal of the smaller part's box.
fn contact_radius(recorded: &RecordedScene) -> f64 {
    let sizes =
        recorded.scene.bodies.iter().filter_map(|body| body.part.aabb()).map(|own| own.diagonal() / 2.0);
    sizes.fold(f64::INFINITY, f64::min).clamp(1e-3, 1.0)
}

fn recipe(arguments: &ClusteringArguments) -> ClusteringRecipe {
    let stage = |stage: &Stage| match stage {
        Stage::Outputs => Subset::Outputs,
        Stage::Objects => Subset::Objects,
        Stage::All => Subset::All,
    };
    ClusteringRecipe {
        covariance: match arguments.method {
            Method::CmaEs => Covariance::Full,
            Method::Separable => Covariance::Separable,
            Method::LowRank => Covariance::LowRank,
        },
        stages: arguments.stages.iter().map(stage).collect(),
        generations: arguments.generations,
        population: arguments.population,
        sigma: arguments.sigma,
        batch: arguments.batch,
        watched: arguments.watched,
        restarts: arguments.restarts,
        seed: arguments.seed,
        solved_by: arguments.solved_by,
        ..ClusteringRecipe::default()
    }
}
