//! Metric scaling: points whose straight distances fit given geodesics (I. Borg, P. Groenen, "Modern multidimensional
//! scaling", 2005).
//!
//! ```text
//! stress   Σ (|y_i − y_j| − D_ij)²
//! start    the eight largest eigenvectors of −½ J D² J, each times the root of its value           J = 1 − 11ᵀ/n
//! sweep    y_i ← 1/n Σ_j [y_j + D_ij (y_i − y_j)/|y_i − y_j|]      never raises the stress (SMACOF)
//! ```
//!
//! D geodesics between landmarks [m]. Further points are swept in the same manner against fixed landmarks.

use nalgebra::DMatrix;
use tightfit_interaction::{EMBEDDING, Embedding};

/// Relative decrease of the stress at which sweeping ends [-].
const SETTLED: f64 = 1e-7;
/// Maximum number of sweeps of a single point, and the relative displacement at which it has converged [-].
const POINT_SWEEPS: usize = 200;
const POINT_SETTLED: f64 = 1e-6;
/// Number of nearest landmarks whose weighted mean is the start of a point.
const START_BETWEEN: usize = 4;

/// Positions of the landmarks; `ways` are the geodesics from each landmark to all vertices.
pub(super) fn landmark_places(landmarks: &[usize], ways: &[Vec<f64>], sweeps: usize) -> Vec<Embedding> {
    let count = landmarks.len();
    let way = |i: usize, j: usize| f64::midpoint(ways[i][landmarks[j]], ways[j][landmarks[i]]);
    let table: Vec<f64> = (0..count * count).map(|index| way(index / count, index % count)).collect();
    let mut places = classical(&table, count);
    let mut before = f64::INFINITY;
    for _ in 0..sweeps {
        let mut stress = 0.0;
        let mut next = vec![[0.0; EMBEDDING]; count];
        for i in 0..count {
            for j in 0..count {
                let wanted = table[i * count + j];
                let (step, distance) = pull(&places[i], &places[j], wanted);
                stress += (distance - wanted) * (distance - wanted);
                next[i].iter_mut().zip(step).for_each(|(sum, step)| *sum += step / count as f64);
            }
        }
        places = next;
        if before - stress <= SETTLED * stress {
            break;
        }
        before = stress;
    }
    places
}

/// The point at the wanted distance from `to` in the direction of `from`, and the current distance.
fn pull(from: &Embedding, to: &Embedding, wanted: f64) -> (Embedding, f64) {
    let squared: f64 = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum();
    let distance = squared.sqrt();
    let factor = if distance > 0.0 { wanted / distance } else { 0.0 };
    (std::array::from_fn(|k| to[k] + factor * (from[k] - to[k])), distance)
}

fn classical(table: &[f64], count: usize) -> Vec<Embedding> {
    let squares = DMatrix::from_fn(count, count, |i, j| table[i * count + j] * table[i * count + j]);
    let of_row: Vec<f64> = (0..count).map(|i| squares.row(i).mean()).collect();
    let of_all = of_row.iter().sum::<f64>() / count as f64;
    let products =
        DMatrix::from_fn(count, count, |i, j| -0.5 * (squares[(i, j)] - of_row[i] - of_row[j] + of_all));
    let eigen = products.symmetric_eigen();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let coordinate = |i: usize, k: usize| {
        let Some(own) = order.get(k) else { return 0.0 };
        eigen.eigenvectors[(i, *own)] * eigen.eigenvalues[*own].max(0.0).sqrt()
    };
    (0..count).map(|i| std::array::from_fn(|k| coordinate(i, k))).collect()
}

/// Position of a vertex between fixed landmarks.
pub(super) fn placed(vertex: usize, places: &[Embedding], ways: &[Vec<f64>]) -> Embedding {
    let mut near: Vec<usize> = (0..places.len()).collect();
    near.sort_by(|a, b| ways[*a][vertex].total_cmp(&ways[*b][vertex]));
    near.truncate(START_BETWEEN);
    let weight = |landmark: usize| 1.0 / (ways[landmark][vertex] * ways[landmark][vertex] + 1e-18);
    let total: f64 = near.iter().map(|landmark| weight(*landmark)).sum();
    let mut place: Embedding = std::array::from_fn(|k| {
        near.iter().map(|landmark| weight(*landmark) / total * places[*landmark][k]).sum()
    });
    let scale = ways.iter().map(|ways| ways[vertex]).fold(0.0, f64::max);
    for _ in 0..POINT_SWEEPS {
        let mut next = [0.0; EMBEDDING];
        for (landmark, ways) in places.iter().zip(ways) {
            let (step, _) = pull(&place, landmark, ways[vertex]);
            next.iter_mut().zip(step).for_each(|(sum, step)| *sum += step / places.len() as f64);
        }
        let moved: f64 = next.iter().zip(&place).map(|(a, b)| (a - b) * (a - b)).sum();
        place = next;
        if moved.sqrt() <= POINT_SETTLED * scale {
            break;
        }
    }
    place
}

/// Centres points and aligns them with their principal axes, largest first.
pub(super) fn to_main_axes(points: &mut [Embedding]) {
    let count = points.len() as f64;
    let mean: Embedding = std::array::from_fn(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    for point in points.iter_mut() {
        point.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
    }
    let spread = DMatrix::from_fn(EMBEDDING, EMBEDDING, |i, j| {
        points.iter().map(|point| point[i] * point[j]).sum::<f64>() / count
    });
    let eigen = spread.symmetric_eigen();
    let mut order: Vec<usize> = (0..EMBEDDING).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let axes: Vec<Embedding> = order
        .iter()
        .map(|own| {
            let axis: Embedding = std::array::from_fn(|k| eigen.eigenvectors[(k, *own)]);
            // The sign of an axis is arbitrary: make its largest component positive.
            let largest = axis.iter().fold(0.0, |a: f64, b| if b.abs() > a.abs() { *b } else { a });
            axis.map(|value| if largest < 0.0 { -value } else { value })
        })
        .collect();
    for point in points.iter_mut() {
        let turned = std::array::from_fn(|k| axes[k].iter().zip(&*point).map(|(a, b)| a * b).sum());
        *point = turned;
    }
}
