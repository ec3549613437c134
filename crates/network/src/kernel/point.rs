//! Evaluation of a single point: vectors run along the rows of the weights instead of along points.
//!
//! ```text
//! y[rows] = start[rows] + Σ_c W[rows][c] x[c]
//! ```
//! A tile with a single point wastes all lanes but one. Here every lane holds one row. Each sum still runs over c in
//! ascending order, so the result has the same bits as in a batch.

use pulp::{Simd, WithSimd};

use super::Buffer;
use super::passes::piecewise_slope;
use super::smooth::value_and_slope;
use crate::network::Layer;
use crate::{Activation, Network};

/// Rows are padded to whole vectors of the widest path.
const WIDEST: usize = 16;

/// A matrix stored column by column, and the initial values of its sums.
#[derive(Debug, Default)]
struct ColumnMatrix {
    padded: usize,
    columns: usize,
    weights: Buffer,
    starts: Buffer,
}

impl ColumnMatrix {
    fn new(
        [rows, columns]: [usize; 2],
        entry: impl Fn(usize, usize) -> f32,
        start: impl Fn(usize) -> f32,
    ) -> Self {
        let padded = rows.next_multiple_of(WIDEST);
        let mut matrix = Self { padded, columns, ..Self::default() };
        matrix.weights.reserve(padded * columns);
        matrix.starts.reserve(padded);
        let weights = matrix.weights.slice_mut(padded * columns);
        for (column, slots) in weights.chunks_exact_mut(padded).enumerate() {
            for (row, slot) in slots.iter_mut().enumerate().take(rows) {
                *slot = entry(row, column);
            }
        }
        for (row, slot) in matrix.starts.slice_mut(padded).iter_mut().enumerate().take(rows) {
            *slot = start(row);
        }
        matrix
    }

    /// y of all rows, padding included.
    #[inline(always)]
    fn multiply<S: Simd>(&self, simd: S, x: &[f32], y: &mut [f32]) {
        let vectors = self.padded / S::F32_LANES;
        let mut first = 0;
        while first < vectors {
            first += match vectors - first {
                4.. => self.block::<S, 4>(simd, first, x, y),
                2.. => self.block::<S, 2>(simd, first, x, y),
                _ => self.block::<S, 1>(simd, first, x, y),
            };
        }
    }

    /// y of VECTORS vectors of rows; returns VECTORS.
    #[inline(always)]
    fn block<S: Simd, const VECTORS: usize>(&self, simd: S, first: usize, x: &[f32], y: &mut [f32]) -> usize {
        let starts = S::as_simd_f32s(self.starts.slice(self.padded)).0;
        let mut sums = [simd.splat_f32s(0.0); VECTORS];
        sums.copy_from_slice(&starts[first..][..VECTORS]);
        let weights = self.weights.slice(self.padded * self.columns);
        for (column, value) in weights.chunks_exact(self.padded).zip(x) {
            let value = simd.splat_f32s(*value);
            let column = &S::as_simd_f32s(column).0[first..][..VECTORS];
            for vector in 0..VECTORS {
                sums[vector] = simd.mul_add_f32s(column[vector], value, sums[vector]);
            }
        }
        S::as_mut_simd_f32s(&mut y[..self.padded]).0[first..][..VECTORS].copy_from_slice(&sums);
        VECTORS
    }
}

/// Weights for both directions.
#[derive(Debug)]
pub(crate) struct PointNetwork {
    activations: Vec<Activation>,
    forward: Vec<ColumnMatrix>,
    backward: Vec<ColumnMatrix>,
}

impl PointNetwork {
    pub(crate) fn new(network: &Network) -> Self {
        let forward = |layer: &Layer| {
            let inputs = layer.inputs();
            let weight = |row: usize, column: usize| layer.weights[row * inputs + column];
            ColumnMatrix::new([layer.outputs(), inputs], weight, |row| layer.biases[row])
        };
        let backward = |layer: &Layer| {
            let inputs = layer.inputs();
            let weight = |row: usize, column: usize| layer.weights[column * inputs + row];
            ColumnMatrix::new([inputs, layer.outputs()], weight, |_| 0.0)
        };
        Self {
            activations: network.layers().iter().map(|layer| layer.activation).collect(),
            forward: network.layers().iter().map(forward).collect(),
            backward: network.layers().iter().map(backward).collect(),
        }
    }
}

/// Values and slopes of every level of one point, allocated at the first call and reused.
#[derive(Debug, Default)]
pub(crate) struct PointMemory {
    /// Output of layer l at index l.
    values: Vec<Buffer>,
    slopes: Vec<Buffer>,
    /// δ of a layer and of the layer below.
    deltas: [Buffer; 2],
}

impl PointMemory {
    /// Allocates memory if there is too little.
    pub(crate) fn reserve(&mut self, network: &PointNetwork) {
        let layers = network.forward.len();
        for levels in [&mut self.values, &mut self.slopes] {
            levels.resize_with(levels.len().max(layers), Buffer::default);
            for (level, matrix) in levels.iter_mut().zip(&network.forward) {
                level.reserve(matrix.padded);
            }
        }
        let widest = network.forward.iter().chain(&network.backward).map(|matrix| matrix.padded).max();
        self.deltas.iter_mut().for_each(|buffer| buffer.reserve(widest.unwrap_or(0)));
    }
}

/// Value at one point, and its gradient if requested.
pub(crate) struct OnePoint<'a> {
    pub(crate) network: &'a PointNetwork,
    pub(crate) memory: &'a mut PointMemory,
    pub(crate) inputs: &'a [f32],
    pub(crate) value: &'a mut f32,
    pub(crate) gradient: Option<&'a mut [f32]>,
}

impl WithSimd for OnePoint<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { network, memory, inputs, value, gradient } = self;
        let layers = network.forward.len();
        for (layer, matrix) in network.forward.iter().enumerate() {
            let (below, above) = memory.values.split_at_mut(layer);
            let x = match below.last() {
                Some(level) => level.slice(matrix.columns),
                None => inputs,
            };
            let values = above[0].slice_mut(matrix.padded);
            matrix.multiply(simd, x, values);
            let slopes = S::as_mut_simd_f32s(memory.slopes[layer].slice_mut(matrix.padded)).0;
            let activation = network.activations[layer];
            for (value, slope) in S::as_mut_simd_f32s(values).0.iter_mut().zip(slopes) {
                [*value, *slope] = match activation.left_slope() {
                    Some(left) => {
                        let slope = piecewise_slope(simd, left, *value);
                        [simd.mul_f32s(*value, slope), slope]
                    }
                    None => value_and_slope(simd, activation, *value),
                };
            }
        }
        *value = memory.values[layers - 1].slice(1)[0];
        let Some(gradient) = gradient else { return };
        let [above, below] = &mut memory.deltas;
        let last = &network.forward[layers - 1];
        above.slice_mut(last.padded).copy_from_slice(memory.slopes[layers - 1].slice(last.padded));
        for (layer, matrix) in network.backward.iter().enumerate().rev() {
            matrix.multiply(simd, above.slice(matrix.columns), below.slice_mut(matrix.padded));
            if layer > 0 {
                let slopes = S::as_simd_f32s(memory.slopes[layer - 1].slice(matrix.padded)).0;
                let deltas = S::as_mut_simd_f32s(below.slice_mut(matrix.padded)).0;
                for (delta, slope) in deltas.iter_mut().zip(slopes) {
                    *delta = simd.mul_f32s(*delta, *slope);
                }
            }
            std::mem::swap(above, below);
        }
        gradient.copy_from_slice(above.slice(gradient.len()));
    }
}
