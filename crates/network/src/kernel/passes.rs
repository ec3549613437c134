//! Forward, backward and input gradient of one tile.

use pulp::Simd;

use super::product::{Finish, multiply};
use super::smooth::value_and_slope;
use super::{Buffer, PackedNetwork, TileMemory};

/// Values and slopes of every level from the values of level 0.
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
        let slopes = rows_mut::<S, VECTORS>(&mut memory.deltas[layer], count, tile);
        let left = activation.left_slope();
        let mut finish = Piecewise { left: left.unwrap_or(1.0), values, slopes };
        multiply(simd, matrix, inputs, &mut finish);
        if left.is_none() {
            for (value, slope) in values.iter_mut().zip(slopes) {
                for vector in 0..VECTORS {
                    [value[vector], slope[vector]] = value_and_slope(simd, activation, value[vector]);
                }
            }
        }
    }
}

/// Turns the slopes into δ; those of the last level must have been multiplied by the seed already.
#[inline(always)]
pub(crate) fn backward<S: Simd, const VECTORS: usize>(
    simd: S,
    network: &PackedNetwork,
    memory: &mut TileMemory,
    tile: usize,
) {
    for layer in (1..network.layers()).rev() {
        let (below, above) = memory.deltas.split_at_mut(layer);
        let deltas = rows::<S, VECTORS>(&above[0], network.level_rows(layer + 1), tile);
        let slopes = rows_mut::<S, VECTORS>(&mut below[layer - 1], network.level_rows(layer), tile);
        multiply(simd, &network.backward[layer], deltas, &mut Chain { slopes });
    }
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

/// Activation x for x > 0, `left` · x elsewhere, and its slope.
struct Piecewise<'a, V, const VECTORS: usize> {
    left: f32,
    values: &'a mut [[V; VECTORS]],
    slopes: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for Piecewise<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]) {
        let [zero, one, left] = [0.0, 1.0, self.left].map(|value| simd.splat_f32s(value));
        let (value, slope) = (&mut self.values[row], &mut self.slopes[row]);
        for vector in 0..VECTORS {
            let is_right = simd.greater_than_f32s(sums[vector], zero);
            slope[vector] = simd.select_f32s(is_right, one, left);
            value[vector] = simd.mul_f32s(sums[vector], slope[vector]);
        }
    }
}

/// Multiplies into the slopes.
struct Chain<'a, V, const VECTORS: usize> {
    slopes: &'a mut [[V; VECTORS]],
}

impl<S: Simd, const VECTORS: usize> Finish<S, VECTORS> for Chain<'_, S::f32s, VECTORS> {
    #[inline(always)]
    fn row(&mut self, simd: S, row: usize, sums: &[S::f32s; VECTORS]) {
        let slope = &mut self.slopes[row];
        for vector in 0..VECTORS {
            slope[vector] = simd.mul_f32s(slope[vector], sums[vector]);
        }
    }
}

/// Keeps the sums.
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
