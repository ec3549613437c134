//! How an arm holds a part, and how the pair enters the contact problem as one body.

mod compliant;
mod condensation;
mod impact;
mod rigid;

pub use compliant::{CompliantGrasp, Slip, SlipLimit};
pub use condensation::{Condensation, Tie};
pub use impact::ImpactCondensation;
pub use rigid::RigidGrasp;

use nalgebra::{Vector3, Vector6};
use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::{Inertia, Pose};

use crate::kinematics::stacked;
use crate::{Jacobian, Posture, rotation_vector};

/// What a grasp remembers from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Where the centre of mass and axes of the part belong in the frame of the arm's tip.
    pub tip_from_center: Pose,
    /// λ of the last step: wrench of the arm on the part, world axes, about its centre of mass [N, N·m].
    pub load: Vector6<f64>,
}

impl Held {
    /// A part that is taken hold of where it is.
    #[must_use]
    pub fn where_it_is(posture: &Posture, body: &BodyMotion) -> Self {
        let world_from_center = Pose::new(body.center, body.rotation);
        Self { tip_from_center: posture.world_from_tip.inverse() * world_from_center, load: Vector6::zeros() }
    }

    /// A part whose own frame is to lie at `tip_from_part`.
    #[must_use]
    pub fn at(tip_from_part: &Pose, inertia: &Inertia) -> Self {
        let part_from_center = Pose::from_translation(inertia.center_of_mass);
        Self { tip_from_center: *tip_from_part * part_from_center, load: Vector6::zeros() }
    }

    /// Where the arm would have the centre of mass [m, world].
    #[must_use]
    pub fn center(&self, posture: &Posture) -> Vector3<f64> {
        posture.world_from_tip.transform_point(self.tip_from_center.translation)
    }

    /// Velocity of the centre of mass and axes as the arm leads them, per joint speed.
    #[must_use]
    pub fn jacobian(&self, posture: &Posture) -> Jacobian {
        posture.jacobian_at(self.center(posture))
    }

    /// ε: from the part to where the arm would have it, [m; rad], world axes.
    #[must_use]
    pub fn error(&self, posture: &Posture, body: &BodyMotion) -> Vector6<f64> {
        let wanted = posture.world_from_tip * self.tip_from_center;
        stacked(
            wanted.translation - body.center,
            rotation_vector(&(wanted.rotation * body.rotation.inverse())),
        )
    }
}
