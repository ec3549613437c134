//! The executable `tightfit`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tightfit::program::run(std::env::args_os())
}
