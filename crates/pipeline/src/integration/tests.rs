//! Which invariants each rule preserves (docs/design/math.md §1.3).

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use tightfit_spatial::{Inertia, Pose, Twist, Wrench};

use super::{BodyMotion, Coupling, IntegrationMethod, advance_pose};

/// The asymmetric top of docs/design/math.md §1.3.
fn top() -> (BodyMotion, Inertia) {
    let moment = Matrix3::from_diagonal(&Vector3::new(0.8e-3, 1.1e-3, 1.5e-3));
    let inertia = Inertia::new(0.5, Vector3::zeros(), moment).unwrap();
    let twist = Twist::new(Vector3::zeros(), Vector3::new(3.0, 4.0, 2.0));
    (BodyMotion { center: Vector3::zeros(), rotation: UnitQuaternion::identity(), twist }, inertia)
}

fn advance(
    method: IntegrationMethod,
    motion: &mut BodyMotion,
    inertia: &Inertia,
    coupling: Option<&Coupling>,
    step: f64,
) {
    let free = method.free_step(motion, inertia, &Wrench::zero(), coupling, step);
    let start = motion.world_velocity();
    let moved: Vec<f64> = (0..6).map(|k| method.pose_velocity(start[k], free.velocity[k])).collect();
    let next = motion.with_world_velocity(&free.velocity).twist;
    advance_pose(motion, &moved, step);
    motion.twist = next;
}

/// Relative change of energy and of the length of the angular momentum after a time at 10 ms.
fn drift(method: IntegrationMethod, seconds: f64) -> [f64; 2] {
    let (mut motion, inertia) = top();
    let spin = |m: &BodyMotion| inertia.moment * m.twist.angular_in_body;
    let energy = |m: &BodyMotion| m.twist.angular_in_body.dot(&spin(m)) / 2.0;
    let [start_energy, start_spin] = [energy(&motion), spin(&motion).norm()];
    for _ in 0..(seconds * 100.0) as usize {
        advance(method, &mut motion, &inertia, None, 0.01);
    }
    [energy(&motion) / start_energy - 1.0, spin(&motion).norm() / start_spin - 1.0]
}

#[test]
fn both_midpoint_rules_keep_the_energy_of_a_free_top() {
    for method in [IntegrationMethod::Midpoint, IntegrationMethod::PaperMidpoint] {
        let [energy, _] = drift(method, 100.0);
        assert!(energy.abs() < 1e-11, "{method:?} {energy:e}");
    }
}

#[test]
fn only_the_midpoint_of_c_keeps_the_angular_momentum() {
    let [_, ours] = drift(IntegrationMethod::Midpoint, 100.0);
    let [_, paper] = drift(IntegrationMethod::PaperMidpoint, 100.0);
    assert!(ours.abs() < 1e-11, "{ours:e}");
    // it ends turning about its major axis: |L|² = 2 E J₃, from |L|² = |Jω₀|²
    let (motion, inertia) = top();
    let spin = inertia.moment * motion.twist.angular_in_body;
    let most = (1.5e-3 * motion.twist.angular_in_body.dot(&spin)).sqrt() / spin.norm() - 1.0;
    assert!((paper / most - 1.0).abs() < 0.01, "{paper} {most}");
}

#[test]
fn the_papers_c_adds_angular_momentum_in_every_step_as_derived() {
    let (mut motion, inertia) = top();
    for _ in 0..200 {
        let before = motion;
        advance(IntegrationMethod::PaperMidpoint, &mut motion, &inertia, None, 0.01);
        let spin = |m: &BodyMotion| inertia.moment * m.twist.angular_in_body;
        let middle = (before.twist.angular_in_body + motion.twist.angular_in_body) / 2.0;
        let derived = 1e-4 * spin(&before).cross(&middle).norm_squared();
        let found = spin(&motion).norm_squared() - spin(&before).norm_squared();
        assert!(found > 0.0 && (found / derived - 1.0).abs() < 1e-6, "{found:e} {derived:e}");
    }
}

#[test]
fn euler_makes_or_loses_the_energy_of_a_free_top() {
    for method in [IntegrationMethod::ExplicitEuler, IntegrationMethod::SemiImplicitEuler] {
        let [energy, spin] = drift(method, 20.0);
        assert!(energy > 0.01 && spin > 0.01, "{method:?} {energy} {spin}");
    }
    let [energy, spin] = drift(IntegrationMethod::ImplicitEuler, 20.0);
    assert!(energy < -0.01 && spin < -0.01, "{energy} {spin}");
}

/// Energy of a mass on a spring after 100 periods of 20 steps, in units of that at the start.
fn spring_energy(method: IntegrationMethod) -> f64 {
    let (mut motion, inertia) = top();
    motion.twist = Twist::zero();
    motion.center = Vector3::new(1e-3, 0.0, 0.0);
    let step = 0.01;
    let rate = std::f64::consts::TAU / (20.0 * step);
    let coupling = Coupling {
        stiffness: Vector3::repeat(inertia.mass * rate * rate),
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
    for _ in 0..2000 {
        advance(method, &mut motion, &inertia, Some(&coupling), step);
    }
    energy(&motion) / start
}

#[test]
fn a_spring_keeps_its_energy_by_the_midpoint_alone() {
    for method in [IntegrationMethod::Midpoint, IntegrationMethod::PaperMidpoint] {
        assert!((spring_energy(method) - 1.0).abs() < 1e-11, "{method:?}");
    }
    // per step: explicit 1 + (ωT)², implicit its inverse; semi-implicit stays within 1 ± ωT/2
    let per_step = 1.0 + (std::f64::consts::TAU / 20.0_f64).powi(2);
    let explicit = spring_energy(IntegrationMethod::ExplicitEuler);
    assert!((explicit / per_step.powi(2000) - 1.0).abs() < 1e-9, "{explicit:e}");
    let implicit = spring_energy(IntegrationMethod::ImplicitEuler);
    assert!((implicit * per_step.powi(2000) - 1.0).abs() < 1e-9, "{implicit:e}");
    let bounded = spring_energy(IntegrationMethod::SemiImplicitEuler);
    assert!((bounded - 1.0).abs() < 0.2 && (bounded - 1.0).abs() > 1e-6, "{bounded}");
}

#[test]
fn an_impulse_changes_the_end_velocity_as_the_response_says() {
    let (motion, inertia) = top();
    let load = Wrench::new(Vector3::new(0.3, -0.2, 0.1), Vector3::new(1e-3, -2e-3, 5e-4));
    // without turning C does not answer, and W is exact
    let still = BodyMotion { twist: Twist::new(Vector3::x(), Vector3::zeros()), ..motion };
    for method in IntegrationMethod::ALL {
        let free = method.free_step(&still, &inertia, &Wrench::zero(), None, 0.01);
        let loaded = method.free_step(&still, &inertia, &load, None, 0.01);
        let impulse = [load.force_in_world * 0.01, load.torque_in_body * 0.01];
        let stacked = nalgebra::Vector6::from_iterator(impulse.iter().flat_map(|v| v.iter().copied()));
        let change = free.response * stacked;
        for k in 0..6 {
            let found = loaded.velocity[k] - free.velocity[k];
            assert!((found - change[k]).abs() < 1e-3 * change.norm(), "{method:?} {k}");
        }
    }
}
