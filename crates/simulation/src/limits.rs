//! Trouble that a step met, and the set of it: a step can meet several, and none of them allocates.

/// Trouble that a step met, each with the setting that helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The contact solver did not converge: smaller `step_ms`, or lower `friction`.
    NotConverged,
    /// The pose projection could not satisfy every contact: the parts do not fit where they were put.
    ProjectionIncomplete,
    /// The projection wanted more energy than contacts had dissipated.
    TankEmpty,
    /// A number was not finite; the step was not taken.
    NotFinite,
    /// A part went farther in a step than detection looks, 0.2 m, and may have passed through another: smaller `step_ms`.
    TooFast,
    /// Parts began inside one another and were moved apart: another `position_mm` or `rotation_deg`.
    BeganInside,
    /// A joint of the arm is at the end of its range: another base, posture or set-point.
    JointRange,
    /// A joint went faster than it may, or its highest speed held the controller back: slower set-points.
    JointSpeed,
    /// A drive of the arm had not the effort: lower stiffness or slower set-points.
    DriveEffort,
    /// The part slipped in the hand.
    GraspSlipped,
    /// The controller's command is out of the arm's reach.
    OutOfReach,
    /// Controller or arm met a number that they cannot use or a method that does not suit, or a joint ran away; the step was
    /// not taken.
    ArmFailed,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 12] = [
        Self::NotConverged,
        Self::ProjectionIncomplete,
        Self::TankEmpty,
        Self::NotFinite,
        Self::TooFast,
        Self::BeganInside,
        Self::JointRange,
        Self::JointSpeed,
        Self::DriveEffort,
        Self::GraspSlipped,
        Self::OutOfReach,
        Self::ArmFailed,
    ];

    /// Whether only a scene with an arm can hit it.
    #[must_use]
    pub fn is_of_arm(self) -> bool {
        self as u8 >= Self::JointRange as u8
    }

    /// Whether the certificate of a run is void after it. Limits of an arm do not void it: a real arm has them too. A
    /// step that the arm could not take is a failure of the run, see [`Grade`](crate::Grade).
    #[must_use]
    pub fn voids_certificate(self) -> bool {
        !self.is_of_arm() || self == Self::ArmFailed
    }

    /// What happened in a step that hit it, after "3 steps".
    #[must_use]
    pub fn what_happened(self) -> &'static str {
        match self {
            Self::NotConverged => "did not converge",
            Self::ProjectionIncomplete => "had an incomplete pose projection",
            Self::TankEmpty => "lacked energy for the pose projection",
            Self::NotFinite => "were not taken: a number was not finite",
            Self::TooFast => "moved a part farther than detection searches; use a smaller step",
            Self::BeganInside => "started with parts inside one another",
            Self::JointRange => "had a joint at the end of its range",
            Self::JointSpeed => "had a joint at its speed limit",
            Self::DriveEffort => "had a drive at its effort limit",
            Self::GraspSlipped => "let the part slip in the hand",
            Self::OutOfReach => "had a command out of the arm's reach",
            Self::ArmFailed => "were not taken: the arm failed",
        }
    }

    /// Its name in logs and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotConverged => "not_converged",
            Self::ProjectionIncomplete => "projection_incomplete",
            Self::TankEmpty => "tank_empty",
            Self::NotFinite => "not_finite",
            Self::TooFast => "too_fast",
            Self::BeganInside => "began_inside",
            Self::JointRange => "joint_range",
            Self::JointSpeed => "joint_speed",
            Self::DriveEffort => "drive_effort",
            Self::GraspSlipped => "grasp_slipped",
            Self::OutOfReach => "out_of_reach",
            Self::ArmFailed => "arm_failed",
        }
    }
}

/// The limits that one step hit, each at most once.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits(u16);

impl Limits {
    /// Adds one.
    pub fn insert(&mut self, limit: Limit) {
        self.0 |= 1_u16 << limit as u8;
    }

    /// Adds all of another set.
    pub(crate) fn join(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Whether it is among them.
    #[must_use]
    pub fn contains(self, limit: Limit) -> bool {
        self.0 & (1_u16 << limit as u8) != 0
    }

    /// Whether none was hit.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that were hit, in the order of [`Limit::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(move |limit| self.contains(*limit))
    }
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_once() {
        let mut limits = Limits::default();
        assert!(limits.is_empty());
        for limit in [Limit::TankEmpty, Limit::NotConverged, Limit::TankEmpty] {
            limits.insert(limit);
        }
        assert_eq!(limits.iter().collect::<Vec<_>>(), [Limit::NotConverged, Limit::TankEmpty]);
        assert!(!limits.contains(Limit::NotFinite) && !limits.is_empty());
    }
}
