//! The ten nearest contacts of every contact, itself among them.
//!
//! ```text
//! order    along a Z-curve through the box of all contacts (Morton 1966), in blocks of 8 with a box each
//! search   contacts of a block side by side in registers, against those of blocks whose box is near enough
//! lists    ascending keys k₁ … k₁₀ per lane; a newcomer passes through:  (kᵢ, new) ← (min(kᵢ, new), max(kᵢ, new))
//! key      squared distance whose lowest bits hold the number of the contact
//! ```
//!
//! With a thousand contacts the number takes ten of 52 bits: distances equal to 2⁻⁴² go to the lower number.

use tightfit_network::interaction::NEIGHBOURS;
use tightfit_spatial::{Simd, WithSimd, with_registers};

use crate::make_room;

/// Contacts of a block: a register of AVX-512. Blocks of 16 have wider boxes, and more contacts are looked at.
const BLOCK: usize = 8;
/// Cells of the Z-curve along an axis.
const CELLS: f64 = 1024.0;
/// Where there is no contact [m]: its square is finite, so that keys are numbers.
const FAR: f64 = 1e150;
/// Slack of the bound for the bits that keys lose [-].
const ROUNDING: f64 = 1.0 + 1e-3;

type Lanes = [f64; BLOCK];

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct NeighbourSearch {
    /// Place on the curve and number of every contact, in one word.
    order: Vec<u64>,
    /// Points of the blocks.
    blocks: Vec<[Lanes; 3]>,
    /// Numbers of their contacts, as the bits of a float.
    numbers: Vec<Lanes>,
    /// Lowest and highest corner of every block, axis by axis [m].
    corners: [[Vec<f64>; 3]; 2],
    /// Squared distance of every block's box from the one that is looked at [m²].
    distances: Vec<f64>,
}

impl NeighbourSearch {
    pub(super) fn make_room(&mut self, contacts: usize) {
        let blocks = contacts.div_ceil(BLOCK);
        make_room(&mut self.order, contacts);
        make_room(&mut self.blocks, blocks);
        make_room(&mut self.numbers, blocks);
        self.corners.iter_mut().flatten().for_each(|column| make_room(column, blocks));
        make_room(&mut self.distances, blocks);
    }
}

/// Writes three columns of `stride` for each of the nearest, the contact itself first as a rule; `points` are three columns.
pub(super) fn find_neighbours(
    points: &[f64],
    count: usize,
    stride: usize,
    search: &mut NeighbourSearch,
    neighbours: &mut [f64],
) {
    fill(points, count, stride, search);
    with_registers(Search { points, count, stride, search, neighbours });
    // columns are filled up with the last contact
    for column in neighbours.chunks_exact_mut(stride) {
        let last = column[count - 1];
        column[count..].fill(last);
    }
}

struct Search<'a> {
    points: &'a [f64],
    count: usize,
    stride: usize,
    search: &'a mut NeighbourSearch,
    neighbours: &'a mut [f64],
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { points, count, stride, search, neighbours } = self;
        let NeighbourSearch { blocks, numbers, corners, distances, .. } = search;
        let number_bits = (count as u64).next_power_of_two() - 1;
        let keep = simd.splat_f64s(f64::from_bits(!number_bits));
        let wanted = NEIGHBOURS.min(count);
        for own in 0..blocks.len() {
            box_distances(corners, own, distances);
            let used = BLOCK.min(count - own * BLOCK);
            let mut queries = blocks[own];
            for column in &mut queries {
                let first = column[0];
                column[used..].fill(first);
            }
            for register in 0..used.div_ceil(S::F64_LANES) {
                let query = [0, 1, 2].map(|axis| S::as_simd_f64s(&queries[axis]).0[register]);
                let mut nearest = [simd.splat_f64s(f64::INFINITY); NEIGHBOURS];
                take(simd, &query, &blocks[own], &numbers[own], keep, &mut nearest);
                let mut bound = simd.reduce_max_f64s(nearest[wanted - 1]) * ROUNDING;
                // blocks beside this one on the curve are near as a rule: the bound falls soon
                for offset in 1..blocks.len() {
                    for index in [own.wrapping_sub(offset), own + offset] {
                        if index < blocks.len() && distances[index] <= bound {
                            take(simd, &query, &blocks[index], &numbers[index], keep, &mut nearest);
                            bound = simd.reduce_max_f64s(nearest[wanted - 1]) * ROUNDING;
                        }
                    }
                }
                let first = register * S::F64_LANES;
                let lanes = S::F64_LANES.min(used - first);
                for (rank, keys) in nearest[..wanted].iter().enumerate() {
                    let mut row = [0.0; BLOCK];
                    S::as_mut_simd_f64s(&mut row).0[0] = *keys;
                    for lane in 0..lanes {
                        let place = numbers[own][first + lane].to_bits() as usize;
                        let number = (row[lane].to_bits() & number_bits) as usize;
                        for axis in 0..3 {
                            neighbours[(3 * rank + axis) * stride + place] = points[axis * stride + number];
                        }
                    }
                }
            }
        }
    }
}

/// Passes the contacts of a block through the lists of nearest ones.
#[inline(always)]
fn take<S: Simd>(
    simd: S,
    query: &[S::f64s; 3],
    block: &[Lanes; 3],
    numbers: &Lanes,
    keep: S::f64s,
    nearest: &mut [S::f64s; NEIGHBOURS],
) {
    for lane in 0..BLOCK {
        let mut squared = simd.splat_f64s(0.0);
        for axis in 0..3 {
            let way = simd.sub_f64s(query[axis], simd.splat_f64s(block[axis][lane]));
            squared = simd.add_f64s(squared, simd.mul_f64s(way, way));
        }
        let mut key = simd.or_f64s(simd.and_f64s(squared, keep), simd.splat_f64s(numbers[lane]));
        for own in nearest.iter_mut() {
            let nearer = simd.min_f64s(*own, key);
            key = simd.max_f64s(*own, key);
            *own = nearer;
        }
    }
}

/// Squared distances of all boxes from one of them [m²].
#[inline(always)]
fn box_distances([low, high]: &[[Vec<f64>; 3]; 2], own: usize, distances: &mut [f64]) {
    distances.fill(0.0);
    for axis in 0..3 {
        let (own_low, own_high) = (low[axis][own], high[axis][own]);
        for ((distance, low), high) in distances.iter_mut().zip(&low[axis]).zip(&high[axis]) {
            let way = f64::max(f64::max(low - own_high, own_low - high), 0.0);
            *distance += way * way;
        }
    }
}

/// Puts the contacts in order, in blocks, with boxes.
fn fill(points: &[f64], count: usize, stride: usize, search: &mut NeighbourSearch) {
    let NeighbourSearch { order, blocks, numbers, corners, distances } = search;
    let columns = [0, 1, 2].map(|axis| &points[axis * stride..axis * stride + count]);
    let low = columns.map(|column| column.iter().fold(f64::INFINITY, |low, x| low.min(*x)));
    let high = columns.map(|column| column.iter().fold(f64::NEG_INFINITY, |high, x| high.max(*x)));
    let longest = (0..3).fold(0.0, |longest: f64, axis| longest.max(high[axis] - low[axis]));
    let scale = if longest > 0.0 { (CELLS - 1.0) / longest } else { 0.0 };
    order.clear();
    order.extend((0..count).map(|index| {
        let cell = |axis: usize| spread(((columns[axis][index] - low[axis]) * scale) as u64);
        let key = cell(0) | cell(1) << 1 | cell(2) << 2;
        key << 32 | index as u64
    }));
    order.sort_unstable();
    blocks.clear();
    numbers.clear();
    corners.iter_mut().flatten().for_each(Vec::clear);
    for members in order.chunks(BLOCK) {
        let mut block = [[FAR; BLOCK]; 3];
        let mut names = [0.0; BLOCK];
        for (lane, word) in members.iter().enumerate() {
            let number = *word as u32;
            names[lane] = f64::from_bits(u64::from(number));
            for axis in 0..3 {
                block[axis][lane] = columns[axis][number as usize];
            }
        }
        for axis in 0..3 {
            let used = &block[axis][..members.len()];
            corners[0][axis].push(used.iter().fold(f64::INFINITY, |low, x| low.min(*x)));
            corners[1][axis].push(used.iter().fold(f64::NEG_INFINITY, |high, x| high.max(*x)));
        }
        blocks.push(block);
        numbers.push(names);
    }
    distances.clear();
    distances.resize(blocks.len(), 0.0);
}

/// Ten bits with two free ones after each.
fn spread(bits: u64) -> u64 {
    let bits = (bits | bits << 16) & 0x0300_00FF;
    let bits = (bits | bits << 8) & 0x0300_F00F;
    let bits = (bits | bits << 4) & 0x030C_30C3;
    (bits | bits << 2) & 0x0924_9249
}
