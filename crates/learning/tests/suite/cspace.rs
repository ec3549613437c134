//! C-space networks: labels are right, a toy problem with a known solution is learnt, and runs are reproducible.

use tightfit_learning::LearningError;
use tightfit_learning::cspace::{
    ConfigurationBox, ConfigurationRecipe, Offenders, PairGap, draw, task_boxes, train_configuration,
};
use tightfit_network::training::{Stop, TrainingOptions};
use tightfit_network::{ChartSymmetry, CspaceChart, CspaceFile, LocalChart, Range};
use tightfit_simulation::Scene;

/// A ball of 10 mm diameter above the ground: free where its centre is higher than 5 mm.
fn ball() -> (PairGap, ConfigurationBox) {
    let text = "name = \"ball\"\n[parts.ball]\nshape = { kind = \"sphere\", diameter_mm = 10 }\n\
                [parts.ground]\nshape = { kind = \"half-space\" }\nmotion = \"fixed\"\n";
    let scene = Scene::from_toml(text).unwrap();
    let chart = CspaceChart::Local(LocalChart {
        point_in_part: [0.0; 3],
        nominal_point: [0.0, 0.0, 5.1e-3],
        nominal_rotation: [0.0, 0.0, 0.0, 1.0],
        symmetry: ChartSymmetry::None,
    });
    let ranges = [Range { low: -2e-4, high: 2e-4 }; 6];
    let [ball, ground] = ["ball", "ground"].map(|name| scene.body(name).unwrap());
    (PairGap::of(&scene, ball, ground), ConfigurationBox { name: "toy", chart, ranges, start: [0.0; 6] })
}

fn short() -> ConfigurationRecipe {
    let recipe = ConfigurationRecipe::default();
    let training = TrainingOptions { batch: 960, steps: 1500, check_every: 100, ..recipe.training };
    ConfigurationRecipe { samples: 30_000, hidden: vec![16, 16], training, ..recipe }
}

#[test]
fn labels_are_right_and_samples_concentrate_at_contact() {
    let (pair, place) = ball();
    let samples = draw(&pair, &place, &short(), 20_000, 1);
    assert_eq!(samples.len(), 20_000);
    let mut near = 0;
    for (q, label) in &samples {
        let gap = 0.1e-3 + q[2];
        // The last bisection locates contact to a five-hundredth of the line.
        assert!(*label == 0.0 || (*label > 0.0) == (gap >= 0.0) || gap.abs() < 2e-6, "{q:?} {label}");
        near += usize::from(gap.abs() < 10e-6);
    }
    // Uniform over the box it would be a twentieth, 1000.
    assert!(near > 2_000, "{near}");
}

#[test]
fn a_toy_problem_is_learnt_to_micrometres_and_runs_are_reproducible() {
    let (pair, place) = ball();
    let run = |threads| {
        let mut recipe = short();
        recipe.training.threads = threads;
        train_configuration(&pair, &place, "ball", &recipe, None, |_| true).unwrap()
    };
    let trained = run(2);
    assert!((trained.errors.free - 0.75).abs() < 0.01, "{:?}", trained.errors);
    assert!(trained.errors.wrong < 0.01 && trained.errors.p95 < 8e-6, "{:?}", trained.errors);
    assert_eq!(run(1).file.field.network(), trained.file.field.network());
    let bytes = trained.file.to_bytes().unwrap();
    let read = CspaceFile::from_bytes(&bytes, "test").unwrap();
    assert_eq!(read.field.chart(), &place.chart);
    assert_eq!(read.recipe["box"], "toy");
}

#[test]
fn a_stopped_run_is_resumed_and_a_checkpoint_of_another_box_is_rejected() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("toy.checkpoint");
    let _ = std::fs::remove_file(&path);
    let (pair, place) = ball();
    let train = |place: &ConfigurationBox, last: u64| {
        train_configuration(&pair, place, "ball", &short(), Some(&path), |progress| progress.step < last)
    };
    assert_eq!(train(&place, 300).unwrap().stop, Stop::Asked);
    let mut other = place.clone();
    other.ranges[0].high = 3e-4;
    let error = train(&other, u64::MAX).unwrap_err();
    assert!(matches!(error, LearningError::OtherTask { .. }), "{error}");
    let resumed = train(&place, u64::MAX).unwrap();
    let whole = train_configuration(&pair, &place, "ball", &short(), None, |_| true).unwrap();
    assert_eq!(resumed.file.field.network(), whole.file.field.network());
}

#[test]
fn boxes_follow_from_the_play_of_the_parts() {
    let scene = Scene::find("peg-in-hole").unwrap();
    let ([moving, fixed], boxes) = task_boxes(&scene).unwrap();
    assert_eq!(boxes.iter().map(|place| place.name).collect::<Vec<_>>(), ["workspace", "mouth", "inserted"]);
    // Five times half of 50.035 − 49.97 mm.
    let shift = boxes[2].ranges[0].high;
    assert!((shift - 5.0 * 32.5e-6).abs() < 0.1e-6, "{shift:e}");
    let pair = PairGap::of(&scene, moving, fixed);
    for place in &boxes {
        let nominal = place.chart.fixed_from_part([0.0; 6], pair.center_in_part());
        assert!(!pair.collides(&nominal, &mut Offenders::default()) || place.name != "inserted");
    }

    let scene = Scene::find("bolting-engaged").unwrap();
    let (_, boxes) = task_boxes(&scene).unwrap();
    let engaged = boxes.last().unwrap();
    // 0.2 mm of radial play, and the axial play that follows from the 60° flanks.
    assert!((engaged.ranges[0].high - 2.0 * 0.2e-3).abs() < 2e-6, "{engaged:?}");
    assert!((engaged.ranges[5].high - 2.0 * 0.2e-3 / 3.0_f64.sqrt()).abs() < 4e-6, "{engaged:?}");
    let CspaceChart::Local(LocalChart { symmetry, .. }) = engaged.chart else { panic!("{engaged:?}") };
    assert_eq!(symmetry, ChartSymmetry::Screw { pitch: 5e-3 });

    let error = task_boxes(&Scene::find("block-on-table").unwrap()).unwrap_err().to_string();
    assert!(error.contains("[drive]"), "{error}");
}
