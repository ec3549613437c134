//! The angle of a point about the z axis, without branches and without a call into the C library.
//!
//! ```text
//! t = min(|x|, |y|) / max(|x|, |y|) ∈ [0, 1],   c = 0 or 1, whichever has atan c nearer to atan t
//! u = (t − c)/(1 + t c),   |u| ≤ tan 22.5°
//! atan t = atan c + u q(u²)      q: polynomial of degree 11 through atan(u)/u at Chebyshev points, error 1.3e-18
//! ```
//!
//! The result has the same bits on every machine, and the compiler vectorises a loop over it. The multiply-adds are
//! written out: a loop over the coefficients would use only half of each register.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// tan 22.5°.
const TAN_EIGHTH: f64 = 0.414_213_562_373_095_03;

/// (q(s) − 1)/s, constant term first.
const ATAN: [f64; 11] = [
    -0.333_333_333_333_331_2,
    0.199_999_999_999_408_37,
    -0.142_857_142_792_449_68,
    0.111_111_107_446_570_99,
    -0.090_908_968_014_728_13,
    0.076_920_451_945_614_81,
    -0.066_629_502_460_367_92,
    0.058_468_667_522_751_39,
    -0.050_350_497_953_124_39,
    0.037_963_903_161_110_83,
    -0.017_803_896_394_812_564,
];

/// Angle of (x, y) in (−π, π] [rad]; zero at the origin.
#[inline(always)]
pub(crate) fn angle_of(x: f64, y: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let is_steep = ax < ay;
    let (low, high) = if is_steep { (ax, ay) } else { (ay, ax) };
    let is_far = low > TAN_EIGHTH * high;
    // (low/high − c)/(1 + c low/high), with one division
    let (above, below) = if is_far { (low - high, high + low) } else { (low, high) };
    let u = above / if below > 0.0 { below } else { 1.0 };
    let s = u * u;
    // two interleaved chains have half the latency of one; the term 1 of q is added last, so no digit is lost
    let f = s * s;
    let [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = ATAN;
    let odd = a10.mul_add(f, a8).mul_add(f, a6).mul_add(f, a4).mul_add(f, a2).mul_add(f, a0);
    let even = a9.mul_add(f, a7).mul_add(f, a5).mul_add(f, a3).mul_add(f, a1);
    let from_base = u.mul_add(s * s.mul_add(even, odd), u);
    // add or subtract from the nearest multiple of 45°: one sum, one rounding
    let near = if x < 0.0 { PI } else { 0.0 };
    let base = if is_steep { FRAC_PI_2 } else { near };
    let diagonal = if x < 0.0 { 3.0 * FRAC_PI_4 } else { FRAC_PI_4 };
    let base = if is_far { diagonal } else { base };
    let angle = if is_steep == (x < 0.0) { base + from_base } else { base - from_base };
    if y < 0.0 { -angle } else { angle }
}

/// The nearest whole number, ties to even, for |x| < 2⁵¹: two additions instead of a library call.
#[inline(always)]
pub(crate) fn nearest_whole(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
    (x + SHIFT) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angle_agrees_with_atan2() {
        for step in 0..100_000 {
            let truth = PI * (f64::from(step) / 50_000.0 - 1.0) * 0.999_999;
            let (sin, cos) = libm::sincos(truth);
            let angle = angle_of(0.024 * cos, 0.024 * sin);
            assert!((angle - libm::atan2(0.024 * sin, 0.024 * cos)).abs() < 5e-16, "{truth}");
        }
        assert_eq!(angle_of(0.0, 0.0), 0.0);
    }
}
