//! A depth network as the step reads it, laid out as `kernels/depth_network.h` has it.

use bytemuck::{Pod, Zeroable};
use tightfit_network::{Field, Layer};

use crate::network::{WIDTH, kind_of};
use crate::poses::FieldRanges;

/// Weights and ranges of a network in x, y, z with three hidden layers of 64 neurons.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct DepthNetworkRecord {
    matrix: [[[f32; WIDTH]; WIDTH]; 4],
    first: [[f32; WIDTH]; 3],
    bias: [[f32; WIDTH]; 3],
    last: [f32; WIDTH],
    last_bias: f32,
    left: f32,
    output: i32,
    unused: i32,
    ranges: FieldRanges,
}

impl DepthNetworkRecord {
    /// The record of a field; the name of what is not supported otherwise.
    pub(crate) fn of(field: &Field) -> Result<Self, String> {
        let ranges = FieldRanges::of(field)?;
        let (left, output) = kind_of(field.network()).map_err(|(what, _)| what)?;
        let layers = field.network().layers();
        let mut record = Self { left, output, ranges, last_bias: layers[3].biases[0], ..Self::zeroed() };
        let weight =
            |layer: &Layer, output: usize, input: usize| layer.weights[output * layer.inputs() + input];
        record.last.copy_from_slice(&layers[3].weights);
        for (bias, layer) in record.bias.iter_mut().zip(layers) {
            bias.copy_from_slice(&layer.biases);
        }
        for (input, row) in record.first.iter_mut().enumerate() {
            *row = std::array::from_fn(|output| weight(&layers[0], output, input));
        }
        for row in 0..WIDTH {
            for (place, layer) in layers[1..3].iter().enumerate() {
                record.matrix[place][row] = std::array::from_fn(|output| weight(layer, output, row));
                record.matrix[3 - place][row] = std::array::from_fn(|input| weight(layer, row, input));
            }
        }
        Ok(record)
    }
}
