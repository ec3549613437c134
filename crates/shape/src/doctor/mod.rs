//! The mesh doctor: finds defects of a mesh, reports where they are and how to fix them.
//!
//! [`examine`] measures a mesh and finds defects, [`repair`] fixes those that need no guess about the design,
//! [`picture_svg`] draws the part with its findings. A healthy closed mesh has no finding.

mod check_input;
mod check_shells;
mod check_surface;
mod degenerate;
mod diagnosis;
mod examine;
mod facet_error;
mod facts;
mod finding;
mod measure;
mod nesting;
mod picture;
mod picture_raster;
mod png;
mod repair;
mod repair_faces;
mod repair_holes;
mod repair_orientation;
mod repair_t_junctions;
mod surface;
mod touching;

pub use check_shells::{ShellFault, check_shells};
pub use diagnosis::Diagnosis;
pub use examine::{DoctorOptions, examine};
pub use facts::{EdgeFacts, FacetFacts, Facts, MassFacts, SharpFacts, ShellFacts};
pub use finding::{Finding, FindingKind, Severity};
pub use picture::picture_svg;
pub use repair::{RepairOptions, RepairReport, RepairStep, repair};

#[cfg(test)]
mod tests;
