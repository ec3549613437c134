//! Recipe of a C-space network.

use serde::{Deserialize, Serialize};
use tightfit_network::Activation;
use tightfit_network::training::{Loss, Optimizer, TrainingOptions};

use crate::LearningError;
use crate::recipe::check_size;

/// Everything but parts and box that determines the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationRecipe {
    /// Hidden layers.
    pub hidden: Vec<usize>,
    /// Activation of the hidden layers. The output is a logit. The sigmoid is only in the loss, where its gradient does
    /// not vanish away from contact.
    pub activation: Activation,
    /// Number of training configurations.
    pub samples: usize,
    /// Fraction that is uniform over the box; the others are near contact [-].
    pub uniform_fraction: f64,
    /// Number of bisections of a line to contact.
    pub halvings: usize,
    /// τ: distance from contact along a line at which the odds are e to 1, in half-widths of the box [-].
    pub softness: f64,
    /// Steps, rates, seed.
    pub training: TrainingOptions,
}

impl Default for ConfigurationRecipe {
    fn default() -> Self {
        Self {
            hidden: vec![64, 64, 64],
            activation: Activation::Tanh,
            samples: 250_000,
            uniform_fraction: 0.25,
            halvings: 9,
            softness: 0.05,
            training: TrainingOptions {
                optimizer: Optimizer::Soap,
                batch: 1920,
                steps: 7_000,
                learning_rate: 3e-3,
                loss: Loss::Logistic,
                ..TrainingOptions::default()
            },
        }
    }
}

impl ConfigurationRecipe {
    /// The paper's labels: on and off, without a slope near contact.
    #[must_use]
    pub fn paper() -> Self {
        Self { softness: 1e-6, ..Self::default() }
    }

    /// Checks all options.
    ///
    /// # Errors
    /// Names the first option out of range.
    pub fn check(&self) -> Result<(), LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        check_size(&self.hidden, self.samples)?;
        if !(0.0..=1.0).contains(&self.uniform_fraction) {
            return wrong("uniform_fraction", self.uniform_fraction.to_string(), "0 to 1");
        }
        if !(1..=40).contains(&self.halvings) {
            return wrong("halvings", self.halvings.to_string(), "1 to 40");
        }
        if !(1e-6..=1.0).contains(&self.softness) {
            return wrong("softness", self.softness.to_string(), "0.000001 to 1");
        }
        if self.training.loss != Loss::Logistic {
            return wrong("training.loss", format!("{:?}", self.training.loss), "logistic, for on and off");
        }
        Ok(self.training.check()?)
    }
}
