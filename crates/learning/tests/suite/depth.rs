//! Depth networks: samples are distributed as specified, a short run already fits the part, and runs are reproducible.

use tightfit_learning::LearningError;
use tightfit_learning::depth::{DepthErrors, DepthRecipe, FeatureKind, SurfaceSampler, train_depth};
use tightfit_network::training::{Stop, TrainingOptions};
use tightfit_network::{Features, FieldFile, Random};
use tightfit_shape::Part;
use tightfit_shape::preset::preset;

fn short() -> DepthRecipe {
    let recipe = DepthRecipe::default();
    let training = TrainingOptions { batch: 960, steps: 800, check_every: 100, ..recipe.training };
    DepthRecipe { samples: 30_000, training, ..recipe }
}

#[test]
fn surface_points_lie_on_the_surface_and_are_uniform_over_its_area() {
    for name in ["hole-50", "m48x5-bolt", "peg-50"] {
        let part = preset(name).unwrap();
        let sampler = SurfaceSampler::new(&part).unwrap();
        let mut random = Random::new(3);
        for _ in 0..2_000 {
            let (point, normal) = sampler.surface_point(&mut random);
            let sample = part.sample(point);
            assert!(sample.distance.abs() < 1e-8, "{name}: {}", sample.distance);
            assert!((normal.norm() - 1.0).abs() < 1e-9);
        }
    }
    // Share of the bore in the surface of the hole: areas 2πrh, end rings π(R² − r²), cone.
    let part = preset("hole-50").unwrap();
    let sampler = SurfaceSampler::new(&part).unwrap();
    let (bore, outer, depth, chamfer) = (25.0175_f64, 38.0_f64, 50.0, 1.0);
    let walls = [2.0 * bore * (depth - chamfer), 2.0 * outer * depth];
    let rings = [outer.powi(2) - bore.powi(2), outer.powi(2) - (bore + chamfer).powi(2)];
    let cone = (2.0 * bore + chamfer) * chamfer * 2.0_f64.sqrt();
    let expected = walls[0] / (walls[0] + walls[1] + rings[0] + rings[1] + cone);
    let mut random = Random::new(4);
    let count = 20_000;
    let is_bore = |_: &i32| {
        let (point, _) = sampler.surface_point(&mut random);
        (point.x.hypot(point.y) - 1e-3 * bore).abs() < 1e-8
    };
    let share = (0..count).filter(is_bore).count() as f64 / f64::from(count);
    // Four standard deviations.
    let tolerance = 4.0 * (expected * (1.0 - expected) / f64::from(count)).sqrt();
    assert!((share - expected).abs() < tolerance, "{share} against {expected}");
}

/// A constant guess would have a mean error of 50 um over the 100 um on either side.
#[test]
fn a_short_run_fits_the_hole_roughly_and_is_reproducible() {
    let part = preset("hole-50").unwrap();
    let run = |threads| {
        let mut recipe = short();
        recipe.training.threads = threads;
        train_depth(&part, "hole-50", &recipe, None, |_| true).unwrap()
    };
    let trained = run(2);
    assert_eq!(trained.file.field.features(), Features::Revolved);
    assert!(trained.errors.median < 15e-6, "{:?}", trained.errors);
    assert_eq!(run(1).file.field.network(), trained.file.field.network());
    let bytes = trained.file.to_bytes().unwrap();
    let read = FieldFile::from_bytes(&bytes, "test").unwrap();
    assert_eq!(read.recipe["part"], "hole-50");
}

#[test]
fn a_stopped_run_is_resumed_and_a_checkpoint_of_another_task_is_rejected() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hole.checkpoint");
    let _ = std::fs::remove_file(&path);
    let part = preset("hole-50").unwrap();
    let whole = train_depth(&part, "hole-50", &short(), None, |_| true).unwrap();
    let first = train_depth(&part, "hole-50", &short(), Some(&path), |progress| progress.step < 300).unwrap();
    assert_eq!(first.stop, Stop::Asked);
    let other = DepthRecipe { near: 1e-4, ..short() };
    let error = train_depth(&part, "hole-50", &other, Some(&path), |_| true).unwrap_err();
    assert!(matches!(error, LearningError::OtherTask { .. }), "{error}");
    let mut recipe = short();
    recipe.training.threads = 3;
    let second = train_depth(&part, "hole-50", &recipe, Some(&path), |_| true).unwrap();
    assert_eq!(second.file.field.network(), whole.file.field.network());
    assert!(!path.exists());
}

/// The residual of a ring is the hole's chamfer, that of a smooth screw the bolt's edges. Both are smaller than the
/// distance and learnt with less error at the same effort.
#[test]
fn a_residual_is_learnt_better_than_the_whole_distance() {
    for name in ["hole-50", "m48x5-bolt"] {
        let part = preset(name).unwrap();
        let train = |residual| {
            let recipe = DepthRecipe { residual, ..short() };
            train_depth(&part, name, &recipe, None, |_| true).unwrap()
        };
        let (whole, rest) = (train(false), train(true));
        assert!(whole.file.field.residual().is_none() && rest.file.field.residual().is_some());
        assert_eq!(rest.file.field.value_range(), whole.file.field.value_range());
        let (range, full) = (rest.file.field.output_range(), whole.file.field.output_range());
        assert!(range.half_width() < full.half_width(), "{name}: {range:?} of {full:?}");
        assert!(
            rest.errors.median < 0.8 * whole.errors.median,
            "{name}: {:?} {:?}",
            rest.errors,
            whole.errors
        );
    }
}

#[test]
fn features_follow_the_symmetry_of_the_part() {
    let of = |name: &str| FeatureKind::Symmetry.of(&preset(name).unwrap());
    assert_eq!(of("peg-50"), Features::Revolved);
    assert_eq!(of("square-peg-20"), Features::Cartesian);
    let Features::Screw { pitch } = of("m48x5-bolt") else { panic!("a screw") };
    assert!((pitch - 5e-3).abs() < 1e-12);
    assert_eq!(FeatureKind::Cartesian.of(&preset("m48x5-bolt").unwrap()), Features::Cartesian);
}

#[test]
fn invalid_recipes_and_parts_without_a_surface_are_rejected() {
    let part = preset("hole-50").unwrap();
    let refuse =
        |recipe: DepthRecipe| train_depth(&part, "hole-50", &recipe, None, |_| true).unwrap_err().to_string();
    let error = refuse(DepthRecipe { near_fraction: 1.5, ..short() });
    assert_eq!(error, "near_fraction is 1.5; allowed: 0 to 1");
    assert!(refuse(DepthRecipe { hidden: vec![], ..short() }).starts_with("hidden is []"));
    assert!(refuse(DepthRecipe { near: 1e-2, ..short() }).contains("at most the band"));
    assert!(train_depth(&Part::HalfSpace, "floor", &short(), None, |_| true).is_err());
}

/// The embedded networks meet their stated errors: 1 µm and 3 µm at 99 % and 0.5 µm at the median.
#[test]
fn the_embedded_networks_have_the_errors_that_their_files_state() {
    for (name, p99) in [("hole-50", 1e-6), ("m48x5-bolt", 3e-6)] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../simulation/assets/networks");
        let file = FieldFile::load(&folder.join(format!("{name}-depth.safetensors"))).unwrap();
        let part = preset(name).unwrap();
        let errors =
            DepthErrors::measure(&file.field, &SurfaceSampler::new(&part).unwrap(), 50_000, 99).unwrap();
        assert!(errors.p99 < p99 && errors.median < 0.5e-6, "{name}: {errors:?}");
        let stated: DepthErrors = serde_json::from_value(file.recipe["errors_m_rad"].clone()).unwrap();
        assert!((errors.p99 / stated.p99 - 1.0).abs() < 0.2, "{name}: {errors:?} against {stated:?}");
        assert!((errors.median / stated.median - 1.0).abs() < 0.1, "{name}: {errors:?} against {stated:?}");
    }
}
