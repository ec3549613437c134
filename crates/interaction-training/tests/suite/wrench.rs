//! Recorded wrenches: files keep every bit, virtual experiments follow their seed, predictions do not use the measured
//! wrench, and a resumed training gives the same bits.

use tightfit_interaction::InteractionOptions;
use tightfit_interaction_training::clustering::{
    ClusteringRecipe, Subset, input_ranges, interaction_pair, plain_surface, spread_start, train_clustering,
};
use tightfit_interaction_training::cma_es::{CmaOptions, Search};
use tightfit_interaction_training::virtual_experiment::{
    Disturbance, VirtualOptions, generate, generate_trial, thread_scene,
};
use tightfit_interaction_training::wrench::{
    FittedLoad, LoadModel, LoadSearch, Moment, Moments, RecordedScene, WrenchErrors, WrenchPredictor,
    closed_loop, identify_load,
};
use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::{Recording, fingerprint, load_recordings};
use tightfit_simulation::{InteractionPair, Motion, Preset};
use tightfit_spatial::Vector3;

fn short() -> VirtualOptions {
    VirtualOptions { seconds: 0.3, ..VirtualOptions::default() }
}

fn m48x5() -> RecordedScene {
    RecordedScene::new(&thread_scene(48.0, 5.0).expect("a pair"), 0.01).expect("one free part")
}

fn trials(count: usize) -> Vec<Recording> {
    generate(&thread_scene(48.0, 5.0).expect("a pair"), &short(), count, || ()).expect("generated")
}

#[test]
fn a_virtual_experiment_follows_its_seed_and_files_keep_every_bit() {
    let scene = thread_scene(47.2, 5.0).expect("a pair of the paper");
    let all = generate(&scene, &short(), 2, || ()).expect("generated");
    // A trial does not depend on the others.
    assert_eq!(all[1], generate_trial(&scene, &short(), 1).expect("generated"));
    assert_ne!(all[0].samples, all[1].samples);
    let other = VirtualOptions { seed: 2, ..short() };
    assert_ne!(fingerprint(&all), fingerprint(&generate(&scene, &other, 2, || ()).expect("generated")));

    let folder = std::env::temp_dir().join(format!("recordings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for recording in &all {
        recording.save(&folder.join(format!("{}.csv", recording.name)), "a test").expect("written");
    }
    assert_eq!(load_recordings(&folder).expect("read"), all);
    std::fs::write(folder.join("trial-000.csv"), "time\n1\n").expect("written");
    let refused = load_recordings(&folder).unwrap_err().to_string();
    assert!(refused.contains("does not begin with"), "{refused}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn without_noise_and_waviness_the_followed_part_has_the_measured_wrench() {
    let scene = thread_scene(48.0, 5.0).expect("a pair");
    let quiet = VirtualOptions { seconds: 2.0, ..VirtualOptions::default() };
    let quiet = Disturbance::ALL.into_iter().fold(quiet, VirtualOptions::without);
    let trial = generate_trial(&scene, &quiet, 3).expect("generated");
    let recorded = m48x5();
    // The grasp of the experiment is the spring of the prediction.
    let spring = HoldingSpring {
        stiffness: [quiet.grasp[0]; 3],
        turning_stiffness: [quiet.grasp[1]; 3],
        ..HoldingSpring::default()
    };
    let moments = LoadModel::Followed.moments(&recorded, &spring, &trial).expect("samples");
    // The first 0.1 s are not evaluated; a step is compared with the sample at its end.
    assert_eq!(moments.skipped, 9);
    let (wrenches, farthest) = closed_loop(&recorded, Preset::Tight.into(), &spring, &moments);
    let errors = WrenchErrors::of(wrenches.iter().zip(&moments.measured));
    println!("closed loop {errors:?}, farthest {farthest}");
    assert!(errors.force < 0.02 * errors.measured[0], "{errors:?}");
    // The same states one by one: only the solver's initial guess differs.
    let mut predictor = WrenchPredictor::new(&recorded, Preset::Tight.into(), spring);
    let predicted: Vec<[f64; 6]> = moments.moments.iter().map(|own| predictor.predict(own)).collect();
    let difference = WrenchErrors::of(predicted.iter().zip(&wrenches));
    assert!(difference.force < 0.01 * errors.measured[0], "{difference:?}");
}

/// An arm whose kinematics are off reports other poses of the same motion.
#[test]
fn a_pose_error_changes_recorded_poses_and_nothing_else() {
    let scene = thread_scene(48.0, 5.0).expect("a pair");
    let off = VirtualOptions { pose_error: [150e-6, 1e-3], ..short() };
    let [exact, off] = [short(), off].map(|own| generate_trial(&scene, &own, 3).expect("generated"));
    let mut largest = [0.0_f64; 2];
    for (exact, off) in exact.samples.iter().zip(&off.samples) {
        assert_eq!((exact.force, exact.torque, exact.load), (off.force, off.torque, off.load));
        let error = exact.world_from_part.inverse() * off.world_from_part;
        largest[0] = largest[0].max(error.translation.norm());
        largest[1] = largest[1].max(error.rotation.angle());
    }
    // three axes and a peak of √10 standard deviations each, at most; the turn is about the centre of mass
    assert!((20e-6..1e-3).contains(&largest[0]) && (1e-4..6e-3).contains(&largest[1]), "{largest:?}");
}

/// The true spring of an experiment without disturbances: hardly any candidate is better, and a search that forgets its
/// start ends with a worse one.
#[test]
fn a_load_search_never_ends_worse_than_its_start() {
    let scene = thread_scene(48.0, 5.0).expect("a pair");
    let quiet = Disturbance::ALL.into_iter().fold(short(), VirtualOptions::without);
    let trial = generate_trial(&scene, &quiet, 3).expect("generated");
    let truth = HoldingSpring {
        stiffness: [quiet.grasp[0]; 3],
        turning_stiffness: [quiet.grasp[1]; 3],
        ..HoldingSpring::default()
    };
    for rounds in [0, 1] {
        let found = identify_load(&m48x5(), LoadModel::Followed, &[&trial], truth, rounds, |_, _| ());
        let LoadSearch { load, costs: [before, after], .. } = found.expect("a load");
        assert!(after <= before, "{before} {after}");
        assert_eq!(after == before, load == FittedLoad::of(truth), "{load:?}");
    }
}

#[test]
fn a_prediction_does_not_use_the_measured_wrench() {
    let recorded = m48x5();
    let spring = HoldingSpring::default();
    let trial = trials(1).remove(0);
    let mut other = trial.clone();
    for sample in &mut other.samples {
        (sample.force, sample.torque) = (Vector3::new(1e3, -1e3, 7.0), Vector3::new(5.0, 5.0, 5.0));
    }
    for model in LoadModel::ALL {
        let [own, others] =
            [&trial, &other].map(|trial| model.moments(&recorded, &spring, trial).expect("samples"));
        assert_eq!(own.moments, others.moments);
        assert_ne!(own.measured, others.measured);
    }
}

#[test]
fn errors_are_root_mean_squares() {
    let measured = [[3.0, 4.0, 0.0, 0.0, 0.0, 2.0], [0.0; 6]];
    let nothing = WrenchErrors::of([[0.0; 6]; 2].iter().zip(&measured));
    assert!((nothing.force - 12.5_f64.sqrt()).abs() < 1e-15);
    assert!((nothing.torque - 2.0_f64.sqrt()).abs() < 1e-15);
    assert!((nothing.cost(0.02) - 1.0).abs() < 1e-15);
    assert!((nothing.per_axis[1] - 8.0_f64.sqrt()).abs() < 1e-15);
    assert_eq!(WrenchErrors::of(measured.iter().zip(&measured)).cost(0.02), 0.0);
}

#[test]
fn the_cost_does_not_depend_on_the_unit_of_length() {
    let measured = [[3.0, 4.0, 0.0, 0.0, 0.1, 0.2], [1.0, 0.0, 2.0, 0.3, 0.0, 0.0]];
    let predicted = [[2.5, 4.0, 0.5, 0.1, 0.1, 0.2], [1.0, 0.5, 2.0, 0.1, 0.0, 0.1]];
    let errors = WrenchErrors::of(predicted.iter().zip(&measured));
    let lever = 0.025;
    // In millimetres, torque and lever are both a thousand times larger.
    let in_millimetres = |own: &[f64; 6]| -> [f64; 6] {
        std::array::from_fn(|axis| if axis < 3 { own[axis] } else { 1e3 * own[axis] })
    };
    let [few, own] = [&predicted, &measured].map(|all| all.map(|wrench| in_millimetres(&wrench)));
    let scaled = WrenchErrors::of(few.iter().zip(&own));
    assert!((scaled.cost(1e3 * lever) / errors.cost(lever) - 1.0).abs() < 1e-12);
    // A torque error of 1 N times the lever counts as a force error of 1 N.
    let off = |axis: usize, by: f64| {
        let mut wrong = measured;
        wrong[0][axis] += by;
        WrenchErrors::of(wrong.iter().zip(&measured)).cost(lever)
    };
    assert!((off(3, lever) / off(0, 1.0) - 1.0).abs() < 1e-12);
}

#[test]
fn the_lever_of_a_nut_is_where_its_thread_is() {
    // Nodes are on a thread between 42.6 and 48 mm in diameter, about 40 mm high.
    let lever = m48x5().lever;
    assert!((0.021..0.033).contains(&lever), "{lever}");
}

/// Pair and moments of a small training.
fn small_task(recorded: &RecordedScene) -> (InteractionPair, Vec<Moments>) {
    let spring = HoldingSpring::default();
    let moments: Vec<Moments> = trials(2)
        .iter()
        .map(|trial| LoadModel::Followed.moments(recorded, &spring, trial).expect("samples"))
        .collect();
    let all: Vec<Moment> = moments.iter().flat_map(|own| own.moments.iter().copied()).collect();
    let ranges = input_ranges(recorded, &spring, &all, 0.03).expect("ranges");
    let nut = recorded.scene.bodies.iter().find(|body| body.motion == Motion::Free).expect("a nut");
    let surface = plain_surface(&nut.part, recorded.inertia.center_of_mass).expect("a surface");
    let network = spread_start(ranges, InteractionOptions::PAPER, 1).expect("a network");
    (interaction_pair(&recorded.scene, network, surface).expect("a pair"), moments)
}

#[test]
fn a_resumed_training_gives_the_same_bits_with_any_number_of_threads() {
    let recorded = m48x5();
    let (pair, moments) = small_task(&recorded);
    let recipe = ClusteringRecipe {
        stages: vec![Subset::Outputs, Subset::Objects],
        generations: 2,
        population: 4,
        batch: 3,
        watched: 4,
        ..ClusteringRecipe::default()
    };
    let nothing = serde_json::Value::Null;
    let path = std::env::temp_dir().join(format!("clustering-{}", std::process::id()));
    let train = |threads: usize, checkpoint: Option<&std::path::Path>, most: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut told = 0;
        let trained = pool.install(|| {
            train_clustering(&recorded, &pair, &moments, &recipe, &nothing, checkpoint, |_| {
                told += 1;
                told < most
            })
        });
        trained.expect("trained")
    };
    let whole = train(1, None, u64::MAX);
    assert!(whole.is_complete);
    // Stop in each stage, and at the end of the first one.
    for most in [1, 1, 1] {
        assert!(!train(2, Some(&path), most).is_complete);
    }
    let resumed = train(2, Some(&path), u64::MAX);
    std::fs::remove_file(&path).expect("a checkpoint");
    assert_eq!(whole.file.network.parameters(), resumed.file.network.parameters());
    assert_eq!(whole.errors, resumed.errors);
}

#[test]
fn a_checkpoint_of_another_cost_is_rejected() {
    let recorded = m48x5();
    let (pair, moments) = small_task(&recorded);
    let recipe = ClusteringRecipe { population: 4, batch: 1, watched: 1, ..ClusteringRecipe::default() };
    let search = Search::new(vec![0.0; 126], recipe.sigma, CmaOptions::default(), 0).expect("a search");
    let path = std::env::temp_dir().join(format!("clustering-cost-{}", std::process::id()));
    let nothing = serde_json::Value::Null;
    // An older checkpoint, whose cost has no name.
    let before = serde_json::json!({ "purpose": { "task": nothing, "recipe": recipe } });
    search.save(&path, &before).expect("written");
    let refused = train_clustering(&recorded, &pair, &moments, &recipe, &nothing, Some(&path), |_| false);
    std::fs::remove_file(&path).expect("a checkpoint");
    let Err(refused) = refused else { panic!("it was resumed") };
    assert!(refused.to_string().contains("its cost is null"), "{refused}");
}
