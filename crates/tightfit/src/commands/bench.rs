//! `tightfit bench`: how fast the parts of a step are on this machine.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::{bench_batch, bench_clustering, bench_contacts, bench_detection, bench_network, bench_step};

#[derive(Args)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Many environments over threads: environment steps per second, speed-up, memory of an environment.
    Batch(bench_batch::BatchArguments),
    /// K-means, the first few, the four that cover most: time per contact.
    Clustering(bench_clustering::ClusteringArguments),
    /// What a contact costs, from a hundred nodes to ten thousand.
    Contacts(bench_contacts::ContactsArguments),
    /// All penetrations of two parts at given poses, beside FCL.
    Detection(bench_detection::DetectionArguments),
    /// Value and gradient of a depth network, 3-64-64-64-1 with ReLU.
    Network(bench_network::NetworkArguments),
    /// Whole runs of scenes: time of a step and of its stages.
    Step(bench_step::StepArguments),
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Batch(arguments) => bench_batch::run(arguments),
        What::Clustering(arguments) => bench_clustering::run(arguments),
        What::Contacts(arguments) => bench_contacts::run(arguments),
        What::Detection(arguments) => bench_detection::run(arguments),
        What::Network(arguments) => bench_network::run(arguments),
        What::Step(arguments) => bench_step::run(arguments),
    }
}
