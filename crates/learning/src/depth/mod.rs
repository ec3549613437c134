//! Depth networks: the signed distance from a part, learnt from its exact distance.
//!
//! [`DepthRecipe`] says how, [`train_depth`] does it, [`DepthErrors`] says how wrong the result is. Samples lie where
//! the distance is needed: most of them within a few hundred micrometres of the surface, even over its area, the
//! rest out to the edge of a band beyond which the network is not to be asked.

mod errors;
mod primitive;
mod recipe;
mod sampler;
mod train;

pub use errors::DepthErrors;
pub use primitive::primitive_of;
pub use recipe::{DepthRecipe, FeatureKind};
pub use sampler::SurfaceSampler;
pub use train::{DepthProgress, TrainedDepth, train_depth};
