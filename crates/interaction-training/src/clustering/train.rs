//! Training: a search in stages, with a checkpoint after every generation.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tightfit_interaction::{InteractionClustering, InteractionFile, InteractionNetwork};
use tightfit_learning::check_purpose;
use tightfit_network::Random;
use tightfit_simulation::{ClusteringMethod, CspaceMethod, InteractionPair, Methods};

use super::{ClusteringProgress, ClusteringRecipe, Subset};
use crate::LearningError;
use crate::cma_es::{CmaOptions, Search};
use crate::wrench::{Moment, Moments, RecordedScene, WrenchErrors, WrenchPredictor};

/// A trained network and its errors.
pub struct TrainedClustering {
    /// Network, surface and recipe.
    pub file: InteractionFile,
    /// Errors on the watched moments before and after.
    pub errors: [WrenchErrors; 2],
    /// Whether all generations were done; false when `report` stopped the training.
    pub is_complete: bool,
}

/// Content of a checkpoint beside the search.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Standing {
    stage: usize,
    /// Finished generations of this stage.
    done: u64,
    /// All parameters at the start of the stage.
    parameters: Vec<f64>,
    best: Vec<f64>,
    best_cost: f64,
}

/// Trains the network of a pair on moments. A checkpoint with another `purpose` is rejected. `report` is called after
/// every generation and stops the training by returning `false`; the checkpoint is then kept.
///
/// # Errors
/// When the recipe is invalid, there are no moments, or the checkpoint cannot be used.
pub fn train_clustering(
    recorded: &RecordedScene,
    pair: &InteractionPair,
    moments: &[Moments],
    recipe: &ClusteringRecipe,
    purpose: &serde_json::Value,
    checkpoint: Option<&Path>,
    mut report: impl FnMut(&ClusteringProgress) -> bool,
) -> Result<TrainedClustering, LearningError> {
    recipe.check()?;
    let task = Task::new(recorded, pair, moments, recipe)?;
    let purpose = json!({ "task": purpose, "recipe": recipe, "cost": COST });
    let start = pair.clustering.network.parameters().to_vec();
    let before = task.errors(&start, &task.watched);
    let mut standing =
        Standing { stage: 0, done: 0, best_cost: task.cost(&before), best: start.clone(), parameters: start };
    let mut search = match checkpoint.filter(|path| path.exists()) {
        Some(path) => {
            let (search, found) = Search::resume(path)?;
            standing = task.standing(&found, &purpose, path)?;
            search
        }
        None => task.search(&standing)?,
    };
    let mut is_complete = true;
    'stages: loop {
        let places = recipe.stages[standing.stage].places();
        while standing.done < recipe.generations && search.stopped().is_none() {
            let batch = task.batch(standing.stage, standing.done);
            let candidates = search.ask().to_vec();
            let cost = |candidate: &Vec<f64>| {
                task.cost(&task.errors(&merged(&standing.parameters, &places, candidate), &batch))
            };
            let costs: Vec<f64> = candidates.par_iter().map(cost).collect();
            search.tell(&costs)?;
            standing.done += 1;
            let mean = merged(&standing.parameters, &places, search.descent().mean());
            let errors = task.errors(&mean, &task.watched);
            let cost = task.cost(&errors);
            if cost < standing.best_cost {
                (standing.best_cost, standing.best) = (cost, mean);
            }
            if let Some(path) = checkpoint {
                search.save(path, &json!({ "purpose": purpose, "standing": standing }))?;
            }
            let progress = ClusteringProgress {
                stage: [standing.stage, recipe.stages.len()],
                generation: [standing.done, recipe.generations],
                errors,
                best_cost: standing.best_cost,
                sigma: search.descent().sigma(),
            };
            if !report(&progress) {
                is_complete = false;
                break 'stages;
            }
        }
        if standing.stage + 1 == recipe.stages.len() {
            break;
        }
        standing.stage += 1;
        standing.done = 0;
        standing.parameters.clone_from(&standing.best);
        search = task.search(&standing)?;
    }
    let after = task.errors(&standing.best, &task.watched);
    let network = task.network(&standing.best);
    let recipe = json!({
        "purpose": purpose,
        "is_complete": is_complete,
        "watched_before": before,
        "watched_after": after,
    });
    let file = InteractionFile { network, surface: pair.clustering.surface.clone(), recipe };
    Ok(TrainedClustering { file, errors: [before, after], is_complete })
}

/// The parameters of a network with some of them replaced.
fn merged(parameters: &[f64], places: &[usize], own: &[f64]) -> Vec<f64> {
    let mut all = parameters.to_vec();
    places.iter().zip(own).for_each(|(place, number)| all[*place] = *number);
    all
}

/// Names the cost in checkpoints. A checkpoint with another cost is rejected.
const COST: &str = "squares of force and of torque over the lever, of the measured";

/// Moments per task of a thread: enough to amortise its workspace.
const PIECE: usize = 50;

/// A moment and its measured wrench.
type Pair = (Moment, [f64; 6]);

/// Data and options for the evaluation of candidates.
struct Task<'a> {
    recorded: &'a RecordedScene,
    pair: &'a InteractionPair,
    recipe: &'a ClusteringRecipe,
    moments: Vec<Pair>,
    watched: Vec<Pair>,
    /// Root mean square of all measured forces and torques [N, N·m].
    measured: [f64; 2],
}

impl<'a> Task<'a> {
    fn new(
        recorded: &'a RecordedScene,
        pair: &'a InteractionPair,
        moments: &[Moments],
        recipe: &'a ClusteringRecipe,
    ) -> Result<Self, LearningError> {
        let pairs = |own: &Moments| own.moments.iter().copied().zip(own.measured.clone()).collect::<Vec<_>>();
        let moments: Vec<Pair> = moments.iter().flat_map(pairs).collect();
        if moments.is_empty() {
            return Err(LearningError::Option {
                option: "moments to train on",
                value: "0".into(),
                allowed: "one or more",
            });
        }
        let measured = WrenchErrors::of(moments.iter().map(|(_, measured)| (measured, measured))).measured;
        let mut task = Self { recorded, pair, recipe, moments, watched: Vec::new(), measured };
        task.watched = task.draw(u64::MAX, recipe.watched);
        Ok(task)
    }

    fn draw(&self, stream: u64, count: usize) -> Vec<Pair> {
        let mut random = Random::stream(self.recipe.seed ^ 0x0ba7_c4e5, stream);
        (0..count).map(|_| self.moments[random.index(self.moments.len())]).collect()
    }

    /// Draws the moments of a generation, the same for all its candidates.
    fn batch(&self, stage: usize, generation: u64) -> Vec<Pair> {
        self.draw(((stage as u64) << 40) | generation, self.recipe.batch)
    }

    fn search(&self, standing: &Standing) -> Result<Search, LearningError> {
        let subset: Subset = self.recipe.stages[standing.stage];
        let start = subset.places().iter().map(|place| standing.parameters[*place]).collect();
        let options = CmaOptions {
            covariance: self.recipe.covariance,
            population: self.recipe.population,
            seed: self.recipe.seed.wrapping_add(standing.stage as u64),
            ..CmaOptions::default()
        };
        Search::new(start, self.recipe.sigma, options, self.recipe.restarts)
    }

    fn network(&self, parameters: &[f64]) -> InteractionNetwork {
        let mut network = self.pair.clustering.network.clone();
        network.parameters_mut().copy_from_slice(parameters);
        network
    }

    /// The cost that the search minimises.
    fn cost(&self, errors: &WrenchErrors) -> f64 {
        errors.cost_against(self.measured, self.recorded.lever)
    }

    /// Errors of a network on some moments. Threads take pieces of them, each with its workspace; a prediction does not
    /// depend on the previous one.
    fn errors(&self, parameters: &[f64], pairs: &[Pair]) -> WrenchErrors {
        let clustering = InteractionClustering {
            network: self.network(parameters),
            surface: self.pair.clustering.surface.clone(),
        };
        let mut recorded = self.recorded.clone();
        recorded.scene.interaction =
            Some(InteractionPair { clustering: Arc::new(clustering), ..self.pair.clone() });
        // No C-space rows: they would support the part where clusters fail.
        let methods = Methods {
            clustering: ClusteringMethod::Interaction,
            cspace: CspaceMethod::None,
            ..Methods::from(self.recipe.solved_by)
        };
        let piece = |pairs: &[Pair]| {
            let mut predictor = WrenchPredictor::new(&recorded, methods, self.recipe.load.spring);
            pairs.iter().map(|(moment, _)| predictor.predict(moment)).collect::<Vec<_>>()
        };
        let predicted: Vec<[f64; 6]> = pairs.par_chunks(PIECE).flat_map_iter(piece).collect();
        WrenchErrors::of(predicted.iter().zip(pairs.iter().map(|(_, measured)| measured)))
    }

    /// State of a resumed training, if it has the same purpose.
    fn standing(
        &self,
        found: &serde_json::Value,
        purpose: &serde_json::Value,
        path: &Path,
    ) -> Result<Standing, LearningError> {
        check_purpose(path, &found["purpose"], purpose)?;
        let standing: Result<Standing, _> = serde_json::from_value(found["standing"].clone());
        let count = self.pair.clustering.network.parameters().len();
        let fits = |own: &Standing| {
            own.stage < self.recipe.stages.len() && own.parameters.len() == count && own.best.len() == count
        };
        standing.ok().filter(fits).ok_or_else(|| {
            let problem = "it does not state the progress of the training".to_string();
            LearningError::file(path, problem, "delete it to start again")
        })
    }
}
