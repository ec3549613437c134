//! Laws of calibration: slopes against differences, known truths, refusals, interruption, written scenes.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod coverage;
mod interruption;
mod pressed_peg;
mod slopes;
mod truths;
mod written;
