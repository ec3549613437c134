//! Trains a field over the configurations of a box.

use std::path::Path;

use serde_json::json;
use tightfit_network::training::{Progress, Samples, Stop, Trainer};
use tightfit_network::{Activation, COORDINATES, CspaceField, CspaceFile, Network, Random, Range};

use super::{ConfigurationBox, ConfigurationErrors, ConfigurationRecipe, Labelled, PairGap, draw};
use crate::LearningError;
use crate::checkpoint::resume;

/// Samples for the final errors, and samples that decide which network is best.
const REPORT_SAMPLES: usize = 200_000;
const CHECK_SAMPLES: usize = 20_000;

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct ConfigurationProgress {
    /// Steps done.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Mean loss ln(1 + exp(−t h)) on validation samples [-].
    pub price: f64,
    /// Smallest so far [-].
    pub best_price: f64,
}

/// A trained field, its recipe and its errors.
#[derive(Debug)]
pub struct TrainedConfiguration {
    /// Field and recipe, ready to be saved.
    pub file: CspaceFile,
    /// Errors of the field.
    pub errors: ConfigurationErrors,
    /// Why training ended.
    pub stop: Stop,
}

/// Trains a field; `name` is recorded in the recipe. With a `checkpoint` the run is saved at every validation, resumed
/// when the file exists, and the file is removed at the end. `report` receives the progress and returns whether to
/// continue.
///
/// # Errors
/// When the recipe is out of range, the checkpoint belongs to another task, or training diverges.
pub fn train_configuration(
    pair: &PairGap,
    place: &ConfigurationBox,
    name: &str,
    recipe: &ConfigurationRecipe,
    checkpoint: Option<&Path>,
    mut report: impl FnMut(&ConfigurationProgress) -> bool,
) -> Result<TrainedConfiguration, LearningError> {
    recipe.check()?;
    let seed = recipe.training.seed;
    let samples = scaled(&place.ranges, &draw(pair, place, recipe, recipe.samples, seed))?;
    let others = scaled(&place.ranges, &draw(pair, place, recipe, CHECK_SAMPLES, seed ^ 0x00C0_FFEE))?;
    let purpose = purpose(name, place, recipe);
    let mut trainer = match checkpoint.filter(|path| path.exists()) {
        Some(path) => resume(path, &purpose, recipe.training.threads)?,
        None => {
            let sizes: Vec<usize> =
                [COORDINATES].into_iter().chain(recipe.hidden.iter().copied()).chain([1]).collect();
            let mut random = Random::stream(seed, 1);
            let network = Network::random(&sizes, recipe.activation, Activation::Identity, &mut random)?;
            Trainer::new(network, recipe.training.clone())?
        }
    };
    let stop = trainer.train(&samples, &others, |trainer, progress: &Progress| {
        if let Some(path) = checkpoint {
            trainer.save(path, &purpose)?;
        }
        let Progress { step, steps, error, best_error, .. } = *progress;
        Ok::<_, LearningError>(report(&ConfigurationProgress {
            step,
            steps,
            price: error,
            best_price: best_error,
        }))
    })?;
    let field = CspaceField::new(place.chart, place.ranges, trainer.best_network())?;
    let errors = ConfigurationErrors::measure(&field, pair, place, REPORT_SAMPLES, seed)?;
    if let Some(path) = checkpoint.filter(|_| stop != Stop::Asked) {
        // A leftover checkpoint would only be resumed at its end.
        let _ = std::fs::remove_file(path);
    }
    let recipe = json!({
        "task": name,
        "box": place.name,
        "recipe": recipe,
        "steps_done": trainer.step(),
        "errors_m": errors,
    });
    Ok(TrainedConfiguration { file: CspaceFile { field, recipe }, errors, stop })
}

/// Samples in scaled units.
fn scaled(ranges: &[Range; COORDINATES], labelled: &[Labelled]) -> Result<Samples, LearningError> {
    let column = |k: usize| labelled.iter().map(move |(q, _)| ranges[k].scaled(q[k]) as f32);
    let inputs = (0..COORDINATES).flat_map(column).collect();
    let targets = labelled.iter().map(|(_, label)| *label as f32).collect();
    Ok(Samples::new(inputs, targets, vec![1.0; labelled.len()])?)
}

/// The task that a checkpoint must match; threads change no result.
fn purpose(name: &str, place: &ConfigurationBox, recipe: &ConfigurationRecipe) -> serde_json::Value {
    let mut recipe = recipe.clone();
    recipe.training.threads = 1;
    json!({ "task": name, "box": { "chart": place.chart, "ranges": place.ranges }, "recipe": recipe })
}
