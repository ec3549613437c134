/*!
Poses, twists, wrenches and inertia, in the conventions that the whole of Tightfit shares.

# Conventions

- SI units everywhere. Names of poses cancel: `world_from_peg * peg_from_node` is `world_from_node`.
- The twist is *mixed*: linear velocity of the centre of mass in world axes, angular velocity in body
  axes. Only then is the mass matrix constant and the Coriolis matrix diag(0, -S(Jω)).
- The wrench is its dual: force in world axes, torque about the centre of mass in body axes, so that
  power is one dot product.

# Example

```
use tightfit_spatial::{Pose, Vector3, cayley};

let world_from_hole = Pose::from_translation(Vector3::new(0.5, 0.0, 0.03));
let hole_from_peg = Pose::new(Vector3::new(0.0, 0.0, -0.02), cayley(Vector3::new(0.0, 0.0, 0.1)));
let tip_in_peg = Vector3::new(0.0, 0.0, 0.0);

let world_from_peg = world_from_hole * hole_from_peg;
let tip_in_world = world_from_peg.transform_point(tip_in_peg);
assert!((tip_in_world.z - 0.01).abs() < 1e-15);
```
*/

#![forbid(unsafe_code)]

mod cayley;
mod columns;
mod inertia;
mod pose;
mod random;
mod rotation_vector;
mod twist;
mod vectors;
mod wide;
mod wrench;

pub use cayley::{cayley, cayley_inverse};
pub use columns::Columns3;
pub use inertia::{Inertia, InertiaError};
pub use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
pub use pose::Pose;
pub use pulp::{Scalar, Simd, WithSimd};
pub use random::SplitMix;
pub use rotation_vector::rotation_vector;
pub use twist::Twist;
pub use vectors::{InstructionSet, Vectorise, vectorised, with_registers};
pub use wide::{Mask, Registers, RegistersMut, Wide, Wide3};
pub use wrench::Wrench;
