//! One run of `tightfit run`, `tightfit compare` and `tightfit bench step`: its arguments, steps and timing.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use tightfit::report::{Conclusion, RunSummary};
use tightfit::robot::strategy::Phase;
use tightfit::scene::{ArmFailure, Assessment, Disturbance, Outcome, Preset, Scene, Simulation, Summary};

use super::inrol_scene;
use super::numbers::numbers;
use crate::{cpu_clock, progress};

/// Largest amplitude of a disturbance [N, N·m]: above it the sums of squares of certificates lose precision.
const LARGEST_WRENCH: f64 = 1e6;

/// Most steps of a run. Each leaves a record in memory.
const MOST_STEPS: f64 = 1e8;

/// Steps whose times are reserved ahead; longer runs grow.
const RESERVED: usize = 1 << 16;

/// What is simulated, and for how long.
#[derive(Args, Clone, Default)]
pub(crate) struct SimulationArguments {
    /// Replace the scene's time step [ms].
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Simulate for this time [s]; with --disturb, after the task.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Draw the disturbance from this seed.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Replace a value of the scene, such as `friction=0.4`, `tilt_deg=0.5`, `method.solver=pgs`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Apply a random wrench after the task: amplitude of each force and torque component [N, N·m].
    #[arg(long, value_name = "FORCE,TORQUE")]
    disturb: Option<String>,
    /// Read the assets of the scenes inrol-peg and inrol-bolt from this folder, written by `tightfit import inrol`.
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,
    /// Whether an audit begins after the task, with the random wrench.
    #[arg(skip)]
    late_audit: bool,
}

impl SimulationArguments {
    /// With one more replacement, which overrides the others.
    pub(crate) fn with(&self, replacement: String) -> Self {
        let mut own = self.clone();
        own.set.push(replacement);
        own
    }

    /// For this time [s], or after the task where there is a random wrench.
    pub(crate) fn lasting(&self, seconds: f64) -> Self {
        Self { seconds: Some(seconds), ..self.clone() }
    }

    /// Audited only after the task.
    pub(crate) fn audited_late(&self) -> Self {
        Self { late_audit: true, ..self.clone() }
    }

    /// All replacements, as they were given.
    pub(crate) fn settings(&self) -> String {
        self.set.join(" ")
    }

    /// Without replacements of a key.
    pub(crate) fn without(&self, key: &str) -> Self {
        let is_other = |set: &&String| set.split_once('=').is_none_or(|(own, _)| own.trim() != key);
        Self { set: self.set.iter().filter(is_other).cloned().collect(), ..self.clone() }
    }

    /// With a random wrench, this one where none is given.
    pub(crate) fn disturbed(&self, otherwise: &str) -> Self {
        let disturb = self.disturb.clone().or_else(|| Some(otherwise.to_string()));
        Self { disturb, ..self.clone() }
    }
}

/// A finished run.
pub(crate) struct Finished {
    pub(crate) run: Simulation,
    pub(crate) summary: RunSummary,
    pub(crate) step_micros: Vec<f64>,
    /// Processor time of every step with record and audit [us]; empty where the system does not report it.
    pub(crate) cpu_micros: Vec<f64>,
    /// Simulated time [s].
    pub(crate) seconds: f64,
    /// What it came to.
    pub(crate) outcome: Outcome,
    /// Its certificates, gathered.
    pub(crate) certificate: Summary,
    /// How far the result may be relied on.
    pub(crate) assessment: Assessment,
    /// What ended the run early, where something did.
    pub(crate) end: Option<String>,
}

/// A preset by name.
pub(crate) fn preset(name: &str) -> Result<Preset, String> {
    Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| {
        let names: Vec<_> = Preset::ALL.iter().map(|preset| preset.name()).collect();
        format!("there is no preset `{name}`; presets: {}", names.join(", "))
    })
}

/// The scene that is run. A preset replaces all of the scene's methods; `--set` overrides both.
pub(crate) fn scene_of(name: &str, arguments: &SimulationArguments, preset: Option<Preset>) -> Result<Scene> {
    let chosen = preset.map(|preset| format!("method={{ preset = \"{}\" }}", preset.name()));
    let mut replacements: Vec<String> = chosen.into_iter().chain(arguments.set.iter().cloned()).collect();
    if let Some(dt) = arguments.dt {
        replacements.push(format!("step_ms={dt}"));
    }
    Ok(match inrol_scene::source(name, arguments.assets.as_deref())? {
        Some(source) => Scene::from_source_with(&source, name, &replacements)?,
        None => Scene::find_with(name, &replacements)?,
    })
}

/// Runs a scene; `note` precedes the name on the progress bar.
pub(crate) fn simulate(
    name: &str,
    arguments: &SimulationArguments,
    preset: Option<Preset>,
    audit: bool,
    note: &str,
) -> Result<Finished> {
    let scene = scene_of(name, arguments, preset)?;
    for warning in &scene.warnings {
        // a closed standard error is no reason to stop
        let _ = writeln!(std::io::stderr(), "warning: {warning}");
    }
    let disturbance = arguments.disturb.as_deref().map(disturbance).transpose()?;
    if arguments.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e5)) {
        bail!("--seconds is {:?}; allowed: more than 0 up to 100000", arguments.seconds.unwrap_or_default());
    }
    let drive = scene.duration();
    let seconds = match (disturbance, arguments.seconds) {
        (Some(_), after) => drive + after.unwrap_or(10.0),
        (None, all) => all.unwrap_or(drive),
    };
    let steps = steps_of(seconds, scene.dt)?;
    let mut run = Simulation::new(scene, arguments.seed);
    run.disturbance = disturbance;
    let late = (audit && arguments.late_audit).then(|| (drive / run.scene.dt).round() as usize);
    if audit && late.is_none() {
        run.with_audit();
    }
    run.prepare();
    let bar = progress::bar(&format!("{note}{} {}", run.scene.name, run.scene.methods.preset.name()));
    let mut summary = RunSummary::new(&run.scene);
    let [mut step_micros, mut cpu_micros] = [0, 1].map(|_| Vec::with_capacity(steps.min(RESERVED)));
    let mut failure = None;
    for index in 0..steps {
        if late == Some(index) {
            run.with_audit();
        }
        let on_processor = cpu_clock::thread_time();
        let record = run.advance();
        step_micros.push(record.step_seconds * 1e6);
        let spent = cpu_clock::thread_time().zip(on_processor).map(|(after, before)| after - before);
        cpu_micros.extend(spent.map(|spent| spent.as_secs_f64() * 1e6));
        failure = record.certificate.arm_failure;
        summary.follow(&run, record);
        if failure.is_some() || run.is_over() {
            break;
        }
        if index % 16 == 0 {
            progress::set(&bar, index as f64 / steps as f64);
        }
    }
    bar.finish_and_clear();
    let outcome = Outcome::of(&run, &summary.records);
    let certificate = Summary::of(&summary.records);
    let assessment = Assessment::from_parts(&run, &outcome, &certificate);
    let end = end_of(&run, failure);
    summary.conclusion =
        Some(Conclusion { outcome: outcome.clone(), assessment: assessment.clone(), end: end.clone() });
    Ok(Finished { run, summary, step_micros, cpu_micros, seconds, outcome, certificate, assessment, end })
}

/// Number of steps of a run, refused above [`MOST_STEPS`].
fn steps_of(seconds: f64, step: f64) -> Result<usize> {
    let steps = (seconds / step).round().max(1.0);
    if !(1.0..=MOST_STEPS).contains(&steps) {
        bail!(
            "{seconds} s in steps of {} ms are {steps:.1e} steps; allowed: up to {MOST_STEPS:.0e}. Give less --seconds, a \
             larger --dt or set-points whose times begin at 0",
            step * 1e3
        );
    }
    Ok(steps as usize)
}

/// What ended a run, where something other than its duration did.
fn end_of(run: &Simulation, failure: Option<ArmFailure>) -> Option<String> {
    let time = run.time();
    if let Some(failure) = failure {
        return Some(format!("stopped at {time:.2} s: {failure}"));
    }
    let before = match run.phase()? {
        Phase::Done => "the strategy reported success".to_string(),
        Phase::Failed(failure) => format!("the strategy gave up: {}", failure.name()),
        phase => format!("the strategy was in its phase `{}`", phase.name()),
    };
    Some(format!("{before}, at {time:.2} s"))
}

fn disturbance(text: &str) -> Result<Disturbance> {
    let remedy =
        format!("give two amplitudes from 0 to {LARGEST_WRENCH}, FORCE,TORQUE in N and N·m: `20,0.5`");
    let amplitudes =
        numbers::<f64>(text, ',').map_err(|reason| anyhow!("--disturb is `{text}`: {reason}; {remedy}"))?;
    let allowed = 0.0..=LARGEST_WRENCH;
    match amplitudes[..] {
        [force, torque] if allowed.contains(&force) && allowed.contains(&torque) => {
            Ok(Disturbance { force, torque })
        }
        _ => bail!("--disturb is `{text}`; {remedy}"),
    }
}

impl Finished {
    pub(crate) fn median_and_p99(&self) -> [f64; 2] {
        let mut sorted = self.step_micros.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |fraction: f64| sorted[((sorted.len() - 1) as f64 * fraction) as usize];
        [at(0.5), at(0.99)]
    }

    /// Mean time of the stages in their order [us].
    pub(crate) fn stages(&self) -> [f64; 4] {
        self.summary.mean_stage_seconds().map(|seconds| seconds * 1e6)
    }

    pub(crate) fn real_time_factor(&self) -> f64 {
        let spent: f64 = self.step_micros.iter().sum::<f64>() * 1e-6;
        self.summary.records.len() as f64 * self.run.scene.dt / spent
    }
}
