//! What is trained keeps its laws: embedding, CMA-ES, published clusterings.
//!
//! One binary for the whole crate: linking dozens of them took longer than running them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print why they are skipped and what they measured"
)]

mod cma_es;
mod embedding;
mod inrol;
mod inrol_clustering;
mod settled;
mod untrained;
mod wrench;
