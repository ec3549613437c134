//! `tightfit recording`: inspects recordings.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tightfit::learning::recordings::{
    Finding, FindingKind, Severity, Trial, examine, read_trials, split_trials,
};
use tightfit::report::{TrialPage, recordings_html};

use super::output_file::{self, write_text};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct RecordingArguments {
    /// Log (.csv, .parquet, .npy) or folder of logs.
    path: PathBuf,
    /// Column map (TOML) of a foreign table.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Seed of the split into training (70 %) and test trials.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Write a page with findings and channels.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &RecordingArguments) -> Result<ExitCode> {
    output_file::check("--report", arguments.report.as_ref())?;
    let set = read_trials(&arguments.path, arguments.map.as_deref())?;
    let bar = progress::bar("inspecting");
    let mut findings: Vec<Vec<Finding>> = Vec::new();
    for (index, trial) in set.trials.iter().enumerate() {
        progress::set(&bar, index as f64 / set.trials.len() as f64);
        findings.push(examine(trial));
    }
    bar.finish_and_clear();
    let groups: Vec<&str> = set.trials.iter().map(|trial| trial.session.as_str()).collect();
    let split = split_trials(&groups, arguments.seed);
    let names = |of: &[usize]| of.iter().map(|index| set.trials[*index].name.clone()).collect::<Vec<_>>();
    let rows: usize = set.trials.iter().map(Trial::len).sum();
    if arguments.json {
        let of = |finding: &Finding| {
            json!({
                "trial": finding.trial,
                "kind": finding.kind.name(),
                "severity": finding.severity.name(),
                "rows": finding.rows,
                "first_row": finding.first_row,
                "text": finding.text,
            })
        };
        let report = json!({
            "form": set.form.name(),
            "trials": set.trials.len(),
            "rows": rows,
            "findings": findings.iter().flatten().map(of).collect::<Vec<_>>(),
            "train": names(&split.train),
            "test": names(&split.test),
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        say!("{}: {}, {} trials, {rows} rows", arguments.path.display(), set.form.name(), set.trials.len());
        put!("{}", summary(&findings, set.trials.len()));
        say!(
            "split by trial with seed {}: {} train, {} test",
            arguments.seed,
            split.train.len(),
            split.test.len()
        );
    }
    if let Some(path) = &arguments.report {
        let pages: Vec<TrialPage> =
            set.trials.iter().zip(&findings).map(|(trial, own)| page(trial, own)).collect();
        let title = format!("Recordings in {}", arguments.path.display());
        write_text(path, &recordings_html(&title, &pages))?;
    }
    let is_usable = findings.iter().flatten().all(|finding| finding.severity != Severity::Error);
    Ok(if is_usable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Table of findings by kind: number of trials, one text as an example.
fn summary(findings: &[Vec<Finding>], trials: usize) -> String {
    let mut kinds: Vec<(Severity, FindingKind)> =
        findings.iter().flatten().map(|finding| (finding.severity, finding.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return "no findings\n".into();
    }
    let mut table = Table::new(&["severity", "finding", "trials", "rows", "for example"]);
    for (severity, kind) in kinds.into_iter().rev() {
        let of: Vec<&Finding> =
            findings.iter().flatten().filter(|f| f.kind == kind && f.severity == severity).collect();
        let mut names: Vec<&str> = of.iter().map(|finding| finding.trial.as_str()).collect();
        names.dedup();
        let rows: usize = of.iter().map(|finding| finding.rows).sum();
        let Some(worst) = of.iter().max_by_key(|finding| finding.rows) else { continue };
        table.row(vec![
            severity.name().into(),
            kind.name().into(),
            format!("{} of {trials}", names.len()),
            rows.to_string(),
            format!("{}, row {}: {}", worst.trial, worst.first_row, worst.text),
        ]);
    }
    table.to_string()
}

fn page(trial: &Trial, findings: &[Finding]) -> TrialPage {
    let start = trial.world_from_tool.first().map(|pose| pose.translation).unwrap_or_default();
    let axis = |of: &dyn Fn(usize) -> f64| (0..trial.len()).map(of).collect::<Vec<f64>>();
    TrialPage {
        name: trial.name.clone(),
        findings: findings.iter().map(|f| [f.severity.name().to_string(), f.text.clone()]).collect(),
        time: trial.time.clone(),
        channels: [
            std::array::from_fn(|k| axis(&|row| trial.force[row][k])),
            std::array::from_fn(|k| axis(&|row| trial.torque[row][k])),
            std::array::from_fn(|k| {
                axis(&|row| (trial.world_from_tool[row].translation[k] - start[k]) * 1e3)
            }),
        ],
    }
}
