//! Simple bodies for validation scenes and fixtures: half-space, block, sphere, capsule, bare nodes.
//! (A cylinder is a [`crate::profile::SectionedSolid`].)

mod block;
mod capsule;
mod node_list;

pub use block::Block;
pub use capsule::Capsule;
pub use node_list::NodeList;

use nalgebra::Vector3;

use crate::Sample;

/// Field of the half-space z ≤ 0.
pub(crate) fn half_space(point: Vector3<f64>) -> Sample {
    Sample { distance: point.z, normal: Vector3::z() }
}
