//! The passive midpoint rule of one rigid body (paper §3.4, docs/design/math.md §1).
//!
//! ```text
//! G V̄ = 2/T M V₀ + F + coupling,      G = 2/T M + C(ω̄) + B + T/2 K,       V₁ = 2V̄ − V₀,     W = 2/T G⁻¹
//! C   = diag(0, −S(Jω̂))               ω̂ = ω̄ by fixed-point iteration on the contact-free step
//! x₁  = x₀ + T v̄,     R₁ = R₀ cay(T ω̄)
//! ```
//!
//! C is skew for every ω̂, so the energy identity E₁ − E₀ = T V̄ᵀF holds exactly whatever the number of sweeps;
//! at the fixed point the angular momentum is exact too. The paper takes ω̂ = ω₀: no sweep, and |Jω| grows by
//! T²|Jω₀ × ω̄|² in the square each step. W = ∂V₁/∂impulse. v in world axes, ω in body axes;
//! [`FreeStep`] has both in world axes, which contacts use.

use nalgebra::{Matrix3, Matrix6, UnitQuaternion, Vector3};
use tightfit_spatial::{Inertia, Pose, Twist, Wrench, cayley};

use super::Coupling;

/// Sweeps of the fixed point for ω̂; each reduces the error by the factor T|ω|.
const SWEEPS: usize = 8;
/// Relative change of ω̂ at which the sweeps end.
const SETTLED: f64 = 1e-14;

/// Where the gyroscopic matrix C(ω̂) is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gyroscopic {
    /// ω̂ = ω₀, the paper's.
    AtStart,
    /// ω̂ = ω̄.
    AtMiddle,
}

/// State of one body that is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// x: centre of mass in world axes [m].
    pub center: Vector3<f64>,
    /// R: body axes to world axes.
    pub rotation: UnitQuaternion<f64>,
    /// V: velocity.
    pub twist: Twist,
}

impl BodyMotion {
    /// [v; ω] in world axes.
    #[must_use]
    pub fn world_velocity(&self) -> [f64; 6] {
        let (v, w) = (self.twist.linear_in_world, self.rotation * self.twist.angular_in_body);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// The same motion with its velocity replaced by [v; ω] in world axes.
    #[must_use]
    pub fn with_world_velocity(&self, velocity: &[f64]) -> Self {
        let angular = Vector3::new(velocity[3], velocity[4], velocity[5]);
        let linear = Vector3::new(velocity[0], velocity[1], velocity[2]);
        Self { twist: Twist::new(linear, self.rotation.inverse() * angular), ..*self }
    }

    /// Pose of a part whose centre of mass is at `center_in_part` [m].
    #[must_use]
    pub fn world_from_part(&self, center_in_part: Vector3<f64>) -> Pose {
        Pose::new(self.center - self.rotation * center_in_part, self.rotation)
    }
}

/// A step without contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeStep {
    /// V_f: velocity at the end of the step, [v; ω] in world axes.
    pub velocity: [f64; 6],
    /// W: change of that velocity per impulse, world axes.
    pub response: Matrix6<f64>,
}

/// The contact-free step of a body under a wrench and a coupling.
pub(super) fn midpoint_step(
    motion: &BodyMotion,
    inertia: &Inertia,
    wrench: &Wrench,
    coupling: Option<&Coupling>,
    step: f64,
    gyroscopic: Gyroscopic,
) -> FreeStep {
    let Twist { linear_in_world: v0, angular_in_body: w0 } = motion.twist;
    let per_step = 2.0 / step;
    let mut linear_gain = Vector3::from_element(per_step * inertia.mass);
    let mut angular_gain = inertia.moment * per_step;
    let mut force = v0 * (per_step * inertia.mass) + wrench.force_in_world;
    let mut torque = inertia.moment * w0 * per_step + wrench.torque_in_body;
    if let Some(coupling) = coupling {
        let [shift, turn] = coupling.error(motion.center, &motion.rotation, &coupling.target);
        let [target_v, target_w] = coupling.target_velocity(step);
        let linear = coupling.stiffness * (step / 2.0) + coupling.damping;
        let angular = coupling.turning_stiffness * (step / 2.0) + coupling.turning_damping;
        linear_gain += linear;
        angular_gain += Matrix3::from_diagonal(&angular);
        force += linear.component_mul(&target_v) - coupling.stiffness.component_mul(&shift);
        torque += angular.component_mul(&target_w) - coupling.turning_stiffness.component_mul(&turn);
    }
    let middle_v = force.component_div(&linear_gain);
    // xᵀ(J − T/2 S)x = xᵀJx > 0: the inverse exists for every T
    let invert = |about: Vector3<f64>| {
        let coriolis = (inertia.moment * about).cross_matrix();
        (angular_gain - coriolis).try_inverse().unwrap_or_else(Matrix3::identity)
    };
    let mut about = w0;
    let mut inverse = invert(about);
    let sweeps = if gyroscopic == Gyroscopic::AtMiddle { SWEEPS } else { 0 };
    for _ in 0..sweeps {
        let next = inverse * torque;
        let change = (next - about).norm();
        about = next;
        inverse = invert(about);
        if change <= SETTLED * about.norm() {
            break;
        }
    }
    let middle_w = inverse * torque;

    let turn = motion.rotation.to_rotation_matrix().into_inner();
    let end_w = turn * (middle_w * 2.0 - w0);
    let end_v = middle_v * 2.0 - v0;
    let mut response = Matrix6::zeros();
    for axis in 0..3 {
        response[(axis, axis)] = per_step / linear_gain[axis];
    }
    response.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turn * inverse * turn.transpose() * per_step));
    FreeStep { velocity: [end_v.x, end_v.y, end_v.z, end_w.x, end_w.y, end_w.z], response }
}

/// M in world axes.
#[must_use]
pub fn mass_matrix(motion: &BodyMotion, inertia: &Inertia) -> Matrix6<f64> {
    let turn = motion.rotation.to_rotation_matrix().into_inner();
    blocks(inertia.mass, turn * inertia.moment * turn.transpose())
}

/// M⁻¹ in world axes.
#[must_use]
pub fn inverse_mass(motion: &BodyMotion, inertia: &Inertia) -> Matrix6<f64> {
    let turn = motion.rotation.to_rotation_matrix().into_inner();
    let inverse = inertia.moment.try_inverse().unwrap_or_else(Matrix3::identity);
    blocks(1.0 / inertia.mass, turn * inverse * turn.transpose())
}

fn blocks(linear: f64, angular: Matrix3<f64>) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::from_diagonal_element(linear));
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&angular);
    matrix
}

/// x₁, R₁ for a constant velocity [v; ω] in world axes over `step` seconds.
pub fn advance_pose(motion: &mut BodyMotion, velocity: &[f64], step: f64) {
    let moved = motion.with_world_velocity(velocity).twist;
    motion.center += moved.linear_in_world * step;
    let mut rotation = motion.rotation * cayley(moved.angular_in_body * step);
    rotation.renormalize();
    motion.rotation = rotation;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asymmetric_top() -> (BodyMotion, Inertia) {
        let moment = Matrix3::from_diagonal(&Vector3::new(0.8e-3, 1.1e-3, 1.5e-3));
        let inertia = Inertia::new(0.5, Vector3::zeros(), moment).unwrap();
        let twist = Twist::new(Vector3::zeros(), Vector3::new(3.0, 4.0, 2.0));
        (BodyMotion { center: Vector3::zeros(), rotation: UnitQuaternion::identity(), twist }, inertia)
    }

    fn spin(motion: &mut BodyMotion, inertia: &Inertia, step: f64) {
        let free = midpoint_step(motion, inertia, &Wrench::zero(), None, step, Gyroscopic::AtMiddle);
        let start = motion.world_velocity();
        // The rule forms ω̄ in the body axes at the start of the step.
        let middle: Vec<f64> = (0..6).map(|k| f64::midpoint(start[k], free.velocity[k])).collect();
        let next = motion.with_world_velocity(&free.velocity).twist;
        advance_pose(motion, &middle, step);
        motion.twist = next;
    }

    #[test]
    fn a_free_asymmetric_top_keeps_energy_and_spatial_momentum() {
        let (mut motion, inertia) = asymmetric_top();
        let energy =
            |m: &BodyMotion| m.twist.angular_in_body.dot(&(inertia.moment * m.twist.angular_in_body)) / 2.0;
        let momentum = |m: &BodyMotion| m.rotation * (inertia.moment * m.twist.angular_in_body);
        let (start_energy, start_momentum) = (energy(&motion), momentum(&motion));
        for _ in 0..20_000 {
            spin(&mut motion, &inertia, 0.01);
        }
        assert!((energy(&motion) / start_energy - 1.0).abs() < 1e-11);
        let drift = (momentum(&motion) - start_momentum).norm() / start_momentum.norm();
        assert!(drift < 1e-10, "{drift:e}");
    }

    #[test]
    fn a_spring_returns_the_energy_it_stored() {
        let (mut motion, inertia) = asymmetric_top();
        motion.twist = Twist::zero();
        motion.center = Vector3::new(1e-3, -2e-3, 0.5e-3);
        let coupling = Coupling {
            stiffness: Vector3::new(2000.0, 1000.0, 500.0),
            damping: Vector3::zeros(),
            turning_stiffness: Vector3::zeros(),
            turning_damping: Vector3::zeros(),
            target: Pose::identity(),
            next_target: Pose::identity(),
            twist: 0.0,
        };
        let energy = |m: &BodyMotion| {
            let error = coupling.error(m.center, &m.rotation, &coupling.target);
            inertia.mass * m.twist.linear_in_world.norm_squared() / 2.0 + coupling.potential(error)
        };
        let start = energy(&motion);
        for _ in 0..1000 {
            let free = midpoint_step(
                &motion,
                &inertia,
                &Wrench::zero(),
                Some(&coupling),
                0.01,
                Gyroscopic::AtMiddle,
            );
            let now = motion.world_velocity();
            let middle: Vec<f64> = (0..6).map(|k| f64::midpoint(now[k], free.velocity[k])).collect();
            let next = motion.with_world_velocity(&free.velocity).twist;
            advance_pose(&mut motion, &middle, 0.01);
            motion.twist = next;
        }
        assert!((energy(&motion) / start - 1.0).abs() < 1e-12);
    }
}
