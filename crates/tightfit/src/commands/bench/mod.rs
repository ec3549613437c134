//! `tightfit bench`: measures how fast the stages of a step are on this machine.

mod batch;
mod clustering;
mod contact_difference;
mod contacts;
mod detection;
mod detection_task;
mod fcl_process;
mod gpu_batch;
mod gpu_detection;
mod interaction;
mod network;
mod record;
mod step;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Measure batches over threads: environment steps per second, speed-up, memory per environment.
    Batch(batch::BatchArguments),
    /// Measure the clustering methods: time per contact.
    Clustering(clustering::ClusteringArguments),
    /// Measure the cost of a contact, from a hundred nodes to ten thousand.
    Contacts(contacts::ContactsArguments),
    /// Measure finding all penetrations of two parts at given poses, beside FCL.
    Detection(detection::DetectionArguments),
    /// Measure value and gradient of a depth network, 3-64-64-64-1 with ReLU.
    Network(network::NetworkArguments),
    /// Measure whole runs of scenes: time of a step and of its stages.
    Step(step::StepArguments),
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Batch(arguments) => batch::run(arguments),
        What::Clustering(arguments) => clustering::run(arguments),
        What::Contacts(arguments) => contacts::run(arguments),
        What::Detection(arguments) => detection::run(arguments),
        What::Network(arguments) => network::run(arguments),
        What::Step(arguments) => step::run(arguments),
    }
}
