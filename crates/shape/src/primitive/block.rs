//! A box, centred at its frame.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

use crate::mesh::{MeshBuilder, MeshOptions, TriMesh};
use crate::node::{Chart, NodeKind, NodeSet, NodeSpacing};
use crate::{Branches, Sample, ShapeError};

/// Rectangular block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    half: Vector3<f64>,
}

impl Block {
    /// Block with these edge lengths [m].
    ///
    /// # Errors
    /// When one is not positive.
    pub fn new(size: Vector3<f64>) -> Result<Self, ShapeError> {
        for value in size.iter() {
            if !(*value > 0.0 && *value <= 10.0) {
                return Err(ShapeError::length(
                    "size_mm",
                    *value,
                    "three numbers, each more than 0 up to 10000 mm",
                ));
            }
        }
        Ok(Self { half: size / 2.0 })
    }

    /// Half of each edge [m].
    #[must_use]
    pub fn half_size(&self) -> Vector3<f64> {
        self.half
    }

    /// Exact signed distance and unit gradient.
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        let sign = point.map(|c| if c < 0.0 { -1.0 } else { 1.0 });
        let beyond = point.abs() - self.half;
        let outside = beyond.map(|c| c.max(0.0));
        let distance = outside.norm();
        // in front of a single face the plane equation loses no digits
        if distance > 0.0 && outside.iter().filter(|c| **c > 0.0).count() > 1 {
            return Sample { distance, normal: outside.component_mul(&sign) / distance };
        }
        let axis = beyond.imax();
        let mut normal = Vector3::zeros();
        normal[axis] = sign[axis];
        Sample { distance: beyond[axis], normal }
    }

    /// The nearer face of each axis; see [`crate::Part::each_piece`].
    #[must_use]
    pub fn branches(&self, point: Vector3<f64>) -> Branches {
        let mut branches = Branches::new();
        for axis in 0..3 {
            let mut normal = Vector3::zeros();
            normal[axis] = if point[axis] < 0.0 { -1.0 } else { 1.0 };
            branches.push(Sample { distance: point[axis].abs() - self.half[axis], normal });
        }
        branches
    }

    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let size = self.half * 2.0;
        let mass = density * size.product();
        let squares = size.component_mul(&size);
        let moment = (Vector3::from_element(squares.sum()) - squares) * (mass / 12.0);
        Inertia::new(mass, Vector3::zeros(), Matrix3::from_diagonal(&moment))
    }

    /// Closed mesh; each face is a grid.
    #[must_use]
    pub fn mesh(&self, options: &MeshOptions) -> TriMesh {
        let counts = self.half.map(|h| NodeSpacing::intervals(2.0 * h, options.max_edge));
        let mut builder = MeshBuilder::default();
        let mut known = std::collections::BTreeMap::new();
        for face in 0..6 {
            let (axis, first, second) = (face / 2, (face / 2 + 1) % 3, (face / 2 + 2) % 3);
            let mut vertex = |builder: &mut MeshBuilder, i: usize, j: usize| {
                let mut grid = [0; 3];
                grid[axis] = if face % 2 == 1 { counts[axis] } else { 0 };
                (grid[first], grid[second]) = (i, j);
                *known.entry(grid).or_insert_with(|| {
                    let at = |k: usize| self.half[k] * (2.0 * grid[k] as f64 / counts[k] as f64 - 1.0);
                    builder.vertex(Vector3::new(at(0), at(1), at(2)))
                })
            };
            for i in 0..counts[first] {
                for j in 0..counts[second] {
                    let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                        .map(|(i, j)| vertex(&mut builder, i, j));
                    if face % 2 == 1 { builder.quad(a, b, c, d) } else { builder.quad(a, d, c, b) }
                }
            }
        }
        builder.finish()
    }

    /// Nodes on faces, edges and corners. Chart: face = 2·axis + (0 lower, 1 upper); u, v ∈ [0, 1] along the next two
    /// axes.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        for face in 0..6_usize {
            let (first, second) = ((face / 2 + 1) % 3, (face / 2 + 2) % 3);
            let [n, m] = [first, second].map(|k| NodeSpacing::intervals(2.0 * self.half[k], spacing.face));
            for i in 0..n {
                for j in 0..m {
                    let (u, v) = ((i as f64 + 0.5) / n as f64, (j as f64 + 0.5) / m as f64);
                    nodes.push(NodeKind::Face, face as u32, u, v);
                }
            }
            // each edge once: along `first`, at both ends of `second`
            let count = NodeSpacing::intervals(2.0 * self.half[first], spacing.edge);
            for v in [0.0, 1.0] {
                for step in 1..count {
                    nodes.push(NodeKind::Edge, face as u32, step as f64 / count as f64, v);
                }
                if face < 2 {
                    [0.0, 1.0].into_iter().for_each(|u| nodes.push(NodeKind::Corner, face as u32, u, v));
                }
            }
        }
        nodes
    }

    /// Which edge of its face an edge's node lies on, and the vector along it [m].
    pub(crate) fn edge_of(&self, chart: Chart) -> (u64, Vector3<f64>) {
        let first = (chart.face as usize / 2 + 1) % 3;
        (chart.v.to_bits(), Vector3::ith(first, 2.0 * self.half[first]))
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let axis = chart.face as usize / 2 % 3;
        let mut fraction = Vector3::zeros();
        fraction[axis] = f64::from(chart.face % 2);
        fraction[(axis + 1) % 3] = chart.u;
        fraction[(axis + 2) % 3] = chart.v;
        self.half.component_mul(&fraction.map(|c| 2.0 * c - 1.0))
    }
}
