//! Builds a watertight mesh from rings and strips.

use nalgebra::Vector3;

use super::TriMesh;

/// How finely a part is tessellated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Largest distance between a curved face and its triangles [m].
    pub chord_tolerance: f64,
    /// Longest edge wanted on flat faces [m].
    pub max_edge: f64,
}

impl Default for MeshOptions {
    /// A chord tolerance of 2 µm (volume to 0.01 % on a 50 mm part) and edges of 5 mm.
    fn default() -> Self {
        Self { chord_tolerance: 2e-6, max_edge: 5e-3 }
    }
}

impl MeshOptions {
    /// Number of segments of a full circle of this radius [m]: a multiple of four, so that vertices lie exactly on
    /// both axes.
    pub(crate) fn segments(&self, radius: f64) -> usize {
        let half = libm::acos((1.0 - self.chord_tolerance / radius).clamp(0.0, 1.0));
        let count = (std::f64::consts::PI / half).ceil().clamp(FEWEST_SEGMENTS, 4096.0) as usize;
        count.div_ceil(4) * 4
    }
}

/// With fewer segments the inertia of a small part would be wrong by more than 0.1 %: the error is (2π/n)²/3.
const FEWEST_SEGMENTS: f64 = 160.0;

/// A mesh under construction. Triangles that repeat a vertex (the tip of a fan, a face of zero width) are dropped.
#[derive(Default)]
pub(crate) struct MeshBuilder {
    mesh: TriMesh,
}

impl MeshBuilder {
    pub(crate) fn vertex(&mut self, point: Vector3<f64>) -> u32 {
        self.mesh.vertices.push(point);
        (self.mesh.vertices.len() - 1) as u32
    }

    pub(crate) fn position(&self, vertex: u32) -> Vector3<f64> {
        self.mesh.vertices[vertex as usize]
    }

    pub(crate) fn triangle(&mut self, a: u32, b: u32, c: u32) {
        if a != b && b != c && c != a {
            self.mesh.triangles.push([a, b, c]);
        }
    }

    /// Quad a → b → c → d, counter-clockwise from outside.
    pub(crate) fn quad(&mut self, a: u32, b: u32, c: u32, d: u32) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    /// Closed strip of quads between two rings with the same number of vertices. It faces outwards on an outer wall
    /// when both rings run counter-clockwise and `upper` is above `lower`.
    pub(crate) fn strip(&mut self, lower: &[u32], upper: &[u32]) {
        for index in 0..lower.len() {
            let next = (index + 1) % lower.len();
            self.quad(lower[index], lower[next], upper[next], upper[index]);
        }
    }

    pub(crate) fn finish(self) -> TriMesh {
        self.mesh
    }
}
