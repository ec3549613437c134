//! Stage 4: the passive midpoint rule.

mod coupling;
mod passive_midpoint;

pub use coupling::{Coupling, twist_angle};
pub use passive_midpoint::{BodyMotion, FreeStep, advance_pose, free_step, inverse_mass, mass_matrix};
