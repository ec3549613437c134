/*!
How networks are made.

[`depth`] trains a network to give the distance from a part, from samples of the part's exact distance.
[`cspace`] trains one to tell free configurations of a part from colliding ones.
[`inrol`] reads the networks and tables that the paper's authors published.
[`recordings`] holds trials with a force sensor.
*/

mod checkpoint;
pub mod cspace;
pub mod depth;
pub mod embedding;
mod error;
pub mod inrol;
mod recipe;
pub mod recordings;

pub use error::LearningError;
