//! Softmax over contacts, and the average of their positions in the embedding.
//!
//! ```text
//! w_i = exp(a_i − max a) / Σ        y = Σ w_i E_i
//! exp(x) = 2ⁿ exp(r),  n = round(x / ln 2),  r = x − n ln 2,  exp(r) by its series to r¹³: to 1e-16 for |r| ≤ ln 2 / 2
//! ```
//!
//! Sums run in eight lanes, then over the lanes: every register width gives the same bits.

use tightfit_spatial::{Vectorise, vectorised};

use crate::{EMBEDDING, Embedding};
/// Weights below exp of it are zero: e⁻⁷⁰⁰ is the smallest value that 2ⁿ with a normal exponent gives.
const LOWEST: f64 = -700.0;
/// Lanes of a sum. The length of a column is a multiple of it.
const LANES: usize = 8;
/// Adding it rounds to an integer, which is then in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Weighted average of one cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Average {
    /// y [-].
    pub(super) place: Embedding,
    /// The contact with the largest weight; the first among equals.
    pub(super) heaviest: usize,
}

/// The average of a column of logits. The column is overwritten with weights, not divided by their sum. Columns are
/// padded to whole registers beyond `count`.
pub(super) fn average(logits: &mut [f64], count: usize, embedding: &[f64]) -> Average {
    vectorised(Averages { logits, count, embedding })
}

/// The contact whose position in the embedding is nearest to the target; the first among equals.
pub(super) fn nearest_contact(target: &Embedding, count: usize, embedding: &[f64]) -> usize {
    vectorised(NearestContact { target, count, embedding })
}

struct Averages<'a> {
    logits: &'a mut [f64],
    count: usize,
    embedding: &'a [f64],
}

impl Vectorise for Averages<'_> {
    type Output = Average;

    #[inline(always)]
    fn run(self) -> Average {
        let Self { logits, count, embedding } = self;
        let stride = logits.len();
        logits[count..].fill(f64::NEG_INFINITY);
        let mut largest = [f64::NEG_INFINITY; LANES];
        for block in logits.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                largest[lane] = if block[lane] > largest[lane] { block[lane] } else { largest[lane] };
            }
        }
        let largest = largest.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let has_largest =
            |block: &[f64; LANES]| block.iter().fold(false, |has, logit| has | (*logit == largest));
        let block = logits.as_chunks().0.iter().position(has_largest).unwrap_or(0);
        let within = logits[block * LANES..].iter().position(|logit| *logit == largest).unwrap_or(0);
        let heaviest = block * LANES + within;
        // A separate loop: inside the lanes the compiler runs out of registers.
        for logit in logits.iter_mut() {
            *logit = exponential(*logit - largest);
        }
        let weights = logits.as_chunks::<LANES>().0;
        let mut total = [0.0; LANES];
        for block in weights {
            for lane in 0..LANES {
                total[lane] += block[lane];
            }
        }
        let total: f64 = total.into_iter().sum();
        let mut columns: [&[[f64; LANES]]; EMBEDDING] = [&[]; EMBEDDING];
        for (column, values) in columns.iter_mut().zip(embedding.chunks_exact(stride)) {
            *column = values.as_chunks().0;
        }
        let mut sums = [[0.0; LANES]; EMBEDDING];
        for (index, weights) in weights.iter().enumerate() {
            for (sum, column) in sums.iter_mut().zip(&columns) {
                for lane in 0..LANES {
                    sum[lane] = weights[lane].mul_add(column[index][lane], sum[lane]);
                }
            }
        }
        let place = sums.map(|sum| sum.into_iter().sum::<f64>() / total);
        Average { place, heaviest }
    }
}

struct NearestContact<'a> {
    target: &'a Embedding,
    count: usize,
    embedding: &'a [f64],
}

impl Vectorise for NearestContact<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { target, count, embedding } = self;
        let stride = embedding.len() / EMBEDDING;
        let mut best = (f64::INFINITY, 0);
        for first in (0..stride).step_by(LANES) {
            let mut squared = [0.0; LANES];
            for (column, own) in target.iter().enumerate() {
                let values = &embedding[column * stride + first..][..LANES];
                for lane in 0..LANES {
                    let way = values[lane] - own;
                    squared[lane] += way * way;
                }
            }
            for (lane, squared) in squared.into_iter().enumerate().take(count.saturating_sub(first)) {
                if squared < best.0 {
                    best = (squared, first + lane);
                }
            }
        }
        best.1
    }
}

/// eˣ for x ≤ 0, 0 below e⁻⁷⁰⁰.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    /// 1/k!
    const SERIES: [f64; 14] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    let rounded = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let whole = rounded - ROUND;
    let rest = (-whole).mul_add(LN_2_LOW, (-whole).mul_add(LN_2_HIGH, x));
    let mut value = SERIES[13];
    let mut power = 13;
    while power > 0 {
        power -= 1;
        value = value.mul_add(rest, SERIES[power]);
    }
    // The integer is in the lowest bits. Shifted to the exponent it is a power of two.
    let scale = f64::from_bits((rounded.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    if x < LOWEST { 0.0 } else { value * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_accurate_to_rounding() {
        assert_eq!(exponential(0.0), 1.0);
        assert_eq!(exponential(f64::NEG_INFINITY), 0.0);
        for k in 0..20_000 {
            let x = -f64::from(k) * 0.034_97;
            let exact = if x < LOWEST { 0.0 } else { libm::exp(x) };
            assert!((exponential(x) - exact).abs() <= 4e-16 * exact, "{x}");
        }
    }

    #[test]
    fn weights_match_the_definition() {
        let count = 21;
        let mut logits: Vec<f64> = (0..24).map(|k| 30.0 * f64::from(k).sin()).collect();
        let embedding: Vec<f64> = (0..24 * 8).map(|k| f64::from(k * k % 97)).collect();
        let weights: Vec<f64> = logits[..count].iter().map(|logit| logit.exp()).collect();
        let total: f64 = weights.iter().sum();
        let found = average(&mut logits, count, &embedding);
        for axis in 0..EMBEDDING {
            let exact: f64 = (0..count).map(|k| weights[k] / total * embedding[axis * 24 + k]).sum();
            assert!((found.place[axis] - exact).abs() < 1e-12);
        }
        let heaviest = (0..count).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
        assert_eq!(found.heaviest, heaviest);
        let at = |k: usize| std::array::from_fn(|axis| embedding[axis * 24 + k]);
        assert_eq!(nearest_contact(&at(17), count, &embedding), 17);
    }
}
