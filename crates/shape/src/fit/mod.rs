/*!
Dimensions of pegs and holes, round or polygonal; they build a [`SectionedSolid`](crate::profile::SectionedSolid).
*/

mod hole;
mod peg;

pub use hole::HoleDimensions;
pub use peg::PegDimensions;

use crate::ShapeError;
use crate::profile::Section;

/// Cross-section of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FitSection {
    /// Circle.
    #[default]
    Round,
    /// Regular polygon; `diameter` is then the width across flats.
    Polygon {
        /// Number of flats.
        sides: u32,
        /// Radius of the corners [m], zero for sharp ones.
        corner_radius: f64,
    },
}

impl FitSection {
    fn section(&self, level: f64) -> Result<Section, ShapeError> {
        match *self {
            Self::Round => Ok(Section::Round),
            Self::Polygon { sides, corner_radius } => Section::polygon(sides, level, corner_radius),
        }
    }
}

/// Rejects lengths outside (0, 10 m].
fn positive(field: &'static str, value: f64) -> Result<(), ShapeError> {
    if value > 0.0 && value <= 10.0 {
        return Ok(());
    }
    Err(ShapeError::length(field, value, "more than 0 up to 10000 mm"))
}

/// Rejects chamfers that are negative or longer than `most` [m].
fn chamfer(field: &'static str, value: f64, most: f64, because: &str) -> Result<(), ShapeError> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    Err(ShapeError::length(field, value, format!("0 to {} mm ({because})", most * 1e3)))
}
