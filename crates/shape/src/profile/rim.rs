//! The convex edges of a turned body: circles about its axis.

use super::{Section, SectionedSolid};

/// A circle about the z axis where two faces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rim {
    /// Distance from the axis [m].
    pub radius: f64,
    /// z [m].
    pub height: f64,
    /// Outward normals (radial, z) of the two faces [-].
    pub normals: [[f64; 2]; 2],
}

impl Rim {
    /// Signed distances of a point (r, z) [m] to the two faces, extended beyond the edge.
    #[must_use]
    #[inline(always)]
    pub fn distances(&self, radius: f64, height: f64) -> [f64; 2] {
        let (across, up) = (radius - self.radius, height - self.height);
        self.normals.map(|[radial, axial]| radial * across + axial * up)
    }
}

impl SectionedSolid {
    /// The convex circular edges; none unless the section is round.
    pub fn rims(&self) -> impl Iterator<Item = Rim> + '_ {
        let is_round = self.section == Section::Round;
        self.convex_levels().filter(move |_| is_round)
    }

    /// The convex edges around the axis, by their level and height.
    pub(crate) fn convex_levels(&self) -> impl Iterator<Item = Rim> + '_ {
        let count = self.outline.vertices().len();
        (0..count).filter(|index| self.outline.is_convex(*index)).map(move |index| {
            let [radius, height] = self.outline.vertices()[index];
            let normals = [(index + count - 1) % count, index].map(|edge| self.outline.edge_normal(edge));
            Rim { radius, height, normals }
        })
    }
}
