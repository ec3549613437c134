//! Results are pinned: hashes of whole runs, of every validation case and of a batch, in `data/pinned_hashes.csv`.
//!
//! A change that is meant to change no result must leave the table as it is. A change that fixes a defect updates it
//! with `TIGHTFIT_PIN_HASHES=1 cargo test -p tightfit-simulation --test suite pinned_hashes`, and its commit message names the
//! rows and the reason. All instruction sets give the same bits, so there is one table.

use std::fmt::Write as _;
use std::path::PathBuf;

use tightfit_simulation::batch::{Batch, Setup};
use tightfit_simulation::{
    Disturbance, Parameters, Scene, Simulation, Workspace, built_in_scenes, step, validation_cases,
};

/// Variants of the step that no built-in scene uses: name, scene, replaced values, steps.
const VARIANTS: [(&str, &str, &[&str], usize); 13] = [
    ("standard", "peg-in-hole", &["method.preset=standard"], 300),
    ("standard", "bolting", &["method.preset=standard"], 120),
    ("refined", "peg-in-hole", &["method.preset=refined"], 300),
    ("refined", "bolting-engaged", &["method.preset=refined"], 60),
    ("refined-projected", "bolting", &["method.preset=refined", "method.projection=true"], 100),
    ("neural", "peg-in-hole", &["method.detection=neural"], 300),
    ("neural", "bolting", &["method.detection=neural"], 60),
    ("mesh", "peg-in-hole", &["method.detection=mesh"], 60),
    ("implicit-euler", "peg-in-hole", &["method.integration=implicit-euler"], 300),
    ("explicit-euler", "block-on-table", &["method.integration=explicit-euler"], 50),
    ("pgs", "bolting", &["method.solver=pgs", "method.sweeps=20"], 60),
    ("friction-0.3", "peg-in-hole-arm", &["friction=0.3"], 150),
    ("5-ms", "bolting", &["step_ms=5"], 200),
];

/// A ball that bounces twice within some steps and a bar that falls on its end.
const BOUNCING: &str = r#"
    name = "bouncing"
    gravity_m_s2 = [0, 0, -9.81]
    friction = 0.3
    [[contacts]]
    parts = ["ball", "ground"]
    restitution = 0.8
    [[contacts]]
    parts = ["bar", "ground"]
    restitution = 0.5
    [parts.ball]
    shape = { kind = "sphere", diameter_mm = 20 }
    position_mm = [0, 0, 60]
    [parts.bar]
    shape = { kind = "block", size_mm = [10, 10, 60] }
    position_mm = [0, 60, 80]
    rotation_deg = [10, 20, 0]
    [parts.ground]
    shape = { kind = "half-space" }
    motion = "fixed"
"#;

/// FNV-1a over 64-bit words.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Hash over the states of all steps, so that a difference that heals is seen too.
fn of_run(mut run: Simulation, steps: usize) -> u64 {
    let mut hash = Hash::new();
    for _ in 0..steps {
        let _ = run.step();
        hash.word(run.state.hash());
        if run.is_over() {
            break;
        }
    }
    hash.0
}

fn built_in() -> Vec<(String, u64)> {
    built_in_scenes()
        .iter()
        .map(|scene| {
            let scene = Scene::find(scene.name).unwrap();
            let (name, steps) = (scene.name.clone(), (scene.duration() / scene.dt).round() as usize);
            (format!("run {name}"), of_run(Simulation::new(scene, 1), steps))
        })
        .collect()
}

fn disturbed() -> Vec<(String, u64)> {
    let mut run = Simulation::new(Scene::find("peg-in-hole").unwrap(), 7);
    run.disturbance = Some(Disturbance { force: 20.0, torque: 0.5 });
    vec![("disturbed peg-in-hole".into(), of_run(run, 520))]
}

fn variants() -> Vec<(String, u64)> {
    VARIANTS
        .iter()
        .map(|(variant, name, replacements, steps)| {
            let replacements: Vec<String> = replacements.iter().map(ToString::to_string).collect();
            let scene = Scene::find_with(name, &replacements).unwrap();
            (format!("{variant} {name}"), of_run(Simulation::new(scene, 1), *steps))
        })
        .collect()
}

fn bouncing() -> Vec<(String, u64)> {
    vec![("bouncing".into(), of_run(Simulation::new(Scene::from_toml(BOUNCING).unwrap(), 1), 150))]
}

fn validation() -> Vec<(String, u64)> {
    validation_cases()
        .iter()
        .map(|case| {
            let mut hash = Hash::new();
            for verdict in case.run().unwrap() {
                hash.word(verdict.measured.to_bits());
            }
            (format!("validate {}", case.name), hash.0)
        })
        .collect()
}

fn batches() -> Vec<(String, u64)> {
    ["peg-in-hole", "bolting"]
        .map(|name| {
            let mut batch = Batch::new(Scene::find(name).unwrap(), 6, 2).unwrap();
            for index in 0..6 {
                let friction = 0.05 + 0.05 * index as f64;
                batch.reset(index, Setup::of(batch.scene()).with_friction(friction)).unwrap();
            }
            let mut hash = Hash::new();
            for _ in 0..100 {
                batch.step();
                (0..6).for_each(|index| hash.word(batch.state(index).unwrap().hash()));
            }
            (format!("batch {name}"), hash.0)
        })
        .into()
}

/// Everything that is pinned, in the order of the table.
fn measured() -> String {
    let rows = [built_in(), disturbed(), variants(), bouncing(), validation(), batches()];
    let mut table = String::from("what,hash\n");
    for (what, hash) in rows.into_iter().flatten() {
        writeln!(table, "{what},{hash:016x}").unwrap();
    }
    table
}

#[test]
fn every_result_is_the_pinned_one() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/pinned_hashes.csv");
    let measured = measured();
    if std::env::var_os("TIGHTFIT_PIN_HASHES").is_some() {
        std::fs::write(&path, &measured).unwrap();
    }
    let pinned = std::fs::read_to_string(&path).unwrap();
    let differing: Vec<_> = measured.lines().filter(|row| !pinned.lines().any(|own| own == *row)).collect();
    assert!(differing.is_empty(), "these results differ from the pinned ones:\n{}", differing.join("\n"));
    assert_eq!(measured.lines().count(), pinned.lines().count(), "the table has rows that nothing measures");
}

/// `Simulation` and the bare function take the same step.
#[test]
fn a_run_is_the_step_function_in_a_loop() {
    let scene = Scene::find("block-on-table").unwrap();
    let parameters = Parameters::of(&scene);
    let mut state = tightfit_simulation::State::start(&scene, &parameters);
    let mut workspace = Workspace::default();
    let mut run = Simulation::new(scene.clone(), 1);
    for _ in 0..20 {
        let input = tightfit_simulation::Input::none(&state);
        step(&scene, &parameters, &mut state, &input, &mut workspace);
        assert_eq!(run.advance().hash, state.hash());
    }
}
