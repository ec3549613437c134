//! Both tasks, step by step the same: twice in a row, with one thread and two, after a snapshot in the middle, with
//! every cache forgotten before every step, prepared or not, and with registers of any width.

use tightfit_simulation::batch::Batch;
use tightfit_simulation::{Disturbance, Scene, Simulation, Snapshot};
use tightfit_spatial::InstructionSet;

/// Whole tasks are 420 and 300 steps; the peg is wiggled from step 220 on.
const TASKS: [(&str, usize); 3] = [("peg-in-hole", 300), ("bolting-engaged", 120), ("peg-in-hole-arm", 120)];

fn start(name: &str) -> Simulation {
    Simulation::new(Scene::find(name).unwrap(), 1)
}

fn hashes(run: &mut Simulation, steps: usize) -> Vec<u64> {
    (0..steps).map(|_| run.advance().hash).collect()
}

/// Fails with the number of the first step that differs, from 0.
fn assert_same(name: &str, expected: &[u64], found: &[u64]) {
    assert_eq!(expected.len(), found.len());
    assert_eq!(expected.iter().zip(found).position(|(a, b)| a != b), None, "{name}: this step differs first");
}

#[test]
fn twice_in_a_row() {
    for (name, steps) in TASKS {
        let first = hashes(&mut start(name), steps);
        assert_same(name, &first, &hashes(&mut start(name), steps));
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{name}: the hash does not see the step");
    }
}

#[test]
fn prepared_or_not() {
    for (name, steps) in TASKS {
        let (mut plain, mut prepared) = (start(name), start(name));
        for run in [&mut plain, &mut prepared] {
            run.disturbance = Some(Disturbance { force: 5.0, torque: 0.1 });
        }
        prepared.prepare();
        let steps = steps.min(60);
        assert_same(name, &hashes(&mut plain, steps), &hashes(&mut prepared, steps));
    }
}

#[test]
fn with_one_thread_and_two() {
    for (name, steps) in TASKS {
        let expected = hashes(&mut start(name), steps);
        for threads in [1, 2] {
            let mut batch = Batch::new(Scene::find(name).unwrap(), 2, threads).unwrap();
            for (step, expected) in expected.iter().enumerate() {
                batch.step();
                for index in 0..2 {
                    let found = batch.state(index).unwrap().hash();
                    assert_eq!(found, *expected, "{name}, {threads} threads, step {step}");
                }
            }
        }
    }
}

#[test]
fn after_a_snapshot_in_the_middle() {
    for (name, steps) in TASKS {
        let mut run = start(name);
        hashes(&mut run, steps / 2);
        let text = serde_json::to_string(&run.snapshot()).unwrap();
        let expected = hashes(&mut run, steps / 2);
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let mut other = start(name);
        other.restore(&snapshot).unwrap();
        assert_same(name, &expected, &hashes(&mut other, steps / 2));
    }
}

#[test]
fn with_the_workspace_cleared_before_every_step() {
    for (name, steps) in TASKS {
        let expected = hashes(&mut start(name), steps);
        let mut run = start(name);
        let mut forgetful = Vec::new();
        for _ in 0..steps {
            run.forget();
            forgetful.push(run.advance().hash);
        }
        assert_same(name, &expected, &forgetful);
    }
}

#[test]
fn with_any_instruction_set() {
    for (name, steps) in TASKS {
        let expected = hashes(&mut start(name), steps);
        for set in InstructionSet::ALL {
            set.limit();
            let found = hashes(&mut start(name), steps);
            println!("{name}: {:?}, limited to {set:?}", InstructionSet::current());
            InstructionSet::Avx512.limit();
            assert_same(name, &expected, &found);
        }
    }
}
