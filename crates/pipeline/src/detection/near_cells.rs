//! Where a depth network may be asked: cells of space around a part, sorted once by the part's own distance.
//!
//! ```text
//! near       |d(c)| + h ≤ band       all points of the cell are within the band
//! far        d(c) + h > band         all points are outside, farther than clear = band − 2h
//! elsewhere  anything else           deep in the material, or beyond what the network was told
//! ```
//!
//! d signed distance from the part [m], c centre of a cell, h half its diagonal, band the distance up to which the
//! network was trained. |d(x) − d(c)| ≤ |x − c|, so a cell is judged by its centre. Cells are band/3 wide, which makes
//! clear 0.42 of the band; blocks of 8³ cells that the surface does not come near are filled at once.

use nalgebra::Vector3;
use tightfit_shape::Part;

/// Cells along the edge of a block.
const BLOCK_CELLS: usize = 8;
/// Most cells of a part: 64 MB.
const MOST_CELLS: usize = 64 << 20;

/// What is known of all points of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// Outside, farther than [`NearCells::clear`].
    Far,
    /// Where the network may be asked.
    Near,
    /// Where the part itself must be asked.
    Elsewhere,
}

/// The cells of a part.
#[derive(Debug)]
pub(super) struct NearCells {
    /// Lowest corner in the part's frame [m].
    corner: Vector3<f64>,
    /// Edge length of a cell [m].
    width: f64,
    /// Number of cells along x, y, z.
    counts: [usize; 3],
    /// Points of far cells are farther away than this [m].
    clear: f64,
    /// x fastest, then y.
    cells: Vec<Whereabouts>,
}

impl NearCells {
    /// Sorts the cells around a part. `is_known` says whether the network was told of a place. `None` for a part
    /// without end, or one so large that its cells would not fit in memory.
    pub(super) fn new(part: &Part, band: f64, is_known: impl Fn(Vector3<f64>) -> bool) -> Option<Self> {
        let aabb = part.aabb()?;
        let width = band / 3.0;
        let half = width * 3.0_f64.sqrt() / 2.0;
        let corner = aabb.min.add_scalar(-band);
        let size = aabb.size().add_scalar(2.0 * band);
        let blocks = [0, 1, 2].map(|axis| (size[axis] / (width * BLOCK_CELLS as f64)).ceil());
        if blocks.iter().product::<f64>() * (BLOCK_CELLS.pow(3) as f64) > MOST_CELLS as f64 {
            return None;
        }
        let counts = blocks.map(|count| count as usize * BLOCK_CELLS);
        let mut all = Self { corner, width, counts, clear: band - 2.0 * half, cells: Vec::new() };
        let judge = |center: Vector3<f64>| {
            let distance = part.sample(center).distance;
            if distance + half > band {
                Whereabouts::Far
            } else if distance.abs() + half <= band && is_known(center) {
                Whereabouts::Near
            } else {
                Whereabouts::Elsewhere
            }
        };
        let block_half = half * BLOCK_CELLS as f64;
        let mut sorted = vec![Whereabouts::Far; counts.iter().product()];
        for first in places(counts, BLOCK_CELLS) {
            let middle = all.corner_of(first).add_scalar(width * BLOCK_CELLS as f64 / 2.0);
            let distance = part.sample(middle).distance;
            let whole = match distance.abs() > band + block_half {
                true if distance > 0.0 => Some(Whereabouts::Far),
                true => Some(Whereabouts::Elsewhere),
                false => None,
            };
            for offset in places([BLOCK_CELLS; 3], 1) {
                let place = [0, 1, 2].map(|axis| first[axis] + offset[axis]);
                let center = all.corner_of(place).add_scalar(width / 2.0);
                sorted[all.index(place)] = whole.unwrap_or_else(|| judge(center));
            }
        }
        all.cells = sorted;
        Some(all)
    }

    /// Points of far cells are farther away than this [m].
    pub(super) fn clear(&self) -> f64 {
        self.clear
    }

    /// What is known of a point of the part's frame [m].
    #[inline(always)]
    pub(super) fn at(&self, point: Vector3<f64>) -> Whereabouts {
        let scaled = (point - self.corner) / self.width;
        let mut place = [0; 3];
        for axis in 0..3 {
            // a comparison that fails for NaN too
            if !(scaled[axis] >= 0.0 && scaled[axis] < self.counts[axis] as f64) {
                return Whereabouts::Far;
            }
            place[axis] = scaled[axis] as usize;
        }
        self.cells[self.index(place)]
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    fn corner_of(&self, place: [usize; 3]) -> Vector3<f64> {
        self.corner + Vector3::from(place.map(|number| number as f64)) * self.width
    }
}

/// Every `step`-th place of a grid.
fn places(counts: [usize; 3], step: usize) -> impl Iterator<Item = [usize; 3]> {
    let along = move |axis: usize| (0..counts[axis]).step_by(step);
    along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::SplitMix;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test may fail")]
    fn near_points_are_within_the_band_and_far_ones_are_clear() {
        let band = 2e-3;
        for name in ["hole-50", "m48x5-bolt"] {
            let part = preset(name).unwrap();
            let cells = NearCells::new(&part, band, |_| true).unwrap();
            let size = part.aabb().unwrap();
            let mut random = SplitMix(7);
            let mut counts = [0; 3];
            for _ in 0..100_000 {
                let mut draw = |axis: usize| {
                    let (low, high) = (size.min[axis] - 2.0 * band, size.max[axis] + 2.0 * band);
                    low + (high - low) * random.unit()
                };
                let point = Vector3::new(draw(0), draw(1), draw(2));
                let distance = part.sample(point).distance;
                match cells.at(point) {
                    Whereabouts::Near => {
                        assert!(distance.abs() <= band, "{name} {point:?} {distance}");
                        counts[0] += 1;
                    }
                    Whereabouts::Far => {
                        assert!(distance > cells.clear(), "{name} {point:?} {distance}");
                        counts[1] += 1;
                    }
                    Whereabouts::Elsewhere => {
                        assert!(distance < -cells.clear(), "{name} {point:?} {distance}");
                        counts[2] += 1;
                    }
                }
            }
            assert!(counts.iter().all(|count| *count > 1000), "{name}: {counts:?}");
        }
    }
}
