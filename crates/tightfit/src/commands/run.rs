//! `tightfit run`: simulate a scene and certify it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tightfit::report::{self, RunSummary, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Disturbance, Drive, Outcome, Run, Scene, StepHalving, Summary, ThreadState};

use super::order;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

/// Scenes that run when none is named.
const TASKS: [&str; 2] = ["peg-in-hole", "bolting"];

#[derive(Args, Clone, Default)]
pub(crate) struct RunArguments {
    /// Built-in scene or scene file; both assembly tasks when left out.
    scene: Option<String>,
    /// Set of methods.
    #[arg(long, value_enum, default_value_t = Preset::Tight)]
    preset: Preset,
    /// Time step [ms] instead of the scene's.
    #[arg(long, value_name = "MS")]
    dt: Option<f64>,
    /// Simulated time [s]: in all, or after the drive when disturbed.
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Seed of the disturbance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replace a value of the scene, `friction=0.4`, `tilt_deg=0.5`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Random wrench after completion: force and torque amplitude of each component [N, N·m].
    #[arg(long, value_name = "FORCE,TORQUE")]
    disturb: Option<String>,
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
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Set of methods.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Preset {
    /// Exact fields, all contacts, Newton, impact split, pose projection.
    #[default]
    Tight,
}

/// A finished run.
struct Finished {
    run: Run,
    summary: RunSummary,
    step_micros: Vec<f64>,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    let names = arguments.scene.as_deref().map_or_else(|| TASKS.to_vec(), |name| vec![name]);
    let mut finished = Vec::new();
    for name in names {
        finished.push(simulate(name, arguments)?);
    }
    let all_completed = finished.iter().all(|one| Outcome::of(&one.run, &one.summary.records).completed);
    let text = if arguments.json {
        let mut reports: Vec<Value> = finished.iter().map(Finished::json).collect();
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
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(path, report_html(summaries)).with_context(|| format!("cannot write {}", path.display()))
}

fn simulate(name: &str, arguments: &RunArguments) -> Result<Finished> {
    let mut replacements = arguments.set.clone();
    if let Some(dt) = arguments.dt {
        replacements.push(format!("step_ms={dt}"));
    }
    let scene = Scene::find_with(name, &replacements)?;
    let disturbance = arguments.disturb.as_deref().map(disturbance).transpose()?;
    if arguments.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e5)) {
        bail!("--seconds is {:?}; allowed: more than 0 up to 100000", arguments.seconds.unwrap_or_default());
    }
    let drive = scene.drive.as_ref().map_or(1.0, Drive::duration);
    let seconds = match (disturbance, arguments.seconds) {
        (Some(_), after) => drive + after.unwrap_or(10.0),
        (None, all) => all.unwrap_or(drive),
    };
    let mut run = Run::new(scene, arguments.seed);
    run.disturbance = disturbance;
    if arguments.audit {
        run.with_audit();
    }
    let steps = (seconds / run.scene.step).round().max(1.0) as usize;
    let bar = progress::bar(&run.scene.name);
    let mut summary = RunSummary::new(&run.scene);
    let mut step_micros = Vec::with_capacity(steps);
    for index in 0..steps {
        let clock = Instant::now();
        let record = run.advance();
        let audit = record.audit_seconds;
        step_micros.push((clock.elapsed().as_secs_f64() - audit) * 1e6);
        summary.follow(&run, record);
        if index % 16 == 0 {
            progress::set(&bar, index as f64 / steps as f64);
        }
    }
    bar.finish_and_clear();
    let outcome = Outcome::of(&run, &summary.records);
    let text =
        outcome.state.map_or(if outcome.completed { "completed" } else { "not completed" }, state_text);
    summary.outcome = Some(report::Outcome { is_success: outcome.completed, text: text.into() });
    if let Some(halvings) = arguments.halvings {
        let bar = progress::bar(&format!("{} at smaller steps", run.scene.name));
        let follow = |share: f64| progress::set(&bar, share);
        summary.order =
            Some(StepHalving::measure(&run.scene, arguments.seed, disturbance, seconds, halvings, follow));
        bar.finish_and_clear();
    }
    if let Some(path) = &arguments.log {
        log::write(path, &run.scene, &RunMeta::new(arguments.seed, run.disturbance), &summary.records)?;
    }
    Ok(Finished { run, summary, step_micros })
}

fn disturbance(text: &str) -> Result<Disturbance> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [force, torque] if force >= 0.0 && torque >= 0.0 => Ok(Disturbance { force, torque }),
        _ => bail!("--disturb is `{text}`; give two amplitudes, FORCE,TORQUE in N and N·m: `20,0.5`"),
    }
}

impl Finished {
    fn median_and_p99(&self) -> [f64; 2] {
        let mut sorted = self.step_micros.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |fraction: f64| sorted[((sorted.len() - 1) as f64 * fraction) as usize];
        [at(0.5), at(0.99)]
    }

    fn stages(&self) -> [f64; 3] {
        let count = self.summary.records.len() as f64;
        let mut sums = [0.0; 3];
        for record in &self.summary.records {
            for (sum, seconds) in sums.iter_mut().zip(record.certificate.stage_seconds) {
                *sum += seconds * 1e6 / count;
            }
        }
        sums
    }

    fn real_time_factor(&self) -> f64 {
        let spent: f64 = self.step_micros.iter().sum::<f64>() * 1e-6;
        self.summary.records.len() as f64 * self.run.scene.step / spent
    }

    fn json(&self) -> Value {
        let outcome = Outcome::of(&self.run, &self.summary.records);
        let summary = Summary::of(&self.summary.records);
        let micro = |metres: f64| metres * 1e6;
        let three = |[max, mean, engaged]: [f64; 3]| {
            json!({
                "max_penetration_um": micro(max),
                "mean_penetration_um": micro(mean),
                "max_penetration_engaged_um": micro(engaged),
            })
        };
        let mut certificate = three(summary.penetration);
        let more = json!({
            "max_cone_violation": summary.cone,
            "max_coulomb_m_s": summary.coulomb,
            "max_complementarity_m_s": summary.complementarity,
            "max_energy_injected_j": summary.energy_injected,
            "projection_work_j": summary.projection_work,
            "kinematic_work_j": summary.kinematic_work,
            "unconverged_steps": summary.unconverged,
            "limits_hit": summary.limits,
        });
        if let (Some(target), Some(more)) = (certificate.as_object_mut(), more.as_object()) {
            target.extend(more.clone());
        }
        let [median, p99] = self.median_and_p99();
        let [detection, solving, integration] = self.stages();
        json!({
            "scene": self.run.scene.name,
            "preset": "tight",
            "steps": self.summary.records.len(),
            "dt_s": self.run.scene.step,
            "completed": outcome.completed,
            "outcome": {
                "depth_mm": outcome.depth.map(|depth| depth * 1e3),
                "turns": outcome.turns,
                "lead_mm_per_turn": outcome.lead.map(|lead| lead * 1e3),
                "state": outcome.state.map(state_text),
            },
            "certificate": certificate,
            "audit": summary.audited.map(three),
            "order": self.summary.order.as_ref().map(order::json),
            "timing": {
                "median_step_us": median,
                "p99_step_us": p99,
                "stages_us": {
                    "detection": detection,
                    "clustering": 0.0,
                    "solving": solving,
                    "integration": integration,
                },
                "real_time_factor": self.real_time_factor(),
            },
        })
    }
}

fn state_text(state: ThreadState) -> &'static str {
    match state {
        ThreadState::Engaged => "engaged",
        ThreadState::CrossThreaded => "cross-threaded",
        ThreadState::NotEngaged => "not-engaged",
    }
}

fn outcome_table(finished: &[Finished]) -> Table {
    let mut table = Table::new(&["scene", "steps", "completed", "depth mm", "turns", "lead mm", "state"]);
    for one in finished {
        let outcome = Outcome::of(&one.run, &one.summary.records);
        let number =
            |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
        table.row(vec![
            one.run.scene.name.clone(),
            one.summary.records.len().to_string(),
            if outcome.completed { "yes" } else { "no" }.into(),
            number(outcome.depth.map(|depth| depth * 1e3), 3),
            number(outcome.turns, 3),
            number(outcome.lead.map(|lead| lead * 1e3), 4),
            outcome.state.map_or(String::new(), |state| state_text(state).into()),
        ]);
    }
    table
}

fn certificate_table(finished: &[Finished]) -> Table {
    let mut table = Table::new(&[
        "certificate",
        "deepest um",
        "mean um",
        "audited um",
        "Coulomb m/s",
        "injected J",
        "projection J",
        "unconverged",
        "limits",
    ]);
    for one in finished {
        let summary = Summary::of(&one.summary.records);
        table.row(vec![
            one.run.scene.name.clone(),
            format!("{:.3}", summary.penetration[0] * 1e6),
            format!("{:.4}", summary.penetration[1] * 1e6),
            summary.audited.map_or("-".into(), |[max, _, _]| format!("{:.3}", max * 1e6)),
            format!("{:.1e}", summary.coulomb),
            format!("{:.1e}", summary.energy_injected),
            format!("{:.1e}", summary.projection_work),
            summary.unconverged.to_string(),
            summary.limits.to_string(),
        ]);
    }
    table
}

fn timing_table(finished: &[Finished]) -> Table {
    let mut table = Table::new(&[
        "time per step",
        "median us",
        "99 % us",
        "detection",
        "solving",
        "integration",
        "real-time factor",
    ]);
    for one in finished {
        let ([median, p99], [detection, solving, integration]) = (one.median_and_p99(), one.stages());
        let whole = |value: f64| format!("{value:.0}");
        let factor = |value: f64| if value < 10.0 { format!("{value:.2}") } else { whole(value) };
        table.row(vec![
            one.run.scene.name.clone(),
            whole(median),
            whole(p99),
            whole(detection),
            whole(solving),
            whole(integration),
            factor(one.real_time_factor()),
        ]);
    }
    table
}
