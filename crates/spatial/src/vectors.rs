//! The same loops compiled for narrow and for wide vector registers, chosen when the program runs.
//!
//! Loops over columns are written in plain Rust and vectorised by the compiler, once for every width, or in terms of
//! [`crate::Wide`] where it fails to. Multiply-adds are fused where the formula says so and nowhere else, and no sum is
//! reordered, so all widths give the same bits; only the time differs. A processor without fused multiply-adds is spared
//! none of it: the C library rounds as one instruction would, slowly.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use pulp::{Simd, WithSimd};

/// Registers that [`vectorised`] may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorWidth {
    /// What every machine of the architecture has.
    Portable,
    /// 256 bits (AVX2).
    Avx2,
    /// 512 bits (AVX-512).
    Avx512,
}

/// Widest registers allowed, as a number of [`VectorWidth`].
static WIDEST: AtomicU8 = AtomicU8::new(VectorWidth::Avx512 as u8);

/// Asking the processor takes longer than a short loop: its answers are kept.
#[cfg(target_arch = "x86_64")]
static AVX512: LazyLock<Option<pulp::x86::V4>> = LazyLock::new(pulp::x86::V4::try_new);
#[cfg(target_arch = "x86_64")]
static AVX2: LazyLock<Option<pulp::x86::V3>> = LazyLock::new(pulp::x86::V3::try_new);

impl VectorWidth {
    /// All of them, narrow to wide.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Forbids wider registers than this, for the whole program: for tests and comparisons.
    pub fn limit(self) {
        WIDEST.store(self as u8, Ordering::Relaxed);
    }

    /// The widest that machine and limit allow.
    #[must_use]
    pub fn current() -> Self {
        let limit = WIDEST.load(Ordering::Relaxed);
        #[cfg(target_arch = "x86_64")]
        {
            if limit >= Self::Avx512 as u8 && AVX512.is_some() {
                return Self::Avx512;
            }
            if limit >= Self::Avx2 as u8 && AVX2.is_some() {
                return Self::Avx2;
            }
        }
        let _ = limit;
        Self::Portable
    }
}

/// A computation whose loops are worth vectorising; `run` and all that it calls must be `#[inline(always)]` to be.
pub trait Vectorise {
    /// What it computes.
    type Output;

    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs a computation with the widest registers allowed.
#[inline]
pub fn vectorised<T: Vectorise>(task: T) -> T::Output {
    with_registers(Task(task))
}

/// Runs a computation that names its registers with the widest ones allowed.
#[inline]
pub fn with_registers<T: WithSimd>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let limit = WIDEST.load(Ordering::Relaxed);
        if limit >= VectorWidth::Avx512 as u8
            && let Some(simd) = *AVX512
        {
            return Simd::vectorize(simd, task);
        }
        if limit >= VectorWidth::Avx2 as u8
            && let Some(simd) = *AVX2
        {
            return Simd::vectorize(simd, task);
        }
    }
    task.with_simd(pulp::Scalar::new())
}

/// A computation that leaves its registers to the compiler.
struct Task<T>(T);

impl<T: Vectorise> WithSimd for Task<T> {
    type Output = T::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Output {
        self.0.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [f64]);

    impl Vectorise for Sum<'_> {
        type Output = f64;

        #[inline(always)]
        fn run(self) -> f64 {
            self.0.iter().map(|x| (x * x + 1.0).sqrt() / (x + 3.0)).fold(0.0, |a, b| a + b)
        }
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let values: Vec<f64> = (0..1001).map(|i| f64::from(i).sin()).collect();
        let results = VectorWidth::ALL.map(|width| {
            width.limit();
            vectorised(Sum(&values)).to_bits()
        });
        VectorWidth::Avx512.limit();
        assert!(results.iter().all(|&bits| bits == results[0]));
    }
}
