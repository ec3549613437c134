//! Solids bounded by planes: their faces as exact triangles.

use nalgebra::Vector3;
use tightfit_cad::Solid;
use tightfit_cad::geometry::{Curve, Surface};

use super::triangulate::{flat_triangles, in_plane};
use crate::mesh::TriMesh;

/// Triangles between the vertices of the file; `None` where a face or an edge is curved.
pub(super) fn exact_mesh(solid: &Solid) -> Option<TriMesh> {
    let mut mesh = TriMesh { vertices: solid.vertices.clone(), ..TriMesh::default() };
    for face in &solid.faces {
        let Surface::Plane(frame) = &face.surface else { return None };
        let mut loops = Vec::new();
        for uses in &face.loops {
            let mut corners = Vec::new();
            for used in uses {
                let edge = &solid.edges[used.edge as usize];
                if !matches!(edge.curve, Curve::Line { .. }) {
                    return None;
                }
                corners.push(edge.ends[usize::from(!used.along)]);
            }
            loops.push(corners);
        }
        let flat =
            |vertex: u32| -> Vector3<f64> { in_plane(frame, face.sign, mesh.vertices[vertex as usize]) };
        mesh.triangles.extend(flat_triangles(&loops, &flat)?);
    }
    mesh.drop_unused_vertices();
    Some(mesh)
}
