//! Commands on parts, scenes, runs and their logs.

pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod compare_cspace;
pub(crate) mod fit;
mod order;
pub(crate) mod part;
mod part_report;
mod part_step;
pub(crate) mod presets;
mod reference;
pub(crate) mod render;
pub(crate) mod replay;
pub(crate) mod run;
mod run_report;
pub(crate) mod scenes;
pub(crate) mod schema;
mod survey;
pub(crate) mod trials;
pub(crate) mod validate;
mod validate_recordings;
pub(crate) mod view;
mod within_tolerance;
