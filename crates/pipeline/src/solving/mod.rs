/*!
Contact solving: velocities and impulses of a stage (MATH 3.2, HOTPATH 3).

[`solve`] finds the velocities by Newton's method, [`SolverMethod`] by others too; [`residual`] judges any solver's answer; [`passivity_filter`] keeps an
unconverged one from adding energy; [`pose_projection`] keeps the pose out of the parts.
*/

mod approach_speed;
mod arclength;
mod contact_frame;
mod contact_law;
mod continuation;
mod dense;
mod dissipation_slope;
mod extrapolation;
mod ladder;
mod law_block;
mod maximum_dissipation;
mod method;
mod mixed_newton;
mod normal_speed;
mod pair_sums;
pub mod passivity_filter;
pub mod pose_projection;
mod primal_newton;
mod problem;
pub mod residual;
mod row_blocks;
mod single_contact;
mod sweep_body;
mod sweeps;
mod system;
mod working_set;

#[cfg(test)]
mod tests;

pub use approach_speed::ApproachSpeeds;
pub use dense::{DenseLu, invert_definite};
pub use ladder::{SolverWorkspace, solve};
pub use method::{SlipRule, SolverMethod, SweepOptions};
pub use problem::{ContactImpulse, ResponseModel, SolveReport, SolverOptions, VelocityProblem, WarmStart};
pub use sweeps::SweepWorkspace;
