//! The fitted scene is a file that runs and that draws from its ranges.

use tightfit_calibration::{Experiment, Fit, FitOptions, Quantity, TouchOptions, fitted_scene, plan_touches};
use tightfit_shape::Part;
use tightfit_simulation::{Scene, Simulation};
use tightfit_spatial::{SplitMix, Vector3};

use crate::pressed_peg::{experiment, recorded, words};

#[test]
fn the_written_scene_runs_and_draws_sizes_from_its_range() {
    let experiment = experiment();
    let (unknowns, _) = experiment.unknowns(&words("peg.diameter,friction"), &[], [None, None]).unwrap();
    let trials = recorded(&experiment, &unknowns, &[-25e-6, 0.3], 1..3, 2.0, [0.05, 0.002]);
    let (unknowns, wear) =
        experiment.unknowns(&words("peg.diameter,friction,hole.wear"), &trials, [Some(6), Some(5)]).unwrap();
    let fit = Fit::new(&experiment, unknowns, wear, &trials, FitOptions::default()).unwrap();
    let found = fit.solve(|_| ()).unwrap();
    let text = fitted_scene(&experiment, &found).unwrap();
    let scene = Scene::from_toml(&text).unwrap();
    assert_eq!(scene.uncertainty.len(), 2, "{text}");
    let hole = scene.body("hole").unwrap();
    assert!(scene.bodies[hole].gap_field.is_some());
    let (mut run, peg) = (Simulation::new(scene.clone(), 1), scene.body("peg").unwrap());
    for _ in 0..50 {
        assert!(run.step().converged);
    }
    let radius = |part: &Part| -part.sample(Vector3::new(0.0, 0.0, 50e-3)).distance;
    let [low, high] = scene.uncertainty[0].range.map(|mm| mm * 0.5e-3);
    let mut random = SplitMix::stream(5);
    let drawn: Vec<f64> =
        (0..5).map(|_| radius(&scene.drawn(&mut random).unwrap().bodies[peg].part)).collect();
    assert!(drawn.iter().all(|own| (low - 1e-9..=high + 1e-9).contains(own)), "{drawn:?} in {low} to {high}");
    assert!(drawn.windows(2).any(|pair| (pair[0] - pair[1]).abs() > 1e-9), "{drawn:?}");
}

#[test]
fn planned_touches_tell_what_is_asked_and_each_tells_less_than_the_first() {
    let scene = Scene::find("peg-in-hole").unwrap();
    let experiment = Experiment::new(&scene, 0.01).unwrap();
    let (unknowns, _) = experiment.unknowns(&words("diameter,fixed-pose"), &[], [None, None]).unwrap();
    let options = TouchOptions { count: 6, candidates: 60, ..TouchOptions::default() };
    let touches = plan_touches(&experiment, scene.drives.first(), &unknowns, None, &options, || ()).unwrap();
    assert_eq!(touches.len(), 6);
    assert!(touches.windows(2).all(|pair| pair[1].gain <= pair[0].gain + 1e-9));
    let last = &touches[5].left;
    assert!(last[0] < 0.2 && last[1] < 0.2, "{last:?}");
    // a round peg in a round hole tells least about the rotation about their axis
    assert!(last[..6].iter().all(|own| *own < 0.2 * last[6]), "{last:?}");
}

#[test]
fn a_refused_stiffness_and_a_refused_shift_stay_out_of_the_written_scene() {
    let experiment = experiment();
    let (unknowns, wear) = experiment.unknowns(&words("stiffness,fixed-pose"), &[], [None, None]).unwrap();
    let truth: Vec<f64> = unknowns.iter().map(|_| 0.0).collect();
    let trials = recorded(&experiment, &unknowns, &truth, 1..2, 0.5, [0.05, 0.002]);
    let options = FitOptions { iterations: 1, ..FitOptions::default() };
    let mut found = Fit::new(&experiment, unknowns, wear, &trials, options).unwrap().solve(|_| ()).unwrap();
    for (index, own) in found.estimates.iter_mut().enumerate() {
        let (is_told, coordinate) = match own.unknown.quantity {
            Quantity::Stiffness(axis) => (axis == 0, 0.0),
            Quantity::FixedPose(axis) => (axis == 1, 1e-4),
            _ => panic!("not asked for"),
        };
        found.coordinates[index] = coordinate;
        own.refusal = (!is_told).then(|| "not told".to_string());
    }
    let drive = |text: &str| {
        let drive = text.parse::<toml::Table>().unwrap()["drive"].clone();
        ["stiffness_n_m", "turning_stiffness_nm_rad"].map(|key| {
            drive[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|k| k.as_float().or(k.as_integer().map(|k| k as f64)).unwrap())
                .collect::<Vec<f64>>()
        })
    };
    let written = fitted_scene(&experiment, &found).unwrap();
    let ([before, turning], [after, turning_after]) = (drive(&experiment.source.text), drive(&written));
    assert!(after[0] < before[0], "{after:?} of {before:?}");
    assert_eq!((&after[1..], turning_after), (&before[1..], turning));
    let scene = Scene::from_toml(&written).unwrap();
    let hole = scene.body("hole").unwrap();
    let moved = scene.bodies[hole].world_from_part.translation
        - experiment.scene.bodies[hole].world_from_part.translation;
    assert!((moved - Vector3::new(0.0, 1e-4, 0.0)).norm() < 1e-9, "{moved}");
}
