//! tanh, sigmoid and SiLU on vectors, from one function: E(x) = eˣ − 1.
//!
//! ```text
//! x = n ln 2 + r,  |r| ≤ ½ ln 2      E(x) = 2ⁿ E(r) + (2ⁿ − 1)      E(r) by its series to r⁸
//! tanh x = E(2x) / (E(2x) + 2)       σ(x) = 1 / (E(−x) + 2)
//! ```
//! Every operation is exact or rounded once (IEEE 754), in an order that does not depend on the vector width: all
//! paths give the same bits. The error is below 2 units in the last place.

use pulp::Simd;

use crate::Activation;

/// ln 2 in two parts; the first has so few digits that n times it is exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Adding 1.5 · 2²³ rounds to an integer in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;
/// Largest |x| for which eˣ stays in the range of f32; tanh and sigmoid reach their limits far earlier.
const LARGEST: f32 = 87.0;
/// 1/k! for k = 8 … 2.
const SERIES: [f32; 7] =
    [1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0];

/// Value and slope of a smooth activation; `passes` handles the piecewise linear ones.
#[inline(always)]
pub(super) fn value_and_slope<S: Simd>(simd: S, activation: Activation, x: S::f32s) -> [S::f32s; 2] {
    let one = simd.splat_f32s(1.0);
    match activation {
        Activation::Tanh => {
            let e = exponential_minus_one(simd, simd.add_f32s(x, x));
            let y = simd.div_f32s(e, simd.add_f32s(e, simd.splat_f32s(2.0)));
            [y, simd.mul_add_f32s(simd.neg_f32s(y), y, one)]
        }
        Activation::Sigmoid => {
            let y = sigmoid(simd, x);
            [y, simd.mul_f32s(y, simd.sub_f32s(one, y))]
        }
        Activation::Silu => {
            let s = sigmoid(simd, x);
            let y = simd.mul_f32s(x, s);
            [y, simd.mul_add_f32s(y, simd.sub_f32s(one, s), s)]
        }
        Activation::Identity | Activation::Relu | Activation::LeakyRelu { .. } => [x, one],
    }
}

#[inline(always)]
fn sigmoid<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let e = exponential_minus_one(simd, simd.neg_f32s(x));
    simd.div_f32s(simd.splat_f32s(1.0), simd.add_f32s(e, simd.splat_f32s(2.0)))
}

#[inline(always)]
fn exponential_minus_one<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |value: f32| simd.splat_f32s(value);
    // Comparisons instead of min and max: a NaN stays a NaN on every path.
    let x = simd.select_f32s(simd.greater_than_f32s(x, splat(LARGEST)), splat(LARGEST), x);
    let x = simd.select_f32s(simd.less_than_f32s(x, splat(-LARGEST)), splat(-LARGEST), x);
    let shifted = simd.mul_add_f32s(x, splat(std::f32::consts::LOG2_E), splat(ROUNDER));
    let n = simd.sub_f32s(shifted, splat(ROUNDER));
    let r = simd.mul_add_f32s(n, splat(-LN_2_HIGH), x);
    let r = simd.mul_add_f32s(n, splat(-LN_2_LOW), r);
    let mut series = splat(SERIES[0]);
    for coefficient in &SERIES[1..] {
        series = simd.mul_add_f32s(series, r, splat(*coefficient));
    }
    let e = simd.mul_add_f32s(simd.mul_f32s(series, r), r, r);
    // 2ⁿ: the bits of n are shifted into the exponent; for |x| ≤ 87 it is a normal number.
    let exponent = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    let power = simd.transmute_f32s_u32s(simd.add_u32s(exponent, simd.splat_u32s(1.0_f32.to_bits())));
    simd.mul_add_f32s(power, e, simd.sub_f32s(power, splat(1.0)))
}
