//! `cargo run --release -- FOLDER [SEED]`: fits the first contacts of the trials that train and prints all values.
//! `cargo run --release -- FOLDER --scenes OUT`: writes each hole as a scene with recordings.

use std::path::Path;
use std::process::ExitCode;

use rods::{data_set, identify_first_contact, write_scenes};
use tightfit_learning::recordings::{Severity, Trial, examine, split_trials};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scenes = arguments.iter().position(|own| own == "--scenes").map(|at| arguments.get(at + 1));
    let seed = arguments.get(1).filter(|_| scenes.is_none());
    let (Some(folder), Ok(seed), None | Some(Some(_))) =
        (arguments.first(), seed.map_or(Ok(1), |seed| seed.parse::<u64>()), scenes)
    else {
        eprintln!("usage: rods FOLDER [SEED | --scenes OUT]");
        return ExitCode::from(2);
    };
    let trials = match data_set::read(Path::new(folder)) {
        Ok(trials) => trials,
        Err(error) => {
            eprintln!("rods: {error}");
            return ExitCode::FAILURE;
        }
    };
    let is_usable = |trial: &Trial| examine(trial).iter().all(|finding| finding.severity != Severity::Error);
    let trials: Vec<Trial> = trials.into_iter().filter(is_usable).collect();
    if let Some(Some(out)) = scenes {
        return match write_scenes(&trials, Path::new(out)) {
            Ok(count) => {
                println!("{count} trials written to {out}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("rods: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let groups: Vec<&str> = trials.iter().map(|trial| trial.session.as_str()).collect();
    let (contacts, answer) = identify_first_contact(&trials, &split_trials(&groups, seed));
    println!("{} trials, {} first contacts with the plate", trials.len(), contacts.len());
    for estimate in &answer.estimates {
        println!("{}: {:.6} ± {:.6} {}", estimate.name, estimate.value, estimate.sigma, estimate.unit);
    }
    for refusal in &answer.refusals {
        println!("not determined: {}: {}", refusal.name, refusal.reason);
    }
    ExitCode::SUCCESS
}
