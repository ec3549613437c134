//! A recorded moment as input of a prediction.

use tightfit_learning::recordings::MeasuredLoad;
use tightfit_simulation::BodyMotion;
use tightfit_spatial::Pose;

/// State of the part, and the targets of the spring during the following step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Motion of the part's centre of mass.
    pub motion: BodyMotion,
    /// Recorded pose of the centre of mass now and one sample later.
    pub targets: [Pose; 2],
    /// Measured load of the hand, where it takes the place of the spring.
    pub load: Option<MeasuredLoad>,
}

/// Moments of one trial and their measured wrenches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// Name of the trial.
    pub trial: String,
    /// Samples at the start of the trial that were skipped.
    pub skipped: usize,
    /// Time of every moment [s].
    pub times: Vec<f64>,
    /// Inputs of the predictions.
    pub moments: Vec<Moment>,
    /// Measured contact force and torque about the centre of mass, world axes [N, N·m].
    pub measured: Vec<[f64; 6]>,
}

/// Distance [m] and angle [rad] from the recorded pose beyond which a simulated part has lost it. It then hangs on a
/// rim that the real part slipped off, or is caught in a hole that the real part passed.
const LOST: [f64; 2] = [2e-3, 0.2];

/// Whether a simulated part is near enough to the recorded pose to represent it.
pub(super) fn is_near(simulated: &BodyMotion, recorded: &BodyMotion) -> bool {
    (simulated.center - recorded.center).norm() < LOST[0]
        && simulated.rotation.angle_to(&recorded.rotation) < LOST[1]
}
