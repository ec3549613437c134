//! A distance field sampled once into an adaptive octree, for parts whose exact distance is too slow.
//!
//! [`BakedField::bake`] samples, [`BakedField::sample`] reads, [`ErrorReport`] states the error. `octree` has the two
//! kinds of cells, `cell` the rule of subdivision, `block` the query of many points at once, `file` the format on
//! disk. The field jumps by up to its error between cells of different size.

mod block;
mod build;
mod candidates;
mod cell;
mod clearance;
mod error_report;
mod file;
mod octree;
mod options;
mod trilinear;

pub use error_report::ErrorReport;
pub use file::BakedFileError;
pub use octree::BakedField;
pub use options::{BakeError, BakeOptions};
