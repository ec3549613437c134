//! A part that has settled at a recorded pose: its load is the spring's, friction opposes the motion, and moments are
//! independent.

use tightfit_interaction_training::virtual_experiment::{
    Disturbance, VirtualOptions, generate_trial, thread_scene,
};
use tightfit_interaction_training::wrench::{
    LoadModel, RecordedScene, WrenchErrors, WrenchPredictor, identify_load,
};
use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::{Recording, Sample};
use tightfit_simulation::{Preset, Scene};
use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

const FRICTION: f64 = 0.3;
const HALF: f64 = 10e-3;

fn block_on_table() -> RecordedScene {
    let text = format!(
        "name = \"block\"\ngravity_m_s2 = [0, 0, -9.81]\nfriction = {FRICTION}\n\
         [parts.table]\nmotion = \"fixed\"\nshape = {{ kind = \"half-space\" }}\n\
         [parts.block]\nshape = {{ kind = \"block\", size_mm = [20, 20, 20] }}\nposition_mm = [0, 0, 10]\n"
    );
    RecordedScene::new(&Scene::from_toml(&text).expect("a scene"), 0.01).expect("one free part")
}

/// A hand that moves along x at `speed` [m/s] and holds the block `depth` [m] too low.
fn pressed(depth: f64, speed: f64) -> Recording {
    let sample = |k: u32| {
        let time = 0.01 * f64::from(k);
        let place = Vector3::new(speed * time, 0.0, HALF - depth);
        Sample {
            time,
            world_from_part: Pose::new(place, UnitQuaternion::identity()),
            twist: Twist { linear_in_world: Vector3::new(speed, 0.0, 0.0), ..Twist::zero() },
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            load: None,
        }
    };
    Recording { name: "pressed".into(), samples: (0..20).map(sample).collect() }
}

fn predicted(recorded: &RecordedScene, spring: HoldingSpring, trial: &Recording) -> Vec<[f64; 6]> {
    let moments = LoadModel::Settled.moments(recorded, &spring, trial).expect("samples");
    let mut predictor = WrenchPredictor::new(recorded, Preset::Tight.into(), spring);
    moments.moments.iter().map(|moment| predictor.predict(moment)).collect()
}

#[test]
fn a_pressed_block_feels_stiffness_times_depth_and_friction_against_its_motion() {
    let recorded = block_on_table();
    let stiffness = 5e4;
    let spring = HoldingSpring::settling([stiffness; 3], [100.0; 3], 0.01);
    let weight = 9.81 * recorded.inertia.mass;
    for depth in [0.0, 20e-6, 300e-6] {
        for speed in [5e-3, -20e-3] {
            let load = stiffness * depth + weight;
            for wrench in predicted(&recorded, spring, &pressed(depth, speed)) {
                assert!((wrench[2] - load).abs() < 1e-3 * load, "{depth} {speed}: {wrench:?}, {load}");
                let friction = -FRICTION * load * speed.signum();
                assert!(
                    (wrench[0] - friction).abs() < 1e-2 * load,
                    "{depth} {speed}: {wrench:?}, {friction}"
                );
                assert!(wrench[1].abs() < 1e-3 * load, "{wrench:?}");
            }
        }
    }
}

#[test]
fn a_hand_that_rests_pushes_along_the_normal_alone() {
    let recorded = block_on_table();
    let spring = HoldingSpring::settling([5e4; 3], [100.0; 3], 0.01);
    for wrench in predicted(&recorded, spring, &pressed(100e-6, 0.0)) {
        assert!(wrench[2] > 5.0 && wrench[0].abs() < 1e-3 && wrench[1].abs() < 1e-3, "{wrench:?}");
    }
}

/// A nut in a compliant hand: each recorded pose alone reproduces the measured load, although poses lie tens of
/// micrometres inside the bolt.
#[test]
fn each_pose_of_a_virtual_experiment_determines_its_load() {
    let scene = thread_scene(48.0, 5.0).expect("a pair");
    let quiet = VirtualOptions { seconds: 2.0, ..VirtualOptions::default() };
    let quiet = Disturbance::ALL.into_iter().fold(quiet, VirtualOptions::without);
    let trial = generate_trial(&scene, &quiet, 3).expect("generated");
    let recorded = RecordedScene::new(&scene, 0.01).expect("one free part");
    let spring = HoldingSpring::default();
    let whole = predicted(&recorded, spring, &trial);
    let moments = LoadModel::Settled.moments(&recorded, &spring, &trial).expect("samples");
    let errors = WrenchErrors::of(whole.iter().zip(&moments.measured));
    println!("{errors:?}");
    assert!(errors.force < 0.05 * errors.measured[0], "{errors:?}");
    // Half of the trial gives the same moments as the whole trial.
    let half = Recording { name: trial.name.clone(), samples: trial.samples[100..].to_vec() };
    let late = LoadModel::Settled.moments(&recorded, &spring, &half).expect("samples");
    assert_eq!(late.moments, moments.moments[moments.moments.len() - late.moments.len()..]);
}

/// Wrenches of a known spring, and a guess three times too soft: least squares recover it where the motion determines
/// it.
#[test]
fn the_compliance_of_a_hold_is_found_from_wrenches() {
    let recorded = block_on_table();
    let truth = HoldingSpring::settling([5e4; 3], [100.0; 3], 0.01);
    let mut trial = pressed(0.0, 5e-3);
    let first = trial.samples[0];
    trial.samples = (0..120)
        .map(|k| {
            let time = 0.01 * f64::from(k);
            let place = Vector3::new(5e-3 * time, 0.0, HALF - 100e-6 * (1.0 + (6.0 * time).sin()));
            Sample { time, world_from_part: Pose::new(place, UnitQuaternion::identity()), ..first }
        })
        .collect();
    let wrenches = predicted(&recorded, truth, &trial);
    let unjudged = trial.samples.len() - wrenches.len();
    for (sample, [x, y, z, tx, ty, tz]) in trial.samples[unjudged..].iter_mut().zip(wrenches) {
        (sample.force, sample.torque) = (Vector3::new(x, y, z), Vector3::new(tx, ty, tz));
    }
    let guess = HoldingSpring::settling([5e4 / 3.0; 3], [100.0 / 3.0; 3], 0.01);
    let found =
        identify_load(&recorded, LoadModel::Followed, &[&trial], guess, 15, |_, _| ()).expect("a load");
    println!("{found:?}");
    assert!((found.load.spring.stiffness[2] / 5e4 - 1.0).abs() < 0.02, "{found:?}");
    assert!((found.load.friction - 1.0).abs() < 0.02, "{found:?}");
    assert!(found.costs[1] < 1e-3 * found.costs[0], "{found:?}");
}
