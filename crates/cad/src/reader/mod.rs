//! From the instances of a file to bodies with geometry and topology.

mod assembly;
mod curves;
mod fields;
mod surfaces;
mod topology;
mod units;

pub(crate) use assembly::{Placed, bodies};
pub(crate) use fields::Fields;
pub(crate) use topology::read_body;
pub(crate) use units::Units;
