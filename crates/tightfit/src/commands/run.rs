//! `tightfit run`: simulate a scene and certify it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use tightfit::report::{RunSummary, reference_html, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Preset, StepHalving};

use super::order;
use super::reference::{Overlay, Reference};
use super::run_report::{certificate_table, json, outcome_table, timing_table};
use super::simulate::{Finished, SimulationArguments, preset, simulate};
use crate::output::{put, say};
use crate::progress;

/// Scenes that run when none is named.
const TASKS: [&str; 2] = ["peg-in-hole", "bolting"];

#[derive(Args, Clone, Default)]
pub(crate) struct RunArguments {
    /// Built-in scene or scene file; both assembly tasks when left out.
    scene: Option<String>,
    /// Set of methods instead of the scene's: tight, standard or paper.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Grade every step with an independent, denser set of nodes.
    #[arg(long)]
    audit: bool,
    /// Write every step to a log (.parquet or .csv), which `tightfit replay` runs again.
    #[arg(long, value_name = "OUT", requires = "scene")]
    log: Option<PathBuf>,
    /// Write an HTML report; without a scene it goes to tightfit-report/report.html.
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
    /// Run again at half the step, a quarter ... so many times, and show how the pose error falls.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    halvings: Option<u32>,
    /// Hold the run against a recorded one (.csv), from whose joints it then starts.
    #[arg(long, value_name = "FILE", requires = "scene")]
    reference: Option<PathBuf>,
    /// Steps that are compared with the recorded run, from and until, counted from 0; all when left out.
    #[arg(long, value_name = "FROM,UNTIL", requires = "reference", value_parser = steps)]
    reference_steps: Option<[usize; 2]>,
    /// Write a page with the curves of both runs over one another (.html).
    #[arg(long, value_name = "OUT", requires = "reference")]
    overlay: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn steps(text: &str) -> Result<[usize; 2], String> {
    let numbers: Vec<usize> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [from, until] if from < until => Ok([from, until]),
        _ => Err("give two rising steps, FROM,UNTIL: `700,2600`".into()),
    }
}

pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    let names = arguments.scene.as_deref().map_or_else(|| TASKS.to_vec(), |name| vec![name]);
    let reference = arguments.reference.as_deref().map(Reference::load).transpose()?;
    let mut finished = Vec::new();
    for name in names {
        finished.push(simulate_one(name, arguments, reference.as_ref())?);
    }
    let overlay = match (&reference, finished.first()) {
        (Some(reference), Some(one)) => {
            let steps = arguments.reference_steps;
            Some(Overlay::new(&one.run, &one.summary.records, reference, steps)?)
        }
        _ => None,
    };
    let all_completed = finished.iter().all(|one| one.is_success);
    if let (Some(overlay), Some(path), Some(one)) = (&overlay, &arguments.overlay, finished.first()) {
        write_text(path, &reference_html(&one.run.scene.name, &overlay.curves()))?;
    }
    let text = if arguments.json {
        let mut reports: Vec<Value> = finished.iter().map(json).collect();
        if let (Some(overlay), Some(report)) = (&overlay, reports.first_mut()) {
            report["reference"] = overlay.json();
        }
        let report = if reports.len() == 1 { reports.remove(0) } else { Value::Array(reports) };
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        let tables = [outcome_table(&finished), certificate_table(&finished), timing_table(&finished)];
        let mut text = tables.map(|table| table.to_string()).join("\n");
        let measured = finished
            .iter()
            .filter_map(|one| Some((one.run.scene.name.as_str(), one.summary.order.as_ref()?)));
        if let Some(table) = order::table(measured) {
            text += &format!("\n{table}");
        }
        for (name, end) in finished.iter().filter_map(|one| Some((&one.run.scene.name, one.end.as_ref()?))) {
            text += &format!("\n{name}: {end}\n");
        }
        if let Some(overlay) = &overlay {
            text += &format!("\n{}\n{}", overlay.table(), overlay.touches());
        }
        text
    };
    // both tasks: people want to look
    let usual = arguments.scene.is_none().then(|| PathBuf::from("tightfit-report/report.html"));
    let mut report = None;
    if let Some(path) = arguments.report.clone().or(usual) {
        let summaries: Vec<RunSummary> = finished.into_iter().map(|one| one.summary).collect();
        write_report(&path, &summaries)?;
        report = Some(path).filter(|_| !arguments.json);
    }
    // files are written by now, whether or not anybody reads on
    put!("{text}");
    if let Some(path) = report {
        say!("\nreport: {}", path.display());
    }
    Ok(if all_completed { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn write_report(path: &Path, summaries: &[RunSummary]) -> Result<()> {
    write_text(path, &report_html(summaries))
}

/// Writes a file, and the folder that it is to lie in.
pub(super) fn write_text(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn simulate_one(name: &str, arguments: &RunArguments, reference: Option<&Reference>) -> Result<Finished> {
    let simulation = match reference {
        Some(reference) => arguments.simulation.with(reference.start()),
        None => arguments.simulation.clone(),
    };
    let mut finished = simulate(name, &simulation, arguments.preset, arguments.audit, "")?;
    let Finished { run, summary, seconds, .. } = &mut finished;
    let seed = arguments.simulation.seed;
    if let Some(halvings) = arguments.halvings {
        let bar = progress::bar(&format!("{} at smaller steps", run.scene.name));
        let follow = |share: f64| progress::set(&bar, share);
        let measured = StepHalving::measure(&run.scene, seed, run.disturbance, *seconds, halvings, follow);
        summary.order = Some(measured);
        bar.finish_and_clear();
    }
    if let Some(path) = &arguments.log {
        log::write(path, &run.scene, &RunMeta::new(seed, run.disturbance), &summary.records)?;
    }
    Ok(finished)
}
