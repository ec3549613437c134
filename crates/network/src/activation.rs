//! Activation functions and their slopes.
//!
//! ```text
//! identity  x                      1
//! relu      max(x, 0)              1 if x > 0, else 0
//! leaky     x if x > 0, else s x   1 if x > 0, else s
//! tanh      tanh x                 1 − y²
//! sigmoid   σ = 1 / (1 + e⁻ˣ)      σ (1 − σ)
//! silu      y = x σ                σ + y (1 − σ)
//! ```
//! At the kink of a piecewise linear activation the slope is that of the left side.

use serde::{Deserialize, Serialize};

/// Activation function of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// The identity.
    Identity,
    /// Rectified linear.
    Relu,
    /// Rectified linear with a slope for negative sums.
    LeakyRelu {
        /// Slope for negative sums [-].
        slope: f32,
    },
    /// Hyperbolic tangent.
    Tanh,
    /// Logistic function.
    Sigmoid,
    /// Sum times its logistic function.
    Silu,
}

impl Activation {
    /// Slope left of zero; `None` for smooth activations.
    pub(crate) fn left_slope(self) -> Option<f32> {
        match self {
            Self::Identity => Some(1.0),
            Self::Relu => Some(0.0),
            Self::LeakyRelu { slope } => Some(slope),
            Self::Tanh | Self::Sigmoid | Self::Silu => None,
        }
    }

    /// Value and slope in double precision: the reference for the fast kernels.
    #[must_use]
    pub fn value_and_slope(self, x: f64) -> [f64; 2] {
        let sigmoid = || 1.0 / (1.0 + libm::exp(-x));
        match self {
            Self::Identity => [x, 1.0],
            Self::Relu | Self::LeakyRelu { .. } => {
                let left = f64::from(self.left_slope().unwrap_or(0.0));
                if x > 0.0 { [x, 1.0] } else { [left * x, left] }
            }
            Self::Tanh => {
                let y = libm::tanh(x);
                [y, 1.0 - y * y]
            }
            Self::Sigmoid => [sigmoid(), sigmoid() * (1.0 - sigmoid())],
            Self::Silu => [x * sigmoid(), sigmoid() * (1.0 + x * (1.0 - sigmoid()))],
        }
    }
}
