//! One file per command.

pub(crate) mod audit;
pub(crate) mod bench;
mod bench_detection;
mod bench_network;
mod bench_step;
pub(crate) mod compare;
mod compare_cspace;
mod detection_task;
mod fcl_process;
pub(crate) mod import;
mod order;
pub(crate) mod part;
pub(crate) mod part_report;
pub(crate) mod replay;
pub(crate) mod run;
mod run_report;
pub(crate) mod scenes;
pub(crate) mod schema;
mod simulate;
pub(crate) mod survey;
pub(crate) mod train;
mod train_cspace;
mod train_options;
pub(crate) mod validate;
mod validate_recordings;
