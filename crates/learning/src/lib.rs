/*!
Training of depth and C-space networks, recordings with a force sensor, and identification from them.

[`depth`] trains a network to predict the distance from a part, from samples of the part's exact distance.
[`cspace`] trains one to separate free configurations of a part from colliding ones.
[`recordings`] reads, inspects and splits logged trials; [`identification`] estimates sensor, part, hole and grasp from them.
*/

mod checkpoint;
pub mod cspace;
pub mod depth;
mod error;
pub mod identification;
mod recipe;
pub mod recordings;

pub use checkpoint::check_purpose;
pub use error::LearningError;
