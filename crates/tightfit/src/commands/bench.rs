//! `tightfit bench`: how fast the parts of a step are on this machine.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::{bench_detection, bench_network, bench_step};

#[derive(Args)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// All penetrations of two parts at given poses, beside FCL.
    Detection(bench_detection::DetectionArguments),
    /// Value and gradient of a depth network, 3-64-64-64-1 with ReLU.
    Network(bench_network::NetworkArguments),
    /// Whole runs of scenes: time of a step and of its stages.
    Step(bench_step::StepArguments),
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Detection(arguments) => bench_detection::run(arguments),
        What::Network(arguments) => bench_network::run(arguments),
        What::Step(arguments) => bench_step::run(arguments),
    }
}
