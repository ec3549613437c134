//! Progress report after each generation.

use crate::wrench::WrenchErrors;

/// Progress of a training.
#[derive(Clone, Copy, Debug)]
pub struct ClusteringProgress {
    /// Current stage, from 0, and number of stages.
    pub stage: [usize; 2],
    /// Finished generations of this stage, and their total.
    pub generation: [u64; 2],
    /// Errors of the search's mean on the watched moments.
    pub errors: WrenchErrors,
    /// Lowest cost of any mean so far [-].
    pub best_cost: f64,
    /// Step size of the search.
    pub sigma: f64,
}
