//! Networks: inference, training, fields.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod field;
mod inference;
mod training;
