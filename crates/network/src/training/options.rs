//! Options of training.

use serde::{Deserialize, Serialize};

use crate::NetworkError;

/// The loss ρ of an output y for a target t, both in scaled units; e = y − t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// ½ e².
    MeanSquared,
    /// ½ e² up to the knee, then linear: the gradient of outliers is bounded.
    Huber {
        /// Error at which the parabola ends [-].
        knee: f32,
    },
    /// ln(1 + exp(y)) − ½(1 + t) y for the classes yes (t = 1) and no (t = −1), or a value between: y becomes the
    /// logit ln(p/(1 − p)) of the probability p = ½(1 + t) of yes; its sign is the class.
    Logistic,
}

impl Loss {
    /// ρ and ∂ρ/∂y.
    pub(super) fn price_and_slope(self, output: f32, target: f32) -> [f32; 2] {
        let error = output - target;
        match self {
            Self::Logistic => {
                // The exponent is not positive, so it cannot overflow.
                let small = libm::expf(-output.abs());
                let share = if output > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
                let wanted = 0.5 * (1.0 + target);
                [output.max(0.0) + libm::log1pf(small) - wanted * output, share - wanted]
            }
            Self::Huber { knee } if error.abs() > knee => {
                [knee * (error.abs() - knee / 2.0), knee * error.signum()]
            }
            Self::MeanSquared | Self::Huber { .. } => [error * error / 2.0, error],
        }
    }
}

/// Optimisation method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Optimizer {
    /// Scales every parameter separately.
    Adam,
    /// Adam in the eigenbasis of the gradients' second moments: slower steps, but far fewer to a precise fit.
    Soap,
}

/// Options of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingOptions {
    /// Seed of the first sample of each pass.
    pub seed: u64,
    /// Samples of a minibatch.
    pub batch: usize,
    /// Steps of the whole run, over which the learning rate falls along a cosine.
    pub steps: u64,
    /// Optimisation method.
    pub optimizer: Optimizer,
    /// Learning rate after the first hundredth of the steps, during which it rises from zero [-].
    pub learning_rate: f64,
    /// Ratio of the final learning rate to `learning_rate` [-].
    pub final_fraction: f64,
    /// Loss function.
    pub loss: Loss,
    /// Steps between validations on samples that are not trained on.
    pub check_every: u64,
    /// Validations without improvement after which training stops.
    pub patience: u64,
    /// Threads; they do not change the result.
    pub threads: usize,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            batch: 3840,
            steps: 20_000,
            optimizer: Optimizer::Adam,
            learning_rate: 2e-3,
            final_fraction: 1e-3,
            loss: Loss::MeanSquared,
            check_every: 500,
            patience: 40,
            threads: 2,
        }
    }
}

impl TrainingOptions {
    /// Checks every number.
    ///
    /// # Errors
    /// With the first number that is out of range.
    pub fn check(&self) -> Result<(), NetworkError> {
        let knee = match self.loss {
            Loss::MeanSquared | Loss::Logistic => 1.0,
            Loss::Huber { knee } => f64::from(knee),
        };
        for (name, value, least, most, allowed) in [
            ("batch", self.batch as f64, 1.0, 1e7, "1 to 10000000"),
            ("steps", self.steps as f64, 1.0, 1e12, "at least 1"),
            ("learning_rate", self.learning_rate, 1e-9, 1.0, "1e-9 to 1"),
            ("final_fraction", self.final_fraction, 0.0, 1.0, "0 to 1"),
            ("knee", knee, 1e-9, 1e9, "more than 0"),
            ("check_every", self.check_every as f64, 1.0, 1e12, "at least 1"),
            ("patience", self.patience as f64, 1.0, 1e12, "at least 1"),
            ("threads", self.threads as f64, 1.0, 1024.0, "1 to 1024"),
        ] {
            if !(least..=most).contains(&value) {
                let place = format!("training option `{name}`");
                return Err(NetworkError::Value { place, value, allowed });
            }
        }
        Ok(())
    }

    /// Learning rate of a step: linear warm-up, then half a cosine.
    pub(super) fn rate_at(&self, step: u64) -> f64 {
        let warm = (self.steps as f64 / 100.0).max(1.0);
        let rise = ((step + 1) as f64 / warm).min(1.0);
        let progress = (step as f64 / self.steps as f64).min(1.0);
        let fall = (1.0 + libm::cos(std::f64::consts::PI * progress)) / 2.0;
        self.learning_rate * rise * (self.final_fraction + (1.0 - self.final_fraction) * fall)
    }
}
