//! The mesh doctor: what is wrong with a part, where, and what can be done about it.
//!
//! [`examine`] measures and finds, [`repair`] mends what can be mended without guessing at the design,
//! [`picture_svg`] shows both. A healthy closed mesh has no finding.

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
mod surface;

pub use check_shells::{ShellFault, check_shells};
pub use diagnosis::Diagnosis;
pub use examine::{DoctorOptions, examine};
pub use facts::{EdgeFacts, FacetFacts, Facts, MassFacts, SharpFacts, ShellFacts};
pub use finding::{Finding, FindingKind, Severity};
pub use picture::picture_svg;
pub use repair::{RepairOptions, RepairReport, RepairStep, repair};

#[cfg(test)]
mod tests;
