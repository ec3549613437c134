//! `cargo run --release -- FOLDER [SEED]`: fits the first contacts of the trials that train and prints all values.

use std::path::Path;
use std::process::ExitCode;

use rods::{data_set, identify_first_contact};
use tightfit_learning::recordings::{Severity, Trial, examine, split_trials};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(folder), Ok(seed)) =
        (arguments.first(), arguments.get(1).map_or(Ok(1), |seed| seed.parse::<u64>()))
    else {
        eprintln!("usage: rods FOLDER [SEED]");
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
