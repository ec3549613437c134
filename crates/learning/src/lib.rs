/*!
How networks are made.

[`depth`] trains a network to give the distance from a part, from samples of the part's exact distance.
*/

pub mod depth;
mod error;

pub use error::LearningError;
