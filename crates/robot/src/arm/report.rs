//! What one step of an arm met, and where its energy went.

use crate::JointSet;

/// Limits and work of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArmReport {
    /// Joints whose drive was at its highest effort.
    pub effort_limited: JointSet,
    /// Joints that end beyond their range, at their stop.
    pub position_limited: JointSet,
    /// Joints that end faster than they may be.
    pub speed_limited: JointSet,
    /// s: share of the springs' pull that the drives had the effort for, one normally.
    pub feedback_share: f64,
    /// Kinetic energy gained [J].
    pub energy_gain: f64,
    /// Work of the drives [J].
    pub drive_work: f64,
    /// Work of the weight [J].
    pub weight_work: f64,
    /// Work of friction [J]; not positive, but for what an effort that was not expected makes of joints that turn back.
    pub friction_work: f64,
    /// Work of the stops at the ends of the joints' ranges [J].
    pub stop_work: f64,
    /// Work of the given effort: of what the arm holds [J].
    pub outer_work: f64,
}

impl ArmReport {
    /// Energy that no work explains [J]; rounding under the quasi-velocity rule.
    #[must_use]
    pub fn unexplained(&self) -> f64 {
        let work = self.drive_work + self.weight_work + self.friction_work + self.stop_work + self.outer_work;
        self.energy_gain - work
    }

    /// Whether some limit was met.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        !self.effort_limited.union(self.position_limited).union(self.speed_limited).is_empty()
    }
}
