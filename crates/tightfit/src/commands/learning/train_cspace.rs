//! `tightfit train cspace SCENE`: networks that tell free configurations from colliding ones, one per phase of the
//! scene's task, with how far from contact they are wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use tightfit::learning::cspace::{
    ConfigurationBox, ConfigurationErrors, ConfigurationRecipe, PairGap, TrainedConfiguration, task_boxes,
    train_configuration,
};
use tightfit::scene::Scene;

use super::train_options::TrainOptions;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(super) struct CspaceArguments {
    /// Train for this built-in scene or scene file, with a drive and a task.
    scene: String,
    /// Train only for these boxes of the task, separated by commas [default: all].
    #[arg(long = "box", value_name = "NAMES", value_delimiter = ',')]
    boxes: Vec<String>,
    /// Write SCENE-BOX-cspace.safetensors to this folder. A checkpoint beside a file, `.checkpoint`, lets an interrupted run
    /// continue.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Train the paper's form: centre of mass and x-y-z angles in, labels on and off.
    #[arg(long)]
    paper: bool,
    #[command(flatten)]
    options: TrainOptions,
}

/// A network that is written.
struct Done {
    place: ConfigurationBox,
    out: PathBuf,
    errors: ConfigurationErrors,
    stop: String,
    seconds: f64,
}

pub(super) fn run(arguments: &CspaceArguments) -> Result<ExitCode> {
    let scene = Scene::find(&arguments.scene)?;
    let recipe = recipe(arguments);
    let ([moving, fixed], boxes) = task_boxes(&scene)?;
    let known: Vec<&str> = boxes.iter().map(|place| place.name).collect();
    if let Some(unknown) = arguments.boxes.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("the task of {} has no box `{unknown}`; boxes: {}", scene.name, known.join(", "));
    }
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make {}", arguments.out.display()))?;
    let pair = PairGap::of(&scene, moving, fixed);
    let is_wanted = |place: &ConfigurationBox| {
        arguments.boxes.is_empty() || arguments.boxes.iter().any(|name| name == place.name)
    };
    let mut all = Vec::new();
    for place in boxes.into_iter().filter(is_wanted) {
        let (place, ending) = match arguments.paper {
            true => (place.in_euler_angles(&pair)?, "cspace-paper"),
            false => (place, "cspace"),
        };
        let out = arguments.out.join(format!("{}-{}-{ending}.safetensors", scene.name, place.name));
        all.push(train(&pair, place, &scene.name, &recipe, &out)?);
    }
    if arguments.options.json {
        let all: Vec<_> = all.iter().map(json_of).collect();
        say!(
            "{}",
            serde_json::to_string_pretty(&json!({ "scene": scene.name, "recipe": recipe, "boxes": all }))?
        );
        return Ok(ExitCode::SUCCESS);
    }
    put!("{}\n{}", boxes_table(&all), errors_table(&all));
    let samples = all.first().map_or(0, |done| done.errors.samples);
    say!("\n|smallest gap| of those that are wrong, of {samples} fresh configurations even over each box");
    for done in &all {
        say!("{}: written", done.out.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn recipe(arguments: &CspaceArguments) -> ConfigurationRecipe {
    let mut recipe =
        if arguments.paper { ConfigurationRecipe::paper() } else { ConfigurationRecipe::default() };
    arguments.options.replace(&mut recipe.samples, &mut recipe.training);
    recipe
}

/// Trains and saves.
fn train(
    pair: &PairGap,
    place: ConfigurationBox,
    scene: &str,
    recipe: &ConfigurationRecipe,
    out: &Path,
) -> Result<Done> {
    let clock = Instant::now();
    let mut checkpoint = out.as_os_str().to_owned();
    checkpoint.push(".checkpoint");
    let checkpoint = PathBuf::from(checkpoint);
    let bar = progress::bar(&format!("{}: drawing samples", place.name));
    let trained = train_configuration(pair, &place, scene, recipe, Some(&checkpoint), |progress| {
        let (price, best) = (progress.price, progress.best_price);
        bar.set_message(format!("{}: price {price:.4}, best {best:.4}", place.name));
        progress::set(&bar, progress.step as f64 / progress.steps as f64);
        true
    });
    bar.finish_and_clear();
    let TrainedConfiguration { file, errors, stop } = trained?;
    file.save(out).with_context(|| format!("cannot save {}", out.display()))?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(Done { place, out: out.to_path_buf(), errors, stop: format!("{stop:?}"), seconds })
}

fn json_of(done: &Done) -> serde_json::Value {
    let Done { place, out, errors, stop, seconds } = done;
    json!({
        "box": place.name,
        "chart": place.chart,
        "ranges": place.ranges,
        "file": out,
        "stop": stop,
        "seconds": seconds,
        "free_share": errors.free,
        "wrong_share": errors.wrong,
        "free_wrong_share": errors.free_wrong,
        "wrong_gap_um": {
            "median": 1e6 * errors.median,
            "p95": 1e6 * errors.p95,
            "p99": 1e6 * errors.p99,
            "max": 1e6 * errors.max,
        },
    })
}

fn boxes_table(all: &[Done]) -> Table {
    let mut table = Table::new(&["box", "x um", "y um", "z mm", "tilt x mrad", "tilt y mrad", "last"]);
    for Done { place, .. } in all {
        let range = |k: usize, scale: f64| {
            let range = place.ranges[k];
            format!("{:.1} to {:.1}", scale * range.low, scale * range.high)
        };
        let last = if place.uses(5) { format!("{} · 1e-6", range(5, 1e6)) } else { "not used".into() };
        table.row(vec![
            place.name.into(),
            range(0, 1e6),
            range(1, 1e6),
            range(2, 1e3),
            range(3, 1e3),
            range(4, 1e3),
            last,
        ]);
    }
    table
}

fn errors_table(all: &[Done]) -> Table {
    let mut table = Table::new(&[
        "box",
        "free %",
        "wrong %",
        "free wrong %",
        "median um",
        "95 % um",
        "99 % um",
        "max um",
        "s",
    ]);
    for Done { place, errors, seconds, .. } in all {
        let shares =
            [errors.free, errors.wrong, errors.free_wrong].map(|share| format!("{:.2}", 100.0 * share));
        let gaps = [errors.median, errors.p95, errors.p99, errors.max].map(|gap| format!("{:.2}", 1e6 * gap));
        let seconds = vec![format!("{seconds:.0}")];
        table.row([vec![place.name.to_string()], shares.to_vec(), gaps.to_vec(), seconds].concat());
    }
    table
}
