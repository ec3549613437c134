//! The network: its parameters in one row, and its evaluation for contacts and clusters.

use nalgebra::{Quaternion, UnitQuaternion};
use tightfit_network::{NetworkError, Random, Range};

use super::inputs::{AffineInputs, INPUT_NAMES, INPUTS};
use super::round::{Dense, Round, RoundTask};
use super::{InteractionOptions, ObjectState};

/// M_c: number of clusters.
pub const CLUSTERS: usize = tightfit_pipeline::clustering::INTERACTION_CLUSTERS;
/// Neighbours that a contact is compared with, itself included.
pub const NEIGHBOURS: usize = 10;
/// Number of parameters of all four networks.
pub const PARAMETERS: usize = 3246;

/// Sizes of f_R1, f_O1, f_R2 and f_O2, inputs first.
const SIZES: [&[usize]; 4] = [&[38, 16, 16, 16, 4], &[23, 8, 8, 12], &[44, 16, 16, 16, 4], &[26, 8, 8, 2]];

/// Four small networks with their parameters in one row, the ranges of their inputs, and their options.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionNetwork {
    parameters: Vec<f64>,
    ranges: [Range; INPUTS],
    options: InteractionOptions,
    inputs_from_object: UnitQuaternion<f64>,
}

impl InteractionNetwork {
    /// A network from [`PARAMETERS`] numbers: f_R1, f_O1, f_R2, f_O2; of each network its layers in order; of each
    /// layer the matrix row by row (one row per output), then the biases.
    ///
    /// # Errors
    /// When the count is wrong, a number is not finite, or an option is out of range.
    pub fn new(
        parameters: Vec<f64>,
        ranges: [Range; INPUTS],
        options: InteractionOptions,
    ) -> Result<Self, NetworkError> {
        if parameters.len() != PARAMETERS {
            let found = parameters.len();
            return Err(NetworkError::size("interaction network", "number of parameters", found, PARAMETERS));
        }
        if let Some(index) = parameters.iter().position(|number| !number.is_finite()) {
            return Err(NetworkError::Value {
                place: format!("parameter {index} of the interaction network"),
                value: parameters[index],
                allowed: "finite numbers",
            });
        }
        for (name, range) in INPUT_NAMES.iter().zip(&ranges) {
            Range::new(name, range.low, range.high)?;
        }
        if !(0.0..1.0).contains(&options.slope) {
            return Err(NetworkError::Value {
                place: "slope of the interaction network".into(),
                value: options.slope,
                allowed: "0 up to less than 1",
            });
        }
        let [x, y, z, w] = options.inputs_from_object;
        let turn = Quaternion::new(w, x, y, z);
        if (turn.norm() - 1.0).is_nan() || (turn.norm() - 1.0).abs() > 1e-6 {
            return Err(NetworkError::Value {
                place: "length of inputs_from_object of the interaction network".into(),
                value: turn.norm(),
                allowed: "quaternions of length 1",
            });
        }
        let inputs_from_object = UnitQuaternion::new_normalize(turn);
        Ok(Self { parameters, ranges, options, inputs_from_object })
    }

    /// A network with weights of mean 0 and variance 2/inputs, and biases of zero. Linear output layers have a tenth of
    /// that deviation.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn random(
        ranges: [Range; INPUTS],
        options: InteractionOptions,
        random: &mut Random,
    ) -> Result<Self, NetworkError> {
        let mut parameters = Vec::with_capacity(PARAMETERS);
        for sizes in SIZES {
            let layers = sizes.len() - 1;
            for (layer, pair) in sizes.windows(2).enumerate() {
                let ends_linear = layers == 3 && layer + 1 == layers;
                let deviation = (2.0 / pair[0] as f64).sqrt() * if ends_linear { 0.1 } else { 1.0 };
                parameters.extend((0..pair[0] * pair[1]).map(|_| deviation * random.normal()));
                parameters.extend((0..pair[1]).map(|_| 0.0));
            }
        }
        Self::new(parameters, ranges, options)
    }

    /// All parameters, in the order of [`Self::new`].
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// All parameters, writable; they must stay finite.
    pub fn parameters_mut(&mut self) -> &mut [f64] {
        &mut self.parameters
    }

    /// Range of every input, in the unit of its name.
    #[must_use]
    pub fn ranges(&self) -> &[Range; INPUTS] {
        &self.ranges
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &InteractionOptions {
        &self.options
    }

    /// Rotation from the object's axes to the axes of the inputs.
    #[must_use]
    pub fn inputs_from_object(&self) -> UnitQuaternion<f64> {
        self.inputs_from_object
    }

    /// Logits of round 1, before the softmax over the contacts: one column per cluster.
    ///
    /// Columns are `stride` long, a multiple of [`super::LANES`]: three of `points` [m], then three for each of `count`
    /// neighbours, in the axes of the inputs; [`CLUSTERS`] of `logits`.
    pub fn assign(
        &self,
        state: &ObjectState,
        stride: usize,
        points: &[f64],
        neighbours: &[f64],
        logits: &mut [f64],
    ) {
        let inputs = AffineInputs::new(state, &self.ranges, self.inputs_from_object, self.options.quaternion);
        let round = Round::<3, CLUSTERS>::new(&inputs, self.network(0), self.network(1));
        let task = RoundTask { round, options: &self.options, stride, own: points, others: neighbours };
        task.run(logits);
    }

    /// Outputs of round 2, two columns. Layout as in [`Self::assign`], with six columns (point and normal) for every
    /// cluster and for each of the others.
    pub fn turn(
        &self,
        state: &ObjectState,
        stride: usize,
        clusters: &[f64],
        others: &[f64],
        outputs: &mut [f64],
    ) {
        let inputs = AffineInputs::new(state, &self.ranges, self.inputs_from_object, self.options.quaternion);
        let round = Round::<6, 2>::new(&inputs, self.network(2), self.network(3));
        let task = RoundTask { round, options: &self.options, stride, own: clusters, others };
        task.run(outputs);
    }

    /// Layers of one of the four networks.
    fn network<const LAYERS: usize>(&self, index: usize) -> [Dense<'_>; LAYERS] {
        let count = |sizes: &[usize]| sizes.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum::<usize>();
        let before: usize = SIZES[..index].iter().map(|sizes| count(sizes)).sum();
        let mut rest = &self.parameters[before..];
        let sizes = SIZES[index];
        let mut layers = [Dense { inputs: 0, weights: &[], biases: &[] }; LAYERS];
        for (layer, pair) in layers.iter_mut().zip(sizes.windows(2)) {
            let (weights, after) = rest.split_at(pair[0] * pair[1]);
            let (biases, after) = after.split_at(pair[1]);
            rest = after;
            *layer = Dense { inputs: pair[0], weights, biases };
        }
        layers
    }
}
