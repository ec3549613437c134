//! Euler's rules of one rigid body, for comparison with the passive midpoint rule (docs/design/math.md §1.3).
//!
//! ```text
//! explicit   M (V₁ − V₀)/T = F − C(ω₀) V₀ − K e₀ − B (V₀ − V_d)                               W = M⁻¹
//! implicit   M (V₁ − V₀)/T = F − C(ω₁) V₁ − K (e₀ + T (V₁ − V_d)) − B (V₁ − V_d)              W = G⁻¹/T
//!            G = M/T + C(ω₁) + B + T K                    ω₁ by fixed-point iteration on the contact-free step
//! ```
//!
//! C(ω) = diag(0, −S(Jω)), K, B, e and V_d of the coupling. The semi-implicit rule has the velocity of the
//! explicit one and moves the pose with V₁. v in world axes, ω in body axes.

use nalgebra::{Matrix3, Matrix6, Vector3};
use tightfit_spatial::{Inertia, Twist, Wrench};

use super::passive_midpoint::inverse_mass;
use super::{BodyMotion, Coupling, FreeStep};

/// Sweeps of the fixed point for ω₁; each reduces the error by the factor T|ω|.
const SWEEPS: usize = 30;
/// Relative change of ω₁ at which the sweeps end.
const SETTLED: f64 = 1e-14;

/// Velocity of the explicit and of the semi-implicit rule.
pub(super) fn explicit_step(
    motion: &BodyMotion,
    inertia: &Inertia,
    wrench: &Wrench,
    coupling: Option<&Coupling>,
    step: f64,
) -> FreeStep {
    let Twist { linear_in_world: v0, angular_in_body: w0 } = motion.twist;
    let mut force = wrench.force_in_world;
    let mut torque = wrench.torque_in_body + (inertia.moment * w0).cross(&w0);
    if let Some(coupling) = coupling {
        let [shift, turn] = coupling.error(motion.center, &motion.rotation, &coupling.target);
        let [target_v, target_w] = coupling.target_velocity(step);
        force -= coupling.stiffness.component_mul(&shift) + coupling.damping.component_mul(&(v0 - target_v));
        torque -= coupling.turning_stiffness.component_mul(&turn)
            + coupling.turning_damping.component_mul(&(w0 - target_w));
    }
    let inverse = inertia.moment.try_inverse().unwrap_or_else(Matrix3::identity);
    let end_v = v0 + force * (step / inertia.mass);
    let end_w = motion.rotation * (w0 + inverse * torque * step);
    FreeStep { velocity: stacked(end_v, end_w), response: inverse_mass(motion, inertia) }
}

/// Velocity of the implicit rule.
pub(super) fn implicit_step(
    motion: &BodyMotion,
    inertia: &Inertia,
    wrench: &Wrench,
    coupling: Option<&Coupling>,
    step: f64,
) -> FreeStep {
    let Twist { linear_in_world: v0, angular_in_body: w0 } = motion.twist;
    let mut linear_gain = Vector3::from_element(inertia.mass / step);
    let mut angular_gain = inertia.moment / step;
    let mut force = v0 * (inertia.mass / step) + wrench.force_in_world;
    let mut torque = inertia.moment * w0 / step + wrench.torque_in_body;
    if let Some(coupling) = coupling {
        let [shift, turn] = coupling.error(motion.center, &motion.rotation, &coupling.target);
        let [target_v, target_w] = coupling.target_velocity(step);
        let linear = coupling.stiffness * step + coupling.damping;
        let angular = coupling.turning_stiffness * step + coupling.turning_damping;
        linear_gain += linear;
        angular_gain += Matrix3::from_diagonal(&angular);
        force += linear.component_mul(&target_v) - coupling.stiffness.component_mul(&shift);
        torque += angular.component_mul(&target_w) - coupling.turning_stiffness.component_mul(&turn);
    }
    let invert = |about: Vector3<f64>| {
        let coriolis = (inertia.moment * about).cross_matrix();
        (angular_gain - coriolis).try_inverse().unwrap_or_else(Matrix3::identity)
    };
    let mut about = w0;
    for _ in 0..SWEEPS {
        let next = invert(about) * torque;
        let change = (next - about).norm();
        about = next;
        if change <= SETTLED * about.norm() {
            break;
        }
    }
    let inverse = invert(about);

    let turn = motion.rotation.to_rotation_matrix().into_inner();
    let mut response = Matrix6::zeros();
    for axis in 0..3 {
        response[(axis, axis)] = 1.0 / (step * linear_gain[axis]);
    }
    response.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turn * inverse * turn.transpose() / step));
    let velocity = stacked(force.component_div(&linear_gain), turn * (inverse * torque));
    FreeStep { velocity, response }
}

fn stacked(v: Vector3<f64>, w: Vector3<f64>) -> [f64; 6] {
    [v.x, v.y, v.z, w.x, w.y, w.z]
}
