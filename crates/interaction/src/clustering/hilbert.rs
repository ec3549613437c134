//! Points in the order of a Hilbert curve through their box.
//!
//! ```text
//! cell     xᵢ of 8 bits along each axis
//! from the highest bit q down, for each axis:   bit q of xᵢ set: invert the bits below q of x₀
//!                                               else: exchange the bits below q of x₀ and xᵢ
//! Gray     x₁ ^= x₀, x₂ ^= x₁; the bits of all below each set bit of x₂ are inverted
//! place    the bits of x₀, x₁ and x₂ in turn, the highest first
//! ```
//!
//! Neighbours on the curve are neighbours in space (Skilling 2004), unlike on a Z-curve. Blocks of eight contacts
//! therefore have smaller boxes, and fewer of them are near one another.

use tightfit_pipeline::make_room;
use tightfit_spatial::{Vectorise, vectorised};

const BITS: u32 = 8;
/// Radix of a sorting pass; curve positions have three digits.
const DIGITS: usize = 1 << BITS;
/// Points processed together.
const LANES: usize = 16;

/// Fewer words than this are sorted by comparison: radix passes go through all digits.
const FEW: usize = 200;

/// One word per point, ascending: curve position in the high bits, index in the low bits.
#[derive(Clone, Debug, Default)]
pub(super) struct AlongCurve {
    words: Vec<u64>,
    spare: Vec<u64>,
}

impl AlongCurve {
    pub(super) fn make_room(&mut self, points: usize) {
        make_room(&mut self.words, points);
        make_room(&mut self.spare, points);
    }

    /// Sorts points, given as three columns.
    pub(super) fn sort(&mut self, columns: [&[f64]; 3]) {
        let words = &mut self.words;
        words.clear();
        words.resize(columns[0].len(), 0);
        vectorised(Places { columns, words });
        if words.len() < FEW {
            words.sort_unstable();
        } else {
            self.count_digits();
        }
    }

    /// Index of the point at a position of the order.
    #[inline]
    pub(super) fn number(&self, place: usize) -> usize {
        self.words[place] as u32 as usize
    }

    /// Radix sort from the lowest digit. It is stable: points with equal positions keep ascending indices.
    fn count_digits(&mut self) {
        let Self { words, spare } = self;
        let digit = |word: u64, rank: u32| (word >> (32 + BITS * rank)) as usize % DIGITS;
        let mut counts = [[0_u32; DIGITS]; 3];
        for word in words.iter() {
            for (rank, counts) in (0..).zip(&mut counts) {
                counts[digit(*word, rank)] += 1;
            }
        }
        spare.clear();
        spare.resize(words.len(), 0);
        for (rank, counts) in (0..).zip(&mut counts) {
            let starts = counts;
            let mut before = 0;
            for start in starts.iter_mut() {
                (*start, before) = (before, before + *start);
            }
            for word in words.iter() {
                let start = &mut starts[digit(*word, rank)];
                spare[*start as usize] = *word;
                *start += 1;
            }
            std::mem::swap(words, spare);
        }
    }
}

struct Places<'a> {
    columns: [&'a [f64]; 3],
    words: &'a mut [u64],
}

impl Vectorise for Places<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { columns, words } = self;
        let mut low = [0.0; 3];
        let mut longest = 0.0_f64;
        for (low, column) in low.iter_mut().zip(columns) {
            *low = column.iter().fold(f64::INFINITY, |low, x| low.min(*x));
            longest = longest.max(column.iter().fold(f64::NEG_INFINITY, |high, x| high.max(*x)) - *low);
        }
        let scale = if longest > 0.0 { f64::from((1_u32 << BITS) - 1) / longest } else { 0.0 };
        for (block, words) in words.chunks_mut(LANES).enumerate() {
            let first = block * LANES;
            let mut cells = [[0_u32; LANES]; 3];
            for axis in 0..3 {
                let column = &columns[axis][first..first + words.len()];
                for (cell, x) in cells[axis].iter_mut().zip(column) {
                    *cell = ((x - low[axis]) * scale) as u32;
                }
            }
            let places = places(cells);
            for (lane, word) in words.iter_mut().enumerate() {
                *word = u64::from(places[lane]) << 32 | (first + lane) as u64;
            }
        }
    }
}

/// Curve positions of cells.
#[inline(always)]
fn places(cells: [[u32; LANES]; 3]) -> [u32; LANES] {
    let [mut x, mut y, mut z] = cells;
    for lane in 0..LANES {
        let (mut a, mut b, mut c) = (x[lane], y[lane], z[lane]);
        let mut bit = BITS - 1;
        while bit > 0 {
            let below = (1 << bit) - 1;
            a ^= below & set(a, bit);
            let change = (a ^ b) & below & !set(b, bit);
            a ^= change | below & set(b, bit);
            b ^= change;
            let change = (a ^ c) & below & !set(c, bit);
            a ^= change | below & set(c, bit);
            c ^= change;
            bit -= 1;
        }
        (x[lane], y[lane], z[lane]) = (a, b, c);
    }
    let mut out = [0; LANES];
    for lane in 0..LANES {
        let b = y[lane] ^ x[lane];
        let c = z[lane] ^ b;
        let mut change = 0;
        let mut bit = BITS - 1;
        while bit > 0 {
            change ^= ((1 << bit) - 1) & set(c, bit);
            bit -= 1;
        }
        out[lane] = spread(x[lane] ^ change) << 2 | spread(b ^ change) << 1 | spread(c ^ change);
    }
    out
}

/// All ones where the bit is set, else zero.
#[inline(always)]
fn set(number: u32, bit: u32) -> u32 {
    0_u32.wrapping_sub(number >> bit & 1)
}

/// Spreads ten bits, two zero bits after each.
#[inline(always)]
fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 16) & 0x0300_00FF;
    let bits = (bits | bits << 8) & 0x0300_F00F;
    let bits = (bits | bits << 4) & 0x030C_30C3;
    (bits | bits << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_cell_in_neighbour_steps() {
        // Eight cells along each axis, in the corner where the curve starts.
        let mut cells: Vec<[u32; 3]> = (0..512).map(|k| [k % 8, k / 8 % 8, k / 64]).collect();
        let place = |cell: &[u32; 3]| places(cell.map(|x| [x; LANES]))[0];
        cells.sort_by_key(place);
        assert_eq!(place(&cells[0]), 0);
        for pair in cells.windows(2) {
            assert_eq!(place(&pair[1]), place(&pair[0]) + 1);
            let apart: u32 = (0..3).map(|axis| pair[0][axis].abs_diff(pair[1][axis])).sum();
            assert_eq!(apart, 1, "{pair:?}");
        }
    }

    #[test]
    fn every_point_appears_once() {
        let mut order = AlongCurve::default();
        for count in [37_u32, 5_000] {
            let column = |rate: f64| (0..count).map(|k| (f64::from(k) * rate) % 1.0).collect::<Vec<_>>();
            let columns = [column(0.37), column(0.71), column(0.93)];
            order.sort([&columns[0], &columns[1], &columns[2]]);
            assert!(order.words.is_sorted());
            let mut numbers: Vec<usize> = (0..count as usize).map(|place| order.number(place)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as usize));
        }
        // Identical points share the first position.
        order.sort([&[1.0; 3], &[2.0; 3], &[3.0; 3]]);
        assert_eq!(order.words, [0, 1, 2]);
    }
}
