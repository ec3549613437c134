//! The baked field: an octree over a grid of root cells, trilinear sheets in its leaves.
//!
//! A node is one number: two bits of kind (0 branch, otherwise [`LeafKind`]) and thirty of place. A branch's
//! place is its first of eight consecutive children, a leaf's is its block of eight values; children come
//! after their parent, so that a walk down always ends. Corner values are not shared between leaves: sharing
//! would save values and cost an index for each, and one leaf is then one cache line.
//!
//! S. F. Frisken, R. N. Perry, A. P. Rockwood, T. R. Jones, "Adaptively sampled distance fields", SIGGRAPH
//! 2000.

use nalgebra::Vector3;
use tightfit_spatial::Columns3;

use super::error_report::ErrorReport;
use super::leaf::{LeafKind, SHEET};
use super::options::BakeOptions;
use crate::mesh::tri_mesh::Aabb;

/// Bits of a node that hold its place.
const PLACE_BITS: u32 = 30;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// Where the root cells are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Smallest corner [m].
    pub(super) origin: Vector3<f64>,
    /// Edge of a root cell [m].
    pub(super) root_size: f64,
    /// Number of root cells along each axis.
    pub(super) counts: [u32; 3],
}

impl Grid {
    /// Number of root cells.
    pub(super) fn roots(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).product()
    }

    /// Smallest corner of root cell `index` [m].
    pub(super) fn corner(&self, index: usize) -> Vector3<f64> {
        let [nx, ny, _] = self.counts.map(|count| count as usize);
        let cell = Vector3::new(index % nx, index / nx % ny, index / nx / ny);
        self.origin + cell.map(|i| i as f64) * self.root_size
    }

    /// The whole box.
    pub(super) fn aabb(&self) -> Aabb {
        let size = Vector3::from(self.counts.map(f64::from)) * self.root_size;
        Aabb { min: self.origin, max: self.origin + size }
    }
}

/// A branch of eight children starting at `first`.
pub(super) fn branch(first: usize) -> u32 {
    first as u32 & PLACE
}

/// A leaf whose values start at block `block`.
pub(super) fn leaf(kind: LeafKind, block: usize) -> u32 {
    (kind as u32) << PLACE_BITS | (block as u32 & PLACE)
}

/// What a node is, and its place.
#[inline]
pub(super) fn decode(node: u32) -> (Option<LeafKind>, usize) {
    let kind = match node >> PLACE_BITS {
        0 => None,
        1 => Some(LeafKind::Smooth),
        2 => Some(LeafKind::Lower),
        _ => Some(LeafKind::Upper),
    };
    (kind, (node & PLACE) as usize)
}

/// Nodes or value blocks that a place can name.
pub(super) const PLACES: usize = PLACE as usize + 1;

/// A signed distance field sampled once and read many times. See the module for its accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedField {
    pub(super) grid: Grid,
    /// Root cells first, x fastest.
    pub(super) nodes: Vec<u32>,
    /// Distances [m] at the corners of leaves.
    pub(super) values: Vec<f32>,
    pub(super) options: BakeOptions,
    pub(super) fingerprint: u64,
    pub(super) offset: f64,
    pub(super) report: ErrorReport,
}

impl BakedField {
    /// Distance [m], negative inside the solid, and its unit gradient out of the solid.
    ///
    /// Beyond the grid the nearest point of the surface is guessed from the nearest point of the grid: the
    /// distance is then too large by up to a few percent of the excursion. Where the gradient vanishes (on
    /// the medial axis) the unit vector is arbitrary.
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> (f64, Vector3<f64>) {
        let aabb = self.grid.aabb();
        let inside = point.sup(&aabb.min).inf(&aabb.max);
        let (distance, normal) = self.sample_inside(inside);
        if inside == point {
            return (distance, normal);
        }
        let away = point - (inside - normal * distance);
        let length = away.norm();
        (length, if length > 0.0 { away / length } else { normal })
    }

    /// Distances [m] and normals at a column of points; the outputs are cleared first.
    pub fn sample_columns(&self, points: &Columns3, distances: &mut Vec<f64>, normals: &mut Columns3) {
        distances.clear();
        normals.clear();
        for point in points.iter() {
            let (distance, normal) = self.sample(point);
            distances.push(distance);
            normals.push(normal);
        }
    }

    /// How far the field is from the exact distance.
    #[must_use]
    pub fn report(&self) -> &ErrorReport {
        &self.report
    }

    /// The settings it was baked with.
    #[must_use]
    pub fn options(&self) -> &BakeOptions {
        &self.options
    }

    /// [`MeshDistance::fingerprint`](crate::mesh::MeshDistance::fingerprint) of the mesh it was baked from.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How far the solid was grown [m].
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The box within which the field is sampled.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.grid.aabb()
    }

    /// Size of nodes and values [bytes].
    #[must_use]
    pub fn memory(&self) -> u64 {
        (self.nodes.len() * size_of::<u32>() + self.values.len() * size_of::<f32>()) as u64
    }

    fn sample_inside(&self, point: Vector3<f64>) -> (f64, Vector3<f64>) {
        let scaled = (point - self.grid.origin) / self.grid.root_size;
        let [nx, ny, _] = self.grid.counts.map(|count| count as usize);
        let cell = [0, 1, 2].map(|i| (scaled[i] as usize).min(self.grid.counts[i] as usize - 1));
        let mut u = scaled - Vector3::from(cell.map(|i| i as f64));
        let mut node = self.nodes[cell[0] + nx * (cell[1] + ny * cell[2])];
        loop {
            let (kind, place) = decode(node);
            let Some(kind) = kind else {
                let upper = u.map(|x| x >= 0.5);
                let child = usize::from(upper.x) | usize::from(upper.y) << 1 | usize::from(upper.z) << 2;
                u = u * 2.0 - upper.map(|up| f64::from(u8::from(up)));
                node = self.nodes[place + child];
                continue;
            };
            let values = &self.values[place * SHEET..(place + kind.sheets()) * SHEET];
            let (distance, gradient) = kind.evaluate(values, u);
            return (distance, gradient.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z));
        }
    }
}
