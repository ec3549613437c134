//! The ten nearest contacts of every contact, itself among them, exactly.
//!
//! ```text
//! order    along a Z-curve through the box of all contacts (Morton 1966), in blocks of 16 with a box each
//! bound    r_i ≤ r_j + |p_i − p_j|        r distance of the tenth neighbour; j the contact before in that order
//! search   blocks whose box is within the bound, which falls as neighbours are found
//! ```
//!
//! Of equal distances the lower number comes first, whatever the order.

use tightfit_network::interaction::NEIGHBOURS;
use tightfit_spatial::{Vectorise, vectorised};

use crate::make_room;

/// Contacts of a block.
const BLOCK: usize = 16;
/// Cells of the Z-curve along an axis.
const CELLS: f64 = 1024.0;
/// Slack of the bound against rounding [-].
const ROUNDING: f64 = 1.0 + 1e-12;

type Lanes = [f64; BLOCK];

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct NeighbourSearch {
    /// Place on the curve and number of every contact, in one word.
    order: Vec<u64>,
    /// Points of the blocks; infinitely far where there is none.
    blocks: Vec<[Lanes; 3]>,
    /// Numbers of their contacts.
    numbers: Vec<[u32; BLOCK]>,
    /// Lowest and highest corner of the boxes of 16 blocks, axis by axis.
    boxes: Vec<[[Lanes; 3]; 2]>,
}

impl NeighbourSearch {
    pub(super) fn make_room(&mut self, contacts: usize) {
        let blocks = contacts.div_ceil(BLOCK);
        make_room(&mut self.order, contacts);
        make_room(&mut self.blocks, blocks);
        make_room(&mut self.numbers, blocks);
        make_room(&mut self.boxes, blocks.div_ceil(BLOCK));
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
    vectorised(Search { points, count, stride, search, neighbours });
}

struct Search<'a> {
    points: &'a [f64],
    count: usize,
    stride: usize,
    search: &'a mut NeighbourSearch,
    neighbours: &'a mut [f64],
}

impl Vectorise for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { points, count, stride, search, neighbours } = self;
        fill(points, count, stride, search);
        let NeighbourSearch { blocks, numbers, boxes, .. } = search;
        let wanted = NEIGHBOURS.min(count);
        let mut before = [f64::INFINITY; 3];
        let mut radius = f64::INFINITY;
        for (own, (block, names)) in blocks.iter().zip(numbers.iter()).enumerate() {
            for lane in 0..BLOCK.min(count - own * BLOCK) {
                let point = [block[0][lane], block[1][lane], block[2][lane]];
                let way = squared_length([0, 1, 2].map(|axis| point[axis] - before[axis])).sqrt();
                let mut bound = (radius + way) * (radius + way) * ROUNDING;
                if bound.is_nan() {
                    bound = f64::INFINITY;
                }
                let mut nearest = Nearest::new(wanted, bound);
                nearest.take(&point, block, names);
                for (group, corners) in boxes.iter().enumerate() {
                    let distances = box_distances(&point, corners);
                    let mut hits = within(&distances, nearest.bound);
                    while hits != 0 {
                        let index = group * BLOCK + hits.trailing_zeros() as usize;
                        if index != own && distances[index % BLOCK] <= nearest.bound {
                            nearest.take(&point, &blocks[index], &numbers[index]);
                        }
                        hits &= hits - 1;
                    }
                }
                (before, radius) = (point, nearest.distances[wanted - 1].sqrt());
                let place = names[lane] as usize;
                for (rank, number) in nearest.numbers[..wanted].iter().enumerate() {
                    for axis in 0..3 {
                        neighbours[(3 * rank + axis) * stride + place] =
                            points[axis * stride + *number as usize];
                    }
                }
            }
        }
        // columns are filled up with the last contact
        for column in neighbours.chunks_exact_mut(stride) {
            let last = column[count - 1];
            column[count..].fill(last);
        }
    }
}

/// The nearest so far, nearest first.
struct Nearest {
    distances: [f64; NEIGHBOURS],
    numbers: [u32; NEIGHBOURS],
    wanted: usize,
    /// Nothing beyond it is among the nearest [m²].
    bound: f64,
}

impl Nearest {
    #[inline(always)]
    fn new(wanted: usize, bound: f64) -> Self {
        Self { distances: [f64::INFINITY; NEIGHBOURS], numbers: [u32::MAX; NEIGHBOURS], wanted, bound }
    }

    /// Takes those of a block that are nearer.
    #[inline(always)]
    fn take(&mut self, point: &[f64; 3], block: &[Lanes; 3], names: &[u32; BLOCK]) {
        let mut squared = [0.0; BLOCK];
        for axis in 0..3 {
            for lane in 0..BLOCK {
                let way = block[axis][lane] - point[axis];
                squared[lane] += way * way;
            }
        }
        let mut hits = within(&squared, self.bound);
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize;
            self.insert(squared[lane], names[lane]);
            hits &= hits - 1;
        }
    }

    #[inline(always)]
    fn insert(&mut self, squared: f64, number: u32) {
        let last = self.wanted - 1;
        let is_before = |own: f64, name: u32| squared < own || (squared == own && number < name);
        if !is_before(self.distances[last], self.numbers[last]) || squared == f64::INFINITY {
            return;
        }
        let mut place = last;
        while place > 0 && is_before(self.distances[place - 1], self.numbers[place - 1]) {
            self.distances[place] = self.distances[place - 1];
            self.numbers[place] = self.numbers[place - 1];
            place -= 1;
        }
        (self.distances[place], self.numbers[place]) = (squared, number);
        self.bound = self.bound.min(self.distances[last]);
    }
}

#[inline(always)]
fn squared_length([x, y, z]: [f64; 3]) -> f64 {
    x * x + y * y + z * z
}

/// Lanes at or below a bound, as bits.
#[inline(always)]
fn within(values: &Lanes, bound: f64) -> u32 {
    let mut hits = 0;
    for (lane, value) in values.iter().enumerate() {
        hits |= u32::from(*value <= bound) << lane;
    }
    hits
}

/// Squared distances to 16 boxes [m²].
#[inline(always)]
fn box_distances(point: &[f64; 3], [low, high]: &[[Lanes; 3]; 2]) -> Lanes {
    let mut squared = [0.0; BLOCK];
    for axis in 0..3 {
        for lane in 0..BLOCK {
            let way = f64::max(f64::max(low[axis][lane] - point[axis], point[axis] - high[axis][lane]), 0.0);
            squared[lane] += way * way;
        }
    }
    squared
}

/// Puts the contacts in order, in blocks, with boxes.
#[inline(always)]
fn fill(points: &[f64], count: usize, stride: usize, search: &mut NeighbourSearch) {
    let NeighbourSearch { order, blocks, numbers, boxes } = search;
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
    boxes.clear();
    for (index, members) in order.chunks(BLOCK).enumerate() {
        let mut block = [[f64::INFINITY; BLOCK]; 3];
        let mut names = [u32::MAX; BLOCK];
        let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for (lane, word) in members.iter().enumerate() {
            let number = *word as u32;
            names[lane] = number;
            for axis in 0..3 {
                let place = columns[axis][number as usize];
                block[axis][lane] = place;
                corners[0][axis] = corners[0][axis].min(place);
                corners[1][axis] = corners[1][axis].max(place);
            }
        }
        blocks.push(block);
        numbers.push(names);
        if index % BLOCK == 0 {
            boxes.push([[[f64::INFINITY; BLOCK]; 3], [[f64::INFINITY; BLOCK]; 3]]);
        }
        if let Some([lows, highs]) = boxes.last_mut() {
            for axis in 0..3 {
                lows[axis][index % BLOCK] = corners[0][axis];
                highs[axis][index % BLOCK] = corners[1][axis];
            }
        }
    }
}

/// Ten bits with two free ones after each.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let bits = (bits | bits << 16) & 0x0300_00FF;
    let bits = (bits | bits << 8) & 0x0300_F00F;
    let bits = (bits | bits << 4) & 0x030C_30C3;
    (bits | bits << 2) & 0x0924_9249
}
