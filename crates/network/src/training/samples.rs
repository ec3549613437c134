//! Training samples.

use crate::NetworkError;

/// Inputs, targets and weights of points, in scaled units and in random order.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    inputs: Vec<f32>,
    targets: Vec<f32>,
    weights: Vec<f32>,
}

impl Samples {
    /// Samples from columns of inputs, one after another, and one target and one weight per point.
    ///
    /// The points must be in random order: a minibatch is a run of consecutive points.
    ///
    /// # Errors
    /// When lengths do not match, there is no point, or a number is not finite.
    pub fn new(inputs: Vec<f32>, targets: Vec<f32>, weights: Vec<f32>) -> Result<Self, NetworkError> {
        let count = targets.len();
        if count == 0 || !inputs.len().is_multiple_of(count) || inputs.is_empty() {
            let expected = format!("a positive multiple of the {count} targets");
            return Err(NetworkError::size("samples", "number of inputs", inputs.len(), expected));
        }
        if weights.len() != count {
            return Err(NetworkError::size("samples", "number of weights", weights.len(), count));
        }
        for (what, numbers) in [("input", &inputs), ("target", &targets), ("weight", &weights)] {
            if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                let place = format!("samples, {what} {at}");
                let value = f64::from(numbers[at]);
                return Err(NetworkError::Value { place, value, allowed: "finite numbers" });
            }
        }
        Ok(Self { inputs, targets, weights })
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Always false: [`Self::new`] rejects an empty set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Number of inputs per point.
    #[must_use]
    pub fn width(&self) -> usize {
        self.inputs.len() / self.len()
    }

    pub(super) fn column(&self, input: usize) -> &[f32] {
        &self.inputs[input * self.len()..][..self.len()]
    }

    pub(super) fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    pub(super) fn targets(&self) -> &[f32] {
        &self.targets
    }

    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }
}
