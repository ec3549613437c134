//! `tightfit validate`: compares the step with known solutions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use tightfit::scene::recordings::ReplayOptions;
use tightfit::scene::{Case, Verdict, validation_cases};

use super::validate_recordings;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct ValidateArguments {
    /// Run only the cases whose name contains this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Compare the step with the real cube tosses in this folder instead (tosses.npy and index.csv).
    #[arg(long, value_name = "DIR", conflicts_with = "only")]
    recordings: Option<PathBuf>,
    /// Take this many steps between two rows of a recording, which are 6.8 ms apart.
    #[arg(long, value_name = "COUNT", default_value_t = 1, requires = "recordings")]
    steps_per_row: usize,
    /// Set the coefficient of restitution between cube and ground, 0 to 1.
    #[arg(
        long,
        value_name = "E",
        default_value_t = 0.0,
        requires = "recordings",
        allow_negative_numbers = true
    )]
    restitution: f64,
    /// Set the height of the ground under the recorded cubes [mm].
    #[arg(
        long,
        value_name = "MM",
        default_value_t = 0.0,
        requires = "recordings",
        allow_negative_numbers = true
    )]
    ground_mm: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ValidateArguments) -> Result<ExitCode> {
    if let Some(folder) = &arguments.recordings {
        let ValidateArguments { steps_per_row, restitution, ground_mm, json, .. } = *arguments;
        let options = ReplayOptions { steps_per_row, restitution, ground: ground_mm * 1e-3 };
        return validate_recordings::run(folder, &options, json);
    }
    let wanted = arguments.only.as_deref().unwrap_or_default();
    let cases: Vec<&Case> = validation_cases().iter().filter(|case| case.name.contains(wanted)).collect();
    if cases.is_empty() {
        let names: Vec<_> = validation_cases().iter().map(|case| case.name).collect();
        bail!("no case has `{wanted}` in its name; cases: {}", names.join(", "));
    }
    let bar = progress::bar("validating");
    let mut verdicts = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        bar.set_message(case.name);
        progress::set(&bar, index as f64 / cases.len() as f64);
        verdicts.extend(case.run().with_context(|| format!("the case {} could not be run", case.name))?);
    }
    bar.finish_and_clear();
    match arguments.json {
        true => {
            let all: Vec<_> = verdicts.iter().map(verdict_json).collect();
            say!("{}", serde_json::to_string_pretty(&all)?);
        }
        false => print_verdicts(&cases, &verdicts)?,
    }
    let all_pass = verdicts.iter().all(|verdict| verdict.pass);
    Ok(if all_pass { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_verdicts(cases: &[&Case], verdicts: &[Verdict]) -> Result<()> {
    let mut table = Table::new(&["name", "unit", "expected", "measured", "error", "tolerance", "pass"]);
    for verdict in verdicts {
        table.row(vec![
            verdict.name.clone(),
            verdict.unit.into(),
            number(verdict.expected),
            number(verdict.measured),
            format!("{:.2e}", verdict.error),
            format!("{:.2e}", verdict.tolerance),
            if verdict.pass { "yes".into() } else { "NO".into() },
        ]);
    }
    put!("{table}");
    let mut truths = Table::new(&["case", "truth"]);
    cases.iter().for_each(|case| truths.row(vec![case.name.into(), case.truth.into()]));
    put!("\n{truths}");
    let passed = verdicts.iter().filter(|verdict| verdict.pass).count();
    say!("\n{passed} of {} numbers are within their tolerance.", verdicts.len());
    Ok(())
}

/// Six decimals, or powers of ten where those would show nothing.
fn number(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1e-3 { format!("{value:.6}") } else { format!("{value:.3e}") }
}

fn verdict_json(verdict: &Verdict) -> serde_json::Value {
    json!({
        "name": verdict.name,
        "expected": verdict.expected,
        "measured": verdict.measured,
        "error": verdict.error,
        "tolerance": verdict.tolerance,
        "pass": verdict.pass,
        "unit": verdict.unit,
    })
}
