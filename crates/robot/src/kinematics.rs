//! Forward kinematics: poses of the links of an arm, and their velocities per joint speed.
//!
//! ```text
//! world_from_link(j) = world_from_link(j−1) · previous_from_joint(j) · turn or slide(q_j)
//! S_j = [p_j × a_j; a_j] turning,  [a_j; 0] sliding          axis a_j through p_j, both in world axes
//! J(x) column j = [S_j.linear + S_j.angular × x; S_j.angular]
//! ```
//!
//! S_j is the velocity field that joint j gives to the links after it: its linear part is that of the point at
//! the world's origin (R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, in one frame for all links).

use nalgebra::{Vector3, Vector6};
use tightfit_spatial::Pose;

use crate::chain::JointKind;
use crate::{Chain, Jacobian, JointVector, MAX_JOINTS, rotation_about};

/// An arm at given joint angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// Frame of every joint after the joint's motion; unused entries hold the base frame.
    pub world_from_link: [Pose; MAX_JOINTS],
    /// S of every joint: [velocity at the world's origin; angular velocity] per joint speed; unused entries are zero.
    pub axes: [Vector6<f64>; MAX_JOINTS],
    /// The tip frame.
    pub world_from_tip: Pose,
}

impl Chain {
    /// All frames and axes at joint angles `angles`.
    #[must_use]
    pub fn posture(&self, angles: &JointVector) -> Posture {
        let mut here = self.world_from_base();
        let mut world_from_link = [here; MAX_JOINTS];
        let mut axes = [Vector6::zeros(); MAX_JOINTS];
        for (index, joint) in self.joints().iter().enumerate() {
            let fixed = here * joint.previous_from_joint;
            let axis = fixed.transform_vector(joint.axis);
            let motion = match joint.kind {
                JointKind::Turning => Pose::new(Vector3::zeros(), rotation_about(joint.axis, angles[index])),
                JointKind::Sliding => Pose::from_translation(joint.axis * angles[index]),
            };
            axes[index] = match joint.kind {
                JointKind::Turning => stacked(fixed.translation.cross(&axis), axis),
                JointKind::Sliding => stacked(axis, Vector3::zeros()),
            };
            here = fixed * motion;
            here.rotation.renormalize();
            world_from_link[index] = here;
        }
        Posture { world_from_link, axes, world_from_tip: here * self.last_from_tip() }
    }
}

impl Posture {
    /// Velocity [v; ω] in world axes, per joint speed, of a point of the last link at `point` [m, world].
    #[must_use]
    pub fn jacobian_at(&self, point: Vector3<f64>) -> Jacobian {
        let mut jacobian = Jacobian::zeros();
        for (index, axis) in self.axes.iter().enumerate() {
            let (linear, angular) = halves(axis);
            jacobian.set_column(index, &stacked(linear + angular.cross(&point), angular));
        }
        jacobian
    }

    /// The Jacobian of the tip.
    #[must_use]
    pub fn tip_jacobian(&self) -> Jacobian {
        self.jacobian_at(self.world_from_tip.translation)
    }
}

/// [linear; angular] as one column.
pub(crate) fn stacked(linear: Vector3<f64>, angular: Vector3<f64>) -> Vector6<f64> {
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// The linear and the angular half of a column.
pub(crate) fn halves(column: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (column.fixed_rows::<3>(0).into(), column.fixed_rows::<3>(3).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation_vector;
    use std::f64::consts::PI;

    #[test]
    fn the_panda_tip_agrees_with_the_published_dimensions() {
        let panda = Chain::panda().unwrap();
        let ready = panda.joints_from(&[0.0, -PI / 4.0, 0.0, -3.0 * PI / 4.0, 0.0, PI / 2.0, PI / 4.0]);
        let tip = panda.posture(&ready).world_from_tip;
        assert!((tip.translation - Vector3::new(0.3069, 0.0, 0.5903)).amax() < 5e-5, "{tip:?}");
        let down = tip.transform_vector(Vector3::z());
        assert!((down + Vector3::z()).norm() < 1e-15, "{down}");
    }

    #[test]
    fn the_jacobian_is_the_derivative_of_the_tip() {
        for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()] {
            let base = Pose::new(Vector3::new(0.3, -0.2, 0.1), rotation_about(Vector3::x(), 0.4));
            let chain = chain.with_base(base);
            let angles = chain.of_joints(|joint| joint.limits.middle() + 0.2);
            let jacobian = chain.posture(&angles).tip_jacobian();
            for joint in 0..chain.count() {
                let at = |offset: f64| {
                    let mut angles = angles;
                    angles[joint] += offset;
                    chain.posture(&angles).world_from_tip
                };
                let (before, after) = (at(-1e-5), at(1e-5));
                let linear = (after.translation - before.translation) / 2e-5;
                let angular = rotation_vector(&(after.rotation * before.rotation.inverse())) / 2e-5;
                assert!((jacobian.column(joint) - stacked(linear, angular)).norm() < 1e-9);
            }
        }
    }
}
