//! The ten nearest contacts of every contact, itself included.
//!
//! ```text
//! blocks   8 consecutive contacts along a curve (`hilbert.rs`), with a box each; groups of 8 blocks likewise
//! search   contacts of a block in SIMD lanes, against the contacts of blocks whose box is near enough
//! lists    ascending keys k₀ … k₉ per lane. The eight of a block are sorted, n₀ … n₇; of both the lowest ten are
//!          min(kᵢ, n₉₋ᵢ), which rise and then fall, and a merging network sorts them (Batcher 1968)
//! key      squared distance whose lowest bits hold the contact's index along the curve
//! ```
//!
//! With a thousand contacts the index takes ten of 52 bits: distances that agree to 2⁻⁴² prefer the lower index. Any
//! order of the contacts gives the nearest ones; an order that keeps neighbours together is fast.

use tightfit_pipeline::make_room;
use tightfit_spatial::{Simd, WithSimd, with_registers};

use super::boxes::{BLOCK, Boxes, Lanes};
use crate::NEIGHBOURS;
/// Coordinate of padding contacts [m]. Its square is finite, so keys stay finite.
const FAR: f64 = 1e150;
/// Factor on the bound for the bits that keys lose [-].
const ROUNDING: f64 = 1.0 + 1e-3;

/// Moves the smaller of two keys to the first position, pair by pair. Unrolled, so that the keys stay in registers.
macro_rules! exchange {
    ($simd:expr, $keys:expr, $(($low:literal, $high:literal)),+ $(,)?) => {
        $(
            let (low, high) = ($keys[$low], $keys[$high]);
            $keys[$low] = $simd.min_f64s(low, high);
            $keys[$high] = $simd.max_f64s(low, high);
        )+
    };
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct NeighbourSearch {
    /// Points of the blocks [m].
    blocks: Vec<[Lanes; 3]>,
    boxes: Boxes,
    /// Points one by one, padded to four numbers and whole blocks [m].
    points: Vec<[f64; 4]>,
    /// 0, 1, 2 … as the bits of floats.
    numbers: Vec<Lanes>,
}

impl NeighbourSearch {
    pub(super) fn make_room(&mut self, contacts: usize) {
        let blocks = contacts.div_ceil(BLOCK);
        make_room(&mut self.blocks, blocks);
        make_room(&mut self.numbers, blocks);
        make_room(&mut self.points, blocks * BLOCK);
        self.boxes.make_room(blocks);
    }

    /// Stores three columns of contacts in blocks with boxes.
    fn fill(&mut self, points: &[f64], count: usize, stride: usize) {
        let Self { blocks, boxes, points: singly, numbers } = self;
        let columns = [0, 1, 2].map(|axis| &points[axis * stride..axis * stride + count]);
        blocks.clear();
        singly.clear();
        boxes.clear();
        for first in (0..count).step_by(BLOCK) {
            let used = BLOCK.min(count - first);
            let mut block = [[FAR; BLOCK]; 3];
            for (own, column) in block.iter_mut().zip(columns) {
                match column[first..].first_chunk() {
                    Some(whole) => *own = *whole,
                    None => own[..used].copy_from_slice(&column[first..]),
                }
            }
            singly.extend((0..BLOCK).map(|lane| [block[0][lane], block[1][lane], block[2][lane], 0.0]));
            boxes.push(&block, used);
            blocks.push(block);
        }
        for block in numbers.len()..blocks.len() {
            numbers.push(std::array::from_fn(|lane| f64::from_bits((block * BLOCK + lane) as u64)));
        }
    }
}

/// Writes three columns of `stride` for each neighbour, usually the contact itself first; `points` are three columns.
pub(super) fn find_neighbours(
    points: &[f64],
    count: usize,
    stride: usize,
    search: &mut NeighbourSearch,
    neighbours: &mut [f64],
) {
    search.fill(points, count, stride);
    with_registers(Search { count, stride, search, neighbours });
    // Padding repeats the last contact.
    for column in neighbours.chunks_exact_mut(stride) {
        let last = column[count - 1];
        column[count..].fill(last);
    }
}

struct Search<'a> {
    count: usize,
    stride: usize,
    search: &'a NeighbourSearch,
    neighbours: &'a mut [f64],
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { count, stride, search: NeighbourSearch { blocks, boxes, points, numbers }, neighbours } =
            self;
        let number_bits = (count as u64).next_power_of_two() - 1;
        let keep = simd.splat_f64s(f64::from_bits(!number_bits));
        let wanted = NEIGHBOURS.min(count);
        for (own, block) in blocks.iter().enumerate() {
            let mut queries = *block;
            for column in &mut queries {
                let first = column[0];
                column[BLOCK.min(count - own * BLOCK)..].fill(first);
            }
            let corners = boxes.corners(own);
            // Adjacent blocks on the curve are usually near: they bound the search.
            let beside = own.saturating_sub(1)..(own + 2).min(blocks.len());
            for register in 0..BLOCK / S::F64_LANES {
                let mut query = [simd.splat_f64s(0.0); 3];
                for (query, column) in query.iter_mut().zip(&queries) {
                    *query = S::as_simd_f64s(column).0[register];
                }
                let mut nearest = [simd.splat_f64s(f64::INFINITY); NEIGHBOURS];
                for index in beside.clone() {
                    take(simd, &query, &blocks[index], &numbers[index], keep, &mut nearest);
                }
                let bound = simd.reduce_max_f64s(nearest[wanted - 1]) * ROUNDING;
                boxes.visit_near(simd, &corners, bound, |index, other| {
                    // The bound has shrunk by now, and a block near one contact is not near all.
                    let least = other.squared_distances(simd, &query);
                    let bound = simd.mul_f64s(nearest[wanted - 1], simd.splat_f64s(ROUNDING));
                    let is_near = simd.less_than_or_equal_f64s(least, bound);
                    if simd.first_true_m64s(is_near) < S::F64_LANES && !beside.contains(&index) {
                        take(simd, &query, &blocks[index], &numbers[index], keep, &mut nearest);
                    }
                });
                let first = own * BLOCK + register * S::F64_LANES;
                for (keys, columns) in nearest[..wanted].iter().zip(neighbours.chunks_exact_mut(3 * stride)) {
                    let mut row = [0.0; BLOCK];
                    S::as_mut_simd_f64s(&mut row).0[0] = *keys;
                    let (x, others) = columns.split_at_mut(stride);
                    let (y, z) = others.split_at_mut(stride);
                    let [x, y, z] = [x, y, z].map(|column| &mut column[first..][..S::F64_LANES]);
                    for (lane, ((x, y), z)) in x.iter_mut().zip(y).zip(z).enumerate() {
                        let [own_x, own_y, own_z, _] = points[(row[lane].to_bits() & number_bits) as usize];
                        (*x, *y, *z) = (own_x, own_y, own_z);
                    }
                }
            }
        }
    }
}

/// Merges the contacts of a block into the lists of nearest ones.
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
    // Odd-even merging sorts eight keys.
    exchange!(simd, keys, (0, 1), (2, 3), (4, 5), (6, 7));
    exchange!(simd, keys, (0, 2), (1, 3), (4, 6), (5, 7));
    exchange!(simd, keys, (1, 2), (5, 6));
    exchange!(simd, keys, (0, 4), (1, 5), (2, 6), (3, 7));
    exchange!(simd, keys, (2, 4), (3, 5));
    exchange!(simd, keys, (1, 2), (3, 4), (5, 6));
    for (own, key) in nearest.iter_mut().rev().zip(keys) {
        *own = simd.min_f64s(*own, key);
    }
    // Bitonic merge of sixteen keys; the first six are lower than all others and omitted.
    exchange!(simd, nearest, (0, 8), (1, 9));
    exchange!(simd, nearest, (2, 6), (3, 7), (4, 8), (5, 9));
    exchange!(simd, nearest, (2, 4), (3, 5), (6, 8), (7, 9));
    exchange!(simd, nearest, (0, 1), (2, 3), (4, 5), (6, 7), (8, 9));
    *lists = nearest;
}
