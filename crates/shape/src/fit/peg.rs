//! A peg: frame at the centre of its tip, +z towards its tail.

use super::{FitSection, chamfer, positive};
use crate::ShapeError;
use crate::profile::{Outline, SectionedSolid};

/// Dimensions of a peg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PegDimensions {
    /// Cross-section.
    pub section: FitSection,
    /// Diameter, or width across flats [m].
    pub diameter: f64,
    /// Length along the axis [m].
    pub length: f64,
    /// Leg of the 45° chamfer at the tip [m].
    pub tip_chamfer: f64,
    /// Leg of the 45° chamfer at the tail [m].
    pub tail_chamfer: f64,
}

impl PegDimensions {
    /// Builds the body.
    ///
    /// # Errors
    /// When a dimension is out of range.
    pub fn build(&self) -> Result<SectionedSolid, ShapeError> {
        positive("diameter_mm", self.diameter)?;
        positive("length_mm", self.length)?;
        let (level, length) = (self.diameter / 2.0, self.length);
        let section = self.section.section(level)?;
        let (most, because) = match self.section {
            FitSection::Polygon { corner_radius, .. } if corner_radius > 0.0 => {
                (corner_radius.min(length / 2.0), "at most the corner radius of a rounded polygon")
            }
            _ => (0.999 * level.min(length / 2.0), "less than half the diameter and half the length"),
        };
        chamfer("tip_chamfer_mm", self.tip_chamfer, most, because)?;
        chamfer("tail_chamfer_mm", self.tail_chamfer, most, because)?;
        let (tip, tail) = (self.tip_chamfer, self.tail_chamfer);
        let outline = Outline::new(&[
            [0.0, 0.0],
            [level - tip, 0.0],
            [level, tip],
            [level, length - tail],
            [level - tail, length],
            [0.0, length],
        ]);
        Ok(SectionedSolid::new(section, outline))
    }
}
