//! Ear clipping of an unrolled face, shortest diagonals first.
//!
//! Boundaries of cylinders are straight lines in the parameters: corners on them are no ears, since a triangle between
//! three points of a circle would leave the face. Short diagonals keep the triangles close to the surface.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::unroll::Corner;

/// Twice the area of an ear, as a share of its longest side squared, below which it is flat.
const FLAT: f64 = 1e-9;

/// Triangles of a simple polygon, counter-clockwise; `None` where no ear is left.
pub(super) fn clip(polygon: &[Corner]) -> Option<Vec<[Corner; 3]>> {
    let count = polygon.len();
    if count < 3 {
        return None;
    }
    let mut before: Vec<usize> = (0..count).map(|k| (k + count - 1) % count).collect();
    let mut after: Vec<usize> = (0..count).map(|k| (k + 1) % count).collect();
    let mut is_left: Vec<bool> = vec![true; count];
    let mut triangles = Vec::with_capacity(count);
    let mut left = count;
    let squared = |a: usize, b: usize| {
        let (p, q) = (polygon[a].flat, polygon[b].flat);
        (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)
    };
    while left > 3 {
        let mut heap: BinaryHeap<Reverse<(u64, usize, usize, usize)>> = BinaryHeap::new();
        // squares are not negative: their bits have their order
        let entry = |a: usize, k: usize, b: usize| Reverse((squared(a, b).to_bits(), k, a, b));
        heap.extend((0..count).filter(|&k| is_left[k]).map(|k| entry(before[k], k, after[k])));
        let at_start = left;
        while let Some(Reverse((_, k, a, b))) = heap.pop() {
            let is_current = is_left[k] && before[k] == a && after[k] == b;
            if left <= 3 || !is_current || !is_ear(polygon, &is_left, [a, k, b]) {
                continue;
            }
            triangles.push([polygon[a], polygon[k], polygon[b]]);
            is_left[k] = false;
            (after[a], before[b]) = (b, a);
            left -= 1;
            heap.push(entry(before[a], a, after[a]));
            heap.push(entry(before[b], b, after[b]));
        }
        if left == at_start {
            return None;
        }
    }
    let last = (0..count).find(|&k| is_left[k])?;
    triangles.push([polygon[before[last]], polygon[last], polygon[after[last]]]);
    Some(triangles)
}

fn double_area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn is_ear(polygon: &[Corner], is_left: &[bool], corners: [usize; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| polygon[corner].flat);
    let side = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
    let longest = side(a, b).max(side(b, c)).max(side(c, a));
    if double_area(a, b, c) <= FLAT * longest {
        return false;
    }
    // corners at the same position (bridges to holes, seams) do not block an ear
    let blocks = |other: usize| {
        let p = polygon[other].flat;
        !corners.contains(&other)
            && p != a
            && p != b
            && p != c
            && double_area(a, b, p) >= 0.0
            && double_area(b, c, p) >= 0.0
            && double_area(c, a, p) >= 0.0
    };
    !(0..polygon.len()).any(|other| is_left[other] && blocks(other))
}
