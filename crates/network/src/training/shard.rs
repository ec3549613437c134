//! Loss and gradient over one shard of a minibatch.

use pulp::{Simd, WithSimd};

use super::{Loss, Samples};
use crate::kernel::{PackedNetwork, TileMemory, backward, forward, output_slope, weight_gradient};

/// Points of a shard: enough to amortise the reduction across lanes, few enough for the values to fit into the L2
/// cache.
pub(super) const SHARD_POINTS: usize = 480;

/// Consecutive samples (wrapping around at the end) and the destination of their results.
pub(super) struct Shard<'a> {
    pub(super) network: &'a PackedNetwork,
    pub(super) memory: &'a mut TileMemory,
    pub(super) samples: &'a Samples,
    /// First sample, and number of samples.
    pub(super) first: usize,
    pub(super) count: usize,
    /// Samples of the whole minibatch, over which the loss is averaged.
    pub(super) batch: usize,
    pub(super) loss: Loss,
    /// Sum of w ρ over the shard.
    pub(super) price: &'a mut f64,
    pub(super) gradient: &'a mut [f32],
}

impl Shard<'_> {
    pub(super) fn run(self) {
        let tiles = self.count.div_ceil(self.network.tile_points());
        self.memory.reserve(self.network, tiles);
        self.network.set.run(self);
    }

    #[inline(always)]
    fn tiles<S: Simd, const VECTORS: usize>(self, simd: S) {
        let width = VECTORS * S::F32_LANES;
        let tiles = self.count.div_ceil(width);
        let (network, memory, samples) = (self.network, self.memory, self.samples);
        let scale = 1.0 / self.batch as f32;
        *self.price = 0.0;
        for tile in 0..tiles {
            let used = width.min(self.count - tile * width);
            let at = |point: usize| (self.first + tile * width + point) % samples.len();
            let inputs = memory.values[0].slice_mut((tile + 1) * network.inputs * width);
            let rows = inputs[tile * network.inputs * width..].chunks_exact_mut(width);
            for (input, row) in rows.enumerate() {
                let column = samples.column(input);
                for (point, slot) in row.iter_mut().enumerate() {
                    *slot = column[at(point)];
                }
            }
            forward::<S, VECTORS>(simd, network, memory, tile);
            output_slope::<S, VECTORS>(simd, network, memory, tile);
            let last = network.layers();
            let outputs = &memory.values[last].slice((tile + 1) * width)[tile * width..];
            let deltas = &mut memory.deltas[last - 1].slice_mut((tile + 1) * width)[tile * width..];
            for (point, (output, delta)) in outputs.iter().zip(deltas).enumerate() {
                // Points past the end of the shard repeat others with weight zero.
                let sample = at(point);
                let weight = if point < used { samples.weights()[sample] } else { 0.0 };
                let [price, slope] = self.loss.price_and_slope(*output, samples.targets()[sample]);
                *self.price += f64::from(weight * price);
                *delta *= weight * slope * scale;
            }
            backward::<S, VECTORS>(simd, network, memory, tile);
        }
        weight_gradient::<S, VECTORS>(simd, network, memory, tiles, self.gradient);
    }
}

impl WithSimd for Shard<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.tiles::<S, 3>(simd),
            _ => self.tiles::<S, 2>(simd),
        }
    }
}
