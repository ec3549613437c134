//! Shapes: distances against independent references.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod baked_field;
mod detection_benchmark_contacts;
mod detection_benchmark_nut;
mod detection_benchmark_peg;
mod face_blocks;
mod mesh_distance;
mod parametric_parts;
mod recognition;
mod small_features;
mod step_parts;
mod support;
