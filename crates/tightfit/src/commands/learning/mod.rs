//! Commands that train networks, and read, compare and identify recordings.

mod calibrate;
pub(crate) mod evaluate;
mod evaluate_arm;
mod habit_options;
pub(crate) mod identify;
pub(crate) mod identify_pose;
pub(crate) mod import;
pub(crate) mod plan_touches;
mod recorded_trials;
pub(crate) mod recording;
pub(crate) mod train;
mod train_clustering;
mod train_cspace;
mod train_embedding;
mod train_options;
mod trained_part;
pub(crate) mod virtual_experiment;
