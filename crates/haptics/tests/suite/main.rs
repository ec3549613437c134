//! The loop in simulated time, its devices under good and bad input.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "tests print what they measured")]

mod arms;
mod doors;
mod passivity;
mod stability;
