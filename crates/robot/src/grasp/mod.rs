//! How an arm holds a part, and how the pair enters the contact problem as one body.

mod compliant;
mod condensation;
mod impact;
mod method;
mod rigid;

pub use compliant::{CompliantGrasp, Slip, SlipLimit};
pub use condensation::{Condensation, Tie};
pub use impact::ImpactCondensation;
pub use method::Grasp;
pub use rigid::RigidGrasp;

use nalgebra::{Vector3, Vector6};
use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::{Inertia, Pose, cayley_inverse};

use crate::arm::ArmStep;
use crate::kinematics::stacked;
use crate::{Chain, Jacobian, JointVector, Posture, rotation_vector};

/// What a grasp remembers from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Where the centre of mass and axes of the part belong in the frame of the arm's tip.
    pub tip_from_center: Pose,
    /// λ of the last step: wrench of the arm on the part, world axes, about its centre of mass [N, N·m].
    pub load: Vector6<f64>,
    /// p of the last step: impulse of contacts on the part, about its centre of mass [N·s, N·m·s].
    pub impulse: Vector6<f64>,
}

impl Held {
    /// A part that is taken hold of where it is.
    #[must_use]
    pub fn where_it_is(posture: &Posture, body: &BodyMotion) -> Self {
        let world_from_center = Pose::new(body.center, body.rotation);
        Self::fresh(posture.world_from_tip.inverse() * world_from_center)
    }

    /// A part whose own frame is to lie at `tip_from_part`.
    #[must_use]
    pub fn at(tip_from_part: &Pose, inertia: &Inertia) -> Self {
        let part_from_center = Pose::from_translation(inertia.center_of_mass);
        Self::fresh(*tip_from_part * part_from_center)
    }

    fn fresh(tip_from_center: Pose) -> Self {
        Self { tip_from_center, load: Vector6::zeros(), impulse: Vector6::zeros() }
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

    /// Effort of the last load on the joints, which the arm expects in the next step [N·m or N].
    #[must_use]
    pub fn expected_effort(&self, posture: &Posture) -> JointVector {
        -self.jacobian(posture).tr_mul(&self.load)
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

    /// c: velocity that brings the part along the arm's way, as its own pose is advanced (Cayley's map), less J q̄̇, for
    /// the way that is expected. Of third order in the step; without it a turn of 3 rad/s drifts by 2 µrad a step.
    #[must_use]
    pub fn bend(
        &self,
        chain: &Chain,
        start: &Posture,
        arm: &ArmStep,
        jacobian: &Jacobian,
        step: f64,
    ) -> Vector6<f64> {
        let speeds = arm.expected_speeds;
        let [now, next] = [start, &chain.posture(&(arm.start().angles + speeds * step))]
            .map(|posture| posture.world_from_tip * self.tip_from_center);
        let turn = cayley_inverse(&(next.rotation * now.rotation.inverse()));
        stacked(next.translation - now.translation, turn) / step - jacobian * speeds
    }
}
