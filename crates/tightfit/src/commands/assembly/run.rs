//! `tightfit run`: simulate a scene and certify it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tightfit::report::{RunSummary, reference_html, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Preset, StepHalving};

use super::order;
use super::reference::{Overlay, Reference};
use super::run_report::{certificate_table, exit_code, json, outcome_table, timing_table, verdict_lines};
use crate::commands::numbers::numbers;
use crate::commands::output_file::{self, write_text};
use crate::commands::simulate::{Finished, SimulationArguments, preset, scene_of, simulate};
use crate::output::{put, say};
use crate::progress;

/// Scenes that run when none is named.
const TASKS: [&str; 2] = ["peg-in-hole", "bolting"];

#[derive(Args, Clone, Default)]
pub(crate) struct RunArguments {
    /// Built-in scene or scene file [default: both assembly tasks].
    scene: Option<String>,
    /// Replace the scene's methods by a preset; `tightfit presets` lists them.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Measure the penetration of every step with an independent, denser set of nodes.
    #[arg(long)]
    audit: bool,
    /// Write every step to a log (.parquet or .csv), which `tightfit replay` can repeat.
    #[arg(long, value_name = "OUT", requires = "scene")]
    log: Option<PathBuf>,
    /// Write an HTML report [default without a scene: tightfit-report/report.html].
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
    /// Repeat the run N times, each with half the step of the one before, and print how the pose error decreases.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    halvings: Option<u32>,
    /// Compare the run with a recorded one (.csv); it then starts from the recorded joint angles.
    #[arg(long, value_name = "FILE", requires = "scene")]
    reference: Option<PathBuf>,
    /// Compare only these steps with the recorded run, counted from 0 [default: all].
    #[arg(long, value_name = "FROM,UNTIL", requires = "reference", value_parser = steps)]
    reference_steps: Option<[usize; 2]>,
    /// Write a page with the curves of both runs (.html).
    #[arg(long, value_name = "OUT", requires = "reference")]
    overlay: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl RunArguments {
    /// A scene file, with its audit and perhaps a page.
    pub(crate) fn audited(scene: &Path, report: Option<PathBuf>) -> Self {
        Self { scene: Some(scene.display().to_string()), audit: true, report, ..Self::default() }
    }
}

fn steps(text: &str) -> Result<[usize; 2], String> {
    let remedy = "give two rising steps, FROM,UNTIL: `700,2600`";
    match numbers::<usize>(text, ',').map_err(|reason| format!("{reason}; {remedy}"))?[..] {
        [from, until] if from < until => Ok([from, until]),
        _ => Err(remedy.into()),
    }
}

pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    check_files(arguments)?;
    let names = arguments.scene.as_deref().map_or_else(|| TASKS.to_vec(), |name| vec![name]);
    let reference = arguments.reference.as_deref().map(Reference::load).transpose()?;
    if let Some((reference, steps)) = reference.as_ref().zip(arguments.reference_steps) {
        reference.check_steps(steps)?;
    }
    let mut finished = Vec::new();
    for name in names {
        finished.push(simulate_one(name, arguments, reference.as_ref())?);
    }
    let overlay = reference.as_ref().zip(finished.first()).map(|(reference, one)| {
        Overlay::new(&one.run, &one.summary.records, reference, arguments.reference_steps)
    });
    // Print a run that ended too early for the comparison before the error.
    let (overlay, compared) = match overlay.transpose() {
        Ok(overlay) => (overlay, Ok(())),
        Err(error) => (None, Err(error)),
    };
    let grade = finished.iter().map(|one| one.assessment.grade).max();
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
        for one in finished.iter().filter(|one| !one.assessment.is_certified()) {
            text += &format!("\n{}\n", verdict_lines(one));
        }
        if let Some(overlay) = &overlay {
            text += &format!("\n{}\n{}", overlay.table(), overlay.touches());
        }
        text
    };
    let report = report_path(arguments);
    let written = write_files(arguments, finished, overlay.as_ref(), report.as_deref());
    // Files are written before printing, since the reader may close the output; results are printed even if a file failed.
    let said = print(&text, report.filter(|_| written.is_ok() && !arguments.json).as_deref());
    compared.and(written).and(said)?;
    Ok(exit_code(grade))
}

/// Path of the report, where one is written.
fn report_path(arguments: &RunArguments) -> Option<PathBuf> {
    // a run without arguments shows its result as a page
    let usual = arguments.scene.is_none().then(|| PathBuf::from("tightfit-report/report.html"));
    arguments.report.clone().or(usual)
}

/// Whether all files can be written, before the work.
fn check_files(arguments: &RunArguments) -> Result<()> {
    if let Some(path) = &arguments.log {
        log::check_name(path)?;
    }
    output_file::check("--log", arguments.log.as_ref())?;
    output_file::check("--overlay", arguments.overlay.as_ref())?;
    output_file::check("--report", report_path(arguments).as_ref())
}

/// Writes the requested files; an error in one does not keep the others from being written.
fn write_files(
    arguments: &RunArguments,
    finished: Vec<Finished>,
    overlay: Option<&Overlay>,
    report: Option<&Path>,
) -> Result<()> {
    let first = finished.first();
    let log = match (&arguments.log, first) {
        (Some(path), Some(Finished { run, summary, .. })) => {
            let meta = RunMeta::new(arguments.simulation.seed, run.disturbance);
            log::write(path, &run.scene, &meta, &summary.records).map_err(anyhow::Error::from)
        }
        _ => Ok(()),
    };
    let curves = match (overlay, &arguments.overlay, first) {
        (Some(overlay), Some(path), Some(one)) => {
            write_text(path, &reference_html(&one.run.scene.name, &overlay.curves()))
        }
        _ => Ok(()),
    };
    let seed = arguments.simulation.seed;
    let with_view = |Finished { run, mut summary, .. }: Finished| {
        if report.is_some() {
            summary.record_view(&run, seed);
        }
        summary
    };
    let summaries: Vec<RunSummary> = finished.into_iter().map(with_view).collect();
    let report = report.map_or(Ok(()), |path| write_text(path, &report_html(&summaries)));
    log.and(curves).and(report)
}

fn print(text: &str, report: Option<&Path>) -> Result<()> {
    put!("{text}");
    if let Some(path) = report {
        say!("\nreport: {}", path.display());
    }
    Ok(())
}

fn simulate_one(name: &str, arguments: &RunArguments, reference: Option<&Reference>) -> Result<Finished> {
    let simulation = match reference {
        Some(reference) => {
            reference.check(&scene_of(name, &arguments.simulation, arguments.preset)?)?;
            arguments.simulation.with(reference.start())
        }
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
    Ok(finished)
}
