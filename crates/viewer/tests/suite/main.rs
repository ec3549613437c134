//! Sessions, frames and the server.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "tests print what they measured")]

mod frames;
#[cfg(feature = "server")]
mod server;
mod sessions;
