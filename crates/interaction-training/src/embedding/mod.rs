//! Geodesic embedding of a part's surface: every vertex is a point in eight dimensions, and straight distances
//! approximate geodesic distances (R. M. Rustamov, Y. Lipman, T. Funkhouser, "Interior distance using barycentric
//! coordinates", 2009; D. Panozzo et al., "Weighted averages on surfaces", 2013).
//!
//! ```text
//! mesh          the part's triangles, long edges halved                                              mesh.rs
//! geodesics     shortest paths from landmarks, each as far as possible from the previous ones        geodesics.rs
//! landmarks     metric scaling of their mutual geodesics to eight dimensions                         scaling.rs
//! all vertices  placed where straight distances to the landmarks fit their geodesics best             scaling.rs
//! ```
//!
//! The result is centred and aligned with its principal axes, largest first; its unit is the metre.

mod geodesics;
mod mesh;
mod scaling;

use nalgebra::Vector3;
use serde::Serialize;
use tightfit_interaction::{EMBEDDING, EmbeddedSurface, Embedding, INPUTS};
use tightfit_network::Range;
use tightfit_shape::mesh::TriMesh;

use crate::LearningError;
pub use geodesics::Geodesics;
pub use mesh::refined;
pub(crate) use mesh::vertex_normals;

/// Recipe of an embedding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EmbeddingRecipe {
    /// Landmarks.
    pub landmarks: usize,
    /// Points on every edge that paths may pass through.
    pub points_per_edge: usize,
    /// Maximum number of sweeps of the scaling.
    pub sweeps: usize,
}

impl Default for EmbeddingRecipe {
    fn default() -> Self {
        Self { landmarks: 200, points_per_edge: 3, sweeps: 300 }
    }
}

/// How well straight distances of an embedding match geodesics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EmbeddingErrors {
    /// Pearson's correlation of both.
    pub correlation: f64,
    /// Median of |distance/geodesic − 1| [-].
    pub median_relative: f64,
    /// Number of compared pairs.
    pub pairs: usize,
}

/// Embeds a surface. `progress` receives the finished fraction.
///
/// # Errors
/// When the recipe is invalid, or the surface has no triangle or several pieces.
pub fn embed(
    mesh: &TriMesh,
    recipe: &EmbeddingRecipe,
    mut progress: impl FnMut(f64),
) -> Result<Vec<Embedding>, LearningError> {
    let allowed = |option: &'static str, value: usize, allowed: &'static str| LearningError::Option {
        option,
        value: value.to_string(),
        allowed,
    };
    if !(EMBEDDING + 1..=2000).contains(&recipe.landmarks) {
        return Err(allowed("landmarks", recipe.landmarks, "9 to 2000"));
    }
    if !(1..=16).contains(&recipe.points_per_edge) {
        return Err(allowed("points_per_edge", recipe.points_per_edge, "1 to 16"));
    }
    let count = mesh.vertices.len();
    if count <= EMBEDDING || mesh.triangles.is_empty() {
        return Err(allowed("vertices of the surface", count, "more than 8, with triangles"));
    }
    let geodesics = Geodesics::new(&mesh.vertices, &mesh.triangles, recipe.points_per_edge);
    // Geodesic to the nearest landmark so far.
    let mut nearest = vec![f64::INFINITY; count];
    let mut next = 0;
    let (mut landmarks, mut ways): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let wanted = recipe.landmarks.min(count);
    while landmarks.len() < wanted {
        let mut way = Vec::new();
        geodesics.from(next, &mut way);
        if way.iter().any(|way| !way.is_finite()) {
            return Err(allowed(
                "pieces of the surface",
                2,
                "a single connected one; embed its outer shell alone",
            ));
        }
        nearest.iter_mut().zip(&way).for_each(|(nearest, way)| *nearest = nearest.min(*way));
        landmarks.push(next);
        ways.push(way);
        let farthest = (0..count).max_by(|a, b| nearest[*a].total_cmp(&nearest[*b]).then(b.cmp(a)));
        next = farthest.unwrap_or(0);
        progress(0.8 * landmarks.len() as f64 / wanted as f64);
        if nearest[next] <= 0.0 {
            break;
        }
    }
    let places = scaling::landmark_places(&landmarks, &ways, recipe.sweeps);
    progress(0.9);
    let mut embedding: Vec<Embedding> = (0..count)
        .map(|vertex| match landmarks.iter().position(|landmark| *landmark == vertex) {
            Some(place) => places[place],
            None => scaling::placed(vertex, &places, &ways),
        })
        .collect();
    scaling::to_main_axes(&mut embedding);
    progress(1.0);
    Ok(embedding)
}

/// Compares straight distances with geodesics from 60 evenly chosen vertices to all others.
#[must_use]
pub fn embedding_errors(mesh: &TriMesh, embedding: &[Embedding], points_per_edge: usize) -> EmbeddingErrors {
    const SOURCES: usize = 60;
    let geodesics = Geodesics::new(&mesh.vertices, &mesh.triangles, points_per_edge);
    let count = mesh.vertices.len();
    let mut both: Vec<[f64; 2]> = Vec::new();
    let mut ways = Vec::new();
    for source in 0..SOURCES.min(count) {
        let source = source * count / SOURCES.min(count);
        geodesics.from(source, &mut ways);
        for vertex in (0..count).filter(|vertex| *vertex != source) {
            let (a, b) = (&embedding[source], &embedding[vertex]);
            let squared: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            both.push([squared.sqrt(), ways[vertex]]);
        }
    }
    let pairs = both.len();
    let mean = |of: usize| both.iter().map(|pair| pair[of]).sum::<f64>() / pairs as f64;
    let means = [mean(0), mean(1)];
    let moment =
        |i: usize, j: usize| both.iter().map(|pair| (pair[i] - means[i]) * (pair[j] - means[j])).sum::<f64>();
    let correlation = moment(0, 1) / (moment(0, 0) * moment(1, 1)).sqrt();
    let mut relative: Vec<f64> = both
        .iter()
        .filter(|pair| pair[1] > 0.0)
        .map(|[distance, way]| (distance / way - 1.0).abs())
        .collect();
    relative.sort_by(f64::total_cmp);
    let median_relative = relative.get(relative.len() / 2).copied().unwrap_or(f64::NAN);
    EmbeddingErrors { correlation, median_relative, pairs }
}

/// A mesh with its embedding as a surface, shifted so that `center` [m] is its origin.
///
/// # Errors
/// When a number is not finite.
pub fn surface(
    mesh: &TriMesh,
    embedding: Vec<Embedding>,
    center: Vector3<f64>,
) -> Result<EmbeddedSurface, LearningError> {
    let points = mesh.vertices.iter().map(|vertex| vertex - center).collect();
    let normals = vertex_normals(mesh);
    Ok(EmbeddedSurface::new(points, normals, mesh.triangles.clone(), embedding)?)
}

/// Default ranges of a network's inputs: the surface's bounding box, any attitude, and speeds and loads of assembly by
/// hand.
#[must_use]
pub fn usual_ranges(surface: &EmbeddedSurface) -> [Range; INPUTS] {
    let around = |half: f64| Range { low: -half, high: half };
    let mut ranges = [around(1.0); INPUTS];
    for axis in 0..3 {
        let values = || surface.points().iter().map(|point| point[axis]);
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        // A flat surface needs a range too.
        ranges[axis] = if high - low > 1e-6 { Range { low, high } } else { around(1e-3) };
    }
    ranges[3] = Range { low: 0.0, high: std::f64::consts::PI };
    for (first, half) in [(7, 0.2), (10, 2.0), (13, 50.0), (16, 2.0)] {
        ranges[first..first + 3].fill(around(half));
    }
    ranges
}
