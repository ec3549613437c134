//! `tightfit presets [NAME]`: what each preset chooses at every stage, beside what the paper prints.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tightfit::scene::{Preset, PresetChoice};

use crate::commands::simulate::preset;
use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(crate) struct PresetsArguments {
    /// Show this preset, stage by stage [default: all presets].
    #[arg(value_parser = preset)]
    preset: Option<Preset>,
    /// Print the page docs/presets.md.
    #[arg(long, conflicts_with_all = ["preset", "json"])]
    markdown: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Written above the tables of the page.
const HEAD: &str = "\
# Presets

A preset is a named set of methods: `tightfit run SCENE --preset NAME`, or `[method] preset` in a scene file. Single methods
replace those of the preset (`--set method.projection=true`). This page is generated from the program:
`tightfit presets --markdown > docs/presets.md`.
";

pub(crate) fn run(arguments: &PresetsArguments) -> Result<ExitCode> {
    if arguments.markdown {
        put!("{}", page()?);
    } else if arguments.json {
        let presets: Vec<Preset> = arguments.preset.map_or(Preset::ALL.to_vec(), |one| vec![one]);
        let all: Vec<_> = presets.into_iter().map(json_of).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
    } else if let Some(preset) = arguments.preset {
        say!("{}: {}\n", preset.name(), preset.purpose());
        for PresetChoice { stage, printed, choice, why } in preset.choices() {
            say!("{stage}\n  does:    {choice}\n  printed: {printed}");
            if !why.is_empty() {
                say!("  note:    {why}");
            }
        }
    } else {
        let mut table = Table::new(&["preset", "purpose"]);
        for preset in Preset::ALL {
            table.row(vec![preset.name().to_string(), preset.purpose().to_string()]);
        }
        put!("{table}");
        say!("\n`tightfit presets NAME` shows every choice of one, and how it differs from the paper");
    }
    Ok(ExitCode::SUCCESS)
}

fn page() -> Result<String> {
    let mut page = String::from(HEAD);
    writeln!(page, "\n| preset | purpose |\n|---|---|")?;
    for preset in Preset::ALL {
        writeln!(page, "| [`{0}`](#{0}) | {1} |", preset.name(), preset.purpose())?;
    }
    for preset in Preset::ALL {
        writeln!(page, "\n## {}\n\nThis is {}.", preset.name(), preset.purpose())?;
        writeln!(
            page,
            "\n| stage | choice | the paper prints | why, or what the paper leaves open |\n|---|---|---|---|"
        )?;
        for PresetChoice { stage, printed, choice, why } in preset.choices() {
            writeln!(page, "| {stage} | {choice} | {printed} | {why} |")?;
        }
    }
    Ok(page)
}

fn json_of(preset: Preset) -> serde_json::Value {
    let choices = preset.choices();
    let choice = |own: &PresetChoice| json!({ "stage": own.stage, "choice": own.choice, "printed": own.printed, "why": own.why });
    json!({
        "preset": preset.name(),
        "purpose": preset.purpose(),
        "choices": choices.iter().map(choice).collect::<Vec<_>>(),
    })
}
