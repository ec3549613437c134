//! Self-intersections of a surface.
//!
//! Two triangles cross when an edge of one passes through the other: its ends lie on opposite sides of the plane by
//! more than a tolerance, and the signed volumes that it spans with the three sides agree in sign,
//!
//! ```text
//! [p q a b], [p q b c], [p q c a]   all ≥ 0 or all ≤ 0,      [p q a b] = (q−p)·((a−p)×(b−p))
//! ```
//!
//! or when both lie in one plane and overlap there. Touching without crossing is allowed. Neighbours across
//! an edge are not compared; neighbours at a vertex only by the sides opposite to it. Pairs come from a tree
//! of bounding boxes.

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
    // the sides to test: all of them, or the one opposite to the shared vertex
    let sides = |own: [u32; 3], other: [u32; 3], k: usize| shared == 0 || other.contains(&own[(k + 2) % 3]);
    let pierces = |own: [u32; 3], other: [u32; 3], from: [Vector3<f64>; 3], into: [Vector3<f64>; 3]| {
        (0..3).filter(|&k| sides(own, other, k)).any(|k| pierce(from[k], from[(k + 1) % 3], into, tolerance))
    };
    shared < 2
        && (pierces(one, two, a, b)
            || pierces(two, one, b, a)
            || (shared == 0 && overlap_in_plane(a, b, tolerance)))
}

fn pierce(p: Vector3<f64>, q: Vector3<f64>, [a, b, c]: [Vector3<f64>; 3], tolerance: f64) -> bool {
    let Some(normal) = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE) else { return false };
    let (above, below) = (normal.dot(&(p - a)), normal.dot(&(q - a)));
    if above.min(below) >= -tolerance || above.max(below) <= tolerance {
        return false;
    }
    let along = q - p;
    let volume = |u: Vector3<f64>, v: Vector3<f64>| along.dot(&(u - p).cross(&(v - p)));
    let volumes = [volume(a, b), volume(b, c), volume(c, a)];
    volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0)
}

/// Whether two triangles lie in one plane and no line in that plane separates them.
fn overlap_in_plane(a: [Vector3<f64>; 3], b: [Vector3<f64>; 3], tolerance: f64) -> bool {
    let normal = (a[1] - a[0]).cross(&(a[2] - a[0])).try_normalize(f64::MIN_POSITIVE);
    let Some(normal) = normal.filter(|n| b.iter().all(|p| n.dot(&(p - a[0])).abs() <= tolerance)) else {
        return false;
    };
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
