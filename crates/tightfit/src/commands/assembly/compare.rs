//! `tightfit compare`: the presets side by side on one scene.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tightfit::report::{ComparedRun, WRENCH_AXES, WrenchCurve, WrenchPair, comparison_html};
use tightfit::scene::{Preset, Record, WrenchDifference};

use super::compare_cspace;
use super::run_report::{self, certificate_table, outcome_table, timing_table, words};
use crate::commands::output_file::{self, write_text};
use crate::commands::simulate::{Finished, SimulationArguments, preset, simulate};
use crate::output::write;
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Built-in scene or scene file.
    pub(super) scene: String,
    /// Reproduce a figure of the paper instead: its preset without and with one of its methods.
    #[arg(long, value_enum)]
    figure: Option<Figure>,
    /// Compare these presets, separated by commas; the first is the reference.
    #[arg(long, value_name = "NAMES", value_parser = preset, value_delimiter = ',', default_values = ["tight", "standard", "refined"])]
    presets: Vec<Preset>,
    #[command(flatten)]
    pub(super) simulation: SimulationArguments,
    /// Write an HTML report with the curves of all presets.
    #[arg(long, value_name = "OUT")]
    pub(super) report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Figures of the paper.
#[derive(Clone, Copy, ValueEnum)]
enum Figure {
    /// Fig. 8: penetration under a random wrench (`--disturb`, default 20,0.5) without and with the C-space row.
    Cspace,
}

/// Differences of a run's contact wrenches from those of the reference.
struct Wrenches {
    own_way: WrenchDifference,
    same_states: WrenchDifference,
}

pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode> {
    output_file::check("--report", arguments.report.as_ref())?;
    match arguments.figure {
        Some(Figure::Cspace) => compare_cspace::run(arguments),
        None => run_presets(arguments),
    }
}

fn run_presets(arguments: &CompareArguments) -> Result<ExitCode> {
    let presets = &arguments.presets;
    let pair =
        [Preset::Refined, Preset::Standard].map(|one| presets.iter().position(|preset| *preset == one));
    let pair = if let [Some(paper), Some(standard)] = pair { Some([paper, standard]) } else { None };
    // every preset, every other one at the first's states, and the pair
    let passes = presets.len() + presets.len().saturating_sub(1) + usize::from(pair.is_some());
    let mut pass = 0;
    let mut next = || {
        pass += 1;
        format!("{pass} of {passes}: ")
    };
    let mut finished = Vec::new();
    for preset in presets {
        finished.push(simulate(&arguments.scene, &arguments.simulation, Some(*preset), true, &next())?);
    }
    let mut wrenches = Vec::new();
    for (index, one) in finished.iter().enumerate() {
        let first = &finished[0];
        let own_way = WrenchDifference::between(&first.summary.records, &one.summary.records);
        // the same methods from the same states give the same result
        let same_states = match index {
            0 => own_way,
            _ => same_states([first, one], arguments.simulation.seed, &next())?.1,
        };
        wrenches.push(Wrenches { own_way, same_states });
    }
    let pair = match pair {
        Some(both) => {
            Some(wrench_pair(both.map(|index| &finished[index]), arguments.simulation.seed, &next())?)
        }
        None => None,
    };
    let text = if arguments.json {
        let runs = finished.iter().zip(&wrenches).map(|(one, wrenches)| run_json(one, wrenches));
        let report = json!({
            "scene": finished.first().map(|one| &one.run.scene.name),
            "runs": runs.collect::<Vec<_>>(),
            "standard_against_refined": pair.as_ref().map(pair_json),
        });
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        let tables = [
            Some(outcome_table(&finished)),
            Some(certificate_table(&finished)),
            Some(wrench_table(&finished, &wrenches)),
            pair.as_ref().map(pair_table),
            Some(timing_table(&finished)),
        ];
        let mut text = tables.into_iter().flatten().map(|table| format!("{table}\n")).collect::<String>();
        for one in &finished {
            text += &format!("{}: {}\n", one.run.scene.methods.preset.name(), words(one));
        }
        text
    };
    let mut written = Ok(());
    if let Some(path) = &arguments.report {
        let seed = arguments.simulation.seed;
        let compared = |(Finished { run, mut summary, .. }, wrenches): (Finished, Wrenches)| {
            summary.record_view(&run, seed);
            ComparedRun { summary, own_way: wrenches.own_way, same_states: wrenches.same_states }
        };
        let runs: Vec<ComparedRun> = finished.into_iter().zip(wrenches).map(compared).collect();
        written = write_text(path, &comparison_html(&runs, pair.as_ref()));
    }
    arguments.print(&text, written)
}

impl CompareArguments {
    /// Prints the results even if the report could not be written.
    pub(super) fn print(&self, text: &str, written: Result<()>) -> Result<ExitCode> {
        let path = self.report.as_ref().filter(|_| !self.json && written.is_ok());
        let told = path.map_or(String::new(), |path| format!("\nreport: {}\n", path.display()));
        let said = write(format_args!("{text}{told}"));
        written.and(said)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Repeats every step of a run, and takes the same step by the other's methods: the wrenches of both, and their difference.
fn same_states(
    [reference, other]: [&Finished; 2],
    seed: u64,
    note: &str,
) -> Result<([WrenchCurve; 2], WrenchDifference)> {
    let scene = &reference.run.scene;
    let methods = other.run.scene.methods;
    let names = [methods, scene.methods].map(|methods| methods.preset.name());
    let bar = progress::bar(&format!("{note}{} at the states of {}", names[0], names[1]));
    let steps = reference.summary.records.len();
    let mut curves = [WrenchCurve::default(), WrenchCurve::default()];
    let follow = |index: usize, own: &Record, others: &Record| {
        curves[0].follow(own);
        curves[1].follow(others);
        if index.is_multiple_of(16) {
            progress::set(&bar, index as f64 / steps as f64);
        }
    };
    let disturbance = reference.run.disturbance;
    let difference = WrenchDifference::at_the_same_states(scene, methods, seed, disturbance, steps, follow)?;
    bar.finish_and_clear();
    Ok((curves, difference))
}

/// The standard methods against the paper's, over the task: Fig. 9 of the paper.
fn wrench_pair(both: [&Finished; 2], seed: u64, note: &str) -> Result<WrenchPair> {
    let [reference, other] = both.map(|one| &one.summary.records);
    let curves = [reference, other].map(|records| records.iter().collect());
    Ok(WrenchPair {
        names: both.map(|one| one.run.scene.methods.preset.name()),
        own_way: (curves, WrenchDifference::between(reference, other)),
        same_states: same_states(both, seed, note)?,
    })
}

fn pair_json(pair: &WrenchPair) -> Value {
    json!({
        "own_way": difference_json(&pair.own_way.1),
        "same_states": difference_json(&pair.same_states.1),
    })
}

fn difference_json(difference: &WrenchDifference) -> Value {
    let (force, torque) = difference.per_axis.split_at(3);
    json!({
        "rms_force_n": difference.force,
        "rms_torque_nm": difference.torque,
        "rms_force_xyz_n": force,
        "rms_torque_xyz_nm": torque,
        "reference_rms_force_n": difference.reference[0],
        "reference_rms_torque_nm": difference.reference[1],
    })
}

/// Root mean squares by axis.
fn pair_table(pair: &WrenchPair) -> Table {
    let [reference, other] = pair.names;
    let title = format!("{other} against {reference}, rms");
    let columns = WRENCH_AXES.map(|(axis, unit)| format!("{axis} {unit}"));
    let columns: Vec<&str> = [title.as_str()].into_iter().chain(columns.iter().map(String::as_str)).collect();
    let mut table = Table::new(&columns);
    for (name, (_, difference)) in [("own states", &pair.own_way), ("same states", &pair.same_states)] {
        let numbers = difference.per_axis.iter().map(|value| format!("{value:.4}"));
        table.row([name.to_string()].into_iter().chain(numbers).collect());
    }
    table
}

fn run_json(finished: &Finished, wrenches: &Wrenches) -> Value {
    let mut value = run_report::json(finished);
    value["words"] = words(finished).into();
    value["wrench_difference"] = json!({
        "own_way": difference_json(&wrenches.own_way),
        "same_states": difference_json(&wrenches.same_states),
    });
    value
}

fn wrench_table(finished: &[Finished], wrenches: &[Wrenches]) -> Table {
    let mut table =
        Table::new(&["wrench, rms", "own states N", "N·m", "same states N", "N·m", "reference N", "N·m"]);
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
