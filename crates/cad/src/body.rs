//! A body before it is checked: vertices, edges and faces with their loops, as a file or a recognised mesh has them.

use nalgebra::Vector3;

use crate::geometry::{Curve, Surface};

/// An edge: it runs along its curve.
#[derive(Clone, Debug)]
pub struct BodyEdge {
    /// Number of the instance in the file.
    pub id: u64,
    /// Vertices at its ends; equal for a closed edge.
    pub ends: [u32; 2],
    /// The curve.
    pub curve: Curve,
}

/// A face with its loops.
#[derive(Clone, Debug)]
pub struct BodyFace {
    /// Number of the instance in the file; no two faces share one.
    pub id: u64,
    /// The untrimmed surface.
    pub surface: Surface,
    /// Whether the outward normal opposes that of the surface.
    pub flipped: bool,
    /// Loops of uses: (edge, whether along it). The face lies on their left, seen from outside.
    pub loops: Vec<Vec<(u32, bool)>>,
    /// Number of the shell: 0 is the outer one, others bound voids.
    pub shell: u32,
}

/// A body in its place.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Positions of the vertices [m].
    pub vertices: Vec<Vector3<f64>>,
    /// Edges.
    pub edges: Vec<BodyEdge>,
    /// Faces.
    pub faces: Vec<BodyFace>,
}
