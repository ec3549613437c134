//! The rows of the working set in blocks of eight, for the vectorised passes of all levels.
//!
//! A block holds rows of one pair of bodies; its empty lanes are contacts without compliance that never close.

use nalgebra::Vector3;
use tightfit_spatial::{Simd, Wide, Wide3};

use super::contact_law::ContactRow;
use crate::make_room;
use crate::records::NOT_FREE;

/// Rows of a block.
pub(super) const BLOCK_ROWS: usize = 8;
/// One number of each row.
pub(super) type PerRow = [f64; BLOCK_ROWS];
/// One vector of each row: x, y, z.
pub(super) type PerRow3 = [PerRow; 3];

/// Eight rows of one pair of bodies.
#[derive(Clone, Debug)]
pub(super) struct RowBlock {
    /// First body.
    pub(super) body_a: u32,
    /// Second body or [`NOT_FREE`].
    pub(super) body_b: u32,
    /// The numbers of [`ContactRow::vectors`] and [`ContactRow::scalars`].
    vectors: [PerRow3; 4],
    scalars: [PerRow; 3],
    /// Index of each row in the working set, and their number.
    places: [u32; BLOCK_ROWS],
    count: usize,
}

impl RowBlock {
    pub(super) fn new(body_a: u32, body_b: u32) -> Self {
        // An empty lane is open at any velocity.
        let scalars = [[1.0; BLOCK_ROWS], [0.0; BLOCK_ROWS], [0.0; BLOCK_ROWS]];
        let vectors = [[[0.0; BLOCK_ROWS]; 3]; 4];
        Self { body_a, body_b, vectors, scalars, places: [0; BLOCK_ROWS], count: 0 }
    }

    pub(super) fn push(&mut self, row: &ContactRow, place: usize) {
        let lane = self.count;
        for (columns, vector) in self.vectors.iter_mut().zip(row.vectors()) {
            set(columns, lane, vector);
        }
        for (column, scalar) in self.scalars.iter_mut().zip(row.scalars()) {
            column[lane] = scalar;
        }
        self.places[lane] = place as u32;
        self.count += 1;
    }

    /// Lane of each row, and its index in the working set.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.places[..self.count].iter().map(|&place| place as usize).enumerate()
    }
}

/// Rows of one register.
pub(super) struct WideRows<S: Simd> {
    pub(super) arms: [Wide3<S>; 2],
    pub(super) normal: Wide3<S>,
    pub(super) drift: Wide3<S>,
    pub(super) approach: Wide<S>,
    pub(super) rate: Wide<S>,
    pub(super) friction: Wide<S>,
}

impl RowBlock {
    /// Registers of a block.
    #[inline(always)]
    pub(super) fn registers<S: Simd>() -> std::ops::Range<usize> {
        0..BLOCK_ROWS / S::F64_LANES
    }

    /// [v; ω] of both bodies.
    #[inline(always)]
    pub(super) fn velocities<S: Simd>(&self, simd: S, velocities: &[f64]) -> [[Wide3<S>; 2]; 2] {
        [wide_velocity(simd, velocities, self.body_a), wide_velocity(simd, velocities, self.body_b)]
    }

    /// The rows of one register.
    #[inline(always)]
    pub(super) fn wide<S: Simd>(&self, simd: S, register: usize) -> WideRows<S> {
        let [arm_a, arm_b, normal, drift] = &self.vectors;
        let [approach, rate, friction] = &self.scalars;
        WideRows {
            arms: [Wide3::load(simd, arm_a, register), Wide3::load(simd, arm_b, register)],
            normal: Wide3::load(simd, normal, register),
            drift: Wide3::load(simd, drift, register),
            approach: Wide::load(simd, approach, register),
            rate: Wide::load(simd, rate, register),
            friction: Wide::load(simd, friction, register),
        }
    }
}

/// All rows of the working set.
#[derive(Clone, Debug, Default)]
pub(super) struct RowBlocks {
    pub(super) blocks: Vec<RowBlock>,
}

impl RowBlocks {
    /// Reserves memory for `contacts` contacts between `bodies` bodies.
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.blocks, Self::most(bodies, contacts));
    }

    /// Largest number of blocks for these numbers: every pair may have one incomplete block.
    pub(super) fn most(bodies: usize, contacts: usize) -> usize {
        contacts / BLOCK_ROWS + bodies * (bodies + 1) / 2 + 1
    }

    /// The blocks of each pair of bodies.
    #[inline(always)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = &[RowBlock]> {
        self.blocks.chunk_by(|one, next| one.body_a == next.body_a && one.body_b == next.body_b)
    }

    /// Loads the rows, in their order.
    pub(super) fn load(&mut self, rows: &[ContactRow]) {
        self.blocks.clear();
        for (place, row) in rows.iter().enumerate() {
            // Only the last block of a pair can have free lanes; searching beyond it would take quadratic time.
            let is_of_pair = |block: &&mut RowBlock| block.body_a == row.body_a && block.body_b == row.body_b;
            let last = self.blocks.iter_mut().rev().find(is_of_pair);
            if let Some(block) = last.filter(|block| block.count < BLOCK_ROWS) {
                block.push(row, place);
            } else {
                self.blocks.push(RowBlock::new(row.body_a, row.body_b));
                if let Some(block) = self.blocks.last_mut() {
                    block.push(row, place);
                }
            }
        }
        // The blocks of one pair must be adjacent, since they share their sums.
        if self.blocks.iter().any(|block| block.body_b != NOT_FREE || block.body_a > 0) {
            self.blocks.sort_unstable_by_key(|block| (block.body_a, block.body_b, block.places[0]));
        }
    }
}

/// [v; ω] of a body, zero where it is not free.
#[inline(always)]
fn wide_velocity<S: Simd>(simd: S, velocities: &[f64], body: u32) -> [Wide3<S>; 2] {
    let start = 6 * body as usize;
    let own = if body == NOT_FREE { None } else { velocities[start..].first_chunk::<6>() };
    let &[vx, vy, vz, wx, wy, wz] = own.unwrap_or(&[0.0; 6]);
    [Wide3::splat(simd, &Vector3::new(vx, vy, vz)), Wide3::splat(simd, &Vector3::new(wx, wy, wz))]
}

/// One vector of a block.
#[inline(always)]
pub(super) fn at(columns: &PerRow3, lane: usize) -> Vector3<f64> {
    Vector3::new(columns[0][lane], columns[1][lane], columns[2][lane])
}

/// Sets one vector of a block.
#[inline(always)]
pub(super) fn set(columns: &mut PerRow3, lane: usize, value: Vector3<f64>) {
    columns[0][lane] = value.x;
    columns[1][lane] = value.y;
    columns[2][lane] = value.z;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_blocks_of_a_pair_but_the_last_are_full() {
        let row = |contact: u32| ContactRow {
            arm_a: Vector3::new(f64::from(contact), 0.0, 0.0),
            body_a: contact % 3 / 2,
            contact,
            ..ContactRow::example()
        };
        let rows: Vec<_> = (0..75).map(row).collect();
        let mut blocks = RowBlocks::default();
        blocks.load(&rows);
        let counts: Vec<Vec<usize>> =
            blocks.pairs().map(|pair| pair.iter().map(|block| block.count).collect()).collect();
        assert_eq!(counts, [vec![8, 8, 8, 8, 8, 8, 2], vec![8, 8, 8, 1]]);
        let mut places = Vec::new();
        for block in &blocks.blocks {
            for (lane, place) in block.rows() {
                assert_eq!(block.vectors[0][0][lane], rows[place].arm_a.x);
                assert_eq!(block.body_a, rows[place].body_a);
                places.push(place);
            }
        }
        places.sort_unstable();
        assert!(places.into_iter().eq(0..75), "every row is in one block");
    }
}
