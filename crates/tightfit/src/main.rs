//! The program `tightfit`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "this is the program that talks to people")]

mod commands;
mod cpu_clock;
mod output;
mod progress;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Simulator of tight-tolerance assembly: parts that fit to the micrometre.
#[derive(Parser)]
#[command(version, about, after_help = "Without a command, both assembly tasks are run.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

/// How commands with a task end.
const EXIT_CODES: &str = "Exit code: 0 when every task was completed, 2 when one was not or the options cannot be understood, 1 \
                          when something was refused.";

#[derive(Subcommand)]
enum Command {
    /// Grade a trajectory of poses, whoever made it: true penetration by independent, dense nodes.
    Audit(commands::audit::AuditArguments),
    /// Measure how fast a part of the program runs against what this machine can do.
    Bench(commands::bench::BenchArguments),
    /// Run a scene by several sets of methods and hold them against one another.
    Compare(commands::compare::CompareArguments),
    /// Hold the contact wrenches of several sets of methods against recorded ones.
    Evaluate(commands::evaluate::EvaluateArguments),
    /// Find the numbers of an experiment (sensor, part, hole, friction, grasp) from its recordings.
    Identify(commands::identify::IdentifyArguments),
    /// Read what others published into our formats.
    Import(commands::import::ImportArguments),
    /// Examine a part: a mesh file or a part by name; repair, export, bake or draw it.
    Part(commands::part::PartArguments),
    /// Look recordings with a force sensor over: gaps, repeats, units, rotations, saturation; draw their channels.
    Recording(commands::recording::RecordingArguments),
    /// Run a log again and compare every step; fails when one differs.
    Replay(commands::replay::ReplayArguments),
    /// List the built-in scenes, or show one (or a scene file) body by body.
    Scenes(commands::scenes::ScenesArguments),
    /// Print the JSON schema of scene files.
    Schema,
    /// Simulate a scene, or both assembly tasks, and certify every step.
    #[command(after_help = EXIT_CODES)]
    Run(commands::run::RunArguments),
    /// Train a network: distances, configurations, or clusters of contacts from measured wrenches.
    Train(commands::train::TrainArguments),
    /// Try the strategy of a scene's arm from many start errors.
    #[command(after_help = EXIT_CODES)]
    Trials(commands::trials::TrialsArguments),
    /// Hold the step against known truths: friction, tops, threads, pegs.
    Validate(commands::validate::ValidateArguments),
    /// Make synthetic recordings of a person who leads a part.
    VirtualExperiment(commands::virtual_experiment::VirtualExperimentArguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Some(Command::Audit(arguments)) => commands::audit::run(&arguments),
        Some(Command::Bench(arguments)) => commands::bench::run(&arguments),
        Some(Command::Compare(arguments)) => commands::compare::run(&arguments),
        Some(Command::Evaluate(arguments)) => commands::evaluate::run(&arguments),
        Some(Command::Identify(arguments)) => commands::identify::run(&arguments),
        Some(Command::Import(arguments)) => commands::import::run(&arguments),
        Some(Command::Part(arguments)) => commands::part::run(&arguments),
        Some(Command::Recording(arguments)) => commands::recording::run(&arguments),
        Some(Command::Replay(arguments)) => commands::replay::run(&arguments),
        Some(Command::Scenes(arguments)) => commands::scenes::run(&arguments),
        Some(Command::Schema) => commands::schema::run(),
        Some(Command::Run(arguments)) => commands::run::run(&arguments),
        Some(Command::Train(arguments)) => commands::train::run(&arguments),
        Some(Command::Trials(arguments)) => commands::trials::run(&arguments),
        Some(Command::Validate(arguments)) => commands::validate::run(&arguments),
        Some(Command::VirtualExperiment(arguments)) => commands::virtual_experiment::run(&arguments),
        None => commands::run::run(&commands::run::RunArguments::default()),
    };
    match result {
        Ok(code) => code,
        Err(error) if error.is::<output::Closed>() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tightfit: {error:#}");
            ExitCode::FAILURE
        }
    }
}
