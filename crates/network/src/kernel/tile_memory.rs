//! A network's weights packed for an instruction set, and the memory of its passes.

use tightfit_spatial::InstructionSet;

use super::{Buffer, PackedMatrix, Tiling};
use crate::network::Layer;
use crate::{Activation, Network};

/// Packed weights for both directions.
#[derive(Debug)]
pub(crate) struct PackedNetwork {
    pub(crate) set: InstructionSet,
    pub(crate) inputs: usize,
    pub(super) activations: Vec<Activation>,
    /// W of every layer; sums start from the biases.
    pub(super) forward: Vec<PackedMatrix>,
    /// Wᵀ of every layer; sums start from zero.
    pub(super) backward: Vec<PackedMatrix>,
}

impl PackedNetwork {
    pub(crate) fn new(network: &Network, set: InstructionSet) -> Self {
        let matrices = |size: fn(&Layer) -> [usize; 2]| {
            let sizes = network.layers().iter().map(size);
            sizes.map(|[rows, columns]| PackedMatrix::new(rows, columns, set)).collect()
        };
        let mut packed = Self {
            set,
            inputs: network.inputs(),
            activations: network.layers().iter().map(|layer| layer.activation).collect(),
            forward: matrices(|layer| [layer.outputs(), layer.inputs()]),
            backward: matrices(|layer| [layer.inputs(), layer.outputs()]),
        };
        packed.fill(network);
        packed
    }

    /// Copies the weights of a network with the same sizes.
    pub(crate) fn fill(&mut self, network: &Network) {
        let matrices = self.forward.iter_mut().zip(&mut self.backward);
        for (layer, (forward, backward)) in network.layers().iter().zip(matrices) {
            let inputs = layer.inputs();
            forward.fill(|row, column| layer.weights[row * inputs + column], |row| layer.biases[row]);
            backward.fill(|row, column| layer.weights[column * inputs + row], |_| 0.0);
        }
    }

    /// Points of a full tile.
    pub(crate) fn tile_points(&self) -> usize {
        self.set.tile_vectors() * self.set.lanes()
    }

    /// Rows of a level, padding included.
    pub(crate) fn level_rows(&self, level: usize) -> usize {
        if level == 0 { self.inputs } else { self.forward[level - 1].padded_rows() }
    }

    /// Number of layers.
    pub(crate) fn layers(&self) -> usize {
        self.forward.len()
    }

    /// Rows of the input gradient, padding included.
    pub(crate) fn gradient_rows(&self) -> usize {
        self.backward.first().map_or(0, PackedMatrix::padded_rows)
    }
}

/// Values and δ of every level, tile after tile.
#[derive(Debug, Default)]
pub(crate) struct TileMemory {
    pub(crate) values: Vec<Buffer>,
    /// δ of level l at index l − 1.
    pub(crate) deltas: Vec<Buffer>,
    pub(crate) gradient: Buffer,
}

impl TileMemory {
    /// Allocates memory if there is too little.
    pub(crate) fn reserve(&mut self, network: &PackedNetwork, tiles: usize) {
        let points = tiles * network.tile_points();
        let layers = network.layers();
        self.values.resize_with(self.values.len().max(layers + 1), Buffer::default);
        self.deltas.resize_with(self.deltas.len().max(layers), Buffer::default);
        for (level, values) in self.values.iter_mut().enumerate().take(layers + 1) {
            values.reserve(points * network.level_rows(level));
        }
        for (index, deltas) in self.deltas.iter_mut().enumerate().take(layers) {
            deltas.reserve(points * network.level_rows(index + 1));
        }
        self.gradient.reserve(points * network.gradient_rows());
    }
}
