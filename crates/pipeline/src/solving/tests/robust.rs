//! Special cases: redundant contacts, skew responses, crushed bodies, reused workspaces.

use nalgebra::Vector3;

use super::scenes::{Random, Scene, rigid_response, wedged_peg};
use crate::records::NOT_FREE;
use crate::solving::residual::{coulomb_residual, coulomb_residual_from};
use crate::solving::{SolverOptions, SolverWorkspace, WarmStart, solve};

#[test]
fn redundant_contacts_share_the_load_evenly() {
    let mut scene = Scene::default();
    scene.add_body(rigid_response(1.0, Vector3::repeat(1e-3)), Vector3::z() * -0.1, Vector3::zeros());
    for point in 0..300 {
        let angle = std::f64::consts::TAU * f64::from(point) / 300.0;
        scene.touch(Vector3::new(angle.cos(), angle.sin(), -0.5) * 0.04, Vector3::z(), 0.2, 0.0);
    }
    let (mut warm, mut workspace) = (WarmStart::default(), SolverWorkspace::default());
    let report = solve(&scene.problem(), &SolverOptions::default(), &mut warm, &mut workspace);

    assert!(report.converged);
    assert_eq!(report.active, 300);
    for entry in &workspace.impulses {
        assert!((entry.impulse - Vector3::z() * (0.1 / 300.0)).norm() < 1e-9);
    }
}

/// The skew part of W matters: impulses of the symmetric problem alone miss the law by |skew(W) P|.
#[test]
fn the_full_response_obeys_the_contact_law_where_its_symmetric_part_does_not() {
    let (mut random, mut workspace) = (Random(6), SolverWorkspace::default());
    let mut worst = [0.0_f64; 2];
    for _ in 0..200 {
        let mut scene = wedged_peg(&mut random, 0.3);
        let mut symmetric = scene.clone();
        let skew = random.vector(1.0).normalize().cross_matrix() * (0.01 * scene.response[0][(4, 4)]);
        for (row, column) in (0..9).map(|k| (k / 3, k % 3)) {
            scene.response[0][(3 + row, 3 + column)] += skew[(row, column)];
        }
        symmetric.response[0] = (scene.response[0] + scene.response[0].transpose()) * 0.5;
        for (worst, solved) in worst.iter_mut().zip([&scene, &symmetric]) {
            let options = SolverOptions::default();
            let report = solve(&solved.problem(), &options, &mut WarmStart::default(), &mut workspace);
            assert!(report.converged);
            let (problem, mut velocity) = (scene.problem(), Vec::new());
            problem.respond(&workspace.generalised, &mut velocity);
            *worst = worst.max(coulomb_residual(&problem, &workspace.impulses, &velocity).coulomb);
        }
    }
    assert!(worst[0] < 1e-5, "{worst:?}");
    assert!(worst[1] < 2e-3 && worst[1] > 10.0 * worst[0], "{worst:?}");
}

#[test]
fn a_body_crushed_between_moving_surfaces_stays_between_them() {
    for speed in [1e-3, 0.1, 10.0] {
        let mut scene = Scene::default();
        scene.add_body(rigid_response(1.0, Vector3::repeat(1e-3)), Vector3::zeros(), Vector3::zeros());
        for side in [-1.0, 1.0] {
            for (y, z) in [(0.0, 0.02), (0.02, -0.02), (-0.02, -0.02)] {
                scene.touch(Vector3::new(-0.02 * side, y, z), Vector3::x() * side, 0.3, 0.0);
                if let Some(last) = scene.contacts.surface_velocity.x.last_mut() {
                    *last = side * speed;
                }
            }
        }
        let mut workspace = SolverWorkspace::default();
        let report = scene.solve_cold(&mut workspace);
        assert!(report.converged, "{speed} {report:?}");
        assert!(workspace.velocity.iter().all(|v| v.abs() < 1e-6 * speed), "{:?}", workspace.velocity);
    }
}

#[test]
fn chains_of_bodies_are_solved() {
    let (mut random, mut workspace) = (Random(77), SolverWorkspace::default());
    for number in 0..60 {
        let mut scene = Scene::default();
        for body in 0..3_u32 {
            let peg = wedged_peg(&mut random, 0.3);
            scene.response.extend(&peg.response);
            scene.free_velocity.extend(&peg.free_velocity);
            for contact in 0..peg.contacts.len() {
                let arm = peg.contacts.arm_a.get(contact);
                let second = match body {
                    0 => (NOT_FREE, Vector3::zeros()),
                    _ => (body - 1, arm + Vector3::new(0.001, 0.002, 0.03)),
                };
                let normal = peg.contacts.normal.get(contact);
                scene.touch_bodies((body, arm), second, normal, 0.3, peg.approach[contact]);
            }
        }
        let problem = scene.problem();
        let report = scene.solve_cold(&mut workspace);
        assert!(report.converged, "{number} {report:?}");
        let residuals = coulomb_residual(&problem, &workspace.impulses, &workspace.velocity);
        assert!(residuals.coulomb < 5e-5, "{number} {residuals:?}");
    }
}

#[test]
fn a_reused_workspace_gives_the_same_bits_as_a_new_one() {
    let (mut random, mut used) = (Random(31), SolverWorkspace::default());
    for _ in 0..100 {
        let scene = wedged_peg(&mut random, 0.4);
        let (mut one, mut two) = (WarmStart::default(), WarmStart::default());
        let mut new = SolverWorkspace::default();
        let options = SolverOptions::default();
        let report = solve(&scene.problem(), &options, &mut one, &mut used);
        assert_eq!(report, solve(&scene.problem(), &options, &mut two, &mut new));
        assert_eq!((one, &used.velocity, &used.impulses), (two, &new.velocity, &new.impulses));
    }
}

#[test]
fn nan_is_reported_and_not_solved() {
    let mut scene = wedged_peg(&mut Random(2), 0.2);
    scene.free_velocity[1] = f64::NAN;
    let mut warm = WarmStart { velocity: vec![1.0; 6], ..WarmStart::default() };
    let report =
        solve(&scene.problem(), &SolverOptions::default(), &mut warm, &mut SolverWorkspace::default());
    assert!(!report.converged);
    assert_eq!(warm, WarmStart::default());

    let mut scene = wedged_peg(&mut Random(2), 0.2);
    scene.contacts.normal.y[0] = f64::NAN;
    let report =
        solve(&scene.problem(), &SolverOptions::default(), &mut warm, &mut SolverWorkspace::default());
    assert!(!report.converged);
}

#[test]
fn the_residual_with_known_open_contacts_equals_the_full_one() {
    let (mut random, mut workspace) = (Random(11), SolverWorkspace::default());
    for highest_level in [0, 4] {
        for _ in 0..300 {
            let scene = wedged_peg(&mut random, 0.3);
            let problem = scene.problem();
            let options = SolverOptions { highest_level, ..SolverOptions::default() };
            let _ = solve(&problem, &options, &mut WarmStart::default(), &mut workspace);
            let SolverWorkspace { impulses, velocity, slowest_open, .. } = &workspace;

            let all = coulomb_residual(&problem, impulses, velocity);
            let short = coulomb_residual_from(&problem, impulses, velocity, *slowest_open);

            assert_eq!(all, short);
        }
    }
}
