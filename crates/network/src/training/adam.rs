//! Adam: steps scaled by running means of the gradient and its square.
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g     v ← β₂ v + (1 − β₂) g²     θ ← θ − η (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
//! ```
//! D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015.

/// β₁ and β₂ of the paper.
const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
/// ε, far below the paper's 1e-8: near the end of a fit to nanometres the gradients are as small as that.
const FLOOR: f32 = 1e-12;

/// Running means, one per parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// One step; `step` counts from 0.
    pub(super) fn advance(&mut self, parameters: &mut [f32], gradient: &[f32], step: u64, rate: f64) {
        let bias = |decay: f64| 1.0 - libm::pow(decay, (step + 1) as f64);
        let rate = (rate / bias(FIRST_DECAY)) as f32;
        let second_bias = bias(SECOND_DECAY) as f32;
        let (keep_first, keep_second) = (FIRST_DECAY as f32, SECOND_DECAY as f32);
        let means = self.first.iter_mut().zip(&mut self.second);
        for ((parameter, slope), (first, second)) in parameters.iter_mut().zip(gradient).zip(means) {
            *first = keep_first * *first + (1.0 - keep_first) * slope;
            *second = keep_second * *second + (1.0 - keep_second) * slope * slope;
            *parameter -= rate * *first / ((*second / second_bias).sqrt() + FLOOR);
        }
    }

    /// All numbers of the state in a fixed order, for the checkpoint.
    pub(super) fn columns(&self) -> Vec<f32> {
        self.first.iter().chain(&self.second).copied().collect()
    }

    /// Sets numbers in the order of [`Self::columns`]; false if there are too few or too many.
    pub(super) fn set_columns(&mut self, numbers: &[f32]) -> bool {
        let count = self.first.len();
        if numbers.len() != 2 * count {
            return false;
        }
        self.first.copy_from_slice(&numbers[..count]);
        self.second.copy_from_slice(&numbers[count..]);
        true
    }
}
