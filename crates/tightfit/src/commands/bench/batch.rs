//! `tightfit bench batch`: how many environments step how fast, on one thread and on several.
//!
//! Environments differ in friction, mass and, in tasks with a hole or a nut, in clearance or pitch. Batches with other numbers
//! of threads take the same steps in turn, so that a busy machine affects them alike. Rates are medians over the rounds, the
//! speed-up is the median of the rounds' ratios. The processor time per environment step shows what threads cost one another,
//! even while other programs use the cores.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::scene::Scene;
use tightfit::scene::batch::{Batch, Setup};
use tightfit::shape::Part;
use tightfit::shape::preset::{hole_50, preset, standard_nut};

use super::gpu_batch;
use super::record::{append_csv, conditions, machine, quantile};
use crate::cpu_clock;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(super) struct BatchArguments {
    /// Measure these built-in scenes or scene files.
    #[arg(value_name = "SCENE", default_values_t = ["peg-in-hole", "bolting-engaged"].map(String::from))]
    pub(super) scenes: Vec<String>,
    /// Replace a value of the scenes, such as `method.detection=neural-paper`.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Simulate this many environments.
    #[arg(long, value_name = "COUNT", default_value_t = 256)]
    pub(super) environments: usize,
    /// Use these numbers of threads, separated by commas; speed-ups are relative to the first.
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Take this many steps before the first round.
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub(super) warm_up: usize,
    /// Take this many steps per round.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub(super) steps: usize,
    /// Repeat this often and report medians.
    #[arg(long, value_name = "COUNT", default_value_t = 9)]
    pub(super) rounds: usize,
    /// Synchronise the threads after every step, as reinforcement learning does.
    #[arg(long)]
    pub(super) meet: bool,
    /// Append the results to a CSV file [default: the file of this machine under experiments/speed/results].
    #[arg(long, value_name = "FILE")]
    csv: Option<Option<PathBuf>>,
    /// Step on this device instead, `cuda:0`; medians of `--rounds`, the steps that the host took, an audit of sampled poses.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(arguments: &BatchArguments) -> Result<ExitCode> {
    let BatchArguments { environments, threads, steps, rounds, .. } = arguments;
    if [*environments, *steps, *rounds].contains(&0) || threads.is_empty() || threads.contains(&0) {
        bail!("--environments, --threads, --steps and --rounds must be at least 1");
    }
    if let Some(device) = &arguments.device {
        return gpu_batch::run(arguments, device, setup);
    }
    let mut measured = Vec::new();
    for scene in &arguments.scenes {
        measured.extend(measure(scene, arguments)?);
    }
    if let Some(file) = &arguments.csv {
        let rows: Vec<_> = measured.iter().map(Measured::cells).collect();
        append_csv(file.as_deref(), "batch", &Measured::NAMES, &rows)?;
    }
    if arguments.json {
        let all: Vec<Value> = measured.iter().map(Measured::json).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&Measured::NAMES);
    measured.iter().for_each(|one| table.row(one.cells()));
    put!("{table}");
    say!("\n{}; {}; medians of {rounds} rounds of {steps} steps", machine(), conditions());
    Ok(ExitCode::SUCCESS)
}

/// One batch.
struct Measured {
    scene: String,
    environments: usize,
    threads: usize,
    env_steps_per_s: f64,
    /// Against the first number of threads [-].
    speedup: f64,
    /// Processor time of a step of one environment [us]; none where the system does not report it.
    cpu_us: Option<f64>,
    /// Largest memory of an environment beyond what all share [bytes].
    bytes: usize,
    faults: usize,
}

fn measure(name: &str, arguments: &BatchArguments) -> Result<Vec<Measured>> {
    let bar = progress::bar(&format!("{name}: {} environments", arguments.environments));
    let mut batches = Vec::new();
    for &threads in &arguments.threads {
        let mut batch = Batch::new(Scene::find_with(name, &arguments.set)?, arguments.environments, threads)?;
        for index in 0..arguments.environments {
            let setup = setup(batch.scene(), index)?;
            batch.reset(index, setup)?;
        }
        batch.advance(arguments.warm_up);
        batches.push(batch);
    }
    let mut seconds = vec![Vec::new(); batches.len()];
    let mut cpu_seconds = vec![Vec::new(); batches.len()];
    for round in 0..arguments.rounds {
        progress::set(&bar, (round + 1) as f64 / (arguments.rounds + 1) as f64);
        for (place, batch) in batches.iter_mut().enumerate() {
            let (clock, on_processors) = (Instant::now(), cpu_clock::process_time());
            match arguments.meet {
                true => (0..arguments.steps).for_each(|_| batch.step()),
                false => batch.advance(arguments.steps),
            }
            seconds[place].push(clock.elapsed().as_secs_f64());
            let spent = cpu_clock::process_time().zip(on_processors).map(|(after, before)| after - before);
            cpu_seconds[place].extend(spent.map(|spent| spent.as_secs_f64()));
        }
    }
    bar.finish_and_clear();
    let env_steps = (arguments.environments * arguments.steps) as f64;
    let one = |(place, batch): (usize, &Batch)| -> Result<Measured> {
        let ratios = seconds[0].iter().zip(&seconds[place]).map(|(first, own)| first / own).collect();
        let bytes = (0..batch.len()).map(|index| batch.environment_bytes(index));
        Ok(Measured {
            scene: batch.scene().name.clone(),
            environments: batch.len(),
            threads: arguments.threads[place],
            env_steps_per_s: env_steps / quantile(seconds[place].clone(), 0.5),
            speedup: quantile(ratios, 0.5),
            cpu_us: (!cpu_seconds[place].is_empty())
                .then(|| 1e6 * quantile(cpu_seconds[place].clone(), 0.5) / env_steps),
            bytes: bytes.collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or(0),
            faults: batch.faults().count(),
        })
    };
    batches.iter().enumerate().map(one).collect()
}

/// Friction, mass and dimensions of environment `index`; where depth networks stand for the parts, these have the dimensions of the
/// scene, as a network knows no other.
fn setup(scene: &Scene, index: usize) -> Result<Setup> {
    // shares of the golden ratio fill [0, 1) evenly
    let share = |multiple: f64| (0.618_033_988_749_895 * multiple * (index + 1) as f64).fract();
    let mut setup = Setup::of(scene).with_friction(0.05 + 0.15 * share(1.0));
    for inertia in setup.parameters.bodies.iter_mut().filter_map(|body| body.inertia.as_mut()) {
        let factor = 0.9 + 0.2 * share(2.0);
        inertia.mass *= factor;
        inertia.moment *= factor;
    }
    let (usual_hole, usual_nut) = (preset("hole-50")?, preset("m48x5-nut")?);
    for body in &scene.bodies {
        let part = if body.network.is_some() {
            continue;
        } else if body.part == usual_hole {
            let mut hole = hole_50();
            hole.diameter += 20e-6 * share(3.0);
            Part::Sectioned(hole.build()?)
        } else if body.part == usual_nut {
            Part::Nut(standard_nut(48e-3, 5e-3 * (1.0 + 2e-5 * (share(3.0) - 0.5)), 15e-3, 74e-3)?)
        } else {
            continue;
        };
        setup = setup.with_part(scene, &body.name, part)?;
    }
    Ok(setup)
}

impl Measured {
    const NAMES: [&'static str; 8] = [
        "scene",
        "environments",
        "threads",
        "env_steps_per_s",
        "speedup",
        "cpu_us_per_env_step",
        "bytes_per_environment",
        "faults",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.scene.clone(),
            self.environments.to_string(),
            self.threads.to_string(),
            format!("{:.0}", self.env_steps_per_s),
            format!("{:.3}", self.speedup),
            self.cpu_us.map_or(String::new(), |time| format!("{time:.2}")),
            self.bytes.to_string(),
            self.faults.to_string(),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "scene": self.scene,
            "environments": self.environments,
            "threads": self.threads,
            "env_steps_per_s": self.env_steps_per_s,
            "speedup": self.speedup,
            "cpu_us_per_env_step": self.cpu_us,
            "bytes_per_environment": self.bytes,
            "faults": self.faults,
            "machine": machine(),
            "conditions": conditions(),
        })
    }
}
