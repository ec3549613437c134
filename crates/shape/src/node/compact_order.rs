//! Orders points so that neighbours in the list are neighbours in space (a k-d tree order).
//!
//! The points are split across the longest side of their bounding box, recursively, until one row is left. Each half is
//! a whole number of rows, so the rows of the list are the leaves of the tree. A row then has a small bounding box, and
//! detection can skip a far row as a whole.
//!
//! J. L. Bentley, "Multidimensional binary search trees used for associative searching", 1975.

use nalgebra::Vector3;

use crate::mesh::Aabb;

/// Sorts points so that each group of `row` consecutive points is compact.
pub fn compact_order(points: &mut [Vector3<f64>], row: usize) {
    let row = row.max(1);
    if points.len() <= row {
        return;
    }
    let size = Aabb::of(points.iter().copied()).size();
    let axis = size.imax();
    let half = points.len().div_ceil(row).div_ceil(2) * row;
    points.select_nth_unstable_by(half - 1, |a, b| a[axis].total_cmp(&b[axis]));
    let (low, high) = points.split_at_mut(half);
    compact_order(low, row);
    compact_order(high, row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_spatial::SplitMix;

    #[test]
    fn rows_are_compact_and_all_points_are_kept() {
        let mut random = SplitMix(5);
        let all: Vec<Vector3<f64>> = (0..1000).map(|_| random.cube()).collect();
        let mut sorted = all.clone();
        compact_order(&mut sorted, 32);
        let key = |v: &Vector3<f64>| [v.x, v.y, v.z].map(f64::to_bits);
        let keys = |points: &[Vector3<f64>]| {
            let mut keys: Vec<_> = points.iter().map(key).collect();
            keys.sort_unstable();
            keys
        };
        assert_eq!(keys(&all), keys(&sorted));
        // 32 equal cells of the unit cube have sides of 0.31; a row's diagonal should be of that order
        for row in sorted.chunks(32) {
            assert!(Aabb::of(row.iter().copied()).diagonal() < 1.0);
        }
    }
}
