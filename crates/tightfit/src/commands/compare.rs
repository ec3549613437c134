//! `tightfit compare`: the presets side by side on one scene.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tightfit::report::{ComparedRun, comparison_html};
use tightfit::scene::{Methods, Preset, WrenchDifference};

use super::compare_cspace;
use super::run::write_text;
use super::run_report::{self, certificate_table, outcome_table, timing_table};
use super::simulate::{Finished, SimulationArguments, preset, simulate};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Built-in scene or scene file.
    pub(super) scene: String,
    /// A figure of the paper instead: its preset without and with one of its parts.
    #[arg(long, value_enum)]
    figure: Option<Figure>,
    /// Presets, the first being the one that the others are held against.
    #[arg(long, value_name = "NAMES", value_parser = preset, value_delimiter = ',', default_values = ["tight", "standard", "paper"])]
    presets: Vec<Preset>,
    #[command(flatten)]
    pub(super) simulation: SimulationArguments,
    /// Write an HTML report with the curves of all over one another.
    #[arg(long, value_name = "OUT")]
    pub(super) report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Figures of the paper.
#[derive(Clone, Copy, ValueEnum)]
enum Figure {
    /// Fig. 8: penetration under a random wrench (`--disturb`, 20,0.5 when not given) without and with the C-space row.
    Cspace,
}

/// Contact wrenches of a run against those of the first.
struct Wrenches {
    own_way: WrenchDifference,
    same_states: WrenchDifference,
}

pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode> {
    match arguments.figure {
        Some(Figure::Cspace) => compare_cspace::run(arguments),
        None => run_presets(arguments),
    }
}

fn run_presets(arguments: &CompareArguments) -> Result<ExitCode> {
    let mut finished = Vec::new();
    for preset in &arguments.presets {
        finished.push(simulate(&arguments.scene, &arguments.simulation, Some(*preset), true)?);
    }
    let mut wrenches = Vec::new();
    if let Some(first) = finished.first() {
        for one in &finished {
            let own_way = WrenchDifference::between(&first.summary.records, &one.summary.records);
            let methods = one.run.scene.methods;
            // the same methods from the same states go the same way
            let same_states = match methods == first.run.scene.methods {
                true => own_way,
                false => same_states(first, methods, arguments.simulation.seed)?,
            };
            wrenches.push(Wrenches { own_way, same_states });
        }
    }
    let text = if arguments.json {
        let runs = finished.iter().zip(&wrenches).map(|(one, wrenches)| run_json(one, wrenches));
        let report = json!({ "scene": finished.first().map(|one| &one.run.scene.name), "runs": runs.collect::<Vec<_>>() });
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        let tables = [
            outcome_table(&finished),
            certificate_table(&finished),
            wrench_table(&finished, &wrenches),
            timing_table(&finished),
        ];
        tables.map(|table| table.to_string()).join("\n")
    };
    if let Some(path) = &arguments.report {
        let compared = |(one, wrenches): (Finished, Wrenches)| ComparedRun {
            summary: one.summary,
            own_way: wrenches.own_way,
            same_states: wrenches.same_states,
        };
        let runs: Vec<ComparedRun> = finished.into_iter().zip(wrenches).map(compared).collect();
        write_text(path, &comparison_html(&runs))?;
    }
    // files are written by now, whether or not anybody reads on
    put!("{text}");
    if let Some(path) = arguments.report.as_ref().filter(|_| !arguments.json) {
        say!("\nreport: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Every step of the first run once more, and the same step by other methods.
fn same_states(first: &Finished, others: Methods, seed: u64) -> Result<WrenchDifference> {
    let scene = &first.run.scene;
    let bar =
        progress::bar(&format!("{} at the states of {}", others.preset.name(), scene.methods.preset.name()));
    let follow = |share: f64| progress::set(&bar, share);
    let steps = first.summary.records.len();
    let difference =
        WrenchDifference::at_the_same_states(scene, others, seed, first.run.disturbance, steps, follow)?;
    bar.finish_and_clear();
    Ok(difference)
}

fn run_json(finished: &Finished, wrenches: &Wrenches) -> Value {
    let difference = |difference: &WrenchDifference| {
        json!({
            "rms_force_n": difference.force,
            "rms_torque_nm": difference.torque,
            "reference_rms_force_n": difference.reference[0],
            "reference_rms_torque_nm": difference.reference[1],
        })
    };
    let mut value = run_report::json(finished);
    value["wrench_difference"] = json!({
        "own_way": difference(&wrenches.own_way),
        "same_states": difference(&wrenches.same_states),
    });
    value
}

fn wrench_table(finished: &[Finished], wrenches: &[Wrenches]) -> Table {
    let mut table =
        Table::new(&["wrench, rms", "own way N", "N·m", "same states N", "N·m", "first's N", "N·m"]);
    for (one, wrenches) in finished.iter().zip(wrenches) {
        let Wrenches { own_way, same_states } = wrenches;
        let [force, torque] = same_states.reference;
        table.row(vec![
            one.run.scene.methods.preset.name().into(),
            format!("{:.3}", own_way.force),
            format!("{:.4}", own_way.torque),
            format!("{:.3}", same_states.force),
            format!("{:.4}", same_states.torque),
            format!("{force:.3}"),
            format!("{torque:.4}"),
        ]);
    }
    table
}
