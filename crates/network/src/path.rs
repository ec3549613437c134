//! The instruction sets that the kernels run on, chosen when the program runs.

use pulp::{Scalar, Simd, WithSimd};
use serde::{Deserialize, Serialize};

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimdPath {
    /// 16 numbers at a time, fused multiply-add.
    Avx512,
    /// 8 numbers at a time, fused multiply-add.
    Avx2,
    /// One number at a time; fused multiply-add in software where the processor has none, so slow but equal.
    Portable,
}

impl SimdPath {
    /// Every path, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The fastest path of this processor.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.into_iter().find(|path| path.is_available()).unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Avx512 => x86::has_avx512(),
            Self::Avx2 => x86::has_avx2(),
            Self::Portable => true,
        }
    }

    /// Rows of a weight matrix that the kernel takes at once, with [`Self::tile_vectors`] vectors of points: 24 of
    /// the 32 registers of AVX-512 hold sums, 12 of the 16 of AVX2 (as 4 times 3 the compiler spilt one).
    pub(crate) fn block_rows(self) -> usize {
        match self {
            Self::Avx512 => 8,
            Self::Avx2 | Self::Portable => 6,
        }
    }

    /// Vectors of points in a full tile.
    pub(crate) fn tile_vectors(self) -> usize {
        match self {
            Self::Avx512 => 3,
            Self::Avx2 | Self::Portable => 2,
        }
    }

    /// Numbers in a vector.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::Avx512 => 16,
            Self::Avx2 => 8,
            Self::Portable => 1,
        }
    }

    /// Runs an operation with the instructions of this path. The caller has asked [`Self::is_available`].
    pub(crate) fn run<Operation: WithSimd<Output = ()>>(self, operation: Operation) {
        match self {
            Self::Avx512 => x86::run_avx512(operation),
            Self::Avx2 => x86::run_avx2(operation),
            Self::Portable => Scalar::new().vectorize(operation),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use pulp::x86::{V3, V4};
    use pulp::{Simd, WithSimd};

    pub(super) fn has_avx512() -> bool {
        V4::try_new().is_some()
    }

    pub(super) fn has_avx2() -> bool {
        V3::try_new().is_some()
    }

    pub(super) fn run_avx512<Operation: WithSimd<Output = ()>>(operation: Operation) {
        debug_assert!(has_avx512(), "an absent path was asked for");
        if let Some(simd) = V4::try_new() {
            Simd::vectorize(simd, operation);
        }
    }

    pub(super) fn run_avx2<Operation: WithSimd<Output = ()>>(operation: Operation) {
        debug_assert!(has_avx2(), "an absent path was asked for");
        if let Some(simd) = V3::try_new() {
            Simd::vectorize(simd, operation);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod x86 {
    use pulp::WithSimd;

    pub(super) fn has_avx512() -> bool {
        false
    }

    pub(super) fn has_avx2() -> bool {
        false
    }

    pub(super) fn run_avx512<Operation: WithSimd<Output = ()>>(_: Operation) {
        debug_assert!(false, "an absent path was asked for");
    }

    pub(super) fn run_avx2<Operation: WithSimd<Output = ()>>(_: Operation) {
        debug_assert!(false, "an absent path was asked for");
    }
}
