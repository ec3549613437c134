//! Slow error of recorded poses. An arm reports where its joints are, by a kinematic model that is off by tenths of a
//! millimetre and differently so at each pose; the fixed part is placed with an error of the same size.

use nalgebra::Vector3;
use tightfit_network::Random;

use super::human_motion::Wander;

/// The error of one trial, a smooth random function of time.
pub(super) struct PoseError {
    /// Shift along and turn about x, y, z, of variance one.
    wanders: [[Wander; 3]; 2],
    /// Standard deviations [m] and [rad].
    sizes: [f64; 2],
}

impl PoseError {
    /// An error that changes within seconds, as the pose of an arm does in a trial.
    pub(super) fn new(random: &mut Random, sizes: [f64; 2]) -> Self {
        let mut slow = || Wander::new(random, 0.02, 0.2);
        Self { wanders: [[slow(), slow(), slow()], [slow(), slow(), slow()]], sizes }
    }

    /// Shift [m] and turn [rad] in world axes at a time [s].
    pub(super) fn at(&self, time: f64) -> [Vector3<f64>; 2] {
        [0, 1].map(|kind| Vector3::from_fn(|axis, _| self.sizes[kind] * self.wanders[kind][axis].at(time)))
    }
}
