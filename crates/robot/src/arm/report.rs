//! Limits reached in one step of an arm, and its energy balance.

use crate::JointSet;

/// Limits and work of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArmReport {
    /// Joints whose drive was at its effort limit.
    pub effort_limited: JointSet,
    /// Joints that end the step beyond their range, at a stop.
    pub position_limited: JointSet,
    /// Joints that end the step above their speed limit.
    pub speed_limited: JointSet,
    /// s: share of the spring effort that was within the effort limits [-], normally one.
    pub feedback_share: f64,
    /// Kinetic energy gained [J].
    pub energy_gain: f64,
    /// Work of the drives [J].
    pub drive_work: f64,
    /// Work of gravity [J].
    pub weight_work: f64,
    /// Work of friction [J]. Not positive, except where an unexpected effort acts on joints that reverse.
    pub friction_work: f64,
    /// Work of the stops at the ends of the joints' ranges [J].
    pub stop_work: f64,
    /// Work of the external effort, that of the held part [J].
    pub outer_work: f64,
}

impl ArmReport {
    /// Energy gain that no work accounts for [J]; rounding error alone under the quasi-velocity rule.
    #[must_use]
    pub fn unexplained(&self) -> f64 {
        let work = self.drive_work + self.weight_work + self.friction_work + self.stop_work + self.outer_work;
        self.energy_gain - work
    }

    /// Whether any limit was reached.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        !self.effort_limited.union(self.position_limited).union(self.speed_limited).is_empty()
    }
}
