/*!
How networks are made.

[`depth`] trains a network to give the distance from a part, from samples of the part's exact distance.
[`inrol`] reads the networks and tables that the paper's authors published.
*/

pub mod depth;
mod error;
pub mod inrol;

pub use error::LearningError;
