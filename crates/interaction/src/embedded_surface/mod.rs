//! A surface with an embedding whose straight distances approximate geodesic distances (Rustamov et al. 2009; Panozzo
//! et al. 2013).
//!
//! ```text
//! average   y = Σ w_i E_i                          in eight dimensions, off the embedded surface
//! back      descent over vertices to the nearest E_v, then the nearest point Σ β_c E_c of the triangles around it
//! in space  Σ β_c x_c
//! ```
//!
//! E_v embedding of vertex v [-], x_v its position [m], β barycentric coordinates. The descent starts near the result
//! and takes a few hops. It may stop at a neighbour of the nearest vertex.

mod adjacency;
mod triangle;
mod vertex_grid;

use adjacency::Adjacency;
use nalgebra::Vector3;
use tightfit_network::NetworkError;
use triangle::{barycentric, blend, dot, minus, squared_distance};
use vertex_grid::VertexGrid;

/// Dimensions of the embedding.
pub const EMBEDDING: usize = 8;

/// A point of the embedding [-].
pub type Embedding = [f64; EMBEDDING];

/// A closed or open triangle surface with an embedding of its vertices.
#[derive(Clone, Debug)]
pub struct EmbeddedSurface {
    points: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
    embedding: Vec<Embedding>,
    neighbours: Adjacency,
    incident: Adjacency,
    grid: VertexGrid,
}

/// Location of a point on the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Located {
    /// The nearest vertex.
    pub vertex: u32,
    /// Embedding of the nearest point of the triangles around it [-].
    pub embedding: Embedding,
}

/// A point of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// A vertex near it.
    pub vertex: u32,
    /// The point, in the frame of the surface [m].
    pub point: Vector3<f64>,
    /// Outward unit normal, interpolated from the vertices.
    pub normal: Vector3<f64>,
}

impl EmbeddedSurface {
    /// A surface from vertices [m], their outward unit normals and embedding, and triangles, counter-clockwise seen
    /// from outside.
    ///
    /// # Errors
    /// When vertex counts differ, a triangle names a missing vertex, or a number is not finite.
    pub fn new(
        points: Vec<Vector3<f64>>,
        normals: Vec<Vector3<f64>>,
        faces: Vec<[u32; 3]>,
        embedding: Vec<Embedding>,
    ) -> Result<Self, NetworkError> {
        let count = points.len();
        for (what, found) in
            [("number of normals", normals.len()), ("number of embedded vertices", embedding.len())]
        {
            if found != count || count == 0 {
                return Err(NetworkError::size("embedded surface", what, found, count.max(1)));
            }
        }
        if let Some(face) = faces.iter().find(|face| face.iter().any(|vertex| *vertex as usize >= count)) {
            let found = format!("{face:?}");
            return Err(NetworkError::size(
                "embedded surface",
                "a triangle",
                found,
                format!("vertices below {count}"),
            ));
        }
        let numbers = points.iter().chain(&normals).flat_map(|vector| vector.iter());
        if let Some(value) = numbers.chain(embedding.iter().flatten()).find(|value| !value.is_finite()) {
            let place = "a vertex of the embedded surface".into();
            return Err(NetworkError::Value { place, value: *value, allowed: "finite numbers" });
        }
        let neighbours = Adjacency::of_vertices(count, &faces);
        let incident = Adjacency::of_faces(count, &faces);
        let grid = VertexGrid::new(&points);
        Ok(Self { points, normals, faces, embedding, neighbours, incident, grid })
    }

    /// Vertices [m].
    #[must_use]
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// Outward unit normals of the vertices.
    #[must_use]
    pub fn normals(&self) -> &[Vector3<f64>] {
        &self.normals
    }

    /// Corners of the triangles.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Embedding of the vertices [-].
    #[must_use]
    pub fn embedding(&self) -> &[Embedding] {
        &self.embedding
    }

    /// Locates a point [m] near the surface.
    #[must_use]
    pub fn locate(&self, point: Vector3<f64>) -> Located {
        let vertex = self.grid.nearest(point);
        let own = |vertex: u32| <[f64; 3]>::from(self.points[vertex as usize]);
        let (corners, weights) = self.nearest_around(vertex, &point.into(), own);
        let embedding = blend(weights, corners.map(|corner| &self.embedding[corner as usize]));
        Located { vertex, embedding }
    }

    /// The point of the surface nearest to a point of the embedding; the search starts at a vertex near it.
    #[must_use]
    pub fn project(&self, target: &Embedding, start: u32) -> SurfacePoint {
        let own = |vertex: u32| self.embedding[vertex as usize];
        let mut vertex = start;
        let mut nearest = squared_distance(&own(vertex), target);
        loop {
            let mut next = vertex;
            for &other in self.neighbours.of(vertex) {
                let squared = squared_distance(&own(other), target);
                if squared < nearest {
                    (nearest, next) = (squared, other);
                }
            }
            if next == vertex {
                break;
            }
            vertex = next;
        }
        let (corners, weights) = self.nearest_around(vertex, target, own);
        let mix = |of: &[Vector3<f64>]| {
            let at = |k: usize| of[corners[k] as usize] * weights[k];
            at(0) + at(1) + at(2)
        };
        let normal = mix(&self.normals);
        let length = normal.norm();
        let normal = if length > 0.0 { normal / length } else { self.normals[vertex as usize] };
        SurfacePoint { vertex, point: mix(&self.points), normal }
    }

    /// Corners and barycentric coordinates of the nearest point of the triangles around a vertex.
    fn nearest_around<const N: usize>(
        &self,
        vertex: u32,
        target: &[f64; N],
        place: impl Fn(u32) -> [f64; N],
    ) -> ([u32; 3], [f64; 3]) {
        let own = place(vertex);
        let to = minus(target, &own);
        let mut best = ([vertex; 3], [1.0, 0.0, 0.0]);
        let mut nearest = dot(&to, &to);
        for &face in self.incident.of(vertex) {
            let [a, b, c] = self.faces[face as usize];
            // Rotate the triangle so that the vertex comes first.
            let [second, third] = if a == vertex {
                [b, c]
            } else if b == vertex {
                [c, a]
            } else {
                [a, b]
            };
            let (u, v) = (minus(&place(second), &own), minus(&place(third), &own));
            let (along_u, along_v) = (dot(&u, &to), dot(&v, &to));
            // The vertex itself is the nearest point of this triangle.
            if along_u <= 0.0 && along_v <= 0.0 {
                continue;
            }
            let weights = barycentric([dot(&u, &u), dot(&u, &v), dot(&v, &v)], [along_u, along_v]);
            let [_, s, t] = weights;
            let way: [f64; N] = std::array::from_fn(|k| to[k] - s * u[k] - t * v[k]);
            let squared = dot(&way, &way);
            if squared < nearest {
                (nearest, best) = (squared, ([vertex, second, third], weights));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flat sheet of `n` by `n` squares of 1 mm, embedded without distortion.
    fn sheet(n: u32) -> EmbeddedSurface {
        let at = |x: u32, y: u32| y * (n + 1) + x;
        let places: Vec<(u32, u32)> = (0..=n).flat_map(|y| (0..=n).map(move |x| (x, y))).collect();
        let points: Vec<Vector3<f64>> =
            places.iter().map(|(x, y)| Vector3::new(f64::from(*x), f64::from(*y), 0.0) * 1e-3).collect();
        let embedding =
            places.iter().map(|(x, y)| [f64::from(*x), f64::from(*y), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let squares = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
        let faces = squares.flat_map(|(x, y)| {
            [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]]
        });
        let normals = vec![Vector3::z(); points.len()];
        EmbeddedSurface::new(points, normals, faces.collect(), embedding.collect()).unwrap()
    }

    #[test]
    fn on_a_flat_sheet_locate_and_project_are_inverse() {
        let surface = sheet(12);
        for index in 0..200 {
            let [u, v] = [0.37, 0.61].map(|rate: f64| 12.0 * ((f64::from(index) * rate) % 1.0));
            let point = Vector3::new(u, v, 0.0) * 1e-3;
            let located = surface.locate(point + Vector3::z() * 1e-4);
            assert!((located.embedding[0] - u).abs() + (located.embedding[1] - v).abs() < 1e-12);
            // Project a point off the sheet, starting from the farthest corner.
            let mut target = located.embedding;
            target[5] = 3.0;
            let found = surface.project(&target, 0);
            assert!((found.point - point).norm() < 1e-15, "{point:?} {found:?}");
            assert_eq!(found.normal, Vector3::z());
        }
    }

    #[test]
    fn points_beyond_the_edge_project_to_the_edge() {
        let surface = sheet(4);
        let located = surface.locate(Vector3::new(9e-3, 2.5e-3, 0.0));
        assert!((located.embedding[0] - 4.0).abs() + (located.embedding[1] - 2.5).abs() < 1e-12);
        let found = surface.project(&[-3.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 7);
        assert!((found.point - Vector3::new(0.0, 4e-3, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn inconsistent_surfaces_are_rejected() {
        let points = vec![Vector3::zeros(); 3];
        let wrong = |normals: usize, face: [u32; 3], number: f64| {
            let embedding = vec![[number; EMBEDDING]; 3];
            EmbeddedSurface::new(points.clone(), vec![Vector3::z(); normals], vec![face], embedding)
                .unwrap_err()
                .to_string()
        };
        assert!(wrong(2, [0, 1, 2], 0.0).contains("number of normals"));
        assert!(wrong(3, [0, 1, 3], 0.0).contains("vertices below 3"));
        assert!(wrong(3, [0, 1, 2], f64::NAN).contains("finite"));
    }
}
