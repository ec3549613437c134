//! The program as a user calls it.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod fit;
mod haptics;
mod paper;
mod program;
mod recorded;
mod refusals;
mod report;
mod support;
mod train_clustering;
mod tutorial;
