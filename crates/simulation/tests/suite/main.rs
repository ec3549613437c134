//! The simulation: laws of the step, of scenes, logs, batches and arms.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod absurd_control;
mod arm;
mod arm_laws;
mod assessment;
mod batch;
mod contact_forces;
mod determinism;
mod exact_solids;
mod interaction;
mod kinematic;
mod logs;
mod mesh_detection;
mod methods;
mod mouths;
mod neural_detection;
mod pinned_hashes;
mod polyhedra;
mod recordings;
mod restitution;
mod rolling;
mod scene_builder;
mod scene_files;
mod shapes_in_scenes;
mod simulation;
mod step_laws;
mod strategies;
mod thread_starts;
mod thread_state;
mod truth;
mod tumbling;
mod validation;

#[path = "../support/mod.rs"]
mod support;
