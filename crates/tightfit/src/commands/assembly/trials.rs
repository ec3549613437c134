//! `tightfit trials`: a strategy from many start errors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::report::{TrialCurve, TrialsSummary, trials_html};
use tightfit::robot::strategy::Phase;
use tightfit::scene::trials::{Trial, Trials};
use tightfit::scene::{Grade, Limit, Scene};
use tightfit::viewer::Recording;

use super::run_report::{exit_code, reasons_json};
use crate::commands::output_file::{self, write_text};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct TrialsArguments {
    /// Built-in scene or scene file; its arm must have a strategy.
    scene: String,
    /// Run this many trials.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Draw the start errors from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Shift the part in the hand by up to this much along each axis [mm].
    #[arg(long, value_name = "MM", default_value_t = 1.0, allow_negative_numbers = true)]
    error_mm: f64,
    /// Tilt the part in the hand by up to this much about x and about y [deg].
    #[arg(long, value_name = "DEG", default_value_t = 1.0, allow_negative_numbers = true)]
    error_deg: f64,
    /// Audit the first N trials with an independent, denser set of nodes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    audit: usize,
    /// Replace a value of the scene, `friction=0.2`, `arm.strategy.pitch_mm=0.3`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write an HTML report with the force curves of a typical and of the worst trial.
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &TrialsArguments) -> Result<ExitCode> {
    let scene = Scene::find_with(&arguments.scene, &arguments.set)?;
    if scene.arm.as_ref().is_none_or(|arm| arm.strategy.is_none()) {
        bail!("`{}` has no [arm.strategy]; scenes with one: peg-spiral, bolt-back-turn, …", arguments.scene);
    }
    for (name, value, most) in
        [("--error-mm", arguments.error_mm, 100.0), ("--error-deg", arguments.error_deg, 45.0)]
    {
        if !(0.0..=most).contains(&value) {
            bail!("{name} is {value}; allowed: 0 to {most}");
        }
    }
    output_file::check("--report", arguments.report.as_ref())?;
    let trials = Trials {
        count: arguments.count as usize,
        seed: arguments.seed,
        shift: arguments.error_mm * 1e-3,
        tilt: arguments.error_deg.to_radians(),
        audited: arguments.audit,
    };
    let bar = progress::bar(&format!("trials of {}", scene.name));
    let results = trials.run(&scene, |done| progress::set(&bar, done as f64 / trials.count as f64));
    bar.finish_and_clear();
    let path = arguments.report.as_deref();
    let written =
        path.map_or(Ok(()), |path| write_text(path, &trials_html(&summary(&scene, &trials, &results))));
    let said = match arguments.json {
        true => print_json(&report(&scene, &trials, &results)),
        false => print(&scene, &results, path.filter(|_| written.is_ok())),
    };
    written.and(said)?;
    Ok(exit_code(results.iter().map(|trial| trial.assessment.grade).max()))
}

fn print_json(report: &Value) -> Result<()> {
    say!("{}", serde_json::to_string_pretty(report)?);
    Ok(())
}

fn print(scene: &Scene, results: &[Trial], report: Option<&Path>) -> Result<()> {
    put!("{}", table(scene, results));
    for line in remarks(results) {
        say!("{line}");
    }
    if let Some(path) = report {
        say!("\nreport: {}", path.display());
    }
    Ok(())
}

/// Contents of the report; the two trials whose curves are drawn are repeated.
fn summary(scene: &Scene, trials: &Trials, results: &[Trial]) -> TrialsSummary {
    let curve = |trial: &Trial, name: &'static str| {
        let (_, _, records) = Trial::make(scene, trials, trial.number, false);
        let (_, start) = Trial::start(scene, trials, trial.number);
        let view = Recording::of_simulation(start, records.len(), &format!("{name} trial"));
        TrialCurve { name, number: trial.number, records, view: Some(view) }
    };
    let typical = typical(results).map(|trial| curve(trial, "typical"));
    let worst = worst(results).map(|trial| curve(trial, "worst"));
    TrialsSummary {
        name: scene.name.clone(),
        description: scene.description.clone(),
        options: *trials,
        trials: results.to_vec(),
        curves: typical.into_iter().chain(worst).collect(),
    }
}

/// The successful trial of median time.
fn typical(results: &[Trial]) -> Option<&Trial> {
    let mut good: Vec<&Trial> = results.iter().filter(|trial| trial.is_success()).collect();
    good.sort_by(|a, b| a.time.total_cmp(&b.time));
    good.get(good.len() / 2).copied()
}

/// The first that failed, or the one with the largest force.
fn worst(results: &[Trial]) -> Option<&Trial> {
    let failed = results.iter().find(|trial| !trial.is_success());
    failed.or_else(|| results.iter().max_by(|a, b| a.peaks[0].total_cmp(&b.peaks[0])))
}

/// Median and largest of a number of the successful trials; none where none succeeded.
fn spread(results: &[Trial], of: impl Fn(&Trial) -> f64) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = results.iter().filter(|trial| trial.is_success()).map(of).collect();
    values.sort_by(f64::total_cmp);
    Some([*values.get(values.len() / 2)?, *values.last()?])
}

fn largest(results: &[Trial], of: impl Fn(&Trial) -> f64) -> f64 {
    results.iter().map(of).fold(0.0, f64::max)
}

fn audited(results: &[Trial]) -> Option<f64> {
    results.iter().filter_map(|trial| trial.penetration[1]).reduce(f64::max)
}

/// Number of trials per kind of failure.
fn failures(results: &[Trial]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for trial in results.iter().filter(|trial| !trial.is_success()) {
        let phase = trial.last_phase.map_or("start", Phase::name);
        let reason = match (trial.failure, trial.end) {
            (Some(failure), _) => failure.to_string(),
            (None, Some(Phase::Done)) => {
                "the strategy reported success, but the task is not completed".into()
            }
            (None, Some(end)) => end.name().into(),
            (None, None) => "ended".into(),
        };
        *counts.entry(format!("{phase}: {reason}")).or_insert(0) += 1;
    }
    counts
}

fn table(scene: &Scene, results: &[Trial]) -> Table {
    let mut table = Table::new(&[
        "scene",
        "succeeded",
        "certified",
        "median s",
        "worst s",
        "median peak N",
        "peak N",
        "peak N·m",
        "deepest um",
        "audited um",
        "grasp um",
        "unconverged",
        "limits",
    ]);
    let good = results.iter().filter(|trial| trial.is_success()).count();
    let time = spread(results, |trial| trial.time);
    let force = spread(results, |trial| trial.peaks[0]);
    let number = |value: Option<f64>, digits: usize| value.map_or("-".into(), |v| format!("{v:.digits$}"));
    table.row(vec![
        scene.name.clone(),
        format!("{good} of {}", results.len()),
        results.iter().filter(|trial| trial.assessment.is_certified()).count().to_string(),
        number(time.map(|[median, _]| median), 1),
        number(time.map(|[_, worst]| worst), 1),
        number(force.map(|[median, _]| median), 1),
        format!("{:.1}", largest(results, |trial| trial.peaks[0])),
        format!("{:.2}", largest(results, |trial| trial.peaks[1])),
        format!("{:.3}", 1e6 * largest(results, |trial| trial.penetration[0].unwrap_or(0.0))),
        number(audited(results).map(|depth| depth * 1e6), 3),
        format!("{:.3}", 1e6 * largest(results, |trial| trial.grasp_drift)),
        results.iter().map(|trial| trial.steps[1]).sum::<usize>().to_string(),
        limits(results).iter().map(|(_, steps)| steps).sum::<usize>().to_string(),
    ]);
    table
}

/// Steps over all trials that hit each limit; unconverged steps are counted separately.
fn limits(results: &[Trial]) -> Vec<(&'static str, usize)> {
    let count = |index: usize| results.iter().map(|trial| trial.limits[index]).sum::<usize>();
    let all = Limit::ALL.iter().enumerate().map(|(index, limit)| (*limit, count(index)));
    all.filter(|(limit, steps)| *limit != Limit::NotConverged && *steps > 0)
        .map(|(limit, steps)| (limit.name(), steps))
        .collect()
}

/// Failures, missing certificates, limits and torques, one line each.
fn remarks(results: &[Trial]) -> Vec<String> {
    let mut lines = Vec::new();
    for (reason, count) in failures(results) {
        lines.push(format!("failed {count}x in {reason}"));
    }
    for trial in results.iter().filter(|trial| trial.assessment.grade == Grade::CompletedUncertified) {
        for reason in &trial.assessment.reasons {
            lines.push(format!("trial {} not certified: {reason}", trial.number));
        }
    }
    for (limit, steps) in limits(results) {
        lines.push(format!("limit {limit} in {steps} steps"));
    }
    let torques: Vec<f64> = results.iter().filter_map(|trial| trial.outcome.torque).collect();
    if let (Some(least), Some(most)) =
        (torques.iter().copied().reduce(f64::min), torques.iter().copied().reduce(f64::max))
    {
        lines.push(format!("torque about the axis at its peak: {least:.3} to {most:.3} N·m"));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

fn report(scene: &Scene, trials: &Trials, results: &[Trial]) -> Value {
    let trial = |trial: &Trial| {
        let error = &trial.error;
        json!({
            "number": trial.number,
            "success": trial.is_success(),
            "verdict": trial.assessment.grade.name(),
            "reasons": reasons_json(&trial.assessment),
            "end": trial.end.map(Phase::name),
            "last_phase": trial.last_phase.map(Phase::name),
            "failure": trial.failure.map(|failure| failure.to_string()),
            "shift_mm": (error.shift * 1e3).as_slice(),
            "tilt_deg": error.tilt.map(f64::to_degrees),
            "turn_deg": error.turn.to_degrees(),
            "time_s": trial.time,
            "peak_force_n": trial.peaks[0],
            "peak_torque_nm": trial.peaks[1],
            "tightening_torque_nm": trial.outcome.torque,
            "depth_mm": trial.outcome.depth.map(|depth| depth * 1e3),
            "turns": trial.outcome.turns,
            "lead_mm_per_turn": trial.outcome.lead.map(|lead| lead * 1e3),
            "max_penetration_um": trial.penetration[0].map(|depth| depth * 1e6),
            "audited_penetration_um": trial.penetration[1].map(|depth| depth * 1e6),
            "max_grasp_drift_um": trial.grasp_drift * 1e6,
            "steps": trial.steps[0],
            "unconverged_steps": trial.steps[1],
        })
    };
    let time = spread(results, |trial| trial.time);
    json!({
        "scene": scene.name,
        "count": trials.count,
        "seed": trials.seed,
        "error_mm": trials.shift * 1e3,
        "error_deg": trials.tilt.to_degrees(),
        "succeeded": results.iter().filter(|trial| trial.is_success()).count(),
        "certified": results.iter().filter(|trial| trial.assessment.is_certified()).count(),
        "verdict": results.iter().map(|trial| trial.assessment.grade).max().map(Grade::name),
        "median_time_s": time.map(|[median, _]| median),
        "worst_time_s": time.map(|[_, worst]| worst),
        "peak_force_n": largest(results, |trial| trial.peaks[0]),
        "peak_torque_nm": largest(results, |trial| trial.peaks[1]),
        "failures": failures(results),
        "unconverged_steps": results.iter().map(|trial| trial.steps[1]).sum::<usize>(),
        "limits_hit": limits(results).into_iter().collect::<BTreeMap<_, _>>(),
        "max_penetration_um": 1e6 * largest(results, |trial| trial.penetration[0].unwrap_or(0.0)),
        "audited_penetration_um": audited(results).map(|depth| depth * 1e6),
        "trials": results.iter().map(trial).collect::<Vec<_>>(),
    })
}
