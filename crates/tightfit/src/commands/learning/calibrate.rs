//! `tightfit identify SCENE --recordings FOLDER --fit LIST`: what the parts, their hold and the sensor really are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};
use tightfit::calibration::{
    Estimated, Experiment, Fit, FitOptions, Follower, Prediction, Quantity, Setup, Solution, Unknown,
    WearChart, fitted_scene,
};
use tightfit::interaction_training::wrench::WrenchErrors;
use tightfit::learning::identification::{Calibration, HoldingSpring};
use tightfit::learning::recordings::{Recording, fingerprint, load_recordings, read_trials, split_trials};
use tightfit::report::{CalibratedTrial, CalibrationPage, WornPlace, calibration_html};
use tightfit::scene::Scene;

use super::evaluate::mean_wrench;
use super::identify::short;
use crate::commands::numbers::within;
use crate::commands::output_file::{self, write_text};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct CalibrateArguments {
    /// Fit these quantities of a scene to recordings, separated by commas: diameter, clearance, pitch, chamfer, PART.KEY,
    /// friction, stiffness, fixed-pose, in-hand, drift, bias, delay, load, wear.
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "recordings")]
    pub(super) fit: Vec<String>,
    /// Read the recordings from this folder or file.
    #[arg(long, value_name = "PATH", requires = "fit")]
    recordings: Option<PathBuf>,
    /// Convert foreign logs by this calibration.toml of an earlier `tightfit identify --write`.
    #[arg(long, value_name = "FILE", requires = "fit")]
    calibration: Option<PathBuf>,
    /// Fit to the first share of each trial and test on the rest, from 0.05 to 0.95.
    #[arg(long, value_name = "SHARE", requires = "fit", conflicts_with = "split")]
    fit_share: Option<f64>,
    /// Start from this hold: stiffness along all axes [N/m] and about them [N·m/rad].
    #[arg(long, value_name = "K,KR", requires = "fit", value_delimiter = ',')]
    hold: Vec<f64>,
    /// Describe wear by this many numbers around the part and along it [default: 8 and one per 4 mm].
    #[arg(long, value_name = "N,M", requires = "fit", value_delimiter = ',')]
    wear_numbers: Vec<usize>,
    /// Take at most this many iterations.
    #[arg(long, value_name = "COUNT", default_value_t = 25)]
    iterations: usize,
    /// Compare every so many samples.
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Widen ranges for recorded poses that scatter by this much [um] [default: as third differences of the poses tell].
    #[arg(long, value_name = "UM", requires = "fit", allow_negative_numbers = true)]
    pose_noise_um: Option<f64>,
    /// Take the recorded wrench as simultaneous with the recorded pose instead of fitting its delay too.
    #[arg(long, requires = "fit")]
    no_delay: bool,
    /// Start dimensions from the scene's without trying others first.
    #[arg(long, requires = "fit")]
    no_scan: bool,
    /// Continue from this file and replace it after each iteration; the result has the same bits as an uninterrupted one.
    #[arg(long, value_name = "FILE", requires = "fit")]
    checkpoint: Option<PathBuf>,
}

/// What the options of `identify` ask of a calibration.
pub(super) struct CalibrateTask<'a> {
    pub(super) scene: &'a str,
    pub(super) own: &'a CalibrateArguments,
    pub(super) map: Option<&'a Path>,
    pub(super) split: Option<u64>,
    pub(super) write: Option<&'a PathBuf>,
    pub(super) report: Option<&'a PathBuf>,
    pub(super) json: bool,
}

/// Model with all values of the fit, and the one that is written: what is not determined is as in the scene.
const CALIBRATED: &str = "calibrated";
const WRITTEN: &str = "determined values alone";

/// Errors of one model on the judged trials.
struct Row {
    name: &'static str,
    errors: WrenchErrors,
}

pub(super) fn run(task: &CalibrateTask) -> Result<ExitCode> {
    let own = task.own;
    output_file::check("--write", task.write)?;
    output_file::check("--report", task.report)?;
    output_file::check("--checkpoint", own.checkpoint.as_ref())?;
    let scene = Scene::find(task.scene)?;
    let all = recordings(task)?;
    let (train, test) = parted(task, &all)?;
    let mut experiment = Experiment::new(&scene, period(&all)?)?;
    if let [k, turning] = own.hold[..] {
        let [k, turning] = [within("--hold", k, 1.0, 1e9)?, within("--hold", turning, 1e-3, 1e7)?];
        experiment.spring = HoldingSpring::settling([k; 3], [turning; 3], experiment.scene.dt);
    }
    for (option, count) in [("--hold", own.hold.len()), ("--wear-numbers", own.wear_numbers.len())] {
        if ![0, 2].contains(&count) {
            bail!("{option} has {count} numbers; give two, separated by a comma");
        }
    }
    let fineness = [own.wear_numbers.first().copied(), own.wear_numbers.get(1).copied()];
    let mut words = own.fit.clone();
    if !own.no_delay && !words.iter().any(|word| word == "delay") {
        words.push("delay".into());
    }
    let (unknowns, wear) = experiment.unknowns(&words, &train, fineness)?;
    let noise = own.pose_noise_um.map(|um| within("--pose-noise-um", um, 0.0, 1e4)).transpose()?;
    let options = FitOptions {
        iterations: own.iterations,
        stride: own.every as usize,
        scan: !own.no_scan,
        // an angle that scatters as much at the part's surface
        pose_noise: noise.map(|um| [um * 1e-6, um * 1e-6 / experiment.lever]),
        checkpoint: own.checkpoint.clone(),
    };
    let fit = Fit::new(&experiment, unknowns.clone(), wear, &train, options)?;
    let bar = progress::bar("calibrating");
    let solution = fit.solve(|now| {
        if now.spread.is_finite() {
            bar.set_message(format!("calibrating: round {}, errors {:.3} N", now.iteration, now.spread));
        }
        progress::set(&bar, now.share);
    });
    bar.finish_and_clear();
    let solution = solution?;
    let judged = if test.is_empty() { &train } else { &test };
    let nominal = predict(&experiment, &unknowns, wear, &vec![0.0; unknowns.len()], judged)?;
    let after = predict(&experiment, &unknowns, wear, &solution.coordinates, judged)?;
    let determined = solution.determined();
    let written = match determined == solution.coordinates {
        true => None,
        false => Some(predict(&experiment, &unknowns, wear, &determined, judged)?),
    };
    let rows = rows(&nominal, &after, written.as_deref(), mean_wrench(&train));
    if task.json {
        say!("{}", serde_json::to_string_pretty(&json_of(&solution, &rows, &train, &test))?);
    } else {
        tell(&solution, &rows, &train, &test)?;
    }
    if let Some(path) = task.write {
        write_text(path, &fitted_scene(&experiment, &solution)?)?;
    }
    if let Some(path) = task.report {
        let page = page(&experiment, &solution, &rows, &nominal, &after, judged);
        write_text(path, &calibration_html(&page))?;
    }
    // no green verdict over a model that is worse than none; the scene that is written has the determined values alone
    let force = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.errors.force);
    let calibrated = force(CALIBRATED).into_iter().chain(force(WRITTEN)).reduce(f64::max);
    if let (Some(calibrated), Some(zero)) = (calibrated, force("zero"))
        && calibrated > zero
    {
        let _ = writeln!(
            std::io::stderr(),
            "tightfit: the calibrated scene errs by more than predicting no force at all ({calibrated:.3} N, {zero:.3} N): \
             do not rely on it"
        );
        return Ok(ExitCode::FAILURE);
    }
    if let (Some(calibrated), Some(nominal)) = (calibrated, force("nominal"))
        && !test.is_empty()
        && calibrated > nominal
    {
        let _ = writeln!(
            std::io::stderr(),
            "tightfit: the calibrated scene errs by more than the scene as it was ({calibrated:.3} N, {nominal:.3} N): do not rely \
             on it; what is wrong may be missing in --fit (the hold: stiffness)"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn recordings(task: &CalibrateTask) -> Result<Vec<Recording>> {
    let path = task.own.recordings.as_deref().context("--fit needs --recordings")?;
    let Some(calibration) = &task.own.calibration else { return Ok(load_recordings(path)?) };
    let calibration = Calibration::load(calibration)?;
    let mut all = Vec::new();
    for trial in &read_trials(path, task.map)?.trials {
        match calibration.recording(trial) {
            Ok(recording) => all.push(recording),
            Err(reason) => {
                let _ = writeln!(std::io::stderr(), "tightfit: left out: {reason}");
            }
        }
    }
    if all.is_empty() {
        bail!("the calibration applies to no trial of {}", path.display());
    }
    Ok(all)
}

/// Trials to fit to, and trials to test on.
fn parted(task: &CalibrateTask, all: &[Recording]) -> Result<(Vec<Recording>, Vec<Recording>)> {
    if let Some(share) = task.own.fit_share {
        let share = within("--fit-share", share, 0.05, 0.95)?;
        let cut = |own: &Recording, is_first: bool| {
            let at = (own.samples.len() as f64 * share) as usize;
            let samples = if is_first { &own.samples[..at] } else { &own.samples[at..] };
            Recording { name: own.name.clone(), samples: samples.to_vec() }
        };
        return Ok((
            all.iter().map(|own| cut(own, true)).collect(),
            all.iter().map(|own| cut(own, false)).collect(),
        ));
    }
    let Some(seed) = task.split else { return Ok((all.to_vec(), Vec::new())) };
    let split = split_trials(&vec![""; all.len()], seed);
    let of = |places: &[usize]| places.iter().map(|place| all[*place].clone()).collect();
    Ok((of(&split.train), of(&split.test)))
}

pub(super) fn period(all: &[Recording]) -> Result<f64> {
    let pairs = all.iter().flat_map(|own| own.samples.windows(2));
    let mut periods: Vec<f64> = pairs.map(|pair| pair[1].time - pair[0].time).collect();
    periods.sort_by(f64::total_cmp);
    periods.get(periods.len() / 2).copied().context("no recording has two samples")
}

/// Predictions of all samples of some trials.
fn predict(
    experiment: &Experiment,
    unknowns: &[Unknown],
    wear: Option<WearChart>,
    coordinates: &[f64],
    trials: &[Recording],
) -> Result<Vec<Vec<Prediction>>> {
    // drift of other trials is not known
    let at: Vec<f64> = unknowns
        .iter()
        .zip(coordinates)
        .map(|(own, x)| if matches!(own.quantity, Quantity::Drift { .. }) { 0.0 } else { *x })
        .collect();
    let setup = Setup::new(experiment, unknowns, wear, &at, false)?;
    let follow = |trial: &Recording| Follower::default().follow(experiment, &setup, 0, trial);
    Ok(trials.par_iter().map(follow).collect())
}

fn rows(
    nominal: &[Vec<Prediction>],
    after: &[Vec<Prediction>],
    written: Option<&[Vec<Prediction>]>,
    mean: Option<[f64; 6]>,
) -> Vec<Row> {
    let of = |name: &'static str, all: &[Vec<Prediction>]| {
        let pairs = all.iter().flatten().map(|own| (&own.wrench, &own.measured));
        Row { name, errors: WrenchErrors::of(pairs) }
    };
    let constant = |name: &'static str, wrench: [f64; 6]| {
        let pairs = nominal.iter().flatten().map(|own| (&wrench, &own.measured));
        Row { name, errors: WrenchErrors::of(pairs) }
    };
    let mut all = vec![of("nominal", nominal), of(CALIBRATED, after)];
    all.extend(written.map(|written| of(WRITTEN, written)));
    all.push(constant("zero", [0.0; 6]));
    all.extend(mean.map(|mean| constant("mean of the fitted trials", mean)));
    all
}

/// Value, range and unit in handy units.
fn handy(own: &Estimated) -> [String; 3] {
    let (factor, unit) = match own.unknown.quantity.unit() {
        "m" => (1e3, "mm"),
        "rad" => (1e3, "mrad"),
        "s" => (1e3, "ms"),
        "-" => (1.0, ""),
        other => (1.0, other),
    };
    let [value, low, high] = [own.value, own.range[0], own.range[1]].map(|own| exact(own * factor));
    [value, format!("{low} to {high}"), unit.to_string()]
}

/// Micrometres of a size in millimetres are of interest.
fn exact(value: f64) -> String {
    if (1.0..1000.0).contains(&value.abs()) { format!("{value:.4}") } else { short(value) }
}

fn tell(solution: &Solution, rows: &[Row], train: &[Recording], test: &[Recording]) -> Result<()> {
    say!(
        "{} trials fitted ({:016x}), {} for the test; {} iterations, errors spread by {:.3} N and are correlated over {:.1} samples",
        train.len(),
        fingerprint(train),
        test.len(),
        solution.iterations,
        solution.spread,
        solution.correlation_time
    );
    let mut table = Table::new(&["what", "value", "95 % range", "unit", "before"]);
    let is_shown =
        |own: &&Estimated| own.refusal.is_none() && !matches!(own.unknown.quantity, Quantity::Drift { .. });
    for own in solution.quantities().filter(is_shown) {
        let [value, range, unit] = handy(own);
        let before = handy(&Estimated { value: own.unknown.start, ..own.clone() })[0].clone();
        table.row(vec![own.unknown.quantity.name(), value, range, unit, before]);
    }
    put!("{table}");
    for own in solution.quantities() {
        if let Some(reason) = &own.refusal {
            say!("not determined: {}: {reason}", own.unknown.quantity.name());
        }
    }
    for own in &solution.correlations {
        say!("told together: {} and {} (correlation {:.2})", own.names[0], own.names[1], own.value);
    }
    if solution.wear.is_some() {
        let [size, sigma] = solution.wear_size().map(|own| own * 1e6);
        let most = solution.touched.iter().map(|own| own.wear[0]).fold(0.0, f64::max) * 1e6;
        say!("wear where contact was made: {size:.1} um rms, at most {most:.1} um, known to {sigma:.1} um");
    }
    let judged = if test.is_empty() { "on the fitted trials" } else { "on the test" };
    say!("\nroot mean square errors {judged}");
    let mut table = Table::new(&["model", "force [N]", "torque [N·m]", "of nominal"]);
    let nominal = rows.first().map_or(f64::NAN, |row| row.errors.force);
    for Row { name, errors } in rows {
        let share = format!("{:.3}", errors.force / nominal);
        table.row(vec![
            (*name).into(),
            format!("{:.4}", errors.force),
            format!("{:.5}", errors.torque),
            share,
        ]);
    }
    if let Some(first) = rows.first() {
        let [force, torque] = first.errors.measured;
        table.row(vec!["(measured)".into(), format!("{force:.4}"), format!("{torque:.5}"), String::new()]);
    }
    put!("{table}");
    Ok(())
}

fn json_of(solution: &Solution, rows: &[Row], train: &[Recording], test: &[Recording]) -> Value {
    let estimate = |own: &Estimated| {
        json!({
            "name": own.unknown.quantity.name(), "unit": own.unknown.quantity.unit(), "value": own.value,
            "range_95": own.range, "start": own.unknown.start, "refusal": own.refusal,
        })
    };
    let correlations =
        solution.correlations.iter().map(|own| json!({ "names": own.names, "value": own.value }));
    let wear = solution.wear.map(|wear| {
        let [size, sigma] = solution.wear_size();
        let field = solution.setup.gap_field(wear.body);
        json!({
            "rms_m": size, "sigma_m": sigma, "axial_m": wear.chart.axial, "angles": wear.chart.angles,
            "heights": wear.chart.heights, "coefficients_m": field.map(|field| field.coefficients()),
        })
    });
    json!({
        "trials": train.iter().map(|own| &own.name).collect::<Vec<_>>(),
        "test": test.iter().map(|own| &own.name).collect::<Vec<_>>(),
        "fingerprint": format!("{:016x}", fingerprint(train)),
        "iterations": solution.iterations, "spread_n": solution.spread,
        "correlation_time_samples": solution.correlation_time,
        "estimates": solution.quantities().map(estimate).collect::<Vec<_>>(),
        "correlations": correlations.collect::<Vec<_>>(),
        "wear": wear,
        "errors": rows.iter().map(|row| json!({ "model": row.name, "errors": row.errors })).collect::<Vec<_>>(),
    })
}

fn page(
    experiment: &Experiment,
    solution: &Solution,
    rows: &[Row],
    nominal: &[Vec<Prediction>],
    after: &[Vec<Prediction>],
    trials: &[Recording],
) -> CalibrationPage {
    let force = |own: &Prediction| {
        let square = |axis: usize| (own.wrench[axis] - own.measured[axis]).powi(2);
        (square(0) + square(1) + square(2)).sqrt()
    };
    let of = |all: &[Prediction]| all.iter().map(|own| [own.time, force(own)]).collect::<Vec<_>>();
    let pair = |place: usize| CalibratedTrial {
        name: trials[place].name.clone(),
        before: of(&nominal[place]),
        after: of(&after[place]),
    };
    let places = solution.touched.iter().map(|own| WornPlace {
        side: tightfit::scene::GapChart::side(&own.normal),
        angle_deg: own.point.y.atan2(own.point.x).to_degrees(),
        height_mm: own.point.z * 1e3,
        wear_um: own.wear[0] * 1e6,
    });
    CalibrationPage {
        title: format!("Calibration of {}", experiment.scene.name),
        values: solution
            .quantities()
            .filter(|own| own.refusal.is_none())
            .map(|own| {
                let [value, range, unit] = handy(own);
                [own.unknown.quantity.name(), value, range, unit]
            })
            .collect(),
        refusals: solution
            .quantities()
            .filter_map(|own| Some([own.unknown.quantity.name(), own.refusal.clone()?]))
            .collect(),
        errors: rows
            .iter()
            .map(|row| (row.name.to_string(), [row.errors.force, row.errors.torque]))
            .collect(),
        trials: (0..trials.len().min(6)).map(pair).collect(),
        places: places.collect(),
    }
}
