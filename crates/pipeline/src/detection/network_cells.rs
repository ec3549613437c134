//! Where a depth network may be queried: cells of space around a part, classified once by the part's exact distance.
//!
//! ```text
//! network    |d(c)| + h ≤ band       all points of the cell are within the band
//! far        d(c) + h > band         all points are outside, farther than clear = band − 2h
//! exact      anything else           deep in the material, or outside the network's training samples
//! ```
//!
//! d signed distance from the part [m], c centre of a cell, h half its diagonal, band the distance up to which the
//! network was trained. |d(x) − d(c)| ≤ |x − c|, so the centre decides for the cell. Cells are band/3 wide, which makes
//! clear 0.42 of the band. Blocks of 8³ cells that are far from the surface are filled at once.

use nalgebra::Vector3;
use tightfit_shape::Part;

/// Cells along the edge of a block.
const BLOCK_CELLS: usize = 8;
/// Largest number of cells of a part: 64 MB.
const MOST_CELLS: usize = 64 << 20;

/// What holds for all points of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// Outside, farther than [`NetworkCells::clear`].
    Far,
    /// The network may be queried.
    Network,
    /// The part's exact distance must be queried.
    Exact,
}

/// The cells of a part.
#[derive(Debug)]
pub(super) struct NetworkCells {
    /// Lowest corner in the part's frame [m].
    corner: Vector3<f64>,
    /// Edge length of a cell [m].
    width: f64,
    /// Number of cells along x, y, z.
    counts: [usize; 3],
    /// Points of far cells are farther away than this [m].
    clear: f64,
    /// x fastest, then y.
    cells: Vec<CellKind>,
}

impl NetworkCells {
    /// Classifies the cells around a part. `is_known` tells whether the network was trained at a point. `None` for an
    /// unbounded part, or one so large that its cells would not fit in memory.
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
        let classify = |center: Vector3<f64>| {
            let distance = part.sample(center).distance;
            if distance + half > band {
                CellKind::Far
            } else if distance.abs() + half <= band && is_known(center) {
                CellKind::Network
            } else {
                CellKind::Exact
            }
        };
        let block_half = half * BLOCK_CELLS as f64;
        let mut kinds = vec![CellKind::Far; counts.iter().product()];
        for first in places(counts, BLOCK_CELLS) {
            let middle = all.corner_of(first).add_scalar(width * BLOCK_CELLS as f64 / 2.0);
            let distance = part.sample(middle).distance;
            let whole = match distance.abs() > band + block_half {
                true if distance > 0.0 => Some(CellKind::Far),
                true => Some(CellKind::Exact),
                false => None,
            };
            for offset in places([BLOCK_CELLS; 3], 1) {
                let place = [0, 1, 2].map(|axis| first[axis] + offset[axis]);
                let center = all.corner_of(place).add_scalar(width / 2.0);
                kinds[all.index(place)] = whole.unwrap_or_else(|| classify(center));
            }
        }
        all.cells = kinds;
        Some(all)
    }

    /// Points of far cells are farther away than this [m].
    pub(super) fn clear(&self) -> f64 {
        self.clear
    }

    /// The kind of the cell at a point of the part's frame [m].
    #[inline(always)]
    pub(super) fn at(&self, point: Vector3<f64>) -> CellKind {
        let scaled = (point - self.corner) / self.width;
        let mut place = [0; 3];
        for axis in 0..3 {
            // Written so that NaN fails it.
            if !(scaled[axis] >= 0.0 && scaled[axis] < self.counts[axis] as f64) {
                return CellKind::Far;
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

/// Every `step`-th cell of a grid.
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
    fn points_of_network_cells_are_within_the_band_and_far_ones_are_clear() {
        let band = 2e-3;
        for name in ["hole-50", "m48x5-bolt"] {
            let part = preset(name).unwrap();
            let cells = NetworkCells::new(&part, band, |_| true).unwrap();
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
                    CellKind::Network => {
                        assert!(distance.abs() <= band, "{name} {point:?} {distance}");
                        counts[0] += 1;
                    }
                    CellKind::Far => {
                        assert!(distance > cells.clear(), "{name} {point:?} {distance}");
                        counts[1] += 1;
                    }
                    CellKind::Exact => {
                        assert!(distance < -cells.clear(), "{name} {point:?} {distance}");
                        counts[2] += 1;
                    }
                }
            }
            assert!(counts.iter().all(|count| *count > 1000), "{name}: {counts:?}");
        }
    }
}
