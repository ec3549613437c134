/*!
Serial arms: from a URDF file to torques, motion and a held part.

# Conventions

- An arm has up to [`MAX_JOINTS`] joints. Joint vectors and matrices have that size and live on the stack. Unused entries
  are zero; on the diagonal of a mass matrix they are one, so that nothing couples to them.
- Jacobians, wrenches and twists are in world axes, linear part first: [v; ω], [f; τ], as in the contact problem.
- Positions are radians for revolute joints and metres for prismatic joints; efforts are N·m or N.

# Example

```
use tightfit_robot::{Chain, JointVector};
use tightfit_spatial::Vector3;

let panda = Chain::panda()?;
let ready = panda.joints_from(&[0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]);
let posture = panda.posture(&ready);
assert!((posture.world_from_tip.translation.x - 0.307).abs() < 1e-3);

let dynamics = panda.dynamics(&posture, &JointVector::zeros(), Vector3::new(0.0, 0.0, -9.81));
assert!(dynamics.mass[(1, 1)] > 1.0);
# Ok::<(), tightfit_robot::ChainError>(())
```
*/

#![forbid(unsafe_code)]

pub mod arm;
pub mod chain;
pub mod control;
mod dynamics;
pub mod grasp;
mod inverse_kinematics;
mod joints;
mod kinematics;
mod rotation;
pub mod sensing;
pub mod strategy;

pub use chain::{Chain, ChainError};
pub use dynamics::Dynamics;
pub use inverse_kinematics::{ReachError, ReachOptions, Reached};
pub use joints::{Jacobian, JointMatrix, JointSet, JointVector, MAX_JOINTS};
pub use kinematics::Posture;
pub use rotation::{rotation_about, rotation_vector};
