//! `tightfit bench step`: how long the steps of whole runs take.
//!
//! A run is the same every time, so step k of one round does what step k of another does: its time is the median over the
//! rounds, which a busy machine spoils only where it disturbs most of them; times are those of the thread. The first round warms up and is not counted.
//! The real-time factor is that of whole rounds, their median.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::scene::Preset;
use tightfit::spatial::VectorWidth;

use super::simulate::{Finished, SimulationArguments, preset, simulate};
use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(crate) struct StepArguments {
    /// Scenes, built-in or files.
    #[arg(value_name = "SCENE", default_values_t = ["peg-in-hole", "bolting", "bolting-engaged"].map(String::from))]
    scenes: Vec<String>,
    /// Preset of the methods.
    #[arg(long = "preset", value_name = "NAME", value_parser = preset, default_value = "tight")]
    presets: Vec<Preset>,
    /// Rounds; the medians are reported.
    #[arg(long, value_name = "COUNT", default_value_t = 9)]
    rounds: usize,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &StepArguments) -> Result<ExitCode> {
    if arguments.rounds == 0 {
        bail!("--rounds is 0; it must be at least 1");
    }
    let mut measured = Vec::new();
    for scene in &arguments.scenes {
        for preset in &arguments.presets {
            let mut rounds = Vec::new();
            for round in 0..=arguments.rounds {
                let note = format!("{round} of {}: ", arguments.rounds);
                let finished = simulate(scene, &arguments.simulation, Some(*preset), false, &note)?;
                if round > 0 {
                    rounds.push(finished);
                }
            }
            measured.push(Measured::of(&rounds, *preset));
        }
    }
    if arguments.json {
        let all: Vec<Value> = measured.iter().map(Measured::json).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&[
        "scene",
        "preset",
        "median us",
        "99 % us",
        "longest us",
        "detection",
        "clustering",
        "solving",
        "integration",
        "contacts",
        "real-time factor",
    ]);
    for one in &measured {
        let [detection, clustering, solving, integration] = one.stages.map(|time| format!("{time:.1}"));
        table.row(vec![
            one.scene.clone(),
            one.preset.name().into(),
            format!("{:.1}", one.median),
            format!("{:.1}", one.p99),
            format!("{:.1}", one.longest),
            detection,
            clustering,
            solving,
            integration,
            format!("{:.0}", one.contacts),
            format!("{:.0}", one.real_time_factor),
        ]);
    }
    put!("{table}");
    say!("\n{}; medians of {} rounds", machine(), arguments.rounds);
    Ok(ExitCode::SUCCESS)
}

/// Times of a scene [us].
struct Measured {
    scene: String,
    preset: Preset,
    median: f64,
    p99: f64,
    longest: f64,
    /// Detection, clustering, solving, integration: medians of the rounds' means.
    stages: [f64; 4],
    /// Candidates of a step, mean.
    contacts: f64,
    real_time_factor: f64,
    rounds: usize,
}

impl Measured {
    fn of(rounds: &[Finished], preset: Preset) -> Self {
        let over_rounds = |value: &dyn Fn(&Finished) -> f64| middle(rounds.iter().map(value).collect(), 0.5);
        let first = &rounds[0];
        let steps: Vec<f64> =
            (0..first.step_micros.len()).map(|step| over_rounds(&|round| round.step_micros[step])).collect();
        let contacts: usize = first.summary.records.iter().map(|record| record.certificate.candidates).sum();
        Self {
            scene: first.run.scene.name.clone(),
            preset,
            median: middle(steps.clone(), 0.5),
            p99: middle(steps.clone(), 0.99),
            longest: middle(steps.clone(), 1.0),
            stages: [0, 1, 2, 3].map(|stage| over_rounds(&|round| round.stages()[stage])),
            contacts: contacts as f64 / steps.len() as f64,
            real_time_factor: over_rounds(&Finished::real_time_factor),
            rounds: rounds.len(),
        }
    }

    fn json(&self) -> Value {
        let [detection, clustering, solving, integration] = self.stages;
        json!({
            "scene": self.scene,
            "preset": self.preset.name(),
            "median_step_us": self.median,
            "p99_step_us": self.p99,
            "max_step_us": self.longest,
            "real_time_factor": self.real_time_factor,
            "stages_us": {
                "detection": detection,
                "clustering": clustering,
                "solving": solving,
                "integration": integration,
            },
            "contacts_per_step": self.contacts,
            "rounds": self.rounds,
            "machine": machine(),
        })
    }
}

/// The value that a share of all does not exceed.
pub(super) fn middle(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}

/// Processor, cores and registers, in words.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{name}, {cores} cores, {:?}", VectorWidth::current())
}
