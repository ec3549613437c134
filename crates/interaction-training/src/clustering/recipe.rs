//! Recipe of a training.

use serde::{Deserialize, Serialize};
use tightfit_simulation::Preset;

use super::Subset;
use crate::LearningError;
use crate::cma_es::Covariance;
use crate::wrench::{FittedLoad, LoadModel};

/// Everything but the recordings that determines the result.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ClusteringRecipe {
    /// Which covariance the search adapts.
    pub covariance: Covariance,
    /// Parameters that are searched, stage after stage.
    pub stages: Vec<Subset>,
    /// Generations of each stage.
    pub generations: u64,
    /// Candidates of a generation; 0 for the default 4 + 3 ln n.
    pub population: usize,
    /// Standard deviation of the first candidates [-].
    pub sigma: f64,
    /// Recorded moments that a generation is evaluated on.
    pub batch: usize,
    /// Recorded moments that decide which generation is best.
    pub watched: usize,
    /// Restarts with twice the population.
    pub restarts: u32,
    /// Seed of draws and batches.
    pub seed: u64,
    /// Preset that states the other methods (detection, solver) of the evaluation.
    pub solved_by: Preset,
    /// How state and load are derived from recorded poses.
    pub load_model: LoadModel,
    /// The load; its friction and height are already applied to the scene.
    #[serde(flatten)]
    pub load: FittedLoad,
}

impl Default for ClusteringRecipe {
    fn default() -> Self {
        Self {
            covariance: Covariance::Separable,
            stages: vec![Subset::Outputs, Subset::Objects, Subset::All],
            generations: 100,
            population: 0,
            sigma: 0.05,
            batch: 200,
            watched: 400,
            restarts: 0,
            seed: 1,
            solved_by: Preset::Refined,
            load_model: LoadModel::Followed,
            load: FittedLoad::default(),
        }
    }
}

impl ClusteringRecipe {
    pub(super) fn check(&self) -> Result<(), LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        if self.stages.is_empty() {
            return wrong("stages", "none".into(), "one or more of outputs, objects, all");
        }
        if !(1..=1_000_000).contains(&self.batch) || !(1..=1_000_000).contains(&self.watched) {
            return wrong(
                "batch and watched",
                format!("{} and {}", self.batch, self.watched),
                "1 to 1000000",
            );
        }
        if self.generations == 0 {
            return wrong("generations", "0".into(), "1 or more");
        }
        Ok(())
    }
}
