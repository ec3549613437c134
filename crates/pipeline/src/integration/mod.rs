//! Stage 4: the passive midpoint rule, and other integration rules for comparison.

mod coupling;
mod euler;
mod method;
mod passive_midpoint;

#[cfg(test)]
mod tests;

pub use coupling::{Coupling, twist_angle};
pub use method::IntegrationMethod;
pub use passive_midpoint::{BodyMotion, FreeStep, advance_pose, inverse_mass, mass_matrix};
