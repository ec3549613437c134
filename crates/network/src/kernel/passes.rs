//! Forward, backward and input gradient of one tile.

use pulp::Simd;

use super::product::{Finish, multiply};
use super::smooth::value_and_slope;
use super::{Buffer, PackedNetwork, TileMemory};

/// Values of every level from those of level 0. Slopes of smooth activations are stored in the rows of δ.
#[inline(always)]
pub(crate) fn forward<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &mut TileMemory,
    tile: usize,
) {
    for (layer, matrix) in network.forward.iter().enumerate() {
        let activation = network.activations[layer];
        let (below, above) = memory.values.split_at_mut(layer + 1);
        let inputs = rows::<S, VECTORS>(&below[layer], network.level_rows(layer), tile);
        let count = network.level_rows(layer + 1);
        let values = rows_mut::<S, VECTORS>(&mut above[0], count, tile);
        match activation.left_slope() {
            Some(left) => multiply(simd, matrix, inputs, &mut Piecewise { left, values }),
            None => {
                let slopes = rows_mut::<S, VECTORS>(&mut memory.deltas[layer], count, tile);
                multiply(simd, matrix, inputs, &mut Store { rows: values });
                for (value, slope) in values.iter_mut().zip(slopes) {
                    for vector in 0..VECTORS {
                        [value[vector], slope[vector]] = value_and_slope(simd, activation, value[vector]);
                    }
                }
            }
        }
    }
}

/// δ of every level from δ of the last level.
#[inline(always)]
pub(crate) fn backward<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &mut TileMemory,
    tile: usize,
) {
    for layer in (1..network.layers()).rev() {
        let (below, above) = memory.deltas.split_at_mut(layer);
        let above = rows::<S, VECTORS>(&above[0], network.level_rows(layer + 1), tile);
        let count = network.level_rows(layer);
        let deltas = rows_mut::<S, VECTORS>(&mut below[layer - 1], count, tile);
        let matrix = &network.backward[layer];
        match network.activations[layer - 1].left_slope() {
            Some(left) => {
                let values = rows::<S, VECTORS>(&memory.values[layer], count, tile);
                multiply(simd, matrix, above, &mut ChainPiecewise { left, values, deltas });
            }
            None => multiply(simd, matrix, above, &mut Chain { deltas }),
        }
    }
}

/// δ of the last level, one number per point: the slope of the output activation.
#[inline(always)]
pub(crate) fn output_slope<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &mut TileMemory,
    tile: usize,
) {
    let layer = network.layers() - 1;
    let Some(left) = network.activations[layer].left_slope() else { return };
    let count = network.level_rows(layer + 1);
    let values = rows::<S, VECTORS>(&memory.values[layer + 1], count, tile);
    let deltas = rows_mut::<S, VECTORS>(&mut memory.deltas[layer], count, tile);
    for (delta, value) in deltas.iter_mut().zip(values) {
        for vector in 0..VECTORS {
            delta[vector] = piecewise_slope(simd, left, value[vector]);
        }
    }
}

/// The slope from the value. The value has the sign of the sum because `left` is not negative.
#[inline(always)]
pub(super) fn piecewise_slope<S: Simd>(simd: S, left: f32, value: S::f32s) -> S::f32s {
    let is_right = simd.greater_than_f32s(value, simd.splat_f32s(0.0));
    simd.select_f32s(is_right, simd.splat_f32s(1.0), simd.splat_f32s(left))
}

/// ∂output/∂input from δ of the first level.
#[inline(always)]
pub(crate) fn input_gradient<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &mut TileMemory,
    tile: usize,
) {
    let deltas = rows::<S, VECTORS>(&memory.deltas[0], network.level_rows(1), tile);
    let gradient = rows_mut::<S, VECTORS>(&mut memory.gradient, network.gradient_rows(), tile);
    multiply(simd, &network.backward[0], deltas, &mut Store { rows: gradient });
}

/// Activation x for x > 0, `left` · x elsewhere.
struct Piecewise<'a, V, const VECTORS: usize> {
    left: f32,
    values: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for Piecewise<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]) {
        let value = &mut self.values[row];
        for vector in 0..VECTORS {
            value[vector] = simd.mul_f32s(sums[vector], piecewise_slope(simd, self.left, sums[vector]));
        }
    }
}

/// δ = slope · sum for a piecewise linear activation.
struct ChainPiecewise<'a, V, const VECTORS: usize> {
    left: f32,
    values: &'a [[V; VECTORS]],
    deltas: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for ChainPiecewise<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]) {
        let (value, delta) = (&self.values[row], &mut self.deltas[row]);
        for vector in 0..VECTORS {
            delta[vector] = simd.mul_f32s(sums[vector], piecewise_slope(simd, self.left, value[vector]));
        }
    }
}

/// δ = slope · sum, with the slopes stored in the rows of δ.
struct Chain<'a, V, const VECTORS: usize> {
    deltas: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for Chain<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]) {
        let delta = &mut self.deltas[row];
        for vector in 0..VECTORS {
            delta[vector] = simd.mul_f32s(delta[vector], sums[vector]);
        }
    }
}

/// Stores the sums.
struct Store<'a, V, const VECTORS: usize> {
    rows: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for Store<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, _: S, row: usize, sums: &[S::f32s; VECTORS]) {
        self.rows[row] = *sums;
    }
}

/// The rows of a level in a tile.
#[inline(always)]
pub(super) fn rows<S: Simd, const VECTORS: usize>(
    buffer: &Buffer,
    count: usize,
    tile: usize,
) -> &[[S::f32s; VECTORS]] {
    let size = count * VECTORS * S::F32_LANES;
    S::as_simd_f32s(&buffer.slice((tile + 1) * size)[tile * size..]).0.as_chunks().0
}

#[inline(always)]
fn rows_mut<S: Simd, const VECTORS: usize>(
    buffer: &mut Buffer,
    count: usize,
    tile: usize,
) -> &mut [[S::f32s; VECTORS]] {
    let size = count * VECTORS * S::F32_LANES;
    S::as_mut_simd_f32s(&mut buffer.slice_mut((tile + 1) * size)[tile * size..]).0.as_chunks_mut().0
}
