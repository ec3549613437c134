//! Laws of the environments: seeds, threads, draws, actions, ends.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod episodes;
mod options;
