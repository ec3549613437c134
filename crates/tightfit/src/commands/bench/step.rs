//! `tightfit bench step`: time of the steps of whole runs.
//!
//! Runs are deterministic: step k does the same work in every round, and its time is the median over the rounds. The first round
//! warms up and is not counted. The real-time factor is the median of whole rounds. Processor time, where the system reports
//! it, excludes what other programs used.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::scene::Preset;

use super::record::{append_csv, conditions, machine, quantile};
use crate::commands::simulate::{Finished, SimulationArguments, preset, simulate};
use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(crate) struct StepArguments {
    /// Measure these built-in scenes or scene files.
    #[arg(value_name = "SCENE", default_values_t = ["peg-in-hole", "bolting", "bolting-engaged"].map(String::from))]
    scenes: Vec<String>,
    /// Use the methods of this preset.
    #[arg(long = "preset", value_name = "NAME", value_parser = preset, default_value = "tight")]
    presets: Vec<Preset>,
    /// Repeat this often and report medians.
    #[arg(long, value_name = "COUNT", default_value_t = 9)]
    rounds: usize,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Append the results to a CSV file [default: the file of this machine under experiments/speed/results].
    #[arg(long, value_name = "FILE")]
    csv: Option<Option<PathBuf>>,
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
    if let Some(file) = &arguments.csv {
        let rows: Vec<_> = measured.iter().map(|one| one.cells(&arguments.simulation)).collect();
        append_csv(file.as_deref(), "step", &Measured::NAMES, &rows)?;
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
        "mean us",
        "cpu mean us",
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
            format!("{:.1}", one.mean),
            one.cpu_mean.map_or("-".into(), |time| format!("{time:.1}")),
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
    say!("\n{}; {}; medians of {} rounds", machine(), conditions(), arguments.rounds);
    Ok(ExitCode::SUCCESS)
}

/// Times of a scene [us].
struct Measured {
    scene: String,
    preset: Preset,
    median: f64,
    mean: f64,
    /// The same on the processor, where the system reports it.
    cpu_median: Option<f64>,
    cpu_mean: Option<f64>,
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
        let over_rounds =
            |value: &dyn Fn(&Finished) -> f64| quantile(rounds.iter().map(value).collect(), 0.5);
        let first = &rounds[0];
        let steps: Vec<f64> =
            (0..first.step_micros.len()).map(|step| over_rounds(&|round| round.step_micros[step])).collect();
        let cpu: Option<Vec<f64>> = (!first.cpu_micros.is_empty())
            .then(|| (0..steps.len()).map(|step| over_rounds(&|round| round.cpu_micros[step])).collect());
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let contacts: usize = first.summary.records.iter().map(|record| record.certificate.candidates).sum();
        Self {
            scene: first.run.scene.name.clone(),
            preset,
            median: quantile(steps.clone(), 0.5),
            mean: mean(&steps),
            cpu_median: cpu.clone().map(|cpu| quantile(cpu, 0.5)),
            cpu_mean: cpu.as_ref().map(mean),
            p99: quantile(steps.clone(), 0.99),
            longest: quantile(steps.clone(), 1.0),
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
            "mean_step_us": self.mean,
            "cpu_median_step_us": self.cpu_median,
            "cpu_mean_step_us": self.cpu_mean,
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
            "conditions": conditions(),
        })
    }

    const NAMES: [&'static str; 16] = [
        "scene",
        "preset",
        "settings",
        "median_us",
        "mean_us",
        "cpu_median_us",
        "cpu_mean_us",
        "p99_us",
        "max_us",
        "detection_us",
        "clustering_us",
        "solving_us",
        "integration_us",
        "contacts",
        "real_time_factor",
        "rounds",
    ];

    /// A row of the CSV file.
    fn cells(&self, simulation: &SimulationArguments) -> Vec<String> {
        let time = |time: f64| format!("{time:.1}");
        let mut cells = vec![self.scene.clone(), self.preset.name().into(), simulation.settings()];
        cells.extend([self.median, self.mean].map(time));
        cells.extend([self.cpu_median, self.cpu_mean].map(|value| value.map_or(String::new(), time)));
        cells.extend([self.p99, self.longest].map(time));
        cells.extend(self.stages.map(time));
        cells.extend([time(self.contacts), time(self.real_time_factor), self.rounds.to_string()]);
        cells
    }
}
