//! C-space networks: whether a part is free at a configuration, learnt from binary collision labels.
//!
//! [`task_boxes`] selects the configurations, [`train_configuration`] trains by a [`ConfigurationRecipe`], and
//! [`ConfigurationErrors`] measures how far from contact the result is wrong. Labels come from [`PairGap`], the exact
//! smallest gap of the nodes of both parts; the network sees only its sign, the error report its value.
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022, section 4.1.

mod boxes;
mod errors;
mod pair_gap;
mod recipe;
mod sampler;
mod train;

pub use boxes::{ConfigurationBox, task_boxes};
pub use errors::ConfigurationErrors;
pub use pair_gap::{Offenders, PairGap};
pub use recipe::ConfigurationRecipe;
pub use sampler::{Labelled, draw};
pub use train::{ConfigurationProgress, TrainedConfiguration, train_configuration};
