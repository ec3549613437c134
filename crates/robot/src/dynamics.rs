//! Mass matrix, Coriolis matrix and gravity of an arm.
//!
//! ```text
//! M q̈ + C q̇ + g = τ
//! M_jk = S_jᵀ I_c S_k,       C_jk = S_jᵀ (I_c Ṡ_k + B_c S_k),       c = max(j, k)
//! I_c  = Σ_{i≥c} I_i,        B_c  = Σ_{i≥c} B_i,       B_i = ½ [(v_i ×*) I_i + (h_i ×̄*) − I_i (v_i ×)]
//! Ṡ_k  = v_k × S_k,          h_i  = I_i v_i,           g_j = −S_jᵀ Σ_{i≥j} gravity wrench of link i
//! ```
//!
//! All quantities are in the world frame, about its origin: S_j as in [`crate::kinematics`], I_i the 6x6 inertia of
//! link i, v_i its velocity, h_i its momentum; × crosses motions, ×* a motion with a force, (h ×̄*) v = v ×* h. This
//! C is that of the Christoffel symbols, so Ṁ = C + Cᵀ and Ṁ − 2C is skew (S. Echeandia,
//! P. M. Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems",
//! J. Comput. Nonlinear Dynam. 16(9), 2021).

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use tightfit_spatial::{Inertia, Pose};

use crate::kinematics::{halves, stacked};
use crate::{Chain, JointMatrix, JointVector, MAX_JOINTS, Posture};

/// Terms of the equations of motion at one posture and speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// M [kg m², kg m or kg]; one on the diagonal beyond the arm's joints.
    pub mass: JointMatrix,
    /// C [the unit of M per second]; zero beyond the arm's joints.
    pub coriolis: JointMatrix,
    /// g: effort that holds the arm against gravity [N·m or N].
    pub gravity: JointVector,
}

impl Chain {
    /// M at a posture.
    #[must_use]
    pub fn mass_matrix(&self, posture: &Posture) -> JointMatrix {
        let mut mass = JointMatrix::identity();
        let mut composite = Matrix6::zeros();
        for last in (0..self.count()).rev() {
            composite += self.link_inertia(last, posture);
            let momentum = composite * posture.axes[last];
            for joint in 0..=last {
                mass[(joint, last)] = posture.axes[joint].dot(&momentum);
                mass[(last, joint)] = mass[(joint, last)];
            }
        }
        mass
    }

    /// M, C and g at a posture, for joint speeds `speeds` and the acceleration of gravity [m/s², world].
    #[must_use]
    pub fn dynamics(&self, posture: &Posture, speeds: &JointVector, gravity: Vector3<f64>) -> Dynamics {
        let mut velocities = [Vector6::zeros(); MAX_JOINTS];
        let mut velocity = Vector6::zeros();
        for joint in 0..self.count() {
            velocity += posture.axes[joint] * speeds[joint];
            velocities[joint] = velocity;
        }
        let mut mass = JointMatrix::identity();
        let mut coriolis = JointMatrix::zeros();
        let mut held = JointVector::zeros();
        let (mut inertia, mut bias, mut weight) = (Matrix6::zeros(), Matrix6::zeros(), Vector6::zeros());
        for last in (0..self.count()).rev() {
            let own = self.link_inertia(last, posture);
            inertia += own;
            bias += inertia_rate(&own, &velocities[last]);
            weight += own.fixed_columns::<3>(0) * gravity;
            let axis = posture.axes[last];
            held[last] = -axis.dot(&weight);
            let momentum = inertia * axis;
            // Column `last` down to the diagonal, then row `last` left of it.
            let column = inertia * cross_motion(&velocities[last], &axis) + bias * axis;
            let row = bias.transpose() * axis;
            for joint in 0..=last {
                let other = posture.axes[joint];
                mass[(joint, last)] = other.dot(&momentum);
                mass[(last, joint)] = mass[(joint, last)];
                coriolis[(joint, last)] = other.dot(&column);
                if joint < last {
                    let other_rate = cross_motion(&velocities[joint], &other);
                    coriolis[(last, joint)] = momentum.dot(&other_rate) + row.dot(&other);
                }
            }
        }
        Dynamics { mass, coriolis, gravity: held }
    }

    /// Kinetic energy [J].
    #[must_use]
    pub fn kinetic_energy(&self, angles: &JointVector, speeds: &JointVector) -> f64 {
        speeds.dot(&(self.mass_matrix(&self.posture(angles)) * speeds)) / 2.0
    }

    /// Potential energy of gravity [J], zero with every centre of mass at the world's origin.
    #[must_use]
    pub fn potential_energy(&self, posture: &Posture, gravity: Vector3<f64>) -> f64 {
        let links = self.joints().iter().zip(&posture.world_from_link);
        links
            .filter_map(|(joint, world_from_link)| {
                let inertia = joint.inertia?;
                Some(-inertia.mass * gravity.dot(&world_from_link.transform_point(inertia.center_of_mass)))
            })
            .sum()
    }

    /// I of a link about the world's origin, in world axes.
    fn link_inertia(&self, link: usize, posture: &Posture) -> Matrix6<f64> {
        let inertia = self.joints()[link].inertia;
        inertia.map_or_else(Matrix6::zeros, |inertia| about_origin(&inertia, &posture.world_from_link[link]))
    }
}

/// 6x6 inertia about the world's origin, from momentum [p; L] = I [v; ω].
pub(crate) fn about_origin(inertia: &Inertia, world_from_link: &Pose) -> Matrix6<f64> {
    let center = world_from_link.transform_point(inertia.center_of_mass).cross_matrix();
    let turn = world_from_link.rotation.to_rotation_matrix();
    let moment = turn * inertia.moment * turn.transpose() - center * center * inertia.mass;
    let lever = center * inertia.mass;
    from_blocks(&Matrix3::from_diagonal_element(inertia.mass), &-lever, &lever, &moment)
}

/// B_i of the header: rate of the inertia and gyroscopic term, halved.
fn inertia_rate(inertia: &Matrix6<f64>, velocity: &Vector6<f64>) -> Matrix6<f64> {
    let (linear, angular) = halves(velocity);
    let (linear, angular) = (linear.cross_matrix(), angular.cross_matrix());
    let (momentum, moment) = halves(&(inertia * velocity));
    let (momentum, moment) = (momentum.cross_matrix(), moment.cross_matrix());
    let zero = Matrix3::zeros();
    let on_motions = from_blocks(&angular, &linear, &zero, &angular);
    let on_forces = from_blocks(&angular, &zero, &linear, &angular);
    let of_momentum = from_blocks(&zero, &-momentum, &-momentum, &-moment);
    (on_forces * inertia + of_momentum - inertia * on_motions) / 2.0
}

/// v × m: rate of a motion vector that moves with velocity v.
fn cross_motion(velocity: &Vector6<f64>, motion: &Vector6<f64>) -> Vector6<f64> {
    let ((v, w), (linear, angular)) = (halves(velocity), halves(motion));
    stacked(w.cross(&linear) + v.cross(&angular), w.cross(&angular))
}

fn from_blocks(a: &Matrix3<f64>, b: &Matrix3<f64>, c: &Matrix3<f64>, d: &Matrix3<f64>) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(a);
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(b);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(c);
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(d);
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use tightfit_spatial::SplitMix;

    const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

    fn bent(chain: &Chain, seed: u64) -> [JointVector; 2] {
        let mut random = SplitMix::stream(seed);
        [2.0, 1.5].map(|scale| {
            chain.of_joints(|_| 0.0).map_with_location(|row, _, _| {
                if row < chain.count() { scale * random.signed() } else { 0.0 }
            })
        })
    }

    #[test]
    fn the_ready_panda_has_the_masses_computed_by_hand() {
        let panda = Chain::panda().unwrap();
        let ready = panda.joints_from(&[0.0, -PI / 4.0, 0.0, -3.0 * PI / 4.0, 0.0, PI / 2.0, PI / 4.0]);
        let posture = panda.posture(&ready);
        let mass = panda.mass_matrix(&posture);
        for (joint, expected) in [0.461, 1.445, 0.879, 0.789, 0.0279, 0.0326, 0.0049].into_iter().enumerate()
        {
            assert!(
                (mass[(joint, joint)] / expected - 1.0).abs() < 0.01,
                "joint {joint}: {}",
                mass[(joint, joint)]
            );
        }
        let jacobian = posture.tip_jacobian();
        let task = (jacobian * mass.try_inverse().unwrap() * jacobian.transpose()).try_inverse().unwrap();
        for (axis, expected) in [10.24, 3.54, 4.32, 0.054, 0.159, 0.0049].into_iter().enumerate() {
            assert!(
                (task[(axis, axis)] / expected - 1.0).abs() < 0.01,
                "axis {axis}: {}",
                task[(axis, axis)]
            );
        }
    }

    /// A C that is not from Christoffel symbols gives the same forces, but Ṁ − 2C is not skew.
    #[test]
    fn the_rate_of_the_mass_matrix_is_coriolis_plus_its_transpose() {
        let chain = Chain::panda_turning_gripper().unwrap();
        for seed in 0..20 {
            let [angles, speeds] = bent(&chain, seed);
            let mass = |time: f64| chain.mass_matrix(&chain.posture(&(angles + speeds * time)));
            let rate = (mass(1e-5) - mass(-1e-5)) / 2e-5;
            let coriolis = chain.dynamics(&chain.posture(&angles), &speeds, GRAVITY).coriolis;
            assert!((rate - coriolis - coriolis.transpose()).amax() < 1e-8);
        }
    }

    #[test]
    fn coriolis_forces_are_those_of_the_christoffel_symbols() {
        let chain = Chain::panda().unwrap();
        let [angles, speeds] = bent(&chain, 7);
        let derivative = |joint: usize| {
            let mass = |offset: f64| {
                let mut angles = angles;
                angles[joint] += offset;
                chain.mass_matrix(&chain.posture(&angles))
            };
            (mass(1e-5) - mass(-1e-5)) / 2e-5
        };
        let derivatives: Vec<JointMatrix> = (0..chain.count()).map(derivative).collect();
        let coriolis = chain.dynamics(&chain.posture(&angles), &speeds, GRAVITY).coriolis;
        for row in 0..chain.count() {
            for column in 0..chain.count() {
                let symbols = (0..chain.count()).map(|k| {
                    let sum = derivatives[k][(row, column)] + derivatives[column][(row, k)]
                        - derivatives[row][(column, k)];
                    sum * speeds[k] / 2.0
                });
                assert!((symbols.sum::<f64>() - coriolis[(row, column)]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn gravity_is_the_gradient_of_the_potential() {
        let chain = Chain::panda().unwrap();
        let [angles, speeds] = bent(&chain, 3);
        let held = chain.dynamics(&chain.posture(&angles), &speeds, GRAVITY).gravity;
        for joint in 0..chain.count() {
            let potential = |offset: f64| {
                let mut angles = angles;
                angles[joint] += offset;
                chain.potential_energy(&chain.posture(&angles), GRAVITY)
            };
            assert!(((potential(1e-5) - potential(-1e-5)) / 2e-5 - held[joint]).abs() < 1e-7);
        }
    }
}
