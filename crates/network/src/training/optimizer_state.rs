//! State of the chosen optimiser.

use super::Optimizer;
use super::adam::Adam;
use super::soap::Soap;
use crate::Network;

/// One of the optimisers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OptimizerState {
    Adam(Adam),
    Soap(Soap),
}

impl OptimizerState {
    pub(super) fn new(optimizer: Optimizer, network: &Network) -> Self {
        match optimizer {
            Optimizer::Adam => Self::Adam(Adam::new(network.parameter_count())),
            Optimizer::Soap => Self::Soap(Soap::new(network.layers())),
        }
    }

    /// One step against the gradient; `step` counts from 0.
    pub(super) fn advance(&mut self, parameters: &mut [f32], gradient: &[f32], step: u64, rate: f64) {
        match self {
            Self::Adam(adam) => adam.advance(parameters, gradient, step, rate),
            Self::Soap(soap) => soap.advance(parameters, gradient, step, rate),
        }
    }

    /// All numbers of the state, for the checkpoint.
    pub(super) fn columns(&self) -> Vec<f32> {
        match self {
            Self::Adam(adam) => adam.columns(),
            Self::Soap(soap) => soap.columns(),
        }
    }

    /// Sets the result of [`Self::columns`]; false if it belongs to another network or optimiser.
    pub(super) fn set_columns(&mut self, numbers: &[f32]) -> bool {
        match self {
            Self::Adam(adam) => adam.set_columns(numbers),
            Self::Soap(soap) => soap.set_columns(numbers),
        }
    }
}
