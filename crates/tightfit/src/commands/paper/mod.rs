//! `tightfit paper [ITEM]`: the paper's tables and figures, regenerated beside the printed ones.

mod haptics;
mod item;
mod page;
mod recorded;
mod simulations;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use tightfit::scene::validation_cases;
use tightfit::shape::preset::PAPER_PAIRS;

use super::output_file::{check, write_text};
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;
use item::{ITEMS, Item, Regenerated};
use recorded::Effort;

#[derive(Args)]
pub(crate) struct PaperArguments {
    /// Regenerate only this table or figure, such as `table-1` or `fig-9` [default: all].
    item: Option<String>,
    /// Use short runs and few trials: about three minutes on two cores.
    #[arg(long)]
    quick: bool,
    /// Write a page with every item beside what the paper prints.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Keep finished items in this folder; the same command continues from there.
    #[arg(long, value_name = "FOLDER", default_value = "tightfit-report/paper")]
    folder: PathBuf,
    /// Regenerate finished items too.
    #[arg(long)]
    again: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &PaperArguments) -> Result<ExitCode> {
    check("--report", arguments.report.as_ref())?;
    let wanted: Vec<Item> = match &arguments.item {
        None => ITEMS.to_vec(),
        Some(name) => {
            let Some(item) = ITEMS.iter().find(|item| item.name == name) else {
                let names: Vec<&str> = ITEMS.iter().map(|item| item.name).collect();
                bail!("the paper has no `{name}`; items: {}", names.join(", "));
            };
            vec![*item]
        }
    };
    let bar = progress::bar("paper");
    let mut done = Vec::new();
    for (index, item) in wanted.iter().enumerate() {
        bar.set_message(format!("{}: {}", item.name, item.title));
        progress::set(&bar, index as f64 / wanted.len() as f64);
        done.push((*item, arguments.kept_or_made(item)?));
    }
    bar.finish_and_clear();
    if let Some(path) = &arguments.report {
        write_text(path, &page::html(&done, arguments.quick))?;
    }
    if arguments.json {
        let all: Vec<_> = done
            .iter()
            .map(|(item, made)| json!({ "item": item.name, "title": item.title, "printed": item.printed, "ours": made }))
            .collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    for (item, made) in &done {
        say!("{}: {}\nprinted: {}", item.name, item.title, item.printed);
        if !made.rows.is_empty() {
            let head: Vec<&str> = made.head.iter().map(String::as_str).collect();
            let mut table = Table::new(&head);
            made.rows.iter().for_each(|row| table.row(row.clone()));
            put!("{table}");
        }
        say!("{}\n", made.note);
    }
    Ok(ExitCode::SUCCESS)
}

impl PaperArguments {
    /// The file of a finished item.
    fn file(&self, item: &Item) -> PathBuf {
        let ending = if self.quick { "-quick" } else { "" };
        self.folder.join(format!("{}{ending}.json", item.name))
    }

    fn kept_or_made(&self, item: &Item) -> Result<Regenerated> {
        let file = self.file(item);
        if !self.again && file.exists() {
            let text = std::fs::read_to_string(&file)?;
            return serde_json::from_str(&text)
                .with_context(|| format!("{} is no finished item; delete it", file.display()));
        }
        let made = self.make(item)?;
        write_text(&file, &serde_json::to_string_pretty(&made)?)?;
        Ok(made)
    }

    fn make(&self, item: &Item) -> Result<Regenerated> {
        let seconds = if self.quick { 1.0 } else { 10.0 };
        let effort = match self.quick {
            true => Effort { trials: 4, seconds: 3.0 },
            false => Effort { trials: 20, seconds: 10.0 },
        };
        let drawing = |place: &str| Ok(Regenerated::note(&format!("A drawing: {place}.")));
        match item.name {
            "table-1" => simulations::detection_times(seconds),
            "table-2" => Ok(ten_sizes()),
            "fig-1" => drawing("ARCHITECTURE.md shows the stages of our step"),
            "fig-2" => balls(),
            "fig-3" => drawing("`crates/pipeline/src/detection/neural.rs`; `tightfit train depth --paper`"),
            "fig-4" | "fig-5" => drawing("`crates/interaction`; `docs/clustering.md`"),
            "fig-6" => drawing("`crates/pipeline/src/cspace`, `crates/pipeline/src/solving/sweeps.rs`"),
            "fig-7" => Ok(Regenerated::note(
                "Photographs cannot be regenerated. The virtual experiment takes their place: `tightfit virtual-experiment`.",
            )),
            "fig-8" => simulations::cspace(seconds),
            "fig-9" => recorded::at_recorded_states(effort),
            "fig-10" | "fig-11" => {
                let [forces, times] = simulations::with_arm(self.quick)?;
                let (own, other, other_name) = match item.name {
                    "fig-10" => (forces, times, "fig-11"),
                    _ => (times, forces, "fig-10"),
                };
                // both come of the same runs
                if let Some(other_item) = ITEMS.iter().find(|item| item.name == other_name) {
                    write_text(&self.file(other_item), &serde_json::to_string_pretty(&other)?)?;
                }
                Ok(own)
            }
            "fig-12" => Ok(Regenerated::note(
                "Measured with their programs, which are no part of this one: ODE, Bullet, MuJoCo and Drake on both tasks in \
                 experiments/peers/results.md. Vortex is commercial and was not run.",
            )),
            "fig-13" => Ok(Regenerated::note(
                "A photograph; the parts are presets: `tightfit part paper-47.2x5-nut`.",
            )),
            "fig-14" => recorded::ten_pairs(Effort { trials: effort.trials.min(8), ..effort }),
            "fig-15" => simulations::pairs(
                if self.quick { &["47.2x5"] } else { &["47.2x5", "49x5"] },
                !self.quick,
                "fig-15: ",
            ),
            "fig-16" => simulations::pairs(
                if self.quick { &["39x4"] } else { &["39x4", "60x5.5"] },
                !self.quick,
                "fig-16: ",
            ),
            "fig-18" => haptics::snapshots(self.quick),
            "fig-19" => haptics::force_to_the_user(self.quick),
            _ => drawing("docs/haptics.md shows our loop"),
        }
    }
}

fn ten_sizes() -> Regenerated {
    let mut item = Regenerated::with_head(&["group", "diameter mm", "pitch mm", "parts"]);
    for (diameter, pitch) in PAPER_PAIRS {
        let group = if (47.0..49.5).contains(&diameter) { "narrow" } else { "broad" };
        let parts = format!("paper-{diameter}x{pitch}-nut, paper-{diameter}x{pitch}-bolt");
        item.row(&[group.into(), diameter.to_string(), pitch.to_string(), parts]);
    }
    item.note = "All ten are presets with the paper's clearance.".into();
    item
}

/// Fig. 2 by the validation case of the same scene.
fn balls() -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&["quantity", "ours", "truth", "within tolerance"]);
    let case = validation_cases().iter().find(|case| case.name.contains("slab"));
    for verdict in case.context("the validation case of the moved slab")?.run()? {
        item.row(&[
            format!("{} [{}]", verdict.name, verdict.unit),
            format!("{:.6}", verdict.measured),
            format!("{:.6}", verdict.expected),
            if verdict.pass { "yes" } else { "no" }.into(),
        ]);
    }
    item.note =
        "The validation case of a ball on a slab that moves sideways; six balls on MuJoCo beside ours: \
                 experiments/peers (`balls.py`)."
            .into();
    Ok(item)
}
