//! A calibrated trial: motion of the held part and contact wrench on it, sample by sample.
//!
//! Calibration converts every log to this form: pose of the moving part, and the wrench of the fixed part on it at its
//! centre of mass. Predictions are compared with it.

use tightfit_spatial::{Pose, Twist, Vector3};

/// A calibrated trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Name in reports: file and session.
    pub name: String,
    /// Samples, ascending in time.
    pub samples: Vec<Sample>,
}

impl Recording {
    /// A section of `seconds`, which starts at this share of the remaining time; the whole trial where it is shorter.
    #[must_use]
    pub fn stretch(&self, share: f64, seconds: f64) -> Self {
        let [Some(first), Some(last)] = [self.samples.first(), self.samples.last()] else {
            return self.clone();
        };
        let begin = first.time + share.clamp(0.0, 1.0) * (last.time - first.time - seconds).max(0.0);
        let within = |sample: &&Sample| (begin..=begin + seconds).contains(&sample.time);
        Self { name: self.name.clone(), samples: self.samples.iter().filter(within).copied().collect() }
    }
}

/// The moving part at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time from the start of the trial [s].
    pub time: f64,
    /// Pose of the moving part's frame in the world.
    pub world_from_part: Pose,
    /// Velocity of its centre of mass, and angular velocity.
    pub twist: Twist,
    /// Contact force on the part, world axes [N].
    pub force: Vector3<f64>,
    /// Contact torque on it about its centre of mass, world axes [N·m].
    pub torque: Vector3<f64>,
    /// What holds the part, as a sensor at the wrist measures it, if there is one.
    pub load: Option<MeasuredLoad>,
}

/// Load of the hand on the part, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredLoad {
    /// Force [N].
    pub force: Vector3<f64>,
    /// Torque about the part's centre of mass [N·m].
    pub torque: Vector3<f64>,
}
