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

/// State of a grasp between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Nominal pose of the part's centre of mass and axes in the frame of the arm's tip.
    pub tip_from_center: Pose,
    /// λ of the last step: wrench of the arm on the part, world axes, about its centre of mass [N, N·m].
    pub load: Vector6<f64>,
    /// p of the last step: impulse of contacts on the part, about its centre of mass [N·s, N·m·s].
    pub impulse: Vector6<f64>,
}

impl Held {
    /// A part grasped at its present pose.
    #[must_use]
    pub fn where_it_is(posture: &Posture, body: &BodyMotion) -> Self {
        let world_from_center = Pose::new(body.center, body.rotation);
        Self::fresh(posture.world_from_tip.inverse() * world_from_center)
    }

    /// A part with the nominal pose `tip_from_part` of its frame.
    #[must_use]
    pub fn at(tip_from_part: &Pose, inertia: &Inertia) -> Self {
        let part_from_center = Pose::from_translation(inertia.center_of_mass);
        Self::fresh(*tip_from_part * part_from_center)
    }

    fn fresh(tip_from_center: Pose) -> Self {
        Self { tip_from_center, load: Vector6::zeros(), impulse: Vector6::zeros() }
    }

    /// Nominal position of the centre of mass [m, world].
    #[must_use]
    pub fn center(&self, posture: &Posture) -> Vector3<f64> {
        posture.world_from_tip.transform_point(self.tip_from_center.translation)
    }

    /// Velocity of the nominal centre of mass and axes per joint speed.
    #[must_use]
    pub fn jacobian(&self, posture: &Posture) -> Jacobian {
        posture.jacobian_at(self.center(posture))
    }

    /// Joint effort of the last load, the expected effort of the next step [N·m or N].
    #[must_use]
    pub fn expected_effort(&self, posture: &Posture) -> JointVector {
        -self.jacobian(posture).tr_mul(&self.load)
    }

    /// ε: grasp error, from the part to its nominal pose, [m; rad], world axes.
    #[must_use]
    pub fn error(&self, posture: &Posture, body: &BodyMotion) -> Vector6<f64> {
        let wanted = posture.world_from_tip * self.tip_from_center;
        stacked(
            wanted.translation - body.center,
            rotation_vector(&(wanted.rotation * body.rotation.inverse())),
        )
    }

    /// c: curvature correction for the expected motion. It is the velocity that carries the part to its nominal pose
    /// at the end of the step, when the pose is advanced by the Cayley map, minus J q̄̇. Third order in the step;
    /// without it a rotation of 3 rad/s drifts by 2 µrad per step.
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
