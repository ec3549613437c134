//! Forward and backward passes of a network on tiles of points, with vector instructions chosen at run time.
//!
//! A tile is a few vectors of points. Level 0 is the input, level l the output of layer l; a level stores one row
//! per feature. The forward pass keeps the values of every level, the backward pass computes δ = ∂output/∂sum:
//!
//! ```text
//! y_l = a(W_l y_{l−1} + b_l)    δ_L = a'_L    δ_{l−1} = a'_{l−1} · (W_lᵀ δ_l)    ∂output/∂input = W₁ᵀ δ₁
//! ```

mod buffer;
mod packed;
mod passes;
mod point;
mod product;
mod smooth;
mod tile_memory;
mod tiling;
mod weight_gradient;

pub(crate) use buffer::Buffer;
pub(crate) use packed::PackedMatrix;
pub(crate) use passes::{backward, forward, input_gradient, output_slope};
pub(crate) use point::{OnePoint, PointMemory, PointNetwork};
pub(crate) use tile_memory::{PackedNetwork, TileMemory};
pub(crate) use tiling::Tiling;
pub(crate) use weight_gradient::weight_gradient;
