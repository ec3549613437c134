//! `tightfit validate --recordings DIR`: real tosses of a cube against the step.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;
use tightfit::scene::recordings::{CubeReplay, ReplayOptions, Spread, TossErrors, load_tosses};

use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

/// What both forms of the report say about the numbers.
const DEFINITION: &str = "mean over the rows of a toss after the first, which it starts from";

pub(crate) fn run(folder: &Path, options: &ReplayOptions, json: bool) -> Result<ExitCode> {
    if !(1..=1000).contains(&options.steps_per_row) {
        bail!("--steps-per-row is {}; allowed: 1 to 1000", options.steps_per_row);
    }
    if !(0.0..=1.0).contains(&options.restitution) {
        bail!("--restitution is {}; allowed: 0 to 1", options.restitution);
    }
    if !(-0.1..=0.1).contains(&options.ground) {
        bail!("--ground-mm is {}; allowed: -100 to 100", options.ground * 1e3);
    }
    let tosses = load_tosses(folder)?;
    let mut replay = CubeReplay::new(options)?;
    let bar = progress::bar("cube tosses");
    let mut errors: Vec<TossErrors> = Vec::with_capacity(tosses.len());
    for (index, toss) in tosses.iter().enumerate() {
        progress::set(&bar, index as f64 / tosses.len() as f64);
        errors.push(replay.errors(toss));
    }
    bar.finish_and_clear();

    let rows: usize = tosses.iter().map(|toss| toss.states.len()).sum();
    let position = Spread::of(errors.iter().map(|toss| toss.position * 1e3));
    let rotation = Spread::of(errors.iter().map(|toss| toss.rotation.to_degrees()));
    let unconverged: usize = errors.iter().map(|toss| toss.unconverged).sum();
    let penetration = errors.iter().fold(0.0_f64, |deepest, toss| deepest.max(toss.penetration)) * 1e6;
    if json {
        let spread = |spread: Spread| json!({ "median": spread.median, "p90": spread.p90 });
        let report = json!({
            "tosses": tosses.len(),
            "rows": rows,
            "dt_s": replay.step(),
            "ground_mm": options.ground * 1e3,
            "restitution": options.restitution,
            "error_of_a_toss": DEFINITION,
            "position_error_mm": spread(position),
            "rotation_error_deg": spread(rotation),
            "max_penetration_um": penetration,
            "unconverged_steps": unconverged,
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        let mut table = Table::new(&["error of a toss", "median", "90 %"]);
        for (name, spread) in [("position mm", position), ("rotation deg", rotation)] {
            table.row(vec![name.into(), format!("{:.3}", spread.median), format!("{:.3}", spread.p90)]);
        }
        put!("{table}");
        say!(
            "\n{} tosses of {}, {rows} rows, steps of {:.4} ms; error: {DEFINITION}.\nDeepest corner {penetration:.3} um, {unconverged} steps unconverged.",
            tosses.len(),
            folder.display(),
            replay.step() * 1e3,
        );
    }
    Ok(if unconverged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
