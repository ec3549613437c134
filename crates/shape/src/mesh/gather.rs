//! Collects vertices and faces while a file is read, with the checks that all formats share.

use nalgebra::Vector3;

use super::{MeshError, TriMesh, clip_ears};

/// Largest number of triangles of a mesh. The mesh doctor needs about 2 GB for 20 million; a part with more is
/// tessellated far more finely than any clearance requires.
pub const MAX_TRIANGLES: usize = 20_000_000;

/// Largest number of vertices: those of a triangle soup of [`MAX_TRIANGLES`].
const MAX_VERTICES: usize = 3 * MAX_TRIANGLES;

/// Largest magnitude of a coordinate [raw unit]. In millimetres this is 1 km; a file with larger coordinates is
/// damaged. Squares and cubes of coordinates stay far from overflow.
pub const MAX_COORDINATE: f64 = 1e6;

/// Largest number of corners of a polygon: the time of ear clipping grows with up to its cube.
const MAX_POLYGON: usize = 1024;

/// The mesh so far.
pub(super) struct Gather<'a> {
    file: &'a str,
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    /// Faces with more than three corners: triangulated at the end, when every vertex is known.
    polygons: Vec<Vec<u32>>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self { file, vertices: Vec::new(), triangles: Vec::new(), polygons: Vec::new() }
    }

    pub(super) fn file(&self) -> &'a str {
        self.file
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Appends a vertex.
    pub(super) fn vertex(&mut self, point: Vector3<f64>) -> Result<(), MeshError> {
        if let Some(bad) = point.iter().find(|value| value.is_nan() || value.abs() > MAX_COORDINATE) {
            let vertex = self.vertices.len() as u64;
            return Err(MeshError::Coordinate { file: self.file.into(), vertex, value: format!("{bad:e}") });
        }
        if self.vertices.len() >= MAX_VERTICES {
            return Err(self.too_many("vertices", self.vertices.len() as u64 + 1, MAX_VERTICES));
        }
        self.vertices.push(point + Vector3::zeros()); // −0 becomes +0: equal points have equal bits
        Ok(())
    }

    /// Appends a face with indices from 0; its vertices may follow later. A face with fewer than three corners has no
    /// area and is dropped.
    pub(super) fn face(&mut self, corners: &[u32]) -> Result<(), MeshError> {
        match *corners {
            [a, b, c] => self.triangles.push([a, b, c]),
            [] | [_] | [_, _] => {}
            _ if corners.len() > MAX_POLYGON => {
                return Err(self.too_many("corners in one face", corners.len() as u64, MAX_POLYGON));
            }
            _ => self.polygons.push(corners.to_vec()),
        }
        let count = self.triangles.len() + 2 * self.polygons.len();
        if count > MAX_TRIANGLES {
            return Err(self.too_many("triangles", count as u64, MAX_TRIANGLES));
        }
        Ok(())
    }

    fn too_many(&self, what: &'static str, count: u64, limit: usize) -> MeshError {
        MeshError::TooMany { file: self.file.into(), what, count, limit: limit as u64 }
    }

    /// Checks every index, triangulates every polygon and returns the mesh.
    pub(super) fn finish(mut self) -> Result<TriMesh, MeshError> {
        let count = self.vertices.len();
        let triangles = self.triangles.iter().map(|triangle| &triangle[..]);
        for (face, corners) in triangles.chain(self.polygons.iter().map(Vec::as_slice)).enumerate() {
            if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= count) {
                return Err(MeshError::Index {
                    file: self.file.into(),
                    place: format!("face {face} of {} corners", corners.len()),
                    index: index.into(),
                    count: count as u64,
                });
            }
        }
        for polygon in &self.polygons {
            let points: Vec<_> = polygon.iter().map(|&corner| self.vertices[corner as usize]).collect();
            let corners = clip_ears(&points);
            self.triangles.extend(corners.iter().map(|ear| ear.map(|corner| polygon[corner])));
            if self.triangles.len() > MAX_TRIANGLES {
                return Err(self.too_many("triangles", self.triangles.len() as u64, MAX_TRIANGLES));
            }
        }
        if self.triangles.is_empty() {
            return Err(MeshError::NoTriangles { file: self.file.into(), vertices: count as u64 });
        }
        Ok(TriMesh { vertices: self.vertices, triangles: self.triangles })
    }
}
