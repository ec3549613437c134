//! Measurements of an arm in one step.

use tightfit_robot::arm::ArmReport;
use tightfit_robot::grasp::Slip;

/// Grasp, limits and work of an arm over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArmCertificate {
    /// Distance of the part's centre of mass from its nominal position in the hand after the step [m]; in soft
    /// fingers the deflection of the spring.
    pub drift: f64,
    /// Angle between the part and its nominal attitude in the hand [rad].
    pub turning_drift: f64,
    /// Joints at their limits, and work.
    pub report: ArmReport,
    /// Slip in soft fingers.
    pub slip: Slip,
    /// Distance of the controller's command from the reachable pose [m]; zero if it was reachable.
    pub out_of_reach: f64,
}

impl ArmCertificate {
    /// Adds a later part of the same step.
    pub(crate) fn follow(&mut self, later: &Self) {
        let ArmReport { effort_limited, position_limited, speed_limited, .. } = later.report;
        let report = &mut self.report;
        report.effort_limited = report.effort_limited.union(effort_limited);
        report.position_limited = position_limited;
        report.speed_limited = report.speed_limited.union(speed_limited);
        report.feedback_share = report.feedback_share.min(later.report.feedback_share);
        report.energy_gain += later.report.energy_gain;
        report.drive_work += later.report.drive_work;
        report.weight_work += later.report.weight_work;
        report.friction_work += later.report.friction_work;
        report.stop_work += later.report.stop_work;
        report.outer_work += later.report.outer_work;
        self.slip.ratio = self.slip.ratio.max(later.slip.ratio);
        self.slip.dissipated += later.slip.dissipated;
        (self.drift, self.turning_drift) = (later.drift, later.turning_drift);
        self.out_of_reach = self.out_of_reach.max(later.out_of_reach);
    }
}
