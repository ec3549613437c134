//! A part that is a triangle mesh.
//!
//! Chart: face = triangle (a, b, c), position a + u (b − a) + v (c − a). Face nodes are the centres of equal
//! subtriangles. Edge and corner nodes lie on the convex edges, which can cut into another part. However flat a
//! convex edge is, its ends protrude beyond the centres of its faces: without nodes there, a facet of side s that
//! turns by α would penetrate by αs/4.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Vector3;
use tightfit_spatial::{Inertia, InertiaError};

use super::baked::BakedField;
use super::{Aabb, EdgeTable, MeshDistance, MeshDistanceError, TriMesh, sharp_edges};
use crate::block::{BLOCK, FaceBlock, PointBlock, SEVERAL};
use crate::node::{Chart, NodeKind, NodeSet, NodeSpacing};
use crate::{Barrel, Sample};

/// A vertex gets a node when the turns of the normal at its convex edges sum to more than this [rad]. At 0.1° a facet
/// of 10 mm is off by 4 µm. The sum counts, because each of the many edges at the pole of a ball turns only a little.
const FLAT_CORNER: f64 = 0.1 * std::f64::consts::PI / 180.0;
/// A convex edge gets nodes between its ends when the normal turns by more than this [rad].
const FLAT_EDGE: f64 = 1.0 * std::f64::consts::PI / 180.0;

/// How the distance to a mesh is computed.
#[derive(Clone, Debug)]
pub enum MeshField {
    /// Nearest triangle, exact to rounding.
    Exact(Arc<MeshDistance>),
    /// Adaptive octree: much faster, with a measured error.
    Baked(Arc<BakedField>),
}

/// A mesh with a field and a clearance.
#[derive(Clone, Debug)]
pub struct MeshPart {
    mesh: Arc<TriMesh>,
    /// Box around the triangles.
    bounds: Aabb,
    /// Largest distance of a vertex from the z axis [m].
    radius: f64,
    /// A cylinder around the triangles.
    barrel: Barrel,
    field: MeshField,
    offset: f64,
}

impl MeshPart {
    /// Part of a closed, outward mesh, with the exact field.
    ///
    /// # Errors
    /// When inside and outside are undefined; the mesh doctor reports why and can often repair it.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshDistanceError> {
        let exact = Arc::new(MeshDistance::new(mesh)?);
        let (mesh, bounds) = (exact.mesh().clone(), exact.mesh_aabb());
        let farthest = |x: f64, y: f64| {
            mesh.vertices.iter().map(|vertex| libm::hypot(vertex.x - x, vertex.y - y)).fold(0.0, f64::max)
        };
        let (radius, middle) = (farthest(0.0, 0.0), bounds.center());
        let barrel = Barrel {
            centre: [middle.x, middle.y],
            radius: farthest(middle.x, middle.y),
            heights: [bounds.min.z, bounds.max.z],
        };
        Ok(Self { mesh, bounds, radius, barrel, field: MeshField::Exact(exact), offset: 0.0 })
    }

    /// Largest distance from the z axis [m].
    #[must_use]
    pub fn outer_radius(&self) -> f64 {
        self.radius + self.offset.max(0.0)
    }

    /// A cylinder around the part.
    pub(crate) fn barrel(&self) -> Barrel {
        let (Barrel { radius, heights: [low, high], .. }, more) = (self.barrel, self.offset.max(0.0));
        Barrel { radius: radius + more, heights: [low - more, high + more], ..self.barrel }
    }

    /// The same mesh with a baked field.
    #[must_use]
    pub fn with_baked(self, field: Arc<BakedField>) -> Self {
        Self { field: MeshField::Baked(field), ..self }
    }

    /// The same part with its surface moved outwards by `offset` [m]; a negative offset leaves a clearance.
    #[must_use]
    pub fn with_offset(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    /// How far the surface lies outside the triangles [m].
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The triangles.
    #[must_use]
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// Signed distance and unit gradient.
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        let sample = match &self.field {
            MeshField::Exact(exact) => {
                let sample = exact.sample(point);
                Sample { distance: sample.distance, normal: sample.normal }
            }
            MeshField::Baked(baked) => {
                let (distance, normal) = baked.sample(point);
                Sample { distance, normal }
            }
        };
        sample.offset(self.offset)
    }

    /// Samples a block of points. Only a baked field handles many at once; the exact field marks all as [`SEVERAL`].
    #[inline(always)]
    pub(crate) fn face_block(&self, points: &PointBlock, reach: f64, out: &mut FaceBlock) {
        match &self.field {
            MeshField::Exact(_) => out.verdict = [SEVERAL; BLOCK],
            MeshField::Baked(baked) => baked.face_block(points, reach, self.offset, out),
        }
    }

    /// Mass properties of the solid inside the triangles at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        self.mesh.inertia(density)
    }

    /// Bounding box, the offset included.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.bounds.grown(self.offset)
    }

    /// Depth of the deepest point inside the triangles [m]: a clearance must be smaller.
    #[must_use]
    pub fn deepest_inside(&self) -> f64 {
        match &self.field {
            MeshField::Exact(exact) => exact.deepest_inside(),
            MeshField::Baked(baked) => baked.exact().deepest_inside(),
        }
    }

    /// Position of a node on the triangles [m]; the surface lies [`Self::offset`] farther out.
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let index = (chart.face as usize).min(self.mesh.triangles.len() - 1);
        let [a, b, c] = self.mesh.corners(index);
        a + (b - a) * chart.u + (c - a) * chart.v
    }

    /// Nodes of all faces, of the convex edges and of their ends.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        for triangle in 0..self.mesh.triangles.len() {
            let [a, b, c] = self.mesh.corners(triangle);
            let sides = [(b - a).norm(), (c - b).norm(), (a - c).norm()];
            let longest = (0..3).max_by(|&i, &j| sides[i].total_cmp(&sides[j])).unwrap_or(0);
            let height = (b - a).cross(&(c - a)).norm() / sides[longest];
            let along = NodeSpacing::intervals(sides[longest], spacing.face);
            let across = NodeSpacing::intervals(height, spacing.face);
            let mut push = |u, v| nodes.push(NodeKind::Face, triangle as u32, u, v);
            match 2 * across > along {
                true => subtriangles(along, push),
                false => rows(longest, [along, across], &mut push),
            }
        }
        self.edge_nodes(spacing, &mut nodes);
        nodes
    }

    /// Which side of its triangle an edge's node lies on, and the vector along it [m].
    pub(crate) fn edge_of(&self, chart: Chart) -> (u64, Vector3<f64>) {
        let side = if chart.v == 0.0 {
            0
        } else if chart.u == 0.0 {
            2
        } else {
            1
        };
        let corners = self.mesh.corners(chart.face as usize);
        (side as u64, corners[(side + 1) % 3] - corners[side])
    }

    fn edge_nodes(&self, spacing: &NodeSpacing, nodes: &mut NodeSet) {
        let table = EdgeTable::new(&self.mesh);
        // total turn of the normal at a vertex [rad], and its chart position (triangle, [u, v])
        let mut corners: BTreeMap<u32, (f64, u32, [f64; 2])> = BTreeMap::new();
        for edge in sharp_edges(&self.mesh, &table, 0.0).iter().filter(|edge| edge.is_convex()) {
            let triangle = edge.triangles[0];
            let corner = |index: usize| self.mesh.triangles[triangle as usize][index % 3];
            // the side whose opposite corner is not on the edge
            let Some(side) = (0..3).find(|side| !edge.vertices.contains(&corner(side + 2))) else { continue };
            let (start, end) = (corner(side), corner(side + 1));
            let length = (self.mesh.vertices[start as usize] - self.mesh.vertices[end as usize]).norm();
            let count = NodeSpacing::intervals(length, spacing.edge);
            // a sharp edge gets a node at its middle, unless the ends are close enough already
            let fewest = if length > 0.5 * spacing.edge { 2 } else { 1 };
            let count = if edge.angle > FLAT_EDGE { count.max(fewest) } else { 1 };
            for step in 1..count {
                let [u, v] = along_side(side, step as f64 / count as f64);
                nodes.push(NodeKind::Edge, triangle, u, v);
            }
            for (vertex, t) in [(start, 0.0), (end, 1.0)] {
                corners.entry(vertex).or_insert((0.0, triangle, along_side(side, t))).0 += edge.angle;
            }
        }
        for (_, triangle, [u, v]) in corners.into_values().filter(|corner| corner.0 > FLAT_CORNER) {
            nodes.push(NodeKind::Corner, triangle, u, v);
        }
    }
}

impl PartialEq for MeshPart {
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh && self.offset == other.offset
    }
}

/// Centres of the n² equal subtriangles, as (u, v).
fn subtriangles(n: usize, mut each: impl FnMut(f64, f64)) {
    let third = |i: usize, part: f64| (i as f64 + part / 3.0) / n as f64;
    for i in 0..n {
        for j in 0..n - i {
            each(third(i, 1.0), third(j, 1.0));
            if i + j + 1 < n {
                each(third(i, 2.0), third(j, 2.0));
            }
        }
    }
}

/// Rows along the longest side of a slender triangle, as (u, v).
fn rows(longest: usize, [along, across]: [usize; 2], each: &mut impl FnMut(f64, f64)) {
    let apex = along_side((longest + 2) % 3, 0.0);
    for row in 0..across {
        let up = (row as f64 + 0.5) / across as f64;
        let count = ((1.0 - up) * along as f64).ceil().max(1.0);
        for place in 0..count as usize {
            let [u, v] = along_side(longest, (place as f64 + 0.5) / count);
            each(u + (apex[0] - u) * up, v + (apex[1] - v) * up);
        }
    }
}

/// (u, v) at the fraction t along side 0 (a → b), 1 (b → c) or 2 (c → a).
fn along_side(side: usize, t: f64) -> [f64; 2] {
    match side {
        0 => [t, 0.0],
        1 => [1.0 - t, t],
        _ => [0.0, 1.0 - t],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshOptions;
    use crate::primitive::{Block, Capsule};

    #[test]
    fn a_meshed_block_has_the_distance_of_the_block_and_its_nodes_lie_on_it() {
        let block = Block::new(Vector3::new(0.03, 0.02, 0.01)).unwrap();
        let part = MeshPart::new(block.mesh(&MeshOptions::default())).unwrap().with_offset(-1e-4);
        for point in [Vector3::new(0.02, 0.013, 0.009), Vector3::new(0.001, -0.004, 0.0049), Vector3::zeros()]
        {
            let difference = part.sample(point).distance - (block.sample(point).distance + 1e-4);
            assert!(difference.abs() < 1e-15);
        }
        let nodes = part.nodes(&NodeSpacing::of_distances([1e-3, 1e-3, 1e-3, 1e-3, 1e-3]));
        assert_eq!(nodes.count(NodeKind::Corner), 8 + 4 * (5 + 3 + 1), "mesh vertices on the twelve edges");
        for index in 0..nodes.len() {
            assert!(block.sample(part.place(nodes.chart(index))).distance.abs() < 1e-15);
        }
    }

    /// The lowest point of a convex solid is a vertex, whatever its orientation.
    #[test]
    fn every_vertex_of_a_ball_of_flat_facets_has_a_node() {
        for chord_tolerance in [200e-6, 5e-6] {
            let ball = Capsule::new(10e-3, 0.0).unwrap();
            let mesh = ball.mesh(&MeshOptions { chord_tolerance, max_edge: 0.01 });
            let part = MeshPart::new(mesh).unwrap();
            let nodes = part.nodes(&NodeSpacing::for_size(part.aabb().diagonal()));
            assert_eq!(nodes.count(NodeKind::Corner), part.mesh().vertices.len());
            assert!(
                nodes.count(NodeKind::Edge) > part.mesh().vertices.len(),
                "edges need nodes at their middles"
            );
            let places: Vec<_> = (0..nodes.len()).map(|index| part.place(nodes.chart(index))).collect();
            for direction in [Vector3::new(0.1, 0.2, -1.0), Vector3::new(-0.7, 0.4, 0.3)] {
                let farthest =
                    |points: &[Vector3<f64>]| points.iter().map(|p| p.dot(&direction)).fold(0.0, f64::max);
                assert!((farthest(&places) - farthest(&part.mesh().vertices)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn slender_triangles_have_nodes_along_their_length_alone() {
        let long = Block::new(Vector3::new(0.1, 1e-4, 1e-4)).unwrap();
        let part =
            MeshPart::new(long.mesh(&MeshOptions { max_edge: 1.0, ..MeshOptions::default() })).unwrap();
        let spacing = NodeSpacing::of_distances([1e-3; 5]);
        let nodes = part.nodes(&spacing);
        assert!(nodes.count(NodeKind::Face) < 12 * 101, "{} nodes", nodes.count(NodeKind::Face));
        // no place of a side is farther from a node than the spacing
        let places: Vec<_> = (0..nodes.len()).map(|index| part.place(nodes.chart(index))).collect();
        for step in 0..100 {
            let point = Vector3::new(-0.05 + 1e-3 * f64::from(step), 0.3e-4, 0.5e-4);
            let nearest = places.iter().map(|place| (place - point).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-3, "{nearest} m at {step}");
        }
    }

    #[test]
    fn a_clearance_shrinks_the_box() {
        let block = Block::new(Vector3::new(0.03, 0.02, 0.01)).unwrap();
        let part = MeshPart::new(block.mesh(&MeshOptions::default())).unwrap();
        assert!((part.deepest_inside() - 0.005).abs() < 1e-12);
        let size = part.with_offset(-1e-3).aabb().size();
        assert!((size - Vector3::new(0.028, 0.018, 0.008)).norm() < 1e-15, "{size:?}");
    }
}
