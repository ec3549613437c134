//! An order of points in which neighbours in the list are neighbours in space.
//!
//! The points are halved across the longest side of their box, and the halves again, until a row is left. Halves are
//! whole rows, so that rows of the list are the leaves of the tree: each has a small box, which can be far as a whole.
//!
//! J. L. Bentley, "Multidimensional binary search trees used for associative searching", 1975.

use nalgebra::Vector3;

use crate::mesh::Aabb;

/// Sorts points so that every `row` of them that follow one another lie close together.
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
    fn rows_are_compact_and_no_point_is_lost() {
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
        // 32 cells of the unit cube have sides of 0.31; the longest diagonal of a row stays near theirs
        for row in sorted.chunks(32) {
            assert!(Aabb::of(row.iter().copied()).diagonal() < 1.0);
        }
    }
}
