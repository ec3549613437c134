//! The program `tightfit`, as a function that the executable and the Python package call.

#![allow(clippy::print_stderr, reason = "the program prints its errors")]

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::{commands, output};

/// Simulate contact-intensive, tight-tolerance assembly: parts that fit to the micrometre.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Without a command, both assembly tasks are run. docs/commands.md lists every option."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Exit codes of commands with a task.
const EXIT_CODES: &str = "\
Exit codes:
  0  every run is certified: the task is completed, every step converged, no limit of the
     contact step was hit, penetration is within a tenth of the task's clearance (10 um
     without one), contact work is plausible
  1  the input was refused
  2  a task was not completed, the arm failed, or the options cannot be understood
  3  every task was completed, but a run is not certified; the reasons are printed
Limits of an arm (joint range, speed, effort, reach, slip in soft fingers) do not void
the certificate.";

/// Exit codes of `compare`.
const COMPARE_EXIT_CODES: &str = "\
Exit codes:
  0  all presets ran, whatever their verdicts, which the tables show
  1  the input was refused
  2  the options cannot be understood";

/// Exit codes of `haptics`.
const HAPTICS_EXIT_CODES: &str = "\
Exit codes:
  0  within all limits: net energy at the port at least -1e-6 J, no silence of the device,
     audited penetration at most 5 um, the nut stayed in its thread, every step converged,
     in real time 99.9 % of the period errors below 1 ms
  1  the input was refused
  2  the options cannot be understood
  3  a limit was missed; it is printed";

/// Exit codes of `part`.
const PART_EXIT_CODES: &str = "\
Exit codes:
  0  the part is sound, after the repair where there is one
  1  the input was refused
  2  errors are left, or the options cannot be understood";

/// Exit codes of commands that compare results with what they should be.
const CHECK_EXIT_CODES: &str = "\
Exit codes:
  0  everything agrees
  1  something does not agree, or the input was refused
  2  the options cannot be understood";

#[derive(Subcommand)]
enum Command {
    /// Measure the true penetration along a trajectory of poses from any source.
    Audit(commands::assembly::audit::AuditArguments),
    /// Measure the speed of steps, batches, detection, clustering and networks on this machine.
    Bench(commands::bench::BenchArguments),
    /// Run a scene with several presets of methods and compare them.
    #[command(after_help = COMPARE_EXIT_CODES)]
    Compare(commands::assembly::compare::CompareArguments),
    /// Print docs/commands.md, generated from the help of all commands.
    #[command(hide = true)]
    Commands,
    /// Compare the contact wrenches of several presets with recorded ones.
    Evaluate(commands::learning::evaluate::EvaluateArguments),
    /// Find how one STEP part goes into another: common axis, clearances, play; write the scene and run it.
    #[command(after_help = EXIT_CODES)]
    Fit(commands::assembly::fit::FitArguments),
    /// Let a hand hold and feel the part of a scene: a passive 1 kHz loop with a device or a virtual person.
    #[command(after_help = HAPTICS_EXIT_CODES)]
    Haptics(commands::haptics::HapticsArguments),
    /// Identify an experiment from its recordings: sensor, hole and grasp of a log, or with --fit what a scene's parts really are.
    Identify(commands::learning::identify::IdentifyArguments),
    /// Find the pose of the fixed part at which a recorded motion penetrates it least, as the paper does.
    IdentifyPose(commands::learning::identify_pose::IdentifyPoseArguments),
    /// Convert published data of others into files of this program.
    Import(commands::learning::import::ImportArguments),
    /// Regenerate the tables and figures of the paper beside the printed ones.
    Paper(commands::paper::PaperArguments),
    /// Examine a mesh file, a STEP file or a part by name; repair, export, bake or draw it; print distances.
    #[command(after_help = PART_EXIT_CODES)]
    Part(commands::assembly::part::PartArguments),
    /// Propose poses to touch that tell most about what is unknown of a scene.
    PlanTouches(commands::learning::plan_touches::PlanTouchesArguments),
    /// List presets, or every choice of one beside what the paper prints.
    Presets(commands::assembly::presets::PresetsArguments),
    /// Inspect force-sensor recordings: gaps, repeats, units, rotations, saturation; draw their channels.
    Recording(commands::learning::recording::RecordingArguments),
    /// Draw a scene or a log: a picture, an animated glTF, or a page.
    Render(commands::assembly::render::RenderArguments),
    /// Repeat the run of a log and compare every step.
    #[command(after_help = CHECK_EXIT_CODES)]
    Replay(commands::assembly::replay::ReplayArguments),
    /// List the built-in scenes, or show one (or a scene file) body by body.
    Scenes(commands::assembly::scenes::ScenesArguments),
    /// Print the JSON schema of scene files.
    Schema,
    /// Simulate a scene, or both assembly tasks, and certify every step.
    #[command(after_help = EXIT_CODES)]
    Run(commands::assembly::run::RunArguments),
    /// Train a network: distances, configurations, or clusters of contacts from measured wrenches.
    Train(commands::learning::train::TrainArguments),
    /// Run the strategy of a scene's arm from many start errors.
    #[command(after_help = EXIT_CODES)]
    Trials(commands::assembly::trials::TrialsArguments),
    /// Compare the step with known solutions: friction, tops, threads, pegs.
    #[command(after_help = CHECK_EXIT_CODES)]
    Validate(commands::assembly::validate::ValidateArguments),
    /// Show a scene or a log in the browser: 3-D view, contacts, plots, hands on the part.
    View(commands::assembly::view::ViewArguments),
    /// Generate synthetic recordings of a person who guides a part.
    VirtualExperiment(commands::learning::virtual_experiment::VirtualExperimentArguments),
}

/// Runs the program with these arguments, the first of which is its name. Invalid options end the process with code 2.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let result = match Arguments::parse_from(arguments).command {
        Some(Command::Commands) => commands::documentation::run(&Arguments::command()),
        Some(Command::Audit(arguments)) => commands::assembly::audit::run(&arguments),
        Some(Command::Bench(arguments)) => commands::bench::run(&arguments),
        Some(Command::Compare(arguments)) => commands::assembly::compare::run(&arguments),
        Some(Command::Evaluate(arguments)) => commands::learning::evaluate::run(&arguments),
        Some(Command::Fit(arguments)) => commands::assembly::fit::run(&arguments),
        Some(Command::Haptics(arguments)) => commands::haptics::run(&arguments),
        Some(Command::Identify(arguments)) => commands::learning::identify::run(&arguments),
        Some(Command::IdentifyPose(arguments)) => commands::learning::identify_pose::run(&arguments),
        Some(Command::Import(arguments)) => commands::learning::import::run(&arguments),
        Some(Command::Paper(arguments)) => commands::paper::run(&arguments),
        Some(Command::Part(arguments)) => commands::assembly::part::run(&arguments),
        Some(Command::PlanTouches(arguments)) => commands::learning::plan_touches::run(&arguments),
        Some(Command::Recording(arguments)) => commands::learning::recording::run(&arguments),
        Some(Command::Render(arguments)) => commands::assembly::render::run(&arguments),
        Some(Command::Replay(arguments)) => commands::assembly::replay::run(&arguments),
        Some(Command::Scenes(arguments)) => commands::assembly::scenes::run(&arguments),
        Some(Command::Presets(arguments)) => commands::assembly::presets::run(&arguments),
        Some(Command::Schema) => commands::assembly::schema::run(),
        Some(Command::Run(arguments)) => commands::assembly::run::run(&arguments),
        Some(Command::Train(arguments)) => commands::learning::train::run(&arguments),
        Some(Command::Trials(arguments)) => commands::assembly::trials::run(&arguments),
        Some(Command::Validate(arguments)) => commands::assembly::validate::run(&arguments),
        Some(Command::View(arguments)) => commands::assembly::view::run(&arguments),
        Some(Command::VirtualExperiment(arguments)) => {
            commands::learning::virtual_experiment::run(&arguments)
        }
        None => commands::assembly::run::run(&commands::assembly::run::RunArguments::default()),
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
