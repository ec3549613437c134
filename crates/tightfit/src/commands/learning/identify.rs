//! `tightfit identify`: parameters of an experiment from its recordings, each with an uncertainty or a refusal.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::learning::identification::{
    Answer, Estimate, Identification, Known, Outline, Question, identify_fit,
};
use tightfit::learning::recordings::{Severity, Trial, examine, read_trials, split_trials};
use tightfit::report::{IdentifiedSection, Scatter, identification_html};

use super::calibrate::{self, CalibrateArguments, CalibrateTask};
use crate::commands::numbers::within;
use crate::commands::output_file::{self, write_text};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct IdentifyArguments {
    /// Read this log (.npy, .csv, .parquet) or folder of logs; with --fit, calibrate this built-in scene or scene file.
    path: PathBuf,
    #[command(flatten)]
    calibrate: CalibrateArguments,
    /// Read the meaning of a foreign table's columns from this TOML file.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Identify only these, separated by commas: sensor, inertia, time-offset, outline, friction, hole [default: all].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    what: Vec<String>,
    /// Identify from seven of ten trials, drawn by this seed; for the others find only sensor bias and hole position.
    #[arg(long, value_name = "SEED")]
    split: Option<u64>,
    /// Set the distance from the robot's tool point to the peg's tip, where it is known [mm].
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    tool_to_tip_mm: Option<f64>,
    /// Set the friction coefficient, where it is known.
    #[arg(long, value_name = "MU", allow_negative_numbers = true)]
    friction: Option<f64>,
    /// Write calibration.toml, scene.toml and the hole's mesh into this folder; with --fit, write the fitted scene to this file.
    #[arg(long, value_name = "PATH")]
    write: Option<PathBuf>,
    /// Write a page with all values and pictures.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &IdentifyArguments) -> Result<ExitCode> {
    if !arguments.calibrate.fit.is_empty() {
        return calibrate::run(&CalibrateTask {
            scene: &arguments.path.to_string_lossy(),
            own: &arguments.calibrate,
            map: arguments.map.as_deref(),
            split: arguments.split,
            write: arguments.write.as_ref(),
            report: arguments.report.as_ref(),
            json: arguments.json,
        });
    }
    let questions = questions(&arguments.what)?;
    let known = known(arguments)?;
    output_file::check("--report", arguments.report.as_ref())?;
    let set = read_trials(&arguments.path, arguments.map.as_deref())?;
    let (sound, unsound): (Vec<Trial>, Vec<Trial>) = set
        .trials
        .into_iter()
        .partition(|trial| examine(trial).iter().all(|finding| finding.severity != Severity::Error));
    if sound.is_empty() {
        bail!("no trial of {} can be used; `tightfit recording` reports why", arguments.path.display());
    }
    let bar = progress::bar("identifying");
    let (train, others) = match arguments.split {
        None => (sound, Vec::new()),
        Some(seed) => parted(sound, seed),
    };
    let mut found = identify_fit(&train, &questions, known, |share| progress::set(&bar, share));
    if !others.is_empty() {
        found.calibration = found.calibration_with(&others);
    }
    bar.finish_and_clear();
    if arguments.json {
        let answers: Vec<Value> =
            found.answers.iter().map(|(question, answer)| answer_json(question.name(), answer)).collect();
        let left_out: Vec<&str> = unsound.iter().map(|trial| trial.name.as_str()).collect();
        let report = json!({
            "trials": train.iter().map(|trial| trial.name.as_str()).collect::<Vec<_>>(),
            "only_placed": others.iter().map(|trial| trial.name.as_str()).collect::<Vec<_>>(),
            "left_out": left_out,
            "outline": found.mouth.as_ref().map(|mouth| mouth.outline.name()),
            "answers": answers,
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        let placed = match others.len() {
            0 => String::new(),
            count => format!(", {count} test trials"),
        };
        say!("{} trials{placed}, {} left out because of errors", train.len(), unsound.len());
        for (question, answer) in &found.answers {
            say!("\n{}", heading(*question, &found));
            put!("{}", answer_table(answer));
            for refusal in &answer.refusals {
                say!("not determined: {}: {}", refusal.name, refusal.reason);
            }
        }
    }
    if let Some(folder) = &arguments.write {
        let calibration = found
            .calibration
            .as_ref()
            .context("nothing to write: the hole was not requested or could not be identified, see above")?;
        calibration.write(folder)?;
    }
    if let Some(path) = &arguments.report {
        let sections: Vec<IdentifiedSection> = found
            .answers
            .iter()
            .map(|(question, answer)| section(heading(*question, &found), answer))
            .collect();
        let title = format!("Identified from {}", arguments.path.display());
        let page = identification_html(&title, &sections, &pictures(&found));
        write_text(path, &page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Known numbers, each within the range of scenes.
fn known(arguments: &IdentifyArguments) -> Result<Known> {
    let tip = arguments.tool_to_tip_mm.map(|mm| within("--tool-to-tip-mm", mm, -1e4, 1e4)).transpose()?;
    let friction = arguments.friction.map(|own| within("--friction", own, 0.0, 10.0)).transpose()?;
    Ok(Known { tool_to_tip: tip.map(|mm| mm * 1e-3), friction })
}

/// Trials to identify from, and the others.
fn parted(trials: Vec<Trial>, seed: u64) -> (Vec<Trial>, Vec<Trial>) {
    let split = split_trials(&vec![""; trials.len()], seed);
    let (train, others): (Vec<_>, Vec<_>) =
        trials.into_iter().enumerate().partition(|(place, _)| split.train.contains(place));
    let plain = |all: Vec<(usize, Trial)>| all.into_iter().map(|(_, trial)| trial).collect();
    (plain(train), plain(others))
}

fn questions(what: &[String]) -> Result<Vec<Question>> {
    if what.is_empty() {
        return Ok(Question::ALL.to_vec());
    }
    what.iter()
        .map(|word| {
            Question::ALL.into_iter().find(|question| question.name() == word).with_context(|| {
                let names: Vec<&str> = Question::ALL.iter().map(|question| question.name()).collect();
                format!("--what has `{word}`; known: {}", names.join(", "))
            })
        })
        .collect()
}

fn heading(question: Question, found: &Identification) -> String {
    match (question, &found.mouth) {
        (Question::Outline, Some(mouth)) => format!("outline: {}", mouth.outline.name()),
        _ => question.name().to_string(),
    }
}

/// Value and standard deviation in common units: millimetres instead of metres.
fn handy(estimate: &Estimate) -> [String; 3] {
    let (factor, unit) = match estimate.unit {
        "m" => (1e3, "mm"),
        "m/N" => (1e6, "um/N"),
        "m/(N·m)" => (1e3, "mm/(N·m)"),
        "s" => (1e3, "ms"),
        other => (1.0, other),
    };
    if estimate.unit == "-" && estimate.sigma == 0.0 && estimate.value.fract() == 0.0 {
        return [format!("{:.0}", estimate.value), String::new(), String::new()];
    }
    let sigma = if estimate.sigma > 0.0 { short(estimate.sigma * factor) } else { String::new() };
    [short(estimate.value * factor), sigma, unit.replace('-', "")]
}

/// Four figures or so.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 100.0 => format!("{value:.2}"),
        size if size >= 0.1 => format!("{value:.3}"),
        size if size >= 1e-3 => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    }
}

pub(super) fn answer_table(answer: &Answer) -> String {
    let mut table = Table::new(&["what", "value", "± 1 sd", "unit"]);
    for estimate in &answer.estimates {
        let [value, sigma, unit] = handy(estimate);
        table.row(vec![estimate.name.clone(), value, sigma, unit]);
    }
    table.to_string()
}

fn section(name: String, answer: &Answer) -> IdentifiedSection {
    let value = |estimate: &Estimate| {
        let [value, sigma, unit] = handy(estimate);
        [estimate.name.clone(), value, sigma, unit]
    };
    IdentifiedSection {
        name,
        values: answer.estimates.iter().map(value).collect(),
        refusals: answer
            .refusals
            .iter()
            .map(|refusal| [refusal.name.clone(), refusal.reason.clone()])
            .collect(),
    }
}

pub(super) fn answer_json(question: &str, answer: &Answer) -> Value {
    let estimate =
        |e: &Estimate| json!({ "name": e.name, "value": e.value, "sigma": e.sigma, "unit": e.unit });
    json!({
        "question": question,
        "estimates": answer.estimates.iter().map(estimate).collect::<Vec<_>>(),
        "refusals": answer.refusals.iter().map(|r| json!({ "name": r.name, "reason": r.reason })).collect::<Vec<_>>(),
    })
}

fn pictures(found: &Identification) -> Vec<Scatter> {
    let mut all = Vec::new();
    if let Some(mouth) = &found.mouth {
        let edge: Vec<[f64; 2]> = match mouth.outline {
            Outline::Round { radius } => (0..=64)
                .map(|index| {
                    let (sin, cos) = (std::f64::consts::TAU * f64::from(index) / 64.0).sin_cos();
                    [radius * cos, radius * sin]
                })
                .collect(),
            Outline::Rectangle { half: [a, b] } => vec![[-a, -b], [a, -b], [a, b], [-a, b], [-a, -b]],
        };
        let (sin, cos) = mouth.turn.sin_cos();
        let turned = |[x, y]: [f64; 2]| {
            [(x * cos - y * sin + mouth.offset.x) * 1e3, (x * sin + y * cos + mouth.offset.y) * 1e3]
        };
        let reach = edge.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max) * 1e3;
        all.push(Scatter {
            title: "Lines of force through the tip plane, and the outline".into(),
            axes: ["tool x [mm]".into(), "tool y [mm]".into()],
            points: found.contact_points.iter().map(|point| [point.x * 1e3, point.y * 1e3]).collect(),
            lines: vec![edge.into_iter().map(turned).collect()],
            is_square: true,
            window: Some([2.0 * reach; 2]),
            ..Scatter::default()
        });
    }
    if let Some(play) = &found.play {
        all.push(Scatter {
            title: "Inside the hole: tilt of the tool over the torque".into(),
            axes: ["torque about the part's y [N·m]".into(), "tilt about y [deg]".into()],
            points: found.tilts.iter().map(|[torque, tilt]| [*torque, tilt.to_degrees()]).collect(),
            lines: Vec::new(),
            is_square: false,
            ..Scatter::default()
        });
        let places: Vec<[f64; 2]> =
            play.mouths.iter().flatten().map(|place| [place.x * 1e3, place.y * 1e3]).collect();
        all.push(Scatter {
            title: "Middle of the mouth, trial by trial".into(),
            axes: ["x [mm]".into(), "y [mm]".into()],
            points: places.clone(),
            lines: vec![places],
            is_square: false,
            ..Scatter::default()
        });
    }
    all
}
