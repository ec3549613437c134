/*!
Contact solving: velocities and impulses of a stage (docs/design/math.md §3.2, docs/design/hot-path.md §3).

[`solve`] finds the velocities by Newton's method; [`SolverMethod`] offers other methods too. [`residual`] measures how
well any solution obeys the contact law, [`passivity_filter`] keeps an unconverged one from adding energy, and
[`pose_projection`] keeps the pose from penetrating.
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
mod passes;
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
pub use method::{SlipRule, SolverMethod, SweepOptions, SweepStop};
pub use problem::{ContactImpulse, SolveReport, SolverOptions, VelocityProblem, WarmStart};
pub use sweeps::SweepWorkspace;
