//! Triangles that are too thin to have a normal.

use crate::mesh::TriMesh;

/// How a triangle degenerates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Degenerate {
    /// It uses a vertex twice.
    Repeated,
    /// The side that starts at this corner is shorter than the tolerance.
    ShortSide(usize),
    /// All sides are long, but the corner opposite to this side lies on it.
    Cap(usize),
}

/// How triangle `index` degenerates; `None` unless its smallest height is at most `tolerance` [m].
pub(super) fn degenerate(mesh: &TriMesh, index: usize, tolerance: f64) -> Option<Degenerate> {
    let [i, j, k] = mesh.triangles[index];
    if i == j || j == k || k == i {
        return Some(Degenerate::Repeated);
    }
    let corners = mesh.corners(index);
    let side = |k: usize| (corners[(k + 1) % 3] - corners[k]).norm();
    let by_length = |a: &usize, b: &usize| side(*a).total_cmp(&side(*b));
    let (longest, shortest) = ((0..3).max_by(by_length)?, (0..3).min_by(by_length)?);
    // smallest height = 2 A / longest side
    if 2.0 * mesh.area_vector(index).norm() > tolerance * side(longest) {
        return None;
    }
    let short = side(shortest) <= tolerance;
    Some(if short { Degenerate::ShortSide(shortest) } else { Degenerate::Cap(longest) })
}
