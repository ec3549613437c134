//! Boxes around blocks of contacts, and around groups of blocks.
//!
//! ```text
//! d²(a, b) = Σ over axes  max(low_b − high_a, low_a − high_b, 0)²
//! ```
//!
//! A group that is too far is skipped; the boxes of other groups are tested in SIMD lanes.

use tightfit_pipeline::make_room;
use tightfit_spatial::Simd;

/// Contacts of a block, and blocks of a group: a register of AVX-512. Blocks of 16 have wider boxes and test more
/// contacts.
pub(super) const BLOCK: usize = 8;

/// One number per contact of a block.
pub(super) type Lanes = [f64; BLOCK];

/// Lowest and highest corner of eight boxes, axis by axis [m]. Missing boxes are infinitely far.
#[derive(Clone, Copy, Debug)]
struct Eight {
    low: [Lanes; 3],
    high: [Lanes; 3],
}

/// Lowest and highest corner [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    low: [f64; 3],
    high: [f64; 3],
}

impl Corners {
    /// The empty box.
    const NONE: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn take_in(&mut self, other: &Self) {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
    }

    /// Squared distances of points from the box [m²].
    #[inline(always)]
    pub(super) fn squared_distances<S: Simd>(&self, simd: S, points: &[S::f64s; 3]) -> S::f64s {
        let mut squared = simd.splat_f64s(0.0);
        for (point, (low, high)) in points.iter().zip(self.low.iter().zip(&self.high)) {
            let below = simd.sub_f64s(simd.splat_f64s(*low), *point);
            let above = simd.sub_f64s(*point, simd.splat_f64s(*high));
            let way = simd.max_f64s(simd.max_f64s(below, above), simd.splat_f64s(0.0));
            squared = simd.mul_add_f64s(way, way, squared);
        }
        squared
    }
}

impl Eight {
    const NONE: Self = Self { low: [[f64::INFINITY; BLOCK]; 3], high: [[f64::NEG_INFINITY; BLOCK]; 3] };

    fn set(&mut self, lane: usize, corners: &Corners) {
        for axis in 0..3 {
            (self.low[axis][lane], self.high[axis][lane]) = (corners.low[axis], corners.high[axis]);
        }
    }

    #[inline(always)]
    fn corners(&self, lane: usize) -> Corners {
        let Self { low, high } = self;
        Corners {
            low: [low[0][lane], low[1][lane], low[2][lane]],
            high: [high[0][lane], high[1][lane], high[2][lane]],
        }
    }

    /// Boxes within a squared distance [m²] of another box, and their number.
    #[inline(always)]
    fn near<S: Simd>(&self, simd: S, own: &Corners, bound: f64) -> Near {
        let mut squared = [0.0; BLOCK];
        for (register, out) in S::as_mut_simd_f64s(&mut squared).0.iter_mut().enumerate() {
            let mut sum = simd.splat_f64s(0.0);
            for axis in 0..3 {
                let low = S::as_simd_f64s(&self.low[axis]).0[register];
                let high = S::as_simd_f64s(&self.high[axis]).0[register];
                let below = simd.sub_f64s(low, simd.splat_f64s(own.high[axis]));
                let above = simd.sub_f64s(simd.splat_f64s(own.low[axis]), high);
                let way = simd.max_f64s(simd.max_f64s(below, above), simd.splat_f64s(0.0));
                sum = simd.mul_add_f64s(way, way, sum);
            }
            *out = sum;
        }
        let mut near = Near { lanes: [0; BLOCK], count: 0 };
        for (lane, squared) in squared.iter().enumerate() {
            // Branch-free: a branch would be mispredicted.
            near.lanes[near.count] = lane;
            near.count += usize::from(*squared <= bound);
        }
        near
    }
}

/// Lanes of the near boxes among eight.
struct Near {
    lanes: [usize; BLOCK],
    count: usize,
}

impl Near {
    #[inline(always)]
    fn lanes(&self) -> &[usize] {
        &self.lanes[..self.count]
    }
}

/// Boxes of consecutive blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Boxes {
    blocks: Vec<Eight>,
    /// Boxes around eight blocks each.
    groups: Vec<Eight>,
    count: usize,
    /// Box around the last group.
    last: Option<Corners>,
}

impl Boxes {
    pub(super) fn make_room(&mut self, blocks: usize) {
        make_room(&mut self.blocks, blocks.div_ceil(BLOCK));
        make_room(&mut self.groups, blocks.div_ceil(BLOCK * BLOCK));
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.groups.clear();
        self.count = 0;
    }

    /// Adds the box around the first `used` contacts of a block.
    pub(super) fn push(&mut self, block: &[Lanes; 3], used: usize) {
        let mut corners = Corners::NONE;
        for (column, (low, high)) in block.iter().zip(corners.low.iter_mut().zip(&mut corners.high)) {
            for x in &column[..used] {
                *low = if x < low { *x } else { *low };
                *high = if x > high { *x } else { *high };
            }
        }
        let (group, lane) = (self.count / BLOCK, self.count % BLOCK);
        if lane == 0 {
            self.blocks.push(Eight::NONE);
            self.last = None;
            if group.is_multiple_of(BLOCK) {
                self.groups.push(Eight::NONE);
            }
        }
        self.blocks[group].set(lane, &corners);
        let whole = self.last.get_or_insert(Corners::NONE);
        whole.take_in(&corners);
        self.groups[group / BLOCK].set(group % BLOCK, whole);
        self.count += 1;
    }

    /// Corners of the box of a block.
    #[inline(always)]
    pub(super) fn corners(&self, block: usize) -> Corners {
        self.blocks[block / BLOCK].corners(block % BLOCK)
    }

    /// Visits the blocks whose box is within a squared distance [m²] of another box.
    #[inline(always)]
    pub(super) fn visit_near<S: Simd>(
        &self,
        simd: S,
        own: &Corners,
        bound: f64,
        mut visit: impl FnMut(usize, &Corners),
    ) {
        for (index, groups) in self.groups.iter().enumerate() {
            for group in groups.near(simd, own, bound).lanes() {
                let group = index * BLOCK + group;
                let blocks = &self.blocks[group];
                for &lane in blocks.near(simd, own, bound).lanes() {
                    visit(group * BLOCK + lane, &blocks.corners(lane));
                }
            }
        }
    }
}
