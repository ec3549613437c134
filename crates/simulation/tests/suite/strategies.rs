//! Strategies in their scenes: they succeed from errors that they do not know, and all that they remember is in the state.

use tightfit_robot::strategy::Phase;
use tightfit_simulation::trials::{StartError, Trial, Trials};
use tightfit_simulation::{Scene, Simulation, Snapshot};

/// The first trials of a scene succeed, certified; where `deepest` is given [m] they are audited to that.
fn succeeds(name: &str, count: usize, deepest: Option<f64>) {
    let scene = Scene::find(name).unwrap();
    let audited = if deepest.is_some() { count } else { 0 };
    let results = Trials { count, audited, ..Trials::default() }.run(&scene, |_| {});
    for trial in &results {
        let audited = trial.penetration[1];
        eprintln!("{name} {}: {:.2} s, audit {audited:?} m", trial.number, trial.time);
        assert!(trial.is_success(), "{trial:?}");
        assert_eq!(trial.end, Some(Phase::Done));
        assert_eq!(trial.steps[1], 0, "unconverged");
        assert!(trial.penetration[0].unwrap() < 5e-6, "{:?}", trial.penetration);
        assert!(audited.unwrap_or(0.0) <= deepest.unwrap_or(0.0), "{audited:?}");
        assert!(trial.grasp_drift < 1e-6, "{:e}", trial.grasp_drift);
    }
}

#[test]
fn a_spiral_finds_the_hole() {
    succeeds("peg-spiral", 3, Some(1e-6));
}

#[test]
fn a_tilted_peg_is_set_upright_in_the_hole() {
    // its edge crosses that of the hole between the nodes of both
    succeeds("peg-tilt", 3, Some(1e-6));
}

#[test]
fn denser_nodes_on_crossing_edges_do_not_throw_the_peg() {
    // their planes almost oppose one another: undone in full, 3 µm of penetration would take a way of millimetres
    let spacing = ["peg", "hole"].map(|part| format!("parts.{part}.nodes.edge_spacing_mm=0.5"));
    let scene = Scene::find_with("peg-tilt", &spacing).unwrap();
    let (trial, _, records) = Trial::make(&scene, &Trials::default(), 52, false);
    assert!(trial.is_success(), "{trial:?}");
    assert!(trial.penetration[0].unwrap() < 1e-6 && trial.grasp_drift < 1e-6, "{trial:?}");
    let moves = records.windows(2).map(|pair| (pair[1].pose.translation - pair[0].pose.translation).norm());
    // the hand goes at 20 mm/s
    assert!(moves.fold(0.0, f64::max) < 0.5e-3);
}

#[test]
fn a_chamfer_is_felt() {
    succeeds("peg-chamfer", 3, Some(1e-6));
}

#[test]
fn a_nut_finds_its_thread_by_back_turning() {
    succeeds("bolt-back-turn", 1, None);
}

#[test]
fn a_nut_that_wedges_does_not_press_against_locked_joints() {
    // its turn ends within a step; joints at rest give way to that at their dry friction
    let scene = Scene::find("bolt-back-turn").unwrap();
    let (trial, ..) = Trial::make(&scene, &Trials { seed: 2, ..Trials::default() }, 6, false);
    assert!(trial.is_success(), "{trial:?}");
    assert!(trial.peaks[0] < 60.0 && trial.grasp_drift < 1e-6, "{trial:?}");
}

#[test]
fn a_push_that_is_taken_back_leaves_the_grasp_alone() {
    // pushed out early, then pushed deeper and taken back: the joints keep what the first push moved them by
    let scene = Scene::find("bolt-back-turn").unwrap();
    let (trial, ..) = Trial::make(&scene, &Trials { seed: 2, ..Trials::default() }, 14, false);
    assert!(trial.is_success() && trial.grasp_drift < 1e-6, "{trial:?}");
}

#[test]
fn a_nut_is_tightened_to_its_torque() {
    let scene = Scene::find("bolt-tighten").unwrap();
    let (trial, ..) = Trial::make(&scene, &Trials::default(), 3, false);
    assert!(trial.is_success(), "{trial:?}");
    let torque = trial.outcome.torque.unwrap();
    assert!((2.85..=3.3).contains(&torque), "{torque}");
}

#[test]
fn trials_do_not_depend_on_threads() {
    let scene = Scene::find("peg-tilt").unwrap();
    let trials = Trials { count: 3, ..Trials::default() };
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trials.run(&scene, |_| {}))
    });
    assert_eq!(one, two);
}

#[test]
fn a_snapshot_in_the_middle_of_a_search_goes_on_to_the_same_bits() {
    let scene = Scene::find("peg-spiral").unwrap();
    let mut run = Simulation::new(scene.clone(), 1);
    run.misplace(&StartError::draw(1, 3, 1e-3, 0.01, false), 1, 3);
    while run.phase() != Some(Phase::Search) {
        run.step();
    }
    let text = serde_json::to_string(&run.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let mut other = Simulation::new(scene, 1);
    other.restore(&snapshot).unwrap();
    for _ in 0..100 {
        run.step();
        other.step();
        assert_eq!(run.state.hash(), other.state.hash());
    }
    let damaged = text.replace("\"phase\":2", "\"phase\":99");
    let error = serde_json::from_str::<Snapshot>(&damaged).unwrap_err().to_string();
    assert!(error.contains("phase 99"), "{error}");
}

#[test]
fn a_strategy_does_not_know_the_error() {
    let scene = Scene::find("peg-chamfer").unwrap();
    let mut runs = [0, 1].map(|number| {
        let mut run = Simulation::new(scene.clone(), 1);
        run.misplace(&StartError::draw(1, number, 1e-3, 0.01, false), 1, number);
        run
    });
    // 3 mm of free air at 10 mm/s
    for _ in 0..25 {
        for run in &mut runs {
            run.step();
        }
        let [one, two] = [&runs[0], &runs[1]].map(|run| {
            let arm = run.state.arm.as_ref().unwrap();
            (arm.strategy.unwrap().command, arm.held.tip_from_center)
        });
        assert_eq!(one.0, two.0);
        assert_ne!(one.1, two.1);
    }
}

#[test]
fn wrong_strategies_are_answered_with_the_remedy() {
    for (scene, setting, expected) in [
        ("peg-spiral", "arm.strategy.kind=magic", "spiral"),
        ("peg-spiral", "arm.strategy.pitch_mm=0", "arm.strategy.pitch_mm"),
        ("peg-spiral", "arm.strategy.tilt_deg=3", "tilt_deg"),
        ("peg-tilt", "arm.strategy.tilt_deg=60", "30"),
        ("peg-chamfer", "arm.strategy.insertion.press_n=-1", "arm.strategy.insertion.press_n"),
        ("bolt-tighten", "arm.strategy.torque_nm=nan", "arm.strategy.torque_nm"),
        ("peg-spiral", "arm.controller={ kind = \"joints\" }", "`impedance` or `admittance`"),
        ("bolt-back-turn", "arm.strategy={ kind = \"spiral\" }", "task of kind `insert`"),
        ("peg-spiral", "arm.strategy={ kind = \"tighten\" }", "task of kind `thread`"),
        ("peg-in-hole-arm", "arm.strategy={ kind = \"spiral\" }", "keep one of the two"),
    ] {
        let error = Scene::find_with(scene, &[setting.to_string()]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{setting}: {error}");
    }
}
