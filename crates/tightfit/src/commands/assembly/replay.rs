//! `tightfit replay`: repeats the run of a log and compares every fingerprint of the state and every number.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tightfit::scene::log::{self, ReplayReport};

use crate::output::say;

#[derive(Args)]
pub(crate) struct ReplayArguments {
    /// Repeat the run of this log (.parquet, .csv).
    log: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode> {
    let report = log::replay(&arguments.log)?;
    match arguments.json {
        true => say!("{}", serde_json::to_string_pretty(&replay_json(&report))?),
        false => print_report(&report)?,
    }
    Ok(if report.is_same() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_report(report: &ReplayReport) -> Result<()> {
    if report.is_same() {
        say!("{}: all {} hashes equal", report.scene, report.steps);
        return Ok(());
    }
    if let Some(changed) = &report.changed {
        say!(
            "{}: {} of step {} of {} is another, at {:.4} s: the log says {}, the run has {}",
            report.scene,
            changed.column,
            changed.step,
            report.steps,
            changed.time,
            changed.written,
            changed.found
        );
    }
    if let Some(difference) = &report.difference {
        say!(
            "{}: step {} of {} differs, at {:.4} s: the log says {:016x}, now it is {:016x}",
            report.scene,
            difference.step,
            report.steps,
            difference.time,
            difference.written,
            difference.found
        );
    }
    let own = env!("CARGO_PKG_VERSION");
    if report.written_by != own {
        say!("the log was written by version {}, this is {own}", report.written_by);
    }
    Ok(())
}

fn replay_json(report: &ReplayReport) -> serde_json::Value {
    let difference = report.difference.map(|difference| {
        json!({
            "step": difference.step,
            "time_s": difference.time,
            "written": format!("{:016x}", difference.written),
            "found": format!("{:016x}", difference.found),
        })
    });
    let changed = report.changed.as_ref().map(|changed| {
        json!({
            "step": changed.step,
            "time_s": changed.time,
            "column": changed.column,
            "written": changed.written,
            "found": changed.found,
        })
    });
    json!({
        "scene": report.scene,
        "steps": report.steps,
        "same": report.is_same(),
        "difference": difference,
        "changed_number": changed,
        "written_by": report.written_by,
    })
}
