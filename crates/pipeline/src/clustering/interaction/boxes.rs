//! Boxes around blocks of contacts, and around groups of blocks.
//!
//! ```text
//! d²(a, b) = Σ over axes  max(low_b − high_a, low_a − high_b, 0)²
//! ```
//!
//! A group that is too far is passed over whole; of the others all boxes are looked at side by side.

use tightfit_spatial::Simd;

use crate::make_room;

/// Contacts of a block, and blocks of a group: a register of AVX-512. Blocks of 16 have wider boxes, and more contacts are looked at.
pub(super) const BLOCK: usize = 8;

/// As many numbers.
pub(super) type Lanes = [f64; BLOCK];

/// Lowest and highest corner of eight boxes, axis by axis [m].
#[derive(Clone, Copy, Debug)]
struct Group {
    low: [Lanes; 3],
    high: [Lanes; 3],
    /// Of the box around all.
    whole: Corners,
}

/// Lowest and highest corner [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    low: [f64; 3],
    high: [f64; 3],
}

impl Corners {
    /// Around nothing: far from everything.
    const NONE: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    #[inline(always)]
    fn squared_distance(&self, other: &Self) -> f64 {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let mut squared = 0.0;
        for axis in 0..3 {
            let way = larger(self.low[axis] - other.high[axis], other.low[axis] - self.high[axis]);
            let way = larger(way, 0.0);
            squared += way * way;
        }
        squared
    }
}

/// Boxes of blocks in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Boxes {
    groups: Vec<Group>,
    count: usize,
}

impl Boxes {
    pub(super) fn make_room(&mut self, blocks: usize) {
        make_room(&mut self.groups, blocks.div_ceil(BLOCK));
    }

    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.count = 0;
    }

    /// Adds the box of the first contacts of a block.
    pub(super) fn push(&mut self, block: &[Lanes; 3], used: usize) {
        let lane = self.count % BLOCK;
        if lane == 0 {
            let none = Corners::NONE;
            let (low, high) = (none.low.map(|x| [x; BLOCK]), none.high.map(|x| [x; BLOCK]));
            self.groups.push(Group { low, high, whole: none });
        }
        let Group { low, high, whole } = &mut self.groups[self.count / BLOCK];
        for axis in 0..3 {
            let used = &block[axis][..used];
            low[axis][lane] = used.iter().fold(f64::INFINITY, |low, x| if *x < low { *x } else { low });
            high[axis][lane] =
                used.iter().fold(f64::NEG_INFINITY, |high, x| if *x > high { *x } else { high });
            whole.low[axis] = whole.low[axis].min(low[axis][lane]);
            whole.high[axis] = whole.high[axis].max(high[axis][lane]);
        }
        self.count += 1;
    }

    /// All groups, that of a block first.
    #[inline(always)]
    pub(super) fn groups_from(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        let (own, groups) = (block / BLOCK, self.groups.len());
        (own..groups).chain((0..own).rev())
    }

    /// Corners of the box of a block.
    #[inline(always)]
    pub(super) fn corners(&self, block: usize) -> Corners {
        let Group { low, high, .. } = &self.groups[block / BLOCK];
        let lane = block % BLOCK;
        Corners {
            low: [low[0][lane], low[1][lane], low[2][lane]],
            high: [high[0][lane], high[1][lane], high[2][lane]],
        }
    }

    /// Blocks of a group whose box is not farther from another than a squared distance [m²], and how many.
    #[inline(always)]
    pub(super) fn near<S: Simd>(
        &self,
        simd: S,
        group: usize,
        own: &Corners,
        bound: f64,
    ) -> ([usize; BLOCK], usize) {
        let mut near = [0; BLOCK];
        let Group { low, high, whole } = &self.groups[group];
        if whole.squared_distance(own) > bound {
            return (near, 0);
        }
        let mut squared = [0.0; BLOCK];
        for (register, out) in S::as_mut_simd_f64s(&mut squared).0.iter_mut().enumerate() {
            let mut sum = simd.splat_f64s(0.0);
            for axis in 0..3 {
                let low = S::as_simd_f64s(&low[axis]).0[register];
                let high = S::as_simd_f64s(&high[axis]).0[register];
                let below = simd.sub_f64s(low, simd.splat_f64s(own.high[axis]));
                let above = simd.sub_f64s(simd.splat_f64s(own.low[axis]), high);
                let way = simd.max_f64s(simd.max_f64s(below, above), simd.splat_f64s(0.0));
                sum = simd.mul_add_f64s(way, way, sum);
            }
            *out = sum;
        }
        let mut found = 0;
        for (lane, squared) in squared.iter().enumerate() {
            // without a branch, which could not be foreseen
            near[found] = group * BLOCK + lane;
            found += usize::from(*squared <= bound);
        }
        (near, found)
    }

    /// Squared distances of points from the box of a block [m²].
    #[inline(always)]
    pub(super) fn squared_distances<S: Simd>(&self, simd: S, points: &[S::f64s; 3], block: usize) -> S::f64s {
        let corners = self.corners(block);
        let mut squared = simd.splat_f64s(0.0);
        for axis in 0..3 {
            let below = simd.sub_f64s(simd.splat_f64s(corners.low[axis]), points[axis]);
            let above = simd.sub_f64s(points[axis], simd.splat_f64s(corners.high[axis]));
            let way = simd.max_f64s(simd.max_f64s(below, above), simd.splat_f64s(0.0));
            squared = simd.mul_add_f64s(way, way, squared);
        }
        squared
    }
}
