/*!
How networks are made.

[`depth`] trains a network to give the distance from a part, from samples of the part's exact distance.
[`cspace`] trains one to tell free configurations of a part from colliding ones.
[`inrol`] reads the networks and tables that the paper's authors published.
[`clustering`] trains the interaction network from measured wrenches, [`wrench`] predicts and compares them;
[`virtual_experiment`] makes recordings where there are no real ones. [`cma_es`] searches where only values are known.
[`recordings`] holds trials with a force sensor.
*/

mod checkpoint;
pub mod clustering;
pub mod cma_es;
pub mod cspace;
pub mod depth;
pub mod embedding;
mod error;
pub mod identification;
pub mod inrol;
mod recipe;
pub mod recordings;
pub mod virtual_experiment;
pub mod wrench;

pub use error::LearningError;
