//! Sizes of the kernel's tiles for each instruction set.

use tightfit_spatial::InstructionSet;

/// How many rows and points the kernel takes at once.
pub(crate) trait Tiling {
    /// Rows of a weight matrix that are taken at once, with [`Self::tile_vectors`] vectors of points: 24 of the 32
    /// registers of AVX-512 hold sums, 12 of the 16 of AVX2 (with 4 times 3 the compiler spilt one).
    fn block_rows(self) -> usize;

    /// Vectors of points in a full tile.
    fn tile_vectors(self) -> usize;

    /// Single-precision numbers in a vector.
    fn lanes(self) -> usize;
}

impl Tiling for InstructionSet {
    fn block_rows(self) -> usize {
        match self {
            Self::Avx512 => 8,
            Self::Avx2 | Self::Portable => 6,
        }
    }

    fn tile_vectors(self) -> usize {
        match self {
            Self::Avx512 => 3,
            Self::Avx2 | Self::Portable => 2,
        }
    }

    fn lanes(self) -> usize {
        match self {
            Self::Avx512 => 16,
            Self::Avx2 => 8,
            Self::Portable => 1,
        }
    }
}
