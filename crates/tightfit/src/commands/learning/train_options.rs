//! Options that every `tightfit train` has.

use clap::Args;
use tightfit::network::training::TrainingOptions;

#[derive(Args)]
pub(super) struct TrainOptions {
    /// Take this many training steps.
    #[arg(long, value_name = "COUNT")]
    steps: Option<u64>,
    /// Train on this many samples.
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// Use this many samples per minibatch.
    #[arg(long, value_name = "COUNT")]
    batch: Option<usize>,
    /// Set the learning rate.
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// Draw from this seed; the same seed gives the same network on the same kind of processor.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use this many threads; results do not change.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl TrainOptions {
    /// Replaces what was given in a recipe's number of samples and training.
    pub(super) fn replace(&self, samples: &mut usize, training: &mut TrainingOptions) {
        *samples = self.samples.unwrap_or(*samples);
        (training.seed, training.threads) = (self.seed, self.threads);
        training.steps = self.steps.unwrap_or(training.steps);
        training.batch = self.batch.unwrap_or(training.batch);
        training.learning_rate = self.learning_rate.unwrap_or(training.learning_rate);
    }
}
