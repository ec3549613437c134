//! What is told of a training after each generation.

use crate::wrench::WrenchErrors;

/// Where a training stands.
#[derive(Clone, Copy, Debug)]
pub struct ClusteringProgress {
    /// Stage under way, from 0, and how many there are.
    pub stage: [usize; 2],
    /// Generations of this stage, and how many it has.
    pub generation: [u64; 2],
    /// Errors of the search's mean on the watched moments.
    pub errors: WrenchErrors,
    /// Lowest cost of any mean so far [-].
    pub best_cost: f64,
    /// Step size of the search.
    pub sigma: f64,
}
