//! The ten nearest contacts of every contact, itself among them.
//!
//! ```text
//! order    along a Hilbert curve (`hilbert.rs`), in blocks of 8 with a box each
//! search   contacts of a block side by side in registers, against those of blocks whose box is near enough
//! lists    ascending keys k₀ … k₉ per lane. The eight of a block are sorted, n₀ … n₇; of both the lowest ten are
//!          min(kᵢ, n₉₋ᵢ), which rise and then fall, and a merging network sorts them (Batcher 1968)
//! key      squared distance whose lowest bits hold the number of the contact
//! ```
//!
//! With a thousand contacts the number takes ten of 52 bits: distances equal to 2⁻⁴² go to the lower number.

use tightfit_network::interaction::NEIGHBOURS;
use tightfit_spatial::{Simd, WithSimd, with_registers};

use super::hilbert::along_curve;
use crate::make_room;

/// Contacts of a block: a register of AVX-512. Blocks of 16 have wider boxes, and more contacts are looked at.
const BLOCK: usize = 8;
/// Where there is no contact [m]: its square is finite, so that keys are numbers.
const FAR: f64 = 1e150;
/// Slack of the bound for the bits that keys lose [-].
const ROUNDING: f64 = 1.0 + 1e-3;

type Lanes = [f64; BLOCK];

/// The smaller of two keys to the first place, pair by pair. Written out, so that the keys stay in registers.
macro_rules! exchange {
    ($simd:expr, $keys:expr, $(($low:literal, $high:literal)),+ $(,)?) => {
        $(
            let (low, high) = ($keys[$low], $keys[$high]);
            $keys[$low] = $simd.min_f64s(low, high);
            $keys[$high] = $simd.max_f64s(low, high);
        )+
    };
}

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
    /// Blocks whose box is near, ascending.
    near: Vec<usize>,
}

impl NeighbourSearch {
    pub(super) fn make_room(&mut self, contacts: usize) {
        let blocks = contacts.div_ceil(BLOCK);
        make_room(&mut self.order, contacts);
        make_room(&mut self.blocks, blocks);
        make_room(&mut self.numbers, blocks);
        self.corners.iter_mut().flatten().for_each(|column| make_room(column, blocks));
        make_room(&mut self.distances, blocks);
        make_room(&mut self.near, blocks + 1);
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
        let NeighbourSearch { blocks, numbers, corners, distances, near, .. } = search;
        let number_bits = (count as u64).next_power_of_two() - 1;
        let keep = simd.splat_f64s(f64::from_bits(!number_bits));
        let wanted = NEIGHBOURS.min(count);
        for own in 0..blocks.len() {
            box_distances(corners, own, distances);
            // blocks beside this one on the curve are near as a rule: they bound what else is looked at
            let beside = own.saturating_sub(1)..(own + 2).min(blocks.len());
            // they are not near a second time
            distances[beside.clone()].fill(f64::NAN);
            let used = BLOCK.min(count - own * BLOCK);
            let mut queries = blocks[own];
            for column in &mut queries {
                let first = column[0];
                column[used..].fill(first);
            }
            for register in 0..used.div_ceil(S::F64_LANES) {
                let mut query = [simd.splat_f64s(0.0); 3];
                for (query, column) in query.iter_mut().zip(&queries) {
                    *query = S::as_simd_f64s(column).0[register];
                }
                let mut nearest = [simd.splat_f64s(f64::INFINITY); NEIGHBOURS];
                for index in beside.clone() {
                    take(simd, &query, &blocks[index], &numbers[index], keep, &mut nearest);
                }
                let bound = simd.reduce_max_f64s(nearest[wanted - 1]) * ROUNDING;
                let mut found = 0;
                for (index, distance) in distances.iter().enumerate() {
                    // without a branch, which could not be foreseen
                    near[found] = index;
                    found += usize::from(*distance <= bound);
                }
                let (before, after) =
                    near[..found].split_at(near[..found].partition_point(|index| *index < own));
                for &index in after.iter().chain(before.iter().rev()) {
                    // the lists are shorter by now
                    let distance = simd.splat_f64s(distances[index] / ROUNDING);
                    let is_near = simd.less_than_or_equal_f64s(distance, nearest[wanted - 1]);
                    if simd.first_true_m64s(is_near) < S::F64_LANES {
                        take(simd, &query, &blocks[index], &numbers[index], keep, &mut nearest);
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

/// Takes the contacts of a block into the lists of nearest ones: sorts them, and merges.
#[inline(always)]
fn take<S: Simd>(
    simd: S,
    query: &[S::f64s; 3],
    block: &[Lanes; 3],
    numbers: &Lanes,
    keep: S::f64s,
    lists: &mut [S::f64s; NEIGHBOURS],
) {
    let mut nearest = *lists;
    let mut keys = [simd.splat_f64s(0.0); BLOCK];
    for (lane, key) in keys.iter_mut().enumerate() {
        let x = simd.sub_f64s(query[0], simd.splat_f64s(block[0][lane]));
        let y = simd.sub_f64s(query[1], simd.splat_f64s(block[1][lane]));
        let z = simd.sub_f64s(query[2], simd.splat_f64s(block[2][lane]));
        let squared = simd.mul_add_f64s(z, z, simd.mul_add_f64s(y, y, simd.mul_f64s(x, x)));
        *key = simd.or_f64s(simd.and_f64s(squared, keep), simd.splat_f64s(numbers[lane]));
    }
    // odd-even merging sorts eight
    exchange!(simd, keys, (0, 1), (2, 3), (4, 5), (6, 7));
    exchange!(simd, keys, (0, 2), (1, 3), (4, 6), (5, 7));
    exchange!(simd, keys, (1, 2), (5, 6));
    exchange!(simd, keys, (0, 4), (1, 5), (2, 6), (3, 7));
    exchange!(simd, keys, (2, 4), (3, 5));
    exchange!(simd, keys, (1, 2), (3, 4), (5, 6));
    for (own, key) in nearest.iter_mut().rev().zip(keys) {
        *own = simd.min_f64s(*own, key);
    }
    // bitonic merging of sixteen, the first six of which would be lower than all
    exchange!(simd, nearest, (0, 8), (1, 9));
    exchange!(simd, nearest, (2, 6), (3, 7), (4, 8), (5, 9));
    exchange!(simd, nearest, (2, 4), (3, 5), (6, 8), (7, 9));
    exchange!(simd, nearest, (0, 1), (2, 3), (4, 5), (6, 7), (8, 9));
    *lists = nearest;
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
    let NeighbourSearch { order, blocks, numbers, corners, distances, near } = search;
    let columns = [0, 1, 2].map(|axis| &points[axis * stride..axis * stride + count]);
    along_curve(columns, order);
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
    // the last place is written to, but never counts
    near.clear();
    near.resize(blocks.len() + 1, 0);
}
