//! A closed polygon in the half-plane (a, z), and the signed distance to it.
//!
//! ```text
//! vertices v₀ … vₙ₋₁ counter-clockwise, material on the left;   edge i = vᵢ → vᵢ₊₁
//! outward normal of an edge (Δa, Δz):   (Δz, −Δa) / |·|
//! ```
//!
//! a ≥ 0 is the distance from the axis [m] (see [`super::Section`]), z the height [m]. An edge on the axis is no
//! boundary: it lies inside the body, and distance, mass and mesh ignore it.

use arrayvec::ArrayVec;

/// Capacity for vertices; no outline needs more.
const MAX_VERTICES: usize = 12;

/// A shorter edge is a rounding artefact of a zero chamfer, not a face [m].
const SHORTEST_EDGE: f64 = 1e-12;

/// Closed polygon (a, z) [m], counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    vertices: ArrayVec<[f64; 2], MAX_VERTICES>,
    normals: ArrayVec<[f64; 2], MAX_VERTICES>,
    concave: ArrayVec<usize, MAX_VERTICES>,
    /// Least and largest coordinates [m].
    bounds: [[f64; 2]; 2],
}

/// The feature of the outline that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Foot {
    /// The interior of an edge: the gradient is the edge's normal.
    Edge(usize),
    /// The vertex at the start of this edge.
    Vertex(usize),
}

/// Distance to an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlineSample {
    /// Signed distance [m], negative in the material.
    pub distance: f64,
    /// Unit gradient in (a, z) [-].
    pub normal: [f64; 2],
    /// Nearest feature.
    pub foot: Foot,
}

impl Outline {
    /// Polygon with these vertices [m]; repeated vertices (a chamfer of zero) are dropped.
    #[must_use]
    pub fn new(points: &[[f64; 2]]) -> Self {
        let mut vertices = ArrayVec::<[f64; 2], MAX_VERTICES>::new();
        for &point in points {
            if vertices.iter().all(|&known| length(sub(known, point)) > SHORTEST_EDGE) {
                vertices.push(point);
            }
        }
        let count = vertices.len();
        let normal = |index: usize| {
            let [da, dz] = sub(vertices[(index + 1) % count], vertices[index]);
            let inverse = 1.0 / libm::hypot(da, dz);
            [dz * inverse, -da * inverse]
        };
        let normals = (0..count).map(normal).collect();
        let extreme = |empty: f64, choose: fn(f64, f64) -> f64| {
            [0, 1].map(|axis| vertices.iter().map(|vertex| vertex[axis]).fold(empty, choose))
        };
        let bounds = [extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max)];
        let mut outline = Self { vertices, normals, concave: ArrayVec::new(), bounds };
        let concave = |index: &usize| outline.vertices[*index][0] > 0.0 && !outline.is_convex(*index);
        outline.concave = (0..count).filter(concave).collect();
        outline
    }

    /// Least and largest (a, z) [m].
    #[must_use]
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        self.bounds
    }

    /// Vertices off the axis at which the material is not convex.
    #[must_use]
    #[inline(always)]
    pub fn concave_vertices(&self) -> &[usize] {
        &self.concave
    }

    /// The vertices in order.
    #[must_use]
    #[inline(always)]
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Start and end of edge `index`.
    #[must_use]
    #[inline(always)]
    pub fn edge(&self, index: usize) -> [[f64; 2]; 2] {
        [self.vertices[index], self.vertices[(index + 1) % self.vertices.len()]]
    }

    /// The edges that bound material: all except those on the axis.
    pub fn edges(&self) -> impl Iterator<Item = (usize, [[f64; 2]; 2])> + '_ {
        (0..self.vertices.len())
            .map(|index| (index, self.edge(index)))
            .filter(|(_, [start, end])| start[0] > 0.0 || end[0] > 0.0)
    }

    /// Outward unit normal of edge `index`.
    #[must_use]
    #[inline(always)]
    pub fn edge_normal(&self, index: usize) -> [f64; 2] {
        self.normals[index]
    }

    /// Whether vertex `index` is off the axis and the material is convex there.
    #[must_use]
    pub fn is_convex(&self, index: usize) -> bool {
        let count = self.vertices.len();
        let before = sub(self.vertices[index], self.vertices[(index + count - 1) % count]);
        let after = sub(self.vertices[(index + 1) % count], self.vertices[index]);
        self.vertices[index][0] > 0.0 && before[0] * after[1] - before[1] * after[0] > 0.0
    }

    /// Distance of (a, z) from edge `index` [m].
    pub(crate) fn edge_distance(&self, index: usize, point: [f64; 2]) -> f64 {
        let [start, end] = self.edge(index);
        let (along, to) = (sub(end, start), sub(point, start));
        let t = (dot(to, along) / dot(along, along)).clamp(0.0, 1.0);
        length(sub(to, [along[0] * t, along[1] * t]))
    }

    /// Whether (a, z) is in the material: a ray towards larger a crosses the outline an odd number of times.
    #[must_use]
    pub fn contains(&self, [a, z]: [f64; 2]) -> bool {
        let crossings = self.edges().filter(|(_, [start, end])| {
            (start[1] > z) != (end[1] > z)
                && a < start[0] + (z - start[1]) / (end[1] - start[1]) * (end[0] - start[0])
        });
        crossings.count() % 2 == 1
    }

    /// Exact signed distance of (a, z) to the outline.
    #[must_use]
    pub fn sample(&self, point: [f64; 2]) -> OutlineSample {
        let mut nearest = (f64::INFINITY, 0, 0.0);
        for (index, [start, end]) in self.edges() {
            let (along, to) = (sub(end, start), sub(point, start));
            let t = (dot(to, along) / dot(along, along)).clamp(0.0, 1.0);
            let distance = length(sub(to, [along[0] * t, along[1] * t]));
            if distance < nearest.0 {
                nearest = (distance, index, t);
            }
        }
        let (_, index, t) = nearest;
        let edge_normal = self.edge_normal(index);
        let to_start = sub(point, self.vertices[index]);
        if t > 0.0 && t < 1.0 {
            // the plane equation keeps all digits of a distance that is small compared with the part
            return OutlineSample {
                distance: dot(to_start, edge_normal),
                normal: edge_normal,
                foot: Foot::Edge(index),
            };
        }
        let vertex = if t >= 1.0 { (index + 1) % self.vertices.len() } else { index };
        let away = sub(point, self.vertices[vertex]);
        let distance = length(away);
        let sign = if self.contains(point) { -1.0 } else { 1.0 };
        let normal =
            if distance > 0.0 { [away[0] * sign / distance, away[1] * sign / distance] } else { edge_normal };
        OutlineSample { distance: sign * distance, normal, foot: Foot::Vertex(vertex) }
    }
}

#[inline(always)]
pub(crate) fn sub(p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    [p[0] - q[0], p[1] - q[1]]
}

#[inline(always)]
pub(crate) fn dot(p: [f64; 2], q: [f64; 2]) -> f64 {
    p[0] * q[0] + p[1] * q[1]
}

pub(crate) fn length(p: [f64; 2]) -> f64 {
    dot(p, p).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_near_a_corner_is_euclidean() {
        let square = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let corner = square.sample([1.3, 1.4]);
        assert!((corner.distance - 0.5).abs() < 1e-15);
        assert!((corner.normal[0] - 0.6).abs() < 1e-15 && (corner.normal[1] - 0.8).abs() < 1e-15);
        assert!((square.sample([0.5, 0.9]).distance + 0.1).abs() < 1e-15);
        // the axis a = 0 is no boundary: the centre is half a unit from the caps and one from the wall
        assert!((square.sample([0.0, 0.5]).distance + 0.5).abs() < 1e-15);
        assert!(square.is_convex(1) && !square.is_convex(0));
    }

    #[test]
    fn zero_chamfer_creates_no_edge() {
        let outline = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(outline.vertices().len(), 4);
    }
}
