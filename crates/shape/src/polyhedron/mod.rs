//! A solid that is bounded by planes: its faces, edges and corners.
//!
//! Two such solids touch at corners against faces and at edges against edges, nowhere else first: the corners of the
//! overlap of two flush faces are corners of either solid or crossings of their edges. So these few places are all
//! contacts, and their gaps are the exact separation, whatever the size of the faces.
//!
//! Blocks, sharp prisms and meshes are polyhedra; a half-space is one face without edges. Triangles of a mesh that lie
//! in one plane are one face (`planes.rs`), collinear edges between the same two faces are one edge.

mod build;
mod face;
mod planes;
mod query;

use nalgebra::Vector3;

use crate::mesh::{Aabb, BoxTree};

pub use face::{Face, Place};
pub(crate) use planes::Planes;
pub use query::{MOST_BRANCHES, Piece};

/// A straight edge between two faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its ends [m].
    pub ends: [Vector3<f64>; 2],
    /// Unit vector from the first end to the second.
    pub along: Vector3<f64>,
    /// Distance of the ends [m].
    pub length: f64,
    /// The two faces.
    pub faces: [u32; 2],
    /// Their outward normals.
    pub normals: [Vector3<f64>; 2],
    /// Whether the material is convex there.
    pub is_convex: bool,
    /// Whether each end is a corner. Beyond another end the material goes on, as at the mouth of a square bore.
    pub ends_at_corner: [bool; 2],
}

impl Edge {
    /// The face on the other side of the edge.
    #[must_use]
    pub fn across(&self, face: u32) -> u32 {
        if self.faces[0] == face { self.faces[1] } else { self.faces[0] }
    }

    /// Fraction of the length at which the edge is nearest to a point, and the square of the distance there [m²].
    #[must_use]
    pub fn nearest(&self, point: Vector3<f64>) -> (f64, f64) {
        let from = point - self.ends[0];
        let along = from.dot(&self.along).clamp(0.0, self.length);
        (along / self.length, (from - self.along * along).norm_squared())
    }
}

/// A point where all edges are convex.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Position [m].
    pub position: Vector3<f64>,
    /// Range of its edges in [`Polyhedron::leaving`].
    edges: [u32; 2],
}

/// A solid bounded by planes.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    /// Points where all edges are convex.
    pub corners: Vec<Corner>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// All faces.
    pub faces: Vec<Face>,
    /// Directions of the edges that leave each corner.
    leaving: Vec<Vector3<f64>>,
    /// Convex edges, in the order of `convex_tree`.
    convex: Vec<u32>,
    convex_tree: BoxTree,
    /// All edges, in the order of `edge_tree`.
    edge_order: Vec<u32>,
    edge_tree: BoxTree,
    /// Faces, in the order of `face_tree`.
    face_order: Vec<u32>,
    face_tree: BoxTree,
    /// Box around the solid.
    pub bounds: Aabb,
}

impl Polyhedron {
    /// Directions of the edges that leave a corner.
    #[must_use]
    pub fn leaving(&self, corner: &Corner) -> &[Vector3<f64>] {
        &self.leaving[corner.edges[0] as usize..corner.edges[1] as usize]
    }

    /// Visits the edges whose box overlaps another.
    pub fn each_edge(&self, within: &Aabb, mut visit: impl FnMut(u32, &Edge)) {
        self.edge_tree.overlapping(within, |place| {
            let index = self.edge_order[place];
            visit(index, &self.edges[index as usize]);
        });
    }

    /// Visits the convex edges whose box overlaps another.
    pub fn each_convex_edge(&self, within: &Aabb, mut visit: impl FnMut(u32, &Edge)) {
        self.convex_tree.overlapping(within, |place| {
            let index = self.convex[place];
            visit(index, &self.edges[index as usize]);
        });
    }

    /// Visits the faces whose box overlaps another.
    pub fn each_face(&self, within: &Aabb, mut visit: impl FnMut(u32, &Face)) {
        self.face_tree.overlapping(within, |place| {
            let index = self.face_order[place];
            visit(index, &self.faces[index as usize]);
        });
    }

    /// The convex edges.
    pub fn convex_edges(&self) -> impl Iterator<Item = (u32, &Edge)> {
        self.convex.iter().map(|&index| (index, &self.edges[index as usize]))
    }

    /// Memory [bytes].
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.corners)
            + size_of_val(&*self.edges)
            + self.faces.iter().map(Face::memory).sum::<usize>()
            + size_of_val(&*self.leaving)
            + size_of_val(&*self.convex)
            + size_of_val(&*self.edge_order)
            + size_of_val(&*self.face_order)
            + self.convex_tree.memory()
            + self.edge_tree.memory()
            + self.face_tree.memory()
    }
}
