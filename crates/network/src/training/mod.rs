//! Fits a network to samples.
//!
//! ```text
//! loss = 1/B Σ_p w_p ρ(y(x_p), t_p)        over a minibatch of B samples
//! ```
//! [`Trainer`] takes steps of Adam or SOAP with a cosine schedule, keeps the parameters with the smallest validation
//! error, stops early, and can be saved and resumed. Two runs with the same seed, samples and options give the same
//! bits on the same path, whatever the number of threads: a minibatch is divided into shards of fixed size whose
//! gradients are added in a fixed order.

mod adam;
mod checkpoint;
mod optimizer_state;
mod options;
mod samples;
mod shard;
mod soap;
mod trainer;

pub use options::{Loss, Optimizer, TrainingOptions};
pub use samples::Samples;
pub use trainer::{Progress, Stop, Trainer};
