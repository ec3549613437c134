//! Arms: kinematics, control, grasp, published runs.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod control;
mod grasp;
mod grasp_contact;
mod pinocchio;
mod published_runs;
mod urdf;
