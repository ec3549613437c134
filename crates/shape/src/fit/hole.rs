//! A hole in a block: frame at the centre of its mouth, +z out of the hole.

use super::{FitSection, chamfer, positive};
use crate::ShapeError;
use crate::profile::{Outline, SectionedSolid};

/// Dimensions of a hole and the block around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoleDimensions {
    /// Cross-section of bore and block.
    pub section: FitSection,
    /// Diameter of the bore, or width across flats [m].
    pub diameter: f64,
    /// Depth of the bore [m].
    pub depth: f64,
    /// Thickness of the floor under a blind hole [m]; `None` for a through hole.
    pub floor: Option<f64>,
    /// Leg of the 45° chamfer at the mouth [m].
    pub chamfer: f64,
    /// Outer diameter of the block, or its width across flats [m].
    pub outer_diameter: f64,
}

impl HoleDimensions {
    /// Builds the body.
    ///
    /// # Errors
    /// When a dimension is out of range or the wall vanishes.
    pub fn build(&self) -> Result<SectionedSolid, ShapeError> {
        positive("diameter_mm", self.diameter)?;
        positive("depth_mm", self.depth)?;
        positive("outer_diameter_mm", self.outer_diameter)?;
        let (bore, outer, depth) = (self.diameter / 2.0, self.outer_diameter / 2.0, self.depth);
        if outer <= bore {
            let allowed = format!("more than diameter_mm ({} mm)", self.diameter * 1e3);
            return Err(ShapeError::length("outer_diameter_mm", self.outer_diameter, allowed));
        }
        let section = self.section.section(bore)?;
        let most = 0.999 * depth.min(outer - bore);
        chamfer("chamfer_mm", self.chamfer, most, "less than the depth and the wall")?;
        let mouth = [[outer, 0.0], [bore + self.chamfer, 0.0], [bore, -self.chamfer]];
        let outline = match self.floor {
            None => [&[[bore, -depth], [outer, -depth]], &mouth[..]].concat(),
            Some(floor) => {
                positive("floor_mm", floor)?;
                let bottom = -depth - floor;
                [&[[0.0, bottom], [outer, bottom]], &mouth[..], &[[bore, -depth], [0.0, -depth]]].concat()
            }
        };
        Ok(SectionedSolid::new(section, Outline::new(&outline)))
    }
}
