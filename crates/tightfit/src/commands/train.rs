//! `tightfit train depth PART`: a depth network from the part's exact distance, with its errors.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use tightfit::learning::depth::{DepthErrors, DepthRecipe, FeatureKind, TrainedDepth, train_depth};
use tightfit::network::Activation;
use tightfit::shape::preset::preset;

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
    /// A network that gives the distance from a part and its normal.
    Depth(DepthArguments),
}

#[derive(Args)]
struct DepthArguments {
    /// Part by name; `tightfit part --list` shows them.
    part: String,
    /// File to write; PART-depth.safetensors when not given. Beside it, `.checkpoint`, stands the run until it is
    /// done: a killed run goes on from there.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Coordinates that the network is told.
    #[arg(long, value_enum, default_value_t = Coordinates::Symmetry)]
    features: Coordinates,
    /// Activation of the hidden layers.
    #[arg(long, value_enum, default_value_t = Hidden::Relu)]
    activation: Hidden,
    /// Widths of the hidden layers, such as 64-64-64.
    #[arg(long, value_name = "WIDTHS", default_value = "64-64-64")]
    hidden: String,
    /// Training steps.
    #[arg(long, value_name = "COUNT")]
    steps: Option<u64>,
    /// Points to train on.
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// Points of a minibatch.
    #[arg(long, value_name = "COUNT")]
    batch: Option<usize>,
    /// Learning rate.
    #[arg(long, value_name = "RATE")]
    learning_rate: Option<f64>,
    /// Seed; the same seed gives the same network on the same kind of processor.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; changes no result.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Coordinates {
    /// (r, z) of a turned part, (r, cos, sin, z) of a thread, else x, y, z.
    Symmetry,
    /// x, y, z.
    Xyz,
}

#[derive(Clone, Copy, ValueEnum)]
enum Hidden {
    Relu,
    Tanh,
    Silu,
}

pub(crate) fn run(arguments: &TrainArguments) -> Result<ExitCode> {
    let What::Depth(arguments) = &arguments.what;
    let part = preset(&arguments.part)?;
    let recipe = recipe(arguments)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => PathBuf::from(format!("{}-depth.safetensors", arguments.part)),
    };
    let mut checkpoint = out.as_os_str().to_owned();
    checkpoint.push(".checkpoint");
    let checkpoint = PathBuf::from(checkpoint);
    let bar = progress::bar("drawing samples");
    let trained = train_depth(&part, &arguments.part, &recipe, Some(&checkpoint), |progress| {
        let (error, best) = (1e6 * progress.error, 1e6 * progress.best_error);
        bar.set_message(format!("error {error:.3} um, best {best:.3} um"));
        progress::set(&bar, progress.step as f64 / progress.steps as f64);
        true
    });
    bar.finish_and_clear();
    let TrainedDepth { file, errors, stop } = trained?;
    file.save(&out).with_context(|| format!("cannot save {}", out.display()))?;
    match arguments.json {
        true => {
            let all = json!({
                "part": arguments.part,
                "file": out,
                "stop": format!("{stop:?}"),
                "features": file.field.features(),
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
                "recipe": file.recipe,
            });
            say!("{}", serde_json::to_string_pretty(&all)?);
        }
        false => {
            put!("{}", errors_table(&errors));
            say!("\n{} points within 100 um of the surface; written to {}", errors.points, out.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn recipe(arguments: &DepthArguments) -> Result<DepthRecipe> {
    let mut recipe = DepthRecipe::default();
    let widths: Option<Vec<usize>> = arguments.hidden.split('-').map(|width| width.parse().ok()).collect();
    let Some(widths) = widths else {
        bail!("--hidden is `{}`; allowed: numbers with - between them, such as 64-64-64", arguments.hidden);
    };
    recipe.hidden = widths;
    recipe.features = match arguments.features {
        Coordinates::Symmetry => FeatureKind::Symmetry,
        Coordinates::Xyz => FeatureKind::Cartesian,
    };
    recipe.activation = match arguments.activation {
        Hidden::Relu => Activation::Relu,
        Hidden::Tanh => Activation::Tanh,
        Hidden::Silu => Activation::Silu,
    };
    recipe.samples = arguments.samples.unwrap_or(recipe.samples);
    let training = &mut recipe.training;
    (training.seed, training.threads) = (arguments.seed, arguments.threads);
    training.steps = arguments.steps.unwrap_or(training.steps);
    training.batch = arguments.batch.unwrap_or(training.batch);
    training.learning_rate = arguments.learning_rate.unwrap_or(training.learning_rate);
    Ok(recipe)
}

fn errors_table(errors: &DepthErrors) -> Table {
    let mut table = Table::new(&["error", "unit", "mean", "median", "95 %", "99 %", "max"]);
    let micrometres = [errors.mean, errors.median, errors.p95, errors.p99, errors.max];
    let degrees = [errors.normal_median, errors.normal_p95, errors.normal_p99];
    let row = |name: &str, unit: &str, cells: Vec<String>| [vec![name.into(), unit.into()], cells].concat();
    table.row(row("distance", "um", micrometres.map(|error| format!("{:.3}", 1e6 * error)).to_vec()));
    let [median, p95, p99] = degrees.map(|error| format!("{:.3}", error.to_degrees()));
    table.row(row("normal", "deg", vec![String::new(), median, p95, p99]));
    table
}
