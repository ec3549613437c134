//! Built-in arms.

use super::{Chain, ChainError};

const PANDA: &str = include_str!("../../../../assets/robots/panda.urdf");
const PANDA_TURNING_GRIPPER: &str = include_str!("../../../../assets/robots/panda-turning-gripper.urdf");

impl Chain {
    /// The Franka Emika Panda with its flange as the tip.
    ///
    /// # Errors
    /// Never for the built-in description.
    pub fn panda() -> Result<Self, ChainError> {
        Self::from_urdf(PANDA, None)
    }

    /// The Panda with a gripper as its eighth joint, which turns continuously about the flange's axis.
    ///
    /// # Errors
    /// Never for the built-in description.
    pub fn panda_turning_gripper() -> Result<Self, ChainError> {
        Self::from_urdf(PANDA_TURNING_GRIPPER, None)
    }
}
