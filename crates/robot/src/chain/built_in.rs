//! The arms that come with the crate.

use super::{Chain, ChainError};

const PANDA: &str = include_str!("../../../../assets/robots/panda.urdf");
const PANDA_TURNING_GRIPPER: &str = include_str!("../../../../assets/robots/panda-turning-gripper.urdf");

impl Chain {
    /// The Franka Emika Panda, led at its flange.
    ///
    /// # Errors
    /// Never for the description that comes with the crate.
    pub fn panda() -> Result<Self, ChainError> {
        Self::from_urdf(PANDA, None)
    }

    /// The Panda with a gripper that turns without end about the flange's axis as its eighth joint.
    ///
    /// # Errors
    /// Never for the description that comes with the crate.
    pub fn panda_turning_gripper() -> Result<Self, ChainError> {
        Self::from_urdf(PANDA_TURNING_GRIPPER, None)
    }
}
