//! Depth networks: the signed distance from a part, learnt from its exact distance.
//!
//! [`DepthRecipe`] holds the options, [`train_depth`] trains, [`DepthErrors`] measures the result. Most samples lie
//! within a few hundred micrometres of the surface, uniform over its area; the rest fill the band in which the network
//! is valid.

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
