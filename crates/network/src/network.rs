//! A multilayer perceptron with one output: x ↦ a_L(W_L … a₁(W₁ x + b₁) … + b_L).

use crate::{Activation, NetworkError, Random};

/// One layer: y = a(W x + b).
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// W, one row per output, row by row.
    pub weights: Vec<f32>,
    /// b, one number per output.
    pub biases: Vec<f32>,
    /// a.
    pub activation: Activation,
}

impl Layer {
    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.biases.len()
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.weights.len() / self.biases.len().max(1)
    }
}

/// Validated layers: consecutive sizes match, the last layer has one output, all weights are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    layers: Vec<Layer>,
}

impl Network {
    /// Checks the layers.
    ///
    /// # Errors
    /// When there is no layer, sizes do not match, the last layer does not have one output, or a number is not
    /// finite.
    pub fn new(layers: Vec<Layer>) -> Result<Self, NetworkError> {
        let mut before: Option<usize> = None;
        for (index, layer) in layers.iter().enumerate() {
            let place = format!("layer {index}");
            let outputs = layer.outputs();
            if outputs == 0 || layer.weights.is_empty() || !layer.weights.len().is_multiple_of(outputs) {
                let expected = format!("a positive multiple of its {outputs} biases");
                return Err(NetworkError::size(place, "number of weights", layer.weights.len(), expected));
            }
            if before.is_some_and(|before| before != layer.inputs()) {
                let expected = before.unwrap_or_default();
                return Err(NetworkError::size(place, "number of inputs", layer.inputs(), expected));
            }
            before = Some(outputs);
            if let Activation::LeakyRelu { slope } = layer.activation
                && !(0.0..=1.0).contains(&slope)
            {
                let (place, value) = (format!("layer {index}, slope of leaky ReLU"), f64::from(slope));
                return Err(NetworkError::Value { place, value, allowed: "0 to 1" });
            }
            for (what, numbers) in [("weight", &layer.weights), ("bias", &layer.biases)] {
                if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                    let place = format!("layer {index}, {what} {at}");
                    let value = f64::from(numbers[at]);
                    return Err(NetworkError::Value { place, value, allowed: "finite numbers" });
                }
            }
        }
        match before {
            Some(1) => Ok(Self { layers }),
            Some(outputs) => Err(NetworkError::size("last layer", "number of outputs", outputs, 1)),
            None => Err(NetworkError::size("network", "number of layers", 0, "at least 1")),
        }
    }

    /// Random weights of variance 2 / inputs (1 / inputs in the last layer), small random biases.
    ///
    /// `sizes` runs from the inputs to the output, e.g. [3, 64, 64, 64, 1]; the hidden layers share an activation.
    ///
    /// He, Zhang, Ren, Sun, "Delving deep into rectifiers", ICCV 2015.
    ///
    /// # Errors
    /// As [`Network::new`].
    pub fn random(
        sizes: &[usize],
        hidden: Activation,
        output: Activation,
        random: &mut Random,
    ) -> Result<Self, NetworkError> {
        let count = sizes.len().saturating_sub(1);
        let layer = |index: usize, inputs: usize, outputs: usize, random: &mut Random| {
            let is_last = index + 1 == count;
            let spread = libm::sqrt(if is_last { 1.0 } else { 2.0 } / inputs as f64);
            let biases = if is_last { 0.0 } else { 0.5 };
            Layer {
                weights: (0..inputs * outputs).map(|_| (spread * random.normal()) as f32).collect(),
                biases: (0..outputs).map(|_| random.uniform(-biases, biases) as f32).collect(),
                activation: if is_last { output } else { hidden },
            }
        };
        let pairs = sizes.windows(2).enumerate();
        Self::new(pairs.map(|(index, pair)| layer(index, pair[0], pair[1], random)).collect())
    }

    /// The layers from input to output.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.layers.first().map_or(0, Layer::inputs)
    }

    /// Number of multiplications of one forward pass.
    #[must_use]
    pub fn multiplications(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len()).sum()
    }

    /// Number of weights and biases.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len() + layer.biases.len()).sum()
    }

    /// All parameters as one vector: for each layer its weights, then its biases.
    pub(crate) fn copy_parameters_to(&self, parameters: &mut Vec<f32>) {
        parameters.clear();
        for layer in &self.layers {
            parameters.extend_from_slice(&layer.weights);
            parameters.extend_from_slice(&layer.biases);
        }
    }

    /// Sets parameters in the order of [`Self::copy_parameters_to`].
    pub(crate) fn set_parameters(&mut self, parameters: &[f32]) {
        let mut rest = parameters.iter();
        for layer in &mut self.layers {
            for number in layer.weights.iter_mut().chain(&mut layer.biases) {
                *number = rest.next().copied().unwrap_or(*number);
            }
        }
    }

    /// Value and input gradient of one point in double precision; `gradient` has one entry per input.
    ///
    /// Slow and simple: the reference for the fast kernels.
    #[must_use]
    pub fn reference(&self, input: &[f64]) -> (f64, Vec<f64>) {
        let mut values = input.to_vec();
        // Rows of ∂values/∂input.
        let unit = |row: usize| (0..input.len()).map(|column| f64::from(u8::from(row == column))).collect();
        let mut jacobian: Vec<Vec<f64>> = (0..input.len()).map(unit).collect();
        for layer in &self.layers {
            let mut next_values = Vec::with_capacity(layer.outputs());
            let mut next_jacobian = Vec::with_capacity(layer.outputs());
            for (row, bias) in layer.weights.chunks_exact(layer.inputs()).zip(&layer.biases) {
                let dot = |column: &mut dyn Iterator<Item = f64>| -> f64 {
                    row.iter().zip(column).map(|(weight, value)| f64::from(*weight) * value).sum()
                };
                let sum = f64::from(*bias) + dot(&mut values.iter().copied());
                let [value, slope] = layer.activation.value_and_slope(sum);
                next_values.push(value);
                let partial = |k: usize| slope * dot(&mut jacobian.iter().map(|row| row[k]));
                next_jacobian.push((0..input.len()).map(partial).collect());
            }
            (values, jacobian) = (next_values, next_jacobian);
        }
        (values[0], jacobian.swap_remove(0))
    }
}
