//! Patches of a parametric face that bend by little, and foot points on them.
//!
//! ```text
//! minimise ½|S(u, v) − p|²:   [Sᵤ·Sᵤ + r·Sᵤᵤ   Sᵤ·Sᵥ + r·Sᵤᵥ] [Δu]     [r·Sᵤ]
//!                              [      sym.      Sᵥ·Sᵥ + r·Sᵥᵥ] [Δv] = − [r·Sᵥ]     r = S − p
//! ```
//!
//! Where the matrix is not positive definite (p lies beyond the centre of curvature), the terms with r are left out
//! (Gauss-Newton).

use nalgebra::Vector3;

use crate::Aabb;
use crate::geometry::{Local, Parametric};

/// A rectangle of parameters of a face.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub face: u32,
    pub range: [[f64; 2]; 2],
    pub bounds: Aabb,
    /// Whether all of it belongs to the face.
    pub is_whole: bool,
}

/// Most patches of one face.
const MOST_PATCHES: usize = 20_000;

/// Cuts a domain into patches whose normal turns by less than 0.3 rad.
pub(crate) fn cut(surface: &Parametric, face: u32, domain: [[f64; 2]; 2]) -> Vec<Patch> {
    let breaks = [surface.breaks(0, domain[0]), surface.breaks(1, domain[1])];
    let mut patches = Vec::new();
    for u in breaks[0].windows(2) {
        for v in breaks[1].windows(2) {
            refine(surface, face, [[u[0], u[1]], [v[0], v[1]]], 0, &mut patches);
        }
    }
    patches
}

fn refine(surface: &Parametric, face: u32, range: [[f64; 2]; 2], depth: u32, patches: &mut Vec<Patch>) {
    const N: usize = 5;
    let part = |[a, b]: [f64; 2], k: usize| a + (b - a) * k as f64 / (N - 1) as f64;
    let mut grid = [[Vector3::zeros(); N]; N];
    let mut normals = Vec::with_capacity(N * N);
    for (i, row) in grid.iter_mut().enumerate() {
        for (j, point) in row.iter_mut().enumerate() {
            // normals a little inside: edges of patches may be poles or creases
            let inner = |[a, b]: [f64; 2], k: usize| part([a + 1e-3 * (b - a), b - 1e-3 * (b - a)], k);
            let local = surface.evaluate(inner(range[0], i), inner(range[1], j));
            normals.extend(local.u.cross(&local.v).try_normalize(1e-30));
            *point = surface.evaluate(part(range[0], i), part(range[1], j)).point;
        }
    }
    let mean: Vector3<f64> = normals.iter().sum::<Vector3<f64>>();
    let mean = mean.try_normalize(1e-12).unwrap_or(Vector3::z());
    let bent = normals.iter().any(|n| n.dot(&mean) < 0.985);
    // length of the middle lines, and the largest second difference in each direction
    let length = |along_u: bool| -> f64 {
        let at = |k: usize| if along_u { grid[k][2] } else { grid[2][k] };
        (1..N).map(|k| (at(k) - at(k - 1)).norm()).sum()
    };
    let bend = |along_u: bool| -> f64 {
        let at = |i: usize, k: usize| if along_u { grid[k][i] } else { grid[i][k] };
        let second = |i: usize, k: usize| (at(i, k - 1) + at(i, k + 1) - at(i, k) * 2.0).norm();
        (0..N).flat_map(|i| (1..N - 1).map(move |k| (i, k))).map(|(i, k)| second(i, k)).fold(0.0, f64::max)
    };
    let (lengths, bends) = ([length(true), length(false)], [bend(true), bend(false)]);
    let uneven = bends[0] > 0.1 * lengths[0] || bends[1] > 0.1 * lengths[1];
    if (bent || uneven) && depth < 12 && patches.len() < MOST_PATCHES {
        let k = usize::from(bends[1] * lengths[0].max(1e-30) > bends[0] * lengths[1].max(1e-30));
        let middle = 0.5 * (range[k][0] + range[k][1]);
        let (mut low, mut high) = (range, range);
        low[k][1] = middle;
        high[k][0] = middle;
        refine(surface, face, low, depth + 1, patches);
        refine(surface, face, high, depth + 1, patches);
        return;
    }
    let bounds = Aabb::of(grid.into_iter().flatten()).grown(0.5 * (bends[0] + bends[1]) + 1e-12);
    patches.push(Patch { face, range, bounds, is_whole: false });
}

/// Foot point of p on a surface from a seed; stays inside `limits`. Returns the parameters, and whether they are a
/// critical point of the distance rather than a limit.
pub(crate) fn foot(
    surface: &Parametric,
    p: Vector3<f64>,
    seed: [f64; 2],
    limits: [[f64; 2]; 2],
) -> ([f64; 2], Local, bool) {
    let mut at = seed;
    let mut local = surface.evaluate(at[0], at[1]);
    let mut stuck = 0;
    for _ in 0..40 {
        let r = local.point - p;
        let gradient = [r.dot(&local.u), r.dot(&local.v)];
        let (uu, uv, vv) = (local.u.norm_squared(), local.u.dot(&local.v), local.v.norm_squared());
        let mut matrix = [uu + r.dot(&local.uu), uv + r.dot(&local.uv), vv + r.dot(&local.vv)];
        let determinant = |m: [f64; 3]| m[0] * m[2] - m[1] * m[1];
        if !(matrix[0] > 0.1 * uu && matrix[2] > 0.1 * vv && determinant(matrix) > 0.02 * uu * vv) {
            matrix = [uu, uv, vv];
        }
        // a variable at its limit that the gradient pushes outwards stays there
        let held = [0, 1].map(|k| {
            (at[k] <= limits[k][0] && gradient[k] > 0.0) || (at[k] >= limits[k][1] && gradient[k] < 0.0)
        });
        let step = match held {
            [true, true] => return (at, local, false),
            [true, false] => [0.0, -gradient[1] / matrix[2]],
            [false, true] => [-gradient[0] / matrix[0], 0.0],
            [false, false] => {
                let det = determinant(matrix);
                if det > 1e-12 * uu * vv {
                    [
                        (matrix[1] * gradient[1] - matrix[2] * gradient[0]) / det,
                        (matrix[1] * gradient[0] - matrix[0] * gradient[1]) / det,
                    ]
                } else {
                    // a pole: only one direction moves the point
                    let along = |g: f64, m: f64| if m > 0.0 { -g / m } else { 0.0 };
                    if uu > vv { [along(gradient[0], uu), 0.0] } else { [0.0, along(gradient[1], vv)] }
                }
            }
        };
        if !(step[0].is_finite() && step[1].is_finite()) {
            return (at, local, false);
        }
        let next = [0, 1].map(|k| (at[k] + step[k]).clamp(limits[k][0], limits[k][1]));
        let moved = [next[0] - at[0], next[1] - at[1]];
        at = next;
        local = surface.evaluate(at[0], at[1]);
        let small = |k: usize| moved[k].abs() <= 1e-15 * (at[k].abs() + limits[k][1] - limits[k][0]);
        if small(0) && small(1) {
            stuck += 1;
            if stuck > 1 || (held == [false, false]) {
                return (at, local, held == [false, false]);
            }
        }
    }
    // slow convergence at the centre of curvature: accept it if the residual is small
    let r = local.point - p;
    let residual = r.dot(&local.u).abs() / local.u.norm() + r.dot(&local.v).abs() / local.v.norm();
    (at, local, residual < 1e-12)
}
