//! Plane facets of a mesh and their neighbours.

use nalgebra::Vector3;

use crate::mesh::{EdgeTable, TriMesh};
use crate::polyhedron::Planes;

/// Two facets.
pub(super) struct Neighbour {
    pub facet: u32,
    /// Cosine of the angle between the normals.
    pub cosine: f64,
}

/// Plane facets: triangles that lie in one plane to rounding.
pub(super) struct Facets {
    /// Facet of each triangle.
    pub of_triangle: Vec<u32>,
    /// Outward unit normals.
    pub normals: Vec<Vector3<f64>>,
    /// Areas [m²].
    pub areas: Vec<f64>,
    /// Means of the vertices [m].
    pub middles: Vec<Vector3<f64>>,
    /// Vertices of each facet, sorted.
    pub vertices: Vec<Vec<u32>>,
    /// Neighbours across edges.
    pub neighbours: Vec<Vec<Neighbour>>,
}

impl Facets {
    /// Facets of a closed mesh.
    pub(super) fn new(mesh: &TriMesh, table: &EdgeTable, size: f64) -> Self {
        let planes = Planes::of(mesh, table, size);
        let count = planes.faces.len();
        let mut sums = vec![Vector3::zeros(); count];
        let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (triangle, &facet) in planes.face_of.iter().enumerate() {
            let [a, b, c] = mesh.corners(triangle);
            sums[facet as usize] += (b - a).cross(&(c - a)) / 2.0;
            vertices[facet as usize].extend(mesh.triangles[triangle]);
        }
        for own in &mut vertices {
            own.sort_unstable();
            own.dedup();
        }
        let areas = sums.iter().map(Vector3::norm).collect();
        let normals: Vec<Vector3<f64>> = sums
            .iter()
            .zip(&planes.faces)
            .map(|(sum, (normal, _))| sum.try_normalize(0.0).unwrap_or(*normal))
            .collect();
        let middle = |own: &Vec<u32>| {
            own.iter().map(|&vertex| mesh.vertices[vertex as usize]).sum::<Vector3<f64>>() / own.len() as f64
        };
        let middles = vertices.iter().map(middle).collect();
        let mut neighbours: Vec<Vec<Neighbour>> = (0..count).map(|_| Vec::new()).collect();
        for edge in table.iter() {
            let Some(halves) = edge.manifold(&mesh.triangles) else { continue };
            let [a, b] = halves.map(|half| planes.face_of[half as usize / 3] as usize);
            if a == b || neighbours[a].iter().any(|known| known.facet as usize == b) {
                continue;
            }
            let cosine = normals[a].dot(&normals[b]);
            neighbours[a].push(Neighbour { facet: b as u32, cosine });
            neighbours[b].push(Neighbour { facet: a as u32, cosine });
        }
        Self { of_triangle: planes.face_of, normals, areas, middles, vertices, neighbours }
    }

    /// Number of facets.
    pub(super) fn len(&self) -> usize {
        self.normals.len()
    }
}
