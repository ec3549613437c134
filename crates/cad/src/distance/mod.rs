//! Signed distance to a solid.
//!
//! ```text
//! d(p) = ± min { |p − q| : q foot point inside a face, nearest point of an edge, or corner }
//! ```
//!
//! A foot point on an untrimmed surface counts where it lies inside the face (`trim.rs`). Cells (`cells.rs`) list the
//! faces and edges that can be nearest to the points in them. The sign follows from the normal at the foot point, and at
//! edges and corners from a pseudo-normal (`sign.rs`).

mod cells;
mod near;
mod near_cells;
mod sign;
mod trim;
mod vicinity;

use nalgebra::Vector3;

use crate::Solid;
use crate::solid::{EdgePoint, patch_foot};

pub(crate) use cells::Cells;
pub(crate) use near::Neighbours;
pub use near::{MOST_NEAR_FACES, PieceFaces};
pub use near_cells::{NearCells, Nearby};
pub(crate) use sign::shell_sign;
pub use vicinity::{Few, FewFaces, Near, Vicinity};

use cells::{FaceEntry, Leaf};

/// How far an edge may be from the free-form face that it bounds and still decide its sign [m].
const OFF_FACE: f64 = 1e-6;
/// Sine between the normal of a face and the way to its foot point beyond which it is none [-].
const ASIDE: f64 = 1e-4;

/// Signed distance and its gradient at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance to the surface [m]: positive outside the material, negative inside.
    pub distance: f64,
    /// Unit gradient of the distance [-]: points out of the material.
    pub normal: Vector3<f64>,
}

/// The nearest feature.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feature {
    /// A face, by number.
    Face(u32),
    /// An edge, or one of its ends.
    Edge(u32, EdgePoint),
}

/// The nearest point of the surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Square of the distance [m²].
    pub squared: f64,
    pub point: Vector3<f64>,
    /// Outward normal of a face; zero for edges.
    pub normal: Vector3<f64>,
    pub feature: Feature,
}

impl Solid {
    /// Signed distance and gradient at a point [m].
    #[must_use]
    pub fn sample(&self, p: Vector3<f64>) -> Sample {
        let leaf = self.cells.leaf(p);
        match self.nearest(leaf, p) {
            Some(nearest) => self.signed(p, &nearest),
            None => Sample { distance: f64::INFINITY, normal: Vector3::z() },
        }
    }

    /// Nearest point among the features of a cell.
    pub(crate) fn nearest(&self, leaf: Leaf, p: Vector3<f64>) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut least = f64::INFINITY;
        let mut covered = 0u64;
        for entry in self.cells.faces(leaf) {
            self.try_face(entry, p, &mut least, &mut covered, &mut best);
        }
        // a free-form face that ends at its nearest point: the sign is that of the edge there
        let is_border = best.as_ref().is_some_and(|found| self.is_border(p, found));
        let border = is_border.then(|| least.sqrt() + OFF_FACE).map(|reach| reach * reach);
        let mut nearest_edge = border.unwrap_or(0.0);
        for entry in self.cells.edges(leaf) {
            // it bounds a face that is farther, or whose foot point is inside: the edge is no nearer
            if covered & entry.faces() != 0 {
                continue;
            }
            let piece = &self.pieces[entry.piece as usize];
            if piece.bounds.distance_squared(p) > least.max(nearest_edge) {
                continue;
            }
            let found = piece.nearest(p);
            if found.squared < nearest_edge {
                nearest_edge = found.squared;
                best = best.map(|face| Nearest {
                    normal: Vector3::zeros(),
                    feature: Feature::Edge(piece.edge, found),
                    ..face
                });
            }
            if found.squared < least {
                least = found.squared;
                let feature = Feature::Edge(piece.edge, found);
                best =
                    Some(Nearest { squared: least, point: found.point, normal: Vector3::zeros(), feature });
            }
        }
        best
    }

    /// Whether the nearest point of a free-form face is no foot point: the face ends there.
    fn is_border(&self, p: Vector3<f64>, nearest: &Nearest) -> bool {
        let Feature::Face(number) = nearest.feature else { return false };
        let away = p - nearest.point;
        self.faces[number as usize].chart.is_some()
            && away.cross(&nearest.normal).norm_squared() > ASIDE * ASIDE * away.norm_squared()
    }

    #[inline]
    fn try_face(
        &self,
        entry: &FaceEntry,
        p: Vector3<f64>,
        least: &mut f64,
        covered: &mut u64,
        best: &mut Option<Nearest>,
    ) {
        let face = &self.faces[entry.face as usize];
        if let Some(foot) = face.surface.foot(p) {
            let squared = foot.distance * foot.distance;
            // the edges of a surface are no nearer than the surface
            if squared >= *least {
                *covered |= entry.bit();
            } else if entry.is_whole || self.is_inside(face, foot.point, self.cells.trim(entry)) {
                *covered |= entry.bit();
                *least = squared;
                let normal = foot.normal * face.sign;
                *best =
                    Some(Nearest { squared, point: foot.point, normal, feature: Feature::Face(entry.face) });
            }
            return;
        }
        let (Some(chart), Some(patch)) = (&face.chart, self.patches.get(entry.patch as usize)) else {
            return;
        };
        if patch.bounds.distance_squared(p) >= *least {
            return;
        }
        let seed = patch.range.map(|[a, b]| 0.5 * (a + b));
        let (at, local, _) = patch_foot(&chart.surface, p, seed, patch.range);
        let squared = (p - local.point).norm_squared();
        if squared < *least && (entry.is_whole || self.is_inside_chart(face, at, local.point)) {
            *least = squared;
            let normal = chart.normal(at) * face.sign;
            *best = Some(Nearest { squared, point: local.point, normal, feature: Feature::Face(entry.face) });
        }
    }
}
