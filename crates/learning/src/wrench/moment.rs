//! A recorded moment as a prediction sees it, and the columns of them.

use tightfit_simulation::BodyMotion;
use tightfit_spatial::Pose;

/// State of the part, and where the spring pulls it during the step that follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Motion of the part's centre of mass.
    pub motion: BodyMotion,
    /// Recorded pose of the centre of mass now and one sample later.
    pub targets: [Pose; 2],
}

/// Moments of one trial and what was measured in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// Name of the trial.
    pub trial: String,
    /// Samples at the trial's start that are not among the moments.
    pub skipped: usize,
    /// Time of every moment [s].
    pub times: Vec<f64>,
    /// What predictions see.
    pub moments: Vec<Moment>,
    /// What they are compared with: contact force and torque about the centre of mass, world axes [N, N·m].
    pub measured: Vec<[f64; 6]>,
}
