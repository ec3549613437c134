//! The published clustering: an interaction network in two rounds.
//!
//! ```text
//! round 1   e_i = Σ_l relation_1(X_i, X_l) / |·|     weights_i = assignment(X_i, e_i)          12 clusters
//! round 2   e_j = Σ_l relation_2(X̄_j, X̄_l) / |·|     (o₁, o₂) = rotation(X̄_j, e_j)            turn of the normal
//! ```
//! X the 19 numbers of [`tightfit_interaction::INPUT_NAMES`], X̄ the same and the normal. Activations are leaky
//! rectified with slope 0.01, also at the output of the relations; the outputs of assignment and rotation are linear.
//! The file has one row of numbers, every matrix column by column. Relations store the middle matrices before their
//! biases; the assignment has no output bias.

use std::path::Path;

use tightfit_interaction::{INPUT_NAMES, InteractionNetwork, InteractionOptions};
use tightfit_network::Range;

use super::table::Table;
use crate::LearningError;

/// One layer in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Number of inputs.
    pub inputs: usize,
    /// One row per output.
    pub weights: Vec<f64>,
    /// One per output.
    pub biases: Vec<f64>,
}

/// The four networks and the scaling of their inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusteringNetworks {
    /// 38-16-16-16-4.
    pub relation_1: Vec<Dense>,
    /// 23-8-8-12.
    pub assignment: Vec<Dense>,
    /// 44-16-16-16-4.
    pub relation_2: Vec<Dense>,
    /// 26-8-8-2.
    pub rotation: Vec<Dense>,
    /// Smallest and largest value of every input of X, in the unit of its name.
    pub ranges: [[f64; 2]; 19],
}

/// Numbers that are used, and numbers in the file: the last one is unused.
const READ: usize = 3234;
const WRITTEN: usize = 3235;

impl ClusteringNetworks {
    pub(super) fn read(txt: &Path) -> Result<Self, LearningError> {
        let parameters = Table::read(txt, "pa.txt")?;
        let count = parameters.numbers.len();
        if count != READ && count != WRITTEN {
            return Err(LearningError::File {
                path: txt.join("pa.txt").display().to_string(),
                problem: format!("{count} numbers, expected {READ} or {WRITTEN}"),
                remedy: "give an unchanged copy of the folder",
            });
        }
        let ranges = Table::sized(txt, "om.txt", Some(INPUT_NAMES.len()), 2)?;
        let mut row = Row { rest: &parameters.numbers };
        Ok(Self {
            relation_1: row.relation(38),
            assignment: row.object(23, 12, false),
            relation_2: row.relation(44),
            rotation: row.object(26, 2, true),
            // The file has the largest value first.
            ranges: std::array::from_fn(|k| [ranges.numbers[2 * k + 1], ranges.numbers[2 * k]]),
        })
    }

    /// As one network with these options.
    ///
    /// # Errors
    /// When a number is not finite, or a range is empty.
    pub fn network(&self, options: InteractionOptions) -> Result<InteractionNetwork, LearningError> {
        let networks = [&self.relation_1, &self.assignment, &self.relation_2, &self.rotation];
        let layers = networks.into_iter().flatten();
        let parameters =
            layers.flat_map(|layer| layer.weights.iter().chain(&layer.biases).copied()).collect();
        let ranges = self.ranges.map(|[low, high]| Range { low, high });
        Ok(InteractionNetwork::new(parameters, ranges, options)?)
    }
}

/// The remaining numbers of the row; its length was checked.
struct Row<'a> {
    rest: &'a [f64],
}

impl Row<'_> {
    fn take(&mut self, count: usize) -> Vec<f64> {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken.to_vec()
    }

    /// Converts a matrix from column-major to row-major.
    fn matrix(&mut self, outputs: usize, inputs: usize) -> Vec<f64> {
        let columns = self.take(outputs * inputs);
        (0..outputs * inputs).map(|index| columns[(index % inputs) * outputs + index / inputs]).collect()
    }

    fn layer(&mut self, outputs: usize, inputs: usize) -> Dense {
        let weights = self.matrix(outputs, inputs);
        Dense { inputs, weights, biases: self.take(outputs) }
    }

    fn relation(&mut self, inputs: usize) -> Vec<Dense> {
        let first = self.layer(16, inputs);
        let [second, third] = [self.matrix(16, 16), self.matrix(16, 16)];
        let second = Dense { inputs: 16, weights: second, biases: self.take(16) };
        let third = Dense { inputs: 16, weights: third, biases: self.take(16) };
        vec![first, second, third, self.layer(4, 16)]
    }

    fn object(&mut self, inputs: usize, outputs: usize, has_bias: bool) -> Vec<Dense> {
        let hidden = [self.layer(8, inputs), self.layer(8, 8)];
        let weights = self.matrix(outputs, 8);
        let biases = if has_bias { self.take(outputs) } else { vec![0.0; outputs] };
        let last = Dense { inputs: 8, weights, biases };
        hidden.into_iter().chain([last]).collect()
    }
}
