//! A solid bounded by faces, edges and corners.

mod build;
mod chart;
mod corner;
mod edge;
mod heal;
mod nodes;
mod patch;

use std::sync::Arc;

use nalgebra::Vector3;

use crate::Aabb;
use crate::distance::{Cells, Neighbours};
use crate::geometry::Surface;

pub(crate) use chart::Chart;
pub(crate) use corner::{Corner, Ray, leads_inside};
pub use edge::Edge;
pub(crate) use edge::{EdgePoint, Piece};
pub(crate) use patch::{Patch, foot as patch_foot};

/// A use of an edge by a face. The face lies on the left of its direction, seen from outside the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Number of the edge.
    pub edge: u32,
    /// Whether the face uses it in its direction.
    pub along: bool,
}

/// A face.
#[derive(Clone, Debug)]
pub struct Face {
    /// Number of the instance in the file.
    pub id: u64,
    /// The untrimmed surface.
    pub surface: Surface,
    /// +1 where the outward normal is that of the surface, −1 where it opposes it.
    pub sign: f64,
    /// Boundary loops, seams included.
    pub loops: Vec<Vec<Use>>,
    /// Number of the shell: 0 is the outer one.
    pub shell: u32,
    /// Uses that bound the face; seams are left out.
    pub(crate) boundary: Vec<Use>,
    /// Pieces of these edges.
    pub(crate) trim: Vec<(u32, bool)>,
    /// Corners of the boundary, sorted by vertex.
    pub(crate) corners: Vec<(u32, Vec<Ray>)>,
    /// Parameters of a parametric face.
    pub(crate) chart: Option<Box<Chart>>,
}

/// A solid.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Name of the body in the file.
    pub name: String,
    /// Positions of the vertices [m].
    pub vertices: Vec<Vector3<f64>>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Largest distance of an edge from its surfaces [m].
    pub edge_gap: f64,
    /// What was repaired, in sentences.
    pub repairs: Vec<String>,
    /// Box around the solid.
    pub bounds: Aabb,
    pub(crate) corners: Vec<Corner>,
    pub(crate) pieces: Vec<Piece>,
    /// Range of each edge in `pieces`.
    pub(crate) pieces_of: Vec<[u32; 2]>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) cells: Arc<Cells>,
    pub(crate) neighbours: Neighbours,
}

impl Solid {
    /// Outward unit normal of a face at a point on it; `edge` with its parameter seeds parametric faces.
    pub(crate) fn normal_at(&self, face: u32, point: Vector3<f64>, edge: Option<(u32, f64)>) -> Vector3<f64> {
        let face = &self.faces[face as usize];
        match (&face.chart, face.surface.foot(point)) {
            (Some(chart), _) => chart.normal_near(point, edge) * face.sign,
            (None, Some(foot)) if !foot.is_apex => foot.normal * face.sign,
            _ => Vector3::zeros(),
        }
    }

    /// Pieces of the boundary of a face.
    pub(crate) fn boundary_pieces<'a>(&'a self, face: &'a Face) -> impl Iterator<Item = (u32, bool)> + 'a {
        face.boundary.iter().flat_map(|used| {
            let [first, end] = self.pieces_of[used.edge as usize];
            (first..end).map(move |piece| (piece, used.along))
        })
    }
}
