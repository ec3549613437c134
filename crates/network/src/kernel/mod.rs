//! Passes through a network on tiles of points, in vector instructions chosen at run time.
//!
//! A tile is up to three vectors of points. Level 0 is the input, level l the output of layer l; a level stores
//! one row per feature. The forward pass keeps values and slopes of every level, the backward pass turns the slopes
//! into δ = ∂output/∂sum, in place:
//!
//! ```text
//! values_l = a(W_l values_{l−1} + b_l)    slopes_l = a'(…)
//! δ_L = slopes_L · seed                   δ_{l−1} = slopes_{l−1} · (W_lᵀ δ_l)    ∂output/∂input = W₁ᵀ δ₁
//! ```

mod buffer;
mod packed;
mod passes;
mod product;
mod smooth;
mod tile_memory;

pub(crate) use buffer::Buffer;
pub(crate) use packed::PackedMatrix;
pub(crate) use passes::{backward, forward, input_gradient};
pub(crate) use tile_memory::{PackedNetwork, TileMemory};

/// Vectors of points in a full tile.
pub(crate) const TILE_VECTORS: usize = 3;
