//! A plane face, and where a point lies over it.

use nalgebra::{Vector2, Vector3};

use super::Edge;
use crate::mesh::Aabb;

/// A plane face with straight edges; it may have holes and need not be convex.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vector3<f64>,
    /// n·x of its points [m].
    pub level: f64,
    /// Indices of its edges; a face without edges is a whole plane.
    edges: Vec<u32>,
    /// Box around it.
    pub(super) bounds: Aabb,
}

/// Where the nearest point of a face to a point lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// In its interior.
    Inside,
    /// On an edge.
    Edge(u32),
    /// At the end of an edge: `true` at the second one.
    End(u32, bool),
}

impl Face {
    pub(super) fn new(normal: Vector3<f64>, level: f64, edges: Vec<u32>, bounds: Aabb) -> Self {
        Self { normal, level, edges, bounds }
    }

    /// Indices of the edges.
    #[must_use]
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// Signed distance of a point to the plane [m].
    #[must_use]
    pub fn height(&self, point: Vector3<f64>) -> f64 {
        self.normal.dot(&point) - self.level
    }

    /// Where the face is nearest to a point, and how far the point's foot in the plane lies beside the face [m].
    #[must_use]
    pub fn locate(&self, point: Vector3<f64>, all: &[Edge]) -> (Place, f64) {
        if self.covers(point, all) {
            return (Place::Inside, 0.0);
        }
        let foot = point - self.normal * self.height(point);
        let mut nearest = (Place::Inside, f64::INFINITY);
        for &index in &self.edges {
            let (fraction, squared) = all[index as usize].nearest(foot);
            if squared < nearest.1 {
                let is_end = fraction <= 0.0 || fraction >= 1.0;
                let place = if is_end { Place::End(index, fraction > 0.5) } else { Place::Edge(index) };
                nearest = (place, squared);
            }
        }
        (nearest.0, nearest.1.sqrt())
    }

    /// Whether the foot of a point is inside the edges: a ray from it crosses an odd number of them.
    #[must_use]
    pub fn covers(&self, point: Vector3<f64>, all: &[Edge]) -> bool {
        if self.edges.is_empty() {
            return true;
        }
        let axis = self.normal.iamax();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let foot = point - self.normal * self.height(point);
        let flat = |at: &Vector3<f64>| Vector2::new(at[u] - foot[u], at[v] - foot[v]);
        let mut is_inside = false;
        for &index in &self.edges {
            let [a, b] = all[index as usize].ends.each_ref().map(flat);
            if (a.y > 0.0) != (b.y > 0.0) && (a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0) {
                is_inside = !is_inside;
            }
        }
        is_inside
    }
}
