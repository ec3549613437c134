//! `tightfit compare SCENE --figure cspace`: penetration under a random wrench without and with the C-space row, the
//! paper's Fig. 8. The paper shows the mean over the nodes; here it is the deepest, by the audit.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;
use tightfit::report::{PenetrationRun, penetration_html};
use tightfit::scene::{Drive, Preset, Record};

use super::compare::CompareArguments;
use super::run_report;
use crate::commands::output_file::write_text;
use crate::commands::simulate::{Finished, simulate};
use crate::table::Table;

/// Default wrench of the figure.
const DISTURBANCE: &str = "20,0.5";

pub(super) fn run(arguments: &CompareArguments) -> Result<ExitCode> {
    let simulation = arguments.simulation.disturbed(DISTURBANCE);
    let mut runs = Vec::new();
    // without C-space the number of its rows would be refused
    let without = simulation.without("method.cspace_rows");
    let choices = [("without C-space", "none", &without), ("with C-space", "network", &simulation)];
    for (index, (name, choice, arguments_of_it)) in choices.into_iter().enumerate() {
        let note = format!("{} of 2: ", index + 1);
        let own = arguments_of_it.with(format!("method.cspace={choice}"));
        runs.push((name, simulate(&arguments.scene, &own, Some(Preset::Refined), true, &note)?));
    }
    let from = runs[0].1.run.scene.drives.first().map_or(0.0, Drive::duration);
    let mut numbers = Vec::new();
    for (_, finished) in &runs {
        let Some(penetration) = penetration(finished, from) else {
            bail!("the run has no step under the random wrench; give more --seconds");
        };
        numbers.push(penetration);
    }
    let share = numbers[1][0] / numbers[0][0];
    let text = if arguments.json {
        let one = |((name, finished), [mean, p95, max]): (&(&str, Finished), &[f64; 3])| {
            let mut value = run_report::json(finished);
            value["run"] = json!(name);
            value["penetration_under_wrench_um"] =
                json!({ "mean": 1e6 * mean, "p95": 1e6 * p95, "max": 1e6 * max });
            value
        };
        let all: Vec<_> = runs.iter().zip(&numbers).map(one).collect();
        let scene = &runs[0].1.run.scene.name;
        let report =
            json!({ "scene": scene, "figure": "cspace", "mean_with_over_without": share, "runs": all });
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        let mut table = Table::new(&["penetration, audit", "mean um", "95 % um", "max um", "median step us"]);
        for ((name, finished), numbers) in runs.iter().zip(&numbers) {
            let depths = numbers.map(|depth| format!("{:.3}", 1e6 * depth));
            let time = format!("{:.0}", finished.median_and_p99()[0]);
            table.row([vec![(*name).to_string()], depths.to_vec(), vec![time]].concat());
        }
        format!("{table}\nmean with C-space against without: {share:.3}\n")
    };
    let mut written = Ok(());
    if let Some(path) = &arguments.report {
        let runs: Vec<PenetrationRun> = runs
            .into_iter()
            .zip(numbers)
            .map(|((name, finished), penetration)| PenetrationRun {
                name,
                summary: finished.summary,
                penetration,
            })
            .collect();
        written = write_text(path, &penetration_html(&runs, from));
    }
    arguments.print(&text, written)
}

/// Mean, 95 % and largest depth of the audit after a time [m]; none when there is no such step.
pub(crate) fn penetration(finished: &Finished, from: f64) -> Option<[f64; 3]> {
    let later = finished.summary.records.iter().filter(|record| record.time > from);
    let mut depths: Vec<f64> = later.filter_map(|record: &Record| record.audited).collect();
    depths.sort_by(f64::total_cmp);
    let last = depths.len().checked_sub(1)?;
    let mean = depths.iter().sum::<f64>() / depths.len() as f64;
    Some([mean, depths[(0.95 * last as f64) as usize], depths[last]])
}
