//! Laws of the environments: seeds, threads, draws, actions, ends.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod episodes;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../gpu/tests/suite/host_library.rs"]
mod host_library;
mod on_device;
mod options;
