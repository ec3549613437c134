//! Gradient of the loss with respect to the weights, from the values and δ of several tiles.
//!
//! ```text
//! ∂loss/∂W[o][k] = Σ_p δ[o][p] y[k][p]      ∂loss/∂b[o] = Σ_p δ[o][p]
//! ```
//! Points lie along the vectors: R × C sums stay in registers over all tiles and are reduced across the lanes at
//! the end. The order of summation depends on the path, so training is reproducible on one path only.

use pulp::Simd;

use super::passes::rows;
use super::{PackedNetwork, TileMemory};

/// Overwrites `gradient` with the sums over the tiles: per layer its weights row by row, then its biases.
#[inline(always)]
pub(crate) fn weight_gradient<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &TileMemory,
    tiles: usize,
    gradient: &mut [f32],
) {
    let mut rest = gradient;
    for (layer, matrix) in network.forward.iter().enumerate() {
        let (outputs, inputs) = (matrix.rows, matrix.columns);
        let (weights, tail) = rest.split_at_mut(outputs * inputs);
        let (biases, tail) = tail.split_at_mut(outputs);
        rest = tail;
        let (delta_rows, value_rows) = (network.level_rows(layer + 1), network.level_rows(layer));
        let level = Level::<S::f32s, VECTORS> {
            deltas: rows::<S, VECTORS>(&memory.deltas[layer], delta_rows * tiles, 0),
            delta_rows,
            values: rows::<S, VECTORS>(&memory.values[layer], value_rows * tiles, 0),
            value_rows,
        };
        let mut output = 0;
        while output < outputs {
            output += match outputs - output {
                4.. if S::F32_LANES == 16 => level.row_block::<S, 4>(simd, output, inputs, weights),
                2.. => level.row_block::<S, 2>(simd, output, inputs, weights),
                _ => level.row_block::<S, 1>(simd, output, inputs, weights),
            };
        }
        for (output, bias) in biases.iter_mut().enumerate() {
            let mut sum = simd.splat_f32s(0.0);
            for row in level.deltas.iter().skip(output).step_by(delta_rows) {
                for vector in row {
                    sum = simd.add_f32s(sum, *vector);
                }
            }
            *bias = simd.reduce_sum_f32s(sum);
        }
    }
}

/// δ above a layer and values below it.
struct Level<'a, V, const VECTORS: usize> {
    deltas: &'a [[V; VECTORS]],
    delta_rows: usize,
    values: &'a [[V; VECTORS]],
    value_rows: usize,
}

impl<V: Copy, const VECTORS: usize> Level<'_, V, VECTORS> {
    /// ROWS rows of the weight matrix from `output` on; returns ROWS.
    #[inline(always)]
    fn row_block<S: Simd<f32s = V>, const ROWS: usize>(
        &self,
        simd: S,
        output: usize,
        inputs: usize,
        weights: &mut [f32],
    ) -> usize {
        let mut input = 0;
        while input < inputs {
            input += match inputs - input {
                4.. => self.block::<S, ROWS, 4>(simd, output, input, inputs, weights),
                _ => self.block::<S, ROWS, 1>(simd, output, input, inputs, weights),
            };
        }
        ROWS
    }

    #[inline(always)]
    fn block<S: Simd<f32s = V>, const ROWS: usize, const COLUMNS: usize>(
        &self,
        simd: S,
        output: usize,
        input: usize,
        inputs: usize,
        weights: &mut [f32],
    ) -> usize {
        let mut sums = [[simd.splat_f32s(0.0); COLUMNS]; ROWS];
        let tiles = self.deltas.chunks_exact(self.delta_rows).zip(self.values.chunks_exact(self.value_rows));
        for (deltas, values) in tiles {
            let deltas = deltas.get(output..).and_then(|rows| rows.first_chunk::<ROWS>());
            let values = values.get(input..).and_then(|rows| rows.first_chunk::<COLUMNS>());
            let (Some(deltas), Some(values)) = (deltas, values) else { continue };
            for vector in 0..VECTORS {
                for row in 0..ROWS {
                    for column in 0..COLUMNS {
                        let (delta, value) = (deltas[row][vector], values[column][vector]);
                        sums[row][column] = simd.mul_add_f32s(delta, value, sums[row][column]);
                    }
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (column, sum) in sums.iter().enumerate() {
                weights[(output + row) * inputs + input + column] = simd.reduce_sum_f32s(*sum);
            }
        }
        COLUMNS
    }
}
