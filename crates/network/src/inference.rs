//! Value and input gradient of a network for a batch of points.
//!
//! Guarantee: the result of a point depends on that point alone, not on its index in the batch, the size of the batch
//! or the contents of the scratch memory. It has the same bits on AVX-512, AVX2 and the portable path (fused
//! multiply-adds in one order everywhere, see `kernel/product.rs`).

use pulp::{Simd, WithSimd};
use tightfit_spatial::InstructionSet;

use crate::kernel::{
    OnePoint, PackedNetwork, PointMemory, PointNetwork, TileMemory, Tiling, backward, forward,
    input_gradient, output_slope,
};
use crate::{Network, NetworkError};

/// A network prepared for evaluation; immutable and shared between threads.
#[derive(Debug)]
pub struct Inference {
    packed: PackedNetwork,
    point: PointNetwork,
}

/// Memory of an evaluation, allocated at the first call and reused. One per thread.
#[derive(Debug, Default)]
pub struct InferenceScratch {
    memory: TileMemory,
    point: PointMemory,
}

impl InferenceScratch {
    /// Allocates all memory for batches of this network.
    pub fn reserve(&mut self, inference: &Inference) {
        self.memory.reserve(&inference.packed, 1);
        self.point.reserve(&inference.point);
    }
}

impl Inference {
    /// On the fastest instruction set allowed.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self::on(network, InstructionSet::current())
    }

    /// On a given instruction set.
    ///
    /// # Errors
    /// When this processor does not have it.
    pub fn with_instruction_set(network: &Network, set: InstructionSet) -> Result<Self, NetworkError> {
        if !set.is_available() {
            let found = format!("{set:?}");
            return Err(NetworkError::size(
                "inference",
                "instruction set",
                found,
                "one that this processor has",
            ));
        }
        Ok(Self::on(network, set))
    }

    fn on(network: &Network, set: InstructionSet) -> Self {
        Self { packed: PackedNetwork::new(network, set), point: PointNetwork::new(network) }
    }

    /// The instruction set in use.
    #[must_use]
    pub fn instruction_set(&self) -> InstructionSet {
        self.packed.set
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.packed.inputs
    }

    /// Value at every point.
    ///
    /// `inputs` holds one column after another (all x, all y, …), each as long as `values`.
    ///
    /// # Errors
    /// When the lengths do not match.
    pub fn values(
        &self,
        inputs: &[f32],
        values: &mut [f32],
        scratch: &mut InferenceScratch,
    ) -> Result<(), NetworkError> {
        self.evaluate(inputs, values, None, scratch)
    }

    /// Value and gradient at every point; `gradients` has columns like `inputs`: all ∂/∂x, all ∂/∂y, …
    ///
    /// # Errors
    /// When the lengths do not match.
    pub fn values_and_gradients(
        &self,
        inputs: &[f32],
        values: &mut [f32],
        gradients: &mut [f32],
        scratch: &mut InferenceScratch,
    ) -> Result<(), NetworkError> {
        self.evaluate(inputs, values, Some(gradients), scratch)
    }

    fn evaluate(
        &self,
        inputs: &[f32],
        values: &mut [f32],
        gradients: Option<&mut [f32]>,
        scratch: &mut InferenceScratch,
    ) -> Result<(), NetworkError> {
        let expected = self.packed.inputs * values.len();
        for (place, found) in
            [("inputs", inputs.len()), ("gradients", gradients.as_ref().map_or(expected, |g| g.len()))]
        {
            if found != expected {
                let expected = format!("{} columns of {} values", self.packed.inputs, values.len());
                return Err(NetworkError::size(place, "length", found, expected));
            }
        }
        if let [value] = values {
            scratch.point.reserve(&self.point);
            let (network, memory) = (&self.point, &mut scratch.point);
            self.packed.set.run(OnePoint { network, memory, inputs, value, gradient: gradients });
            return Ok(());
        }
        scratch.memory.reserve(&self.packed, 1);
        let memory = &mut scratch.memory;
        self.packed.set.run(Batch { network: &self.packed, memory, inputs, values, gradients });
        Ok(())
    }
}

/// All tiles of a batch.
struct Batch<'a> {
    network: &'a PackedNetwork,
    memory: &'a mut TileMemory,
    inputs: &'a [f32],
    values: &'a mut [f32],
    gradients: Option<&'a mut [f32]>,
}

impl WithSimd for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let points = self.values.len();
        let mut first = 0;
        while first < points {
            // the last tile is as narrow as its points allow
            let vectors = (points - first).div_ceil(S::F32_LANES).min(self.network.set.tile_vectors());
            match vectors {
                3 if S::F32_LANES == 16 => self.tile::<S, 3>(simd, first),
                2 => self.tile::<S, 2>(simd, first),
                _ => self.tile::<S, 1>(simd, first),
            }
            first += vectors * S::F32_LANES;
        }
    }
}

impl Batch<'_> {
    #[inline(always)]
    fn tile<S: Simd, const VECTORS: usize>(&mut self, simd: S, first: usize) {
        let points = self.values.len();
        let width = VECTORS * S::F32_LANES;
        let used = width.min(points - first);
        let inputs = self.network.inputs;
        let rows = self.memory.values[0].slice_mut(inputs * width);
        for (row, column) in rows.chunks_exact_mut(width).zip(self.inputs.chunks_exact(points)) {
            row[..used].copy_from_slice(&column[first..][..used]);
            row[used..].fill(0.0);
        }
        forward::<S, VECTORS>(simd, self.network, self.memory, 0);
        let output = self.memory.values[self.network.layers()].slice(used);
        self.values[first..][..used].copy_from_slice(output);
        let Some(gradients) = &mut self.gradients else { return };
        output_slope::<S, VECTORS>(simd, self.network, self.memory, 0);
        backward::<S, VECTORS>(simd, self.network, self.memory, 0);
        input_gradient::<S, VECTORS>(simd, self.network, self.memory, 0);
        let rows = self.memory.gradient.slice(inputs * width);
        for (row, column) in rows.chunks_exact(width).zip(gradients.chunks_exact_mut(points)) {
            column[first..][..used].copy_from_slice(&row[..used]);
        }
    }
}
