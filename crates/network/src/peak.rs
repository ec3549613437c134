//! Measures the peak rate of fused multiply-adds of a core.
//!
//! Twelve independent chains: four cycles of latency times two units need eight, and twelve fit into the sixteen
//! registers of AVX2.

use std::hint::black_box;
use std::time::Instant;

use pulp::{Simd, WithSimd};

use tightfit_spatial::InstructionSet;

use crate::kernel::Tiling;

const CHAINS: usize = 12;

/// Floating-point operations per second (two per fused multiply-add) of one core, measured over `rounds` rounds of
/// twelve chains.
#[must_use]
pub fn fused_multiply_add_rate(set: InstructionSet, rounds: u32) -> f64 {
    let mut sum = 0.0;
    let start = Instant::now();
    set.run(Chains { rounds: black_box(rounds), factor: black_box(0.999_999), sum: &mut sum });
    let seconds = start.elapsed().as_secs_f64();
    black_box(sum);
    let operations = 2.0 * f64::from(rounds) * CHAINS as f64 * set.lanes() as f64;
    operations / seconds
}

struct Chains<'a> {
    rounds: u32,
    factor: f32,
    sum: &'a mut f32,
}

impl WithSimd for Chains<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let factor = simd.splat_f32s(self.factor);
        let mut chains = [simd.splat_f32s(1.0); CHAINS];
        for _ in 0..self.rounds {
            for chain in &mut chains {
                *chain = simd.mul_add_f32s(*chain, factor, factor);
            }
        }
        *self.sum = chains.iter().map(|chain| simd.reduce_sum_f32s(*chain)).sum();
    }
}
