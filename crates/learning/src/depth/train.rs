//! Trains a field for a part by a recipe.

use std::path::Path;

use rayon::prelude::*;
use serde_json::json;
use tightfit_network::training::{Progress, Samples, Stop, Trainer};
use tightfit_network::{Features, Field, FieldFile, Network, Primitive, Random, Range, Residual};
use tightfit_shape::Part;
use tightfit_spatial::Vector3;

use super::{DepthErrors, DepthRecipe, SurfaceSampler, primitive_of};
use crate::LearningError;
use crate::checkpoint::resume;

/// Points for the final errors, and points that decide which network is best.
const REPORT_POINTS: usize = 200_000;
const CHECK_POINTS: usize = 20_000;
/// Points per random sequence. Draws do not depend on the number of threads.
const PIECE: usize = 4096;

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct DepthProgress {
    /// Steps done.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Weighted root mean square error on validation points [m].
    pub error: f64,
    /// Smallest so far [m].
    pub best_error: f64,
}

/// A trained field, its recipe and its errors.
#[derive(Debug)]
pub struct TrainedDepth {
    /// Field and recipe, ready to be saved.
    pub file: FieldFile,
    /// Errors of the field.
    pub errors: DepthErrors,
    /// Why training ended.
    pub stop: Stop,
}

/// Trains a field; `name` is recorded in the recipe. With a `checkpoint` the run is saved at every validation, resumed
/// when the file exists, and the file is removed at the end. `report` receives the progress and returns whether to
/// continue.
///
/// # Errors
/// When the recipe is out of range, the part has no bounded surface, the checkpoint belongs to another task, or
/// training diverges.
pub fn train_depth(
    part: &Part,
    name: &str,
    recipe: &DepthRecipe,
    checkpoint: Option<&Path>,
    mut report: impl FnMut(&DepthProgress) -> bool,
) -> Result<TrainedDepth, LearningError> {
    recipe.check()?;
    let features = recipe.features.of(part);
    let sampler = SurfaceSampler::new(part)?;
    let seed = recipe.training.seed;
    let training = draw(&sampler, recipe, recipe.samples, seed);
    let others = draw(&sampler, recipe, CHECK_POINTS, seed ^ 0x00C0_FFEE);
    let primitive = if recipe.residual { primitive_of(part) } else { None };
    let (input_ranges, values, output_range) = ranges(features, primitive, &training)?;
    let residual = primitive.map(|primitive| Residual { primitive, values });
    let scaling = Scaling { features, inputs: &input_ranges, primitive, output: output_range };
    let samples = scaled(&scaling, recipe, &training)?;
    let others = scaled(&scaling, recipe, &others)?;
    drop(training);

    let purpose = purpose(name, recipe);
    let mut trainer = match checkpoint.filter(|path| path.exists()) {
        Some(path) => resume(path, &purpose, recipe.training.threads)?,
        None => {
            let sizes: Vec<usize> =
                [features.count()].into_iter().chain(recipe.hidden.iter().copied()).chain([1]).collect();
            let mut random = Random::stream(seed, 1);
            let network = Network::random(&sizes, recipe.activation, recipe.output, &mut random)?;
            Trainer::new(network, recipe.training.clone())?
        }
    };
    let metres = output_range.half_width();
    let stop = trainer.train(&samples, &others, |trainer, progress: &Progress| {
        if let Some(path) = checkpoint {
            trainer.save(path, &purpose)?;
        }
        let Progress { step, steps, error, best_error, .. } = *progress;
        let progress = DepthProgress { step, steps, error: metres * error, best_error: metres * best_error };
        Ok::<_, LearningError>(report(&progress))
    })?;
    let mut field = Field::new(features, input_ranges, output_range, trainer.best_network())?;
    if let Some(residual) = residual {
        field = field.with_residual(residual)?;
    }
    let errors = DepthErrors::measure(&field, &sampler, REPORT_POINTS, seed)?;
    if let Some(path) = checkpoint.filter(|_| stop != Stop::Asked) {
        // A leftover checkpoint would only be resumed at its end.
        let _ = std::fs::remove_file(path);
    }
    let recipe =
        json!({ "part": name, "recipe": recipe, "steps_done": trainer.step(), "errors_m_rad": errors });
    Ok(TrainedDepth { file: FieldFile { field, recipe }, errors, stop })
}

/// A point [m] and its distance [m].
type Labelled = (Vector3<f64>, f64);

/// Random points near the surface and in the band, in random order.
fn draw(sampler: &SurfaceSampler<'_>, recipe: &DepthRecipe, count: usize, seed: u64) -> Vec<Labelled> {
    let piece = |first: usize| {
        let mut random = Random::stream(seed, (first / PIECE + 2) as u64);
        let one = move |_| {
            if recipe.everywhere_fraction > 0.0 && random.unit() < recipe.everywhere_fraction {
                let (point, sample) = sampler.point_around(recipe.band, &mut random);
                return (point, sample.distance.clamp(-recipe.band, recipe.band));
            }
            let is_near = random.unit() < recipe.near_fraction;
            let reach = if is_near { recipe.near } else { recipe.band };
            let (point, sample) = sampler.point_within(reach, &mut random);
            (point, sample.distance)
        };
        (first..count.min(first + PIECE)).map(one).collect::<Vec<_>>()
    };
    (0..count).into_par_iter().step_by(PIECE).flat_map_iter(piece).collect()
}

/// Target of the network at a point: the distance, or its residual over the primitive.
fn target(primitive: Option<Primitive>, (point, distance): &Labelled) -> f64 {
    primitive.map_or(*distance, |primitive| distance - primitive.sample(*point).0)
}

/// Ranges of every feature, of the distance, and of the target.
fn ranges(
    features: Features,
    primitive: Option<Primitive>,
    points: &[Labelled],
) -> Result<(Vec<Range>, Range, Range), LearningError> {
    const FEATURES: usize = tightfit_network::MOST_FEATURES;
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; FEATURES + 2];
    for labelled in points {
        let numbers = features.of(labelled.0).into_iter().chain([labelled.1, target(primitive, labelled)]);
        for ([low, high], number) in bounds.iter_mut().zip(numbers) {
            (*low, *high) = (low.min(number), high.max(number));
        }
    }
    // A part that equals its primitive has no residual, and a range must not be empty.
    let last = &mut bounds[FEATURES + 1];
    (last[0], last[1]) = (last[0].min(last[1] - 1e-9), last[1]);
    let range = |[low, high]: [f64; 2]| Range::new("samples", low, high);
    let inputs: Result<Vec<_>, _> = bounds[..features.count()].iter().copied().map(range).collect();
    Ok((inputs?, range(bounds[FEATURES])?, range(bounds[FEATURES + 1])?))
}

/// Scaling of points and distances.
struct Scaling<'a> {
    features: Features,
    inputs: &'a [Range],
    primitive: Option<Primitive>,
    output: Range,
}

/// Samples in scaled units; a point at distance d weighs 1 / (1 + (d / half_weight)²).
fn scaled(
    scaling: &Scaling<'_>,
    recipe: &DepthRecipe,
    points: &[Labelled],
) -> Result<Samples, LearningError> {
    let Scaling { features, inputs, primitive, output } = scaling;
    let count = points.len();
    let mut columns = vec![0.0; inputs.len() * count];
    for (index, (point, _)) in points.iter().enumerate() {
        let numbers = features.of(*point);
        for (feature, range) in inputs.iter().enumerate() {
            columns[feature * count + index] = range.scaled(numbers[feature]) as f32;
        }
    }
    let weight = |distance: f64| 1.0 / (1.0 + (distance / recipe.half_weight).powi(2));
    let targets = points.iter().map(|labelled| output.scaled(target(*primitive, labelled)) as f32).collect();
    let weights = points.iter().map(|(_, distance)| weight(*distance) as f32).collect();
    Ok(Samples::new(columns, targets, weights)?)
}

/// The task that a checkpoint must match; threads change no result.
fn purpose(name: &str, recipe: &DepthRecipe) -> serde_json::Value {
    let mut recipe = recipe.clone();
    recipe.training.threads = 1;
    json!({ "part": name, "recipe": recipe })
}
