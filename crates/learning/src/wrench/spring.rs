//! The spring and damper between the part and the recorded poses: where the load of a prediction comes from.

use serde::{Deserialize, Serialize};
use tightfit_simulation::Coupling;
use tightfit_spatial::{Pose, Vector3};

/// Stiffness and damping, the same along all axes and about all axes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct HoldingSpring {
    /// [N/m]
    pub stiffness: f64,
    /// [N·s/m]
    pub damping: f64,
    /// [N·m/rad]
    pub turning_stiffness: f64,
    /// [N·m·s/rad]
    pub turning_damping: f64,
}

impl Default for HoldingSpring {
    /// A hand on a robot: a tenth of a millimetre and half a milliradian under usual loads, damped within a few steps.
    fn default() -> Self {
        Self { stiffness: 1e5, damping: 500.0, turning_stiffness: 200.0, turning_damping: 1.0 }
    }
}

impl HoldingSpring {
    /// Over a step from one recorded pose of the centre of mass to the next.
    pub(crate) fn coupling(&self, target: Pose, next_target: Pose) -> Coupling {
        Coupling {
            stiffness: Vector3::from_element(self.stiffness),
            damping: Vector3::from_element(self.damping),
            turning_stiffness: Vector3::from_element(self.turning_stiffness),
            turning_damping: Vector3::from_element(self.turning_damping),
            target,
            next_target,
            // the part is never half a turn behind
            twist: 0.0,
        }
    }
}
