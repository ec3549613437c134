//! `tightfit commands`: docs/commands.md from the help of all commands.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, Command};

use crate::output::put;

/// Written above the commands.
const HEAD: &str = "\
# Commands

This page is generated from the program's help: `tightfit commands > docs/commands.md`. Every command prints the same with
`--help`; those that a program might read print JSON with `--json`.
";

pub(crate) fn run(program: &Command) -> Result<ExitCode> {
    let mut program = program.clone();
    program.build();
    let mut page = String::from(HEAD);
    for command in shown(&program) {
        write_command(&mut page, command, "tightfit")?;
    }
    put!("{page}");
    Ok(ExitCode::SUCCESS)
}

/// Subcommands that are not hidden.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

fn write_command(page: &mut String, command: &Command, before: &str) -> Result<()> {
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(page, "\n## `{name}`\n{about}.")?;
    let places = command.get_positionals();
    let options = command.get_opts().filter(|option| !option.is_hide_set());
    let flags = command.get_arguments().filter(|argument| is_flag(argument));
    let rows: Vec<&Arg> = places.chain(options).chain(flags).collect();
    if !rows.is_empty() && !command.has_subcommands() {
        writeln!(page, "\n| option | meaning |\n|---|---|")?;
        for argument in rows {
            writeln!(page, "| `{}` | {} |", usage(argument), meaning(argument))?;
        }
    }
    if let Some(after) = command.get_after_help() {
        writeln!(page, "\n```text\n{after}\n```")?;
    }
    for command in shown(command) {
        write_command(page, command, &name)?;
    }
    Ok(())
}

fn is_flag(argument: &Arg) -> bool {
    !argument.is_positional()
        && !argument.get_action().takes_values()
        && argument.get_id() != "help"
        && argument.get_id() != "version"
}

/// `--seconds S`, `[SCENE]`.
fn usage(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let values = values.join(" ");
    match argument.get_long() {
        Some(long) if argument.get_action().takes_values() => format!("--{long} {values}"),
        Some(long) => format!("--{long}"),
        None if argument.is_required_set() => values,
        None => format!("[{values}]"),
    }
}

/// Help, default and allowed values.
fn meaning(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        text += &format!(" (default: {})", defaults.join(", "));
    }
    let allowed: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if argument.get_action().takes_values() && !allowed.is_empty() {
        text += &format!("; one of {}", allowed.join(", "));
    }
    text.replace('|', "\\|").replace('\n', " ")
}
