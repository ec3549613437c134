//! The training run: optimiser steps, validation, and the best network so far.

use rayon::prelude::*;
use tightfit_spatial::InstructionSet;

use super::optimizer_state::OptimizerState;
use super::shard::{SHARD_POINTS, Shard};
use super::{Loss, Samples, TrainingOptions};
use crate::kernel::{PackedNetwork, TileMemory};
use crate::{Inference, InferenceScratch, Network, NetworkError, Random};

/// Progress of a run, reported at every validation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Mean loss over the last minibatch, in scaled units.
    pub loss: f64,
    /// Validation error: weighted root mean square error in scaled units, or weighted mean loss for
    /// [`Loss::Logistic`].
    pub error: f64,
    /// Smallest validation error so far.
    pub best_error: f64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All steps are done.
    Finished,
    /// No improvement for `patience` validations.
    EarlyStop,
    /// The caller stopped it.
    Asked,
}

/// A training run: everything that the next step depends on, except the samples.
#[derive(Debug)]
pub struct Trainer {
    pub(super) options: TrainingOptions,
    pub(super) network: Network,
    pub(super) parameters: Vec<f32>,
    pub(super) optimizer: OptimizerState,
    pub(super) step: u64,
    pub(super) best: Vec<f32>,
    pub(super) best_error: f64,
    pub(super) looks_without_gain: u64,
    packed: PackedNetwork,
    memories: Vec<TileMemory>,
    shards: Vec<ShardResult>,
    gradient: Vec<f32>,
}

/// Result of a shard.
#[derive(Clone, Debug, Default)]
struct ShardResult {
    price: f64,
    gradient: Vec<f32>,
}

impl Trainer {
    /// A run that starts from the weights of `network`.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn new(network: Network, options: TrainingOptions) -> Result<Self, NetworkError> {
        options.check()?;
        let count = network.parameter_count();
        let mut parameters = Vec::new();
        network.copy_parameters_to(&mut parameters);
        let shard = ShardResult { price: 0.0, gradient: vec![0.0; count] };
        Ok(Self {
            packed: PackedNetwork::new(&network, InstructionSet::current()),
            memories: (0..options.threads).map(|_| TileMemory::default()).collect(),
            shards: vec![shard; options.batch.div_ceil(SHARD_POINTS)],
            gradient: vec![0.0; count],
            optimizer: OptimizerState::new(options.optimizer, &network),
            best: parameters.clone(),
            best_error: f64::INFINITY,
            looks_without_gain: 0,
            step: 0,
            parameters,
            network,
            options,
        })
    }

    /// Options of the run.
    #[must_use]
    pub fn options(&self) -> &TrainingOptions {
        &self.options
    }

    /// Sets the number of threads, at least one; it does not change the result.
    pub fn set_threads(&mut self, threads: usize) {
        self.options.threads = threads.max(1);
        self.memories.resize_with(self.options.threads, TileMemory::default);
    }

    /// Steps done.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The current network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network with the smallest validation error.
    #[must_use]
    pub fn best_network(&self) -> Network {
        let mut network = self.network.clone();
        network.set_parameters(&self.best);
        network
    }

    /// Trains until the last step, an early stop, or until `go_on` returns false; it is called at every validation.
    ///
    /// # Errors
    /// When samples and network do not match, the loss is not finite, or `go_on` fails.
    pub fn train<E: From<NetworkError>>(
        &mut self,
        samples: &Samples,
        others: &Samples,
        mut go_on: impl FnMut(&Self, &Progress) -> Result<bool, E>,
    ) -> Result<Stop, E> {
        let mut scratch = InferenceScratch::default();
        let mut values = vec![0.0; others.len()];
        while self.step < self.options.steps {
            let loss = self.advance(samples)?;
            let is_last = self.step == self.options.steps;
            if !is_last && !self.step.is_multiple_of(self.options.check_every) {
                continue;
            }
            let error = self.error_on(others, &mut values, &mut scratch)?;
            self.looks_without_gain += 1;
            if error < self.best_error {
                self.best_error = error;
                self.best.copy_from_slice(&self.parameters);
                self.looks_without_gain = 0;
            }
            let (step, steps, best_error) = (self.step, self.options.steps, self.best_error);
            if !go_on(self, &Progress { step, steps, loss, error, best_error })? && !is_last {
                return Ok(Stop::Asked);
            }
            if self.looks_without_gain >= self.options.patience && !is_last {
                return Ok(Stop::EarlyStop);
            }
        }
        Ok(Stop::Finished)
    }

    /// One step of the optimiser; returns the loss before it.
    ///
    /// # Errors
    /// When samples and network do not match, or the loss is not finite.
    pub fn advance(&mut self, samples: &Samples) -> Result<f64, NetworkError> {
        let loss = self.differentiate(samples)?;
        if !loss.is_finite() {
            let (step, learning_rate) = (self.step, self.options.learning_rate);
            return Err(NetworkError::Diverged { loss, step, learning_rate });
        }
        let rate = self.options.rate_at(self.step);
        self.optimizer.advance(&mut self.parameters, &self.gradient, self.step, rate);
        self.network.set_parameters(&self.parameters);
        self.packed.fill(&self.network);
        self.step += 1;
        Ok(loss)
    }

    /// Replaces the parameters.
    pub(super) fn take(&mut self, parameters: Vec<f32>) {
        self.parameters = parameters;
        self.network.set_parameters(&self.parameters);
        self.packed.fill(&self.network);
    }

    /// Loss of the next minibatch; writes its gradient to `self.gradient`.
    fn differentiate(&mut self, samples: &Samples) -> Result<f64, NetworkError> {
        if samples.width() != self.network.inputs() {
            let expected = self.network.inputs();
            return Err(NetworkError::size("samples", "inputs of a point", samples.width(), expected));
        }
        let (first, batch) = (self.first_sample(samples.len()), self.options.batch);
        let (network, loss) = (&self.packed, self.options.loss);
        // Every worker takes consecutive shards; the result does not depend on the worker.
        let per_worker = self.shards.len().div_ceil(self.memories.len());
        let work = self.memories.par_iter_mut().zip(self.shards.par_chunks_mut(per_worker)).enumerate();
        work.for_each(|(worker, (memory, shards))| {
            for (index, result) in shards.iter_mut().enumerate() {
                let offset = (worker * per_worker + index) * SHARD_POINTS;
                let shard = Shard {
                    network,
                    memory,
                    samples,
                    first: (first + offset) % samples.len(),
                    count: SHARD_POINTS.min(batch - offset),
                    batch,
                    loss,
                    price: &mut result.price,
                    gradient: &mut result.gradient,
                };
                shard.run();
            }
        });
        self.gradient.fill(0.0);
        for shard in &self.shards {
            for (sum, part) in self.gradient.iter_mut().zip(&shard.gradient) {
                *sum += part;
            }
        }
        Ok(self.shards.iter().map(|shard| shard.price).sum::<f64>() / batch as f64)
    }

    /// First sample of the next minibatch; each pass over all samples starts at another sample.
    fn first_sample(&self, count: usize) -> usize {
        let per_pass = (count / self.options.batch).max(1) as u64;
        let (pass, within) = (self.step / per_pass, (self.step % per_pass) as usize);
        (Random::stream(self.options.seed, pass).index(count) + within * self.options.batch) % count
    }

    /// Weighted root mean square error, or weighted mean loss for classes.
    fn error_on(
        &self,
        samples: &Samples,
        values: &mut [f32],
        scratch: &mut InferenceScratch,
    ) -> Result<f64, NetworkError> {
        Inference::new(&self.network).values(samples.inputs(), values, scratch)?;
        let (mut sum, mut total) = (0.0, 0.0);
        for ((value, target), weight) in values.iter().zip(samples.targets()).zip(samples.weights()) {
            let error = f64::from(value - target);
            sum += f64::from(*weight)
                * match self.options.loss {
                    Loss::Logistic => f64::from(Loss::Logistic.price_and_slope(*value, *target)[0]),
                    Loss::MeanSquared | Loss::Huber { .. } => error * error,
                };
            total += f64::from(*weight);
        }
        let mean = sum / total.max(f64::MIN_POSITIVE);
        Ok(if self.options.loss == Loss::Logistic { mean } else { libm::sqrt(mean) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    /// Central differences of the loss in double precision.
    #[test]
    fn the_gradient_is_the_derivative_of_the_loss() {
        let mut random = Random::new(11);
        for (activation, loss) in [
            (Activation::Tanh, Loss::MeanSquared),
            (Activation::Silu, Loss::Huber { knee: 0.3 }),
            (Activation::Sigmoid, Loss::MeanSquared),
            (Activation::Relu, Loss::MeanSquared),
            (Activation::LeakyRelu { slope: 0.1 }, Loss::MeanSquared),
            (Activation::Tanh, Loss::Logistic),
        ] {
            let network = Network::random(&[3, 9, 6, 1], activation, Activation::Tanh, &mut random).unwrap();
            let count = 70; // neither a multiple of a tile nor of a vector
            let mut column =
                |n: usize| -> Vec<f32> { (0..n).map(|_| random.uniform(-1.0, 1.0) as f32).collect() };
            let (inputs, targets) = (column(3 * count), column(count));
            let weights: Vec<f32> = column(count).iter().map(|w| w.abs()).collect();
            let samples = Samples::new(inputs.clone(), targets.clone(), weights.clone()).unwrap();
            let options = TrainingOptions { batch: count, loss, ..TrainingOptions::default() };
            let mut trainer = Trainer::new(network.clone(), options).unwrap();
            let found = trainer.differentiate(&samples).unwrap();

            let price = |parameters: &[f32]| -> f64 {
                let mut network = network.clone();
                network.set_parameters(parameters);
                let one = |p: usize| {
                    let point: Vec<f64> = (0..3).map(|k| f64::from(inputs[k * count + p])).collect();
                    let (output, target) = (network.reference(&point).0, f64::from(targets[p]));
                    let error = output - target;
                    let price = match loss {
                        Loss::Logistic => libm::log1p(libm::exp(output)) - 0.5 * (1.0 + target) * output,
                        Loss::Huber { knee } if error.abs() > f64::from(knee) => {
                            f64::from(knee) * (error.abs() - f64::from(knee) / 2.0)
                        }
                        _ => error * error / 2.0,
                    };
                    f64::from(weights[p]) * price / count as f64
                };
                (0..count).map(one).sum()
            };
            let mut parameters = trainer.parameters.clone();
            assert!((found - price(&parameters)).abs() < 1e-6, "{activation:?}: loss");
            let largest = trainer.gradient.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
            for index in 0..parameters.len() {
                let kept = parameters[index];
                // Small enough not to cross a kink, large enough for parameters in single precision.
                let [high, low] = [kept + 1e-4, kept - 1e-4];
                parameters[index] = high;
                let above = price(&parameters);
                parameters[index] = low;
                let below = price(&parameters);
                parameters[index] = kept;
                let slope = (above - below) / (f64::from(high) - f64::from(low));
                let error = (slope - f64::from(trainer.gradient[index])).abs();
                assert!(error < 1e-3 * f64::from(largest), "{activation:?}: parameter {index} by {error:e}");
            }
        }
    }
}
