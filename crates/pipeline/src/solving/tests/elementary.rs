//! Cases with solutions in closed form (docs/design/math.md §2.2, §11.3).

use nalgebra::Vector3;

use super::scenes::{Scene, rigid_response};
use crate::solving::{SolveReport, SolverWorkspace};

fn solve_cold(scene: &Scene) -> (SolverWorkspace, SolveReport) {
    let mut workspace = SolverWorkspace::default();
    let report = scene.solve_cold(&mut workspace);
    (workspace, report)
}

const GRAVITY: f64 = 9.81;
const PERIOD: f64 = 0.01;

/// A slender rod of 1 kg and 1 m at arctan 2 to the ground, sliding on its lower end; pₙ in units of mgT and the
/// speed of that end afterwards [m/s].
fn sliding_rod(friction: f64, speed: f64) -> (f64, f64) {
    let (cos, sin) = (1.0 / 5_f64.sqrt(), 2.0 / 5_f64.sqrt());
    let mut scene = Scene::default();
    scene.add_body(
        rigid_response(1.0, Vector3::repeat(1.0 / 12.0)),
        Vector3::new(speed, 0.0, -GRAVITY * PERIOD),
        Vector3::zeros(),
    );
    scene.touch(Vector3::new(-0.5 * cos, 0.0, -0.5 * sin), Vector3::z(), friction, 0.0);
    let (workspace, report) = solve_cold(&scene);
    assert!(report.converged, "{friction} {speed} {report:?}");
    let pressure = workspace.impulses[0].impulse.z / (GRAVITY * PERIOD);
    (pressure, scene.contacts.relative_velocity(0, &workspace.velocity).x)
}

#[test]
fn a_rod_sliding_into_its_tip_presses_as_painleve_found() {
    // The critical friction is 4/3: pₙ/mgT = 1/(1.6 ∓ 1.2 μ)
    for friction in [0.0, 0.3, 0.6, 0.9, 1.2] {
        let (into, away) = (sliding_rod(friction, -20.0).0, sliding_rod(friction, 20.0).0);
        let (hard, easy) = (1.0 / (1.6 - 1.2 * friction), 1.0 / (1.6 + 1.2 * friction));
        assert!((into / hard - 1.0).abs() < 2e-5, "{friction}: {into} {hard}");
        assert!((away / easy - 1.0).abs() < 2e-5, "{friction}: {away} {easy}");
    }
}

#[test]
fn beyond_the_critical_friction_a_rod_sliding_into_its_tip_stops() {
    for friction in [4.0 / 3.0, 1.5, 2.0] {
        for speed in [1.0, 20.0] {
            // Impact without collision: no slip is a solution, so the tip sticks.
            let (pressure, left) = sliding_rod(friction, -speed);
            assert!(pressure > 1.0 && left.abs() < 1e-5 * speed, "{friction} {speed}: {pressure} {left}");

            let (pressure, left) = sliding_rod(friction, speed);
            let easy = 1.0 / (1.6 + 1.2 * friction);
            assert!((pressure / easy - 1.0).abs() < 2e-5 && left > 0.0, "{friction}: {pressure} {easy}");
        }
    }
}

#[test]
fn a_block_on_four_corners_sticks_below_the_friction_angle_and_slips_above() {
    let friction = 0.3_f64;
    for (excess, slips) in [(-1e-3, false), (1e-3, true)] {
        let angle = friction.atan() + f64::to_radians(excess);
        let mut scene = Scene::default();
        let pull = Vector3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY * PERIOD;
        scene.add_body(rigid_response(2.0, Vector3::repeat(0.003)), pull, Vector3::zeros());
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            scene.touch(Vector3::new(0.05 * x, 0.05 * y, -0.02), Vector3::z(), friction, 0.0);
        }

        let (workspace, report) = solve_cold(&scene);

        assert!(report.converged);
        let truth = GRAVITY * PERIOD * (angle.sin() - friction * angle.cos()).max(0.0);
        assert!((workspace.velocity[0] - truth).abs() < 2e-7, "{} {truth}", workspace.velocity[0]);
        assert_eq!(workspace.velocity[0] > 5e-7, slips);
    }
}

#[test]
fn two_free_bodies_that_touch_keep_their_momentum() {
    let mut scene = Scene::default();
    let (masses, velocities) = ([2.0, 0.5], [Vector3::new(0.3, -0.1, -1.0), Vector3::new(-0.2, 0.4, 0.7)]);
    let spins = [Vector3::new(0.1, 0.7, -0.4), Vector3::new(-1.0, 0.2, 0.3)];
    let inertia = Vector3::new(0.002, 0.003, 0.001);
    for body in 0..2 {
        scene.add_body(rigid_response(masses[body], inertia * masses[body]), velocities[body], spins[body]);
    }
    let centres = [Vector3::new(0.0, 0.0, 0.05), Vector3::new(0.01, 0.0, -0.04)];
    for point in
        [Vector3::new(0.02, 0.01, 0.0), Vector3::new(-0.02, 0.01, 0.0), Vector3::new(0.0, -0.02, 0.0)]
    {
        scene.touch_bodies((0, point - centres[0]), (1, point - centres[1]), Vector3::z(), 0.3, 0.0);
    }

    let (workspace, report) = solve_cold(&scene);

    assert!(report.converged && report.active > 0);
    let momentum = |v: &[f64]| {
        (0..2).fold((Vector3::zeros(), Vector3::zeros()), |(linear, angular), body| {
            let at = |k: usize| Vector3::new(v[6 * body + k], v[6 * body + k + 1], v[6 * body + k + 2]);
            let push = at(0) * masses[body];
            let turn = inertia.component_mul(&at(3)) * masses[body];
            (linear + push, angular + centres[body].cross(&push) + turn)
        })
    };
    let (before, after) = (momentum(&scene.free_velocity), momentum(&workspace.velocity));
    assert!((before.0 - after.0).norm() < 1e-12);
    assert!((before.1 - after.1).norm() < 1e-12);
    for contact in 0..3 {
        assert!(scene.contacts.relative_velocity(contact, &workspace.velocity).z > -1e-5, "no approach left");
    }
}
