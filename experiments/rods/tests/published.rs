//! The published data sets, where they are present: no trial has an error.

use std::path::{Path, PathBuf};

use tightfit_learning::recordings::{Severity, Trial, examine, read_trials};

fn data() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).to_path_buf()
}

fn has_no_error(trials: &[Trial], count: usize) {
    assert_eq!(trials.len(), count);
    for trial in trials.iter().step_by(7) {
        let findings = examine(trial);
        assert!(
            findings.iter().all(|finding| finding.severity < Severity::Error),
            "{}: {findings:?}",
            trial.name
        );
    }
}

#[test]
fn rods_of_the_ur5e() {
    let folder = data().join("ur5e_rod_insertion/npy");
    if !folder.exists() {
        println!("skipped: {} is missing", folder.display());
        return;
    }
    has_no_error(&rods::data_set::read(&folder).expect("the data set"), 61);
}

#[test]
fn tables_with_a_column_map() {
    for (name, map, count) in
        [("panda_peg_kinesthetic/npy", "panda.toml", 21), ("inrol/reference_runs", "inrol_runs.toml", 2)]
    {
        let folder = data().join(name);
        if !folder.exists() {
            println!("skipped: {} is missing", folder.display());
            continue;
        }
        let map = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../recordings")).join(map);
        has_no_error(&read_trials(&folder, Some(&map)).expect("a published data set").trials, count);
    }
}
