//! Convex solids of revolution: the circles and points that they rest on.

use arrayvec::ArrayVec;

use super::{Rim, Section, SectionedSolid};
use crate::Part;

/// Capacity for circles; no outline has more vertices.
const MOST_CIRCLES: usize = 12;

/// A circle about the z axis that the solid is the convex hull of, together with the others; a point where the radius is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Distance from the axis [m].
    pub radius: f64,
    /// z [m].
    pub height: f64,
    /// Outward normals (radial, z) of the two faces that meet there [-]; none at a tip.
    pub normals: Option<[[f64; 2]; 2]>,
}

/// A convex solid of revolution about z: a cylinder, a cone, a coin, a peg with chamfers.
#[derive(Clone, Debug)]
pub struct Turned<'a> {
    /// The solid, for its distance.
    pub solid: &'a SectionedSolid,
    /// Its rims, and the tips of cones.
    pub circles: ArrayVec<Circle, MOST_CIRCLES>,
}

impl Part {
    /// The part as a convex solid of revolution, if it is one.
    #[must_use]
    pub fn turned(&self) -> Option<Turned<'_>> {
        match self {
            Self::Sectioned(solid) if solid.section == Section::Round => Turned::new(solid),
            _ => None,
        }
    }

    /// Whether it is a solid of revolution, with or without a bore.
    #[must_use]
    pub fn is_turned(&self) -> bool {
        matches!(self, Self::Sectioned(solid) if solid.section == Section::Round)
    }
}

impl<'a> Turned<'a> {
    fn new(solid: &'a SectionedSolid) -> Option<Self> {
        let outline = &solid.outline;
        let faces_out = |index: usize| outline.edge_normal(index)[0] >= 0.0;
        if !outline.concave_vertices().is_empty() || !outline.edges().all(|(index, _)| faces_out(index)) {
            return None;
        }
        let mut circles: ArrayVec<Circle, MOST_CIRCLES> = solid
            .rims()
            .map(|Rim { radius, height, normals }| Circle { radius, height, normals: Some(normals) })
            .collect();
        // where a sloping face meets the axis there is a tip
        for (_, ends) in outline.edges().filter(|(index, _)| outline.edge_normal(*index)[0] > 0.0) {
            circles.extend(ends.iter().filter(|end| end[0] == 0.0).map(|end| Circle {
                radius: 0.0,
                height: end[1],
                normals: None,
            }));
        }
        Some(Self { solid, circles })
    }

    /// Heights of its ends [m].
    #[must_use]
    pub fn heights(&self) -> [f64; 2] {
        let (low, high) = self.solid.height_range();
        [low, high]
    }

    /// Largest distance from the axis [m].
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.solid.outer_radius()
    }
}
