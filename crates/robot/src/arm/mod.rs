//! Motion of an arm: state, drive command and step.

mod command;
mod error;
mod free_motion;
mod quasi_velocity;
mod report;
mod saturation;
mod settle;
mod step;

#[cfg(test)]
mod tests;

pub use command::ArmCommand;
pub use error::ArmError;
pub use report::ArmReport;
pub use saturation::Shares;
pub use step::{ArmState, ArmStep, Expected};

/// How an arm is advanced.
///
/// | rule | evaluated at | energy of a free arm | order |
/// |---|---|---|---|
/// | quasi-velocity | the middle of the step | exact | 2 |
/// | paper | its start, M frozen over the step | drifts: 1 % in seconds | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArmRule {
    /// Passive midpoint rule in quasi-velocities.
    #[default]
    QuasiVelocity,
    /// Passive midpoint rule in joint speeds, as in the paper.
    PaperJointSpace,
}
