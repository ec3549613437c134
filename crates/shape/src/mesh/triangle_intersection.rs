//! Self-intersections of a surface.
//!
//! Two triangles cross when each reaches to both sides of the other's plane by more than a tolerance, and the segments that
//! the planes cut out of them overlap on their common line by more than that; or when both lie in one plane, face the same
//! way and overlap there. Touching without crossing is allowed: bodies that stand on each other have faces that look at
//! each other. Neighbours across an edge are not compared. Pairs come from a tree of bounding boxes.
//!
//! T. Möller, "A fast triangle-triangle intersection test", Journal of Graphics Tools 2(2), 1997.

use crate::parallel::*;
use nalgebra::Vector3;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use super::TriMesh;

/// Triangles per batch. Limits are checked between batches, so the search stops soon after one is reached.
const BATCH: usize = 1 << 10;

/// Largest number of triangles that one triangle is compared with. Only long slivers that all meet at one point, such
/// as a round face cut into a fan, have more.
const MAX_PARTNERS: usize = 20_000;

/// Largest number of pairs compared: some ten seconds. Ten pairs per triangle are typical.
const MAX_COMPARISONS: usize = 100_000_000;

/// Pairs of triangles that cross.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Pairs of triangles, the smaller number first, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// Whether the search stopped at the limit of pairs, so that there may be more.
    pub stopped: bool,
    /// Whether so many boxes overlap that some pairs were not compared.
    pub incomplete: bool,
}

/// Finds at most `limit` pairs of triangles that cross by more than `tolerance` [m].
#[must_use]
pub fn self_crossings(mesh: &TriMesh, tolerance: f64, limit: usize) -> Crossings {
    let count = mesh.triangles.len();
    let boxes: Vec<_> = (0..count).map(|index| triangle_box(mesh, index)).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    // triangles that cross a given one, and the number compared
    let partners = |index: usize| {
        let mut compared = 0;
        let mut crossing = Vec::new();
        for other in tree.intersect_aabb(&boxes[index]).take(MAX_PARTNERS) {
            compared += 1;
            if other as usize > index && triangles_cross(mesh, index, other as usize, tolerance) {
                crossing.push([index as u32, other]);
            }
        }
        crossing.sort_unstable();
        (crossing, compared)
    };
    let mut found = Crossings::default();
    let mut comparisons = 0;
    for start in (0..count).step_by(BATCH) {
        // whole batches, so that the result does not depend on the number of threads
        let batch = (start..(start + BATCH).min(count)).into_par_iter();
        for (crossing, compared) in batch.with_min_len(64).map(partners).collect::<Vec<_>>() {
            found.pairs.extend(crossing);
            found.incomplete |= compared == MAX_PARTNERS;
            comparisons += compared;
        }
        found.stopped = found.pairs.len() > limit;
        found.incomplete |= comparisons > MAX_COMPARISONS;
        if found.stopped || comparisons > MAX_COMPARISONS {
            break;
        }
    }
    found.pairs.truncate(limit);
    found
}

fn triangle_box(mesh: &TriMesh, index: usize) -> parry3d_f64::bounding_volume::Aabb {
    let [a, b, c] = mesh.corners(index);
    let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    let vector = |v: Vector3<f64>| ParryVector::new(v.x, v.y, v.z);
    parry3d_f64::bounding_volume::Aabb::new(vector(low), vector(high))
}

/// Whether two triangles of a mesh cross by more than `tolerance` [m].
#[must_use]
pub fn triangles_cross(mesh: &TriMesh, first: usize, second: usize, tolerance: f64) -> bool {
    let (one, two) = (mesh.triangles[first], mesh.triangles[second]);
    let shared = one.iter().filter(|vertex| two.contains(vertex)).count();
    let (a, b) = (mesh.corners(first), mesh.corners(second));
    shared < 2 && (sections_overlap(a, b, tolerance) || (shared == 0 && overlap_in_plane(a, b, tolerance)))
}

fn normal_of([a, b, c]: [Vector3<f64>; 3]) -> Option<Vector3<f64>> {
    (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE)
}

/// Whether what the planes of two triangles cut out of each other overlaps on their common line.
fn sections_overlap(a: [Vector3<f64>; 3], b: [Vector3<f64>; 3], tolerance: f64) -> bool {
    let [Some(normal_a), Some(normal_b)] = [normal_of(a), normal_of(b)] else { return false };
    let Some(along) = normal_a.cross(&normal_b).try_normalize(f64::MIN_POSITIVE) else { return false };
    // where the sides of a triangle pass the plane, along the common line
    let section = |own: [Vector3<f64>; 3], origin: Vector3<f64>, normal: Vector3<f64>| {
        let heights = own.map(|point| normal.dot(&(point - origin)));
        let [low, high] =
            [heights.iter().copied().fold(0.0, f64::min), heights.iter().copied().fold(0.0, f64::max)];
        if low >= -tolerance || high <= tolerance {
            return None;
        }
        let ends = (0..3).filter_map(|k| {
            let (from, to) = (k, (k + 1) % 3);
            let passes = (heights[from] < 0.0) != (heights[to] < 0.0);
            let share = heights[from] / (heights[from] - heights[to]);
            passes.then(|| along.dot(&(own[from] + (own[to] - own[from]) * share - a[0])))
        });
        Some(ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]))
    };
    let [Some(on_a), Some(on_b)] = [section(a, b[0], normal_b), section(b, a[0], normal_a)] else {
        return false;
    };
    on_a[1].min(on_b[1]) - on_a[0].max(on_b[0]) > tolerance
}

/// Whether two triangles lie in one plane, face the same way, and no line in that plane separates them.
fn overlap_in_plane(a: [Vector3<f64>; 3], b: [Vector3<f64>; 3], tolerance: f64) -> bool {
    let Some(normal) = normal_of(a).filter(|n| b.iter().all(|p| n.dot(&(p - a[0])).abs() <= tolerance))
    else {
        return false;
    };
    if (b[1] - b[0]).cross(&(b[2] - b[0])).dot(&normal) <= 0.0 {
        return false;
    }
    let separates = |direction: Vector3<f64>| {
        let range = |t: &[Vector3<f64>; 3]| {
            let at = t.map(|p| direction.dot(&(p - a[0])));
            (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]))
        };
        let ((low_a, high_a), (low_b, high_b)) = (range(&a), range(&b));
        high_a.min(high_b) - low_a.max(low_b) <= tolerance
    };
    let across = |t: &[Vector3<f64>; 3], k: usize| normal.cross(&(t[(k + 1) % 3] - t[k])).normalize();
    !(0..3).any(|k| separates(across(&a, k)) || separates(across(&b, k)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{cube, joined, moved};

    #[test]
    fn cubes_that_overlap_cross_and_cubes_that_touch_do_not() {
        let pair = |shift: [f64; 3]| joined(&cube(), &moved(&cube(), Vector3::from(shift)));
        let count = |mesh: &TriMesh| self_crossings(mesh, 1e-9, 1000).pairs.len();
        assert!(count(&pair([0.5, 0.5, 0.5])) > 0, "edges meet the diagonals of faces exactly");
        assert!(count(&pair([0.4, 0.3, 0.2])) > 0);
        assert!(count(&pair([0.5, 0.0, 0.0])) > 0, "only coplanar faces overlap");
        assert_eq!(count(&pair([2.0, 0.0, 0.0])), 0);
        assert_eq!(count(&pair([1.0, 0.0, 0.0])), 0, "one stands beside the other");
        assert_eq!(count(&pair([0.3, 0.2, 1.0])), 0, "one stands on the other");
        assert_eq!(count(&cube()), 0);
    }

    #[test]
    fn the_search_reports_that_it_stopped_at_its_limit() {
        let mesh = joined(&cube(), &moved(&cube(), Vector3::new(0.4, 0.3, 0.2)));
        let few = self_crossings(&mesh, 1e-9, 2);
        assert!(few.stopped && few.pairs.len() == 2);
        assert!(!self_crossings(&mesh, 1e-9, 1000).stopped);
    }
}
