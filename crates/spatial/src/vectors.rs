//! The same loops compiled for several instruction sets, chosen when the program runs.
//!
//! Loops over columns are written in plain Rust and vectorised by the compiler, once for every set, or in terms of
//! [`crate::Wide`] where it fails to. Multiply-adds are fused where the formula says so and nowhere else, and no sum is
//! reordered, so all sets give the same bits; only the time differs. A processor without fused multiply-adds emulates
//! them in software, which is slow.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use pulp::{Simd, WithSimd};

/// A set of vector instructions. The order is that of speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What every machine of the architecture has: one number at a time.
    Portable,
    /// Registers of 256 bits.
    Avx2,
    /// Registers of 512 bits.
    Avx512,
}

/// The fastest set allowed, as a number of [`InstructionSet`].
static FASTEST: AtomicU8 = AtomicU8::new(InstructionSet::Avx512 as u8);

/// Querying the processor takes longer than a short loop, so the results are kept.
#[cfg(target_arch = "x86_64")]
static AVX512: LazyLock<Option<pulp::x86::V4>> = LazyLock::new(pulp::x86::V4::try_new);
#[cfg(target_arch = "x86_64")]
static AVX2: LazyLock<Option<pulp::x86::V3>> = LazyLock::new(pulp::x86::V3::try_new);

impl InstructionSet {
    /// All sets, slow to fast.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Forbids faster sets than this for the whole program: for tests and comparisons.
    pub fn limit(self) {
        FASTEST.store(self as u8, Ordering::Relaxed);
    }

    /// The fastest set that machine and limit allow.
    #[must_use]
    pub fn current() -> Self {
        let limit = FASTEST.load(Ordering::Relaxed);
        let is_allowed = |set: &Self| *set as u8 <= limit && set.is_available();
        Self::ALL.into_iter().rfind(is_allowed).unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Portable => true,
            Self::Avx2 => AVX2.is_some(),
            Self::Avx512 => AVX512.is_some(),
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// Runs a computation with this set, or with the fastest slower one that the processor has.
    #[inline]
    pub fn run<T: WithSimd>(self, task: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Self::Avx512
                && let Some(simd) = *AVX512
            {
                return Simd::vectorize(simd, task);
            }
            if self >= Self::Avx2
                && let Some(simd) = *AVX2
            {
                return Simd::vectorize(simd, task);
            }
        }
        task.with_simd(pulp::Scalar::new())
    }

    #[inline]
    fn limited() -> Self {
        match FASTEST.load(Ordering::Relaxed) {
            0 => Self::Portable,
            1 => Self::Avx2,
            _ => Self::Avx512,
        }
    }
}

/// A computation whose loops are worth vectorising; `run` and all that it calls must be `#[inline(always)]` to be.
pub trait Vectorise {
    /// What it computes.
    type Output;

    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs a computation with the fastest instruction set allowed.
#[inline]
pub fn vectorised<T: Vectorise>(task: T) -> T::Output {
    with_registers(Task(task))
}

/// Runs a computation that names its registers with the fastest instruction set allowed.
#[inline]
pub fn with_registers<T: WithSimd>(task: T) -> T::Output {
    InstructionSet::limited().run(task)
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
    fn every_instruction_set_gives_the_same_bits() {
        let values: Vec<f64> = (0..1001).map(|i| f64::from(i).sin()).collect();
        let results = InstructionSet::ALL.map(|set| {
            set.limit();
            vectorised(Sum(&values)).to_bits()
        });
        InstructionSet::Avx512.limit();
        assert!(results.iter().all(|&bits| bits == results[0]));
    }
}
