//! Conforming faces: hundreds of contacts within nanometres of carrying load.

use nalgebra::Vector3;

use super::scenes::{Random, Scene, rigid_response};
use crate::solving::residual::{Residuals, coulomb_residual, coulomb_residual_from};
use crate::solving::{SolverOptions, SolverWorkspace, WarmStart, solve};

/// A block of 0.6 kg, 40 mm wide, that slides on 21 × 21 nodes; their gaps differ by nanometres.
fn block_on_a_face(random: &mut Random) -> Scene {
    let mut scene = Scene::default();
    let (mass, period) = (0.6, 0.01);
    let slip = Vector3::new(0.1, 0.02, 0.0);
    let pushed = slip - Vector3::z() * (9.81 * period) + random.vector(1e-3);
    scene.add_body(rigid_response(mass, Vector3::new(1e-4, 1e-4, 1.6e-4)), pushed, random.vector(0.01));
    for row in 0..21 {
        for column in 0..21 {
            let at = Vector3::new(f64::from(row) - 10.0, f64::from(column) - 10.0, -5.0) * 2e-3;
            let gap = random.between(0.0, 5e-9);
            scene.touch_fixed(at, Vector3::z(), 0.1, 2.0 * gap / period);
        }
    }
    scene
}

#[test]
fn a_load_shared_by_many_contacts_obeys_the_law_within_the_promised_tolerance() {
    let mut random = Random(5);
    let (mut hard, mut shared) = (SolverWorkspace::default(), SolverWorkspace::default());
    let mut warm = WarmStart::default();
    let mut most = 0;
    for _ in 0..30 {
        let scene = block_on_a_face(&mut random);
        let problem = scene.problem();
        let cold = scene.solve_cold(&mut hard);
        let report = solve(&problem, &SolverOptions::default(), &mut warm, &mut shared);

        assert!(cold.converged && report.converged);
        most = most.max(report.active);
        let residuals = coulomb_residual(&problem, &shared.impulses, &shared.velocity);
        assert!(residuals.coulomb < 2e-6 && residuals.complementarity < 2e-6, "{residuals:?}");
        assert!(residuals.cone < 1e-12, "{residuals:?}");
        // Motion along the normal and tilts of the face, 2e-6 m/s at 20 mm. How friction turns the block about the
        // normal depends on the distribution of the load, which rigid bodies leave open.
        for (place, most) in [(2, 2e-6), (3, 2e-4), (4, 2e-4)] {
            let miss = (shared.velocity[place] - hard.velocity[place]).abs();
            assert!(miss < most, "{miss} m/s or rad/s in component {place}");
        }
    }
    assert!(most > 8, "the load is shared by {most} contacts only");
}

#[test]
fn the_residual_of_all_contacts_is_the_largest_of_the_single_ones() {
    let mut random = Random(6);
    let mut workspace = SolverWorkspace::default();
    let (mut warm, mut count) = (WarmStart::default(), 0);
    for _ in 0..30 {
        let scene = block_on_a_face(&mut random);
        let _ = solve(&scene.problem(), &SolverOptions::default(), &mut warm, &mut workspace);
        // Impulses that violate the law by more than rounding.
        for (place, entry) in workspace.impulses.iter_mut().enumerate() {
            entry.impulse *= 1.0 - 1e-3 * (place % 3) as f64;
        }
        let SolverWorkspace { impulses, velocity, .. } = &workspace;
        let together = coulomb_residual_from(&scene.problem(), impulses, velocity, Some(1.0));
        let mut largest = Residuals::default();
        for entry in impulses {
            let one = coulomb_residual_from(&scene.problem(), &[*entry], velocity, Some(1.0));
            largest.coulomb = largest.coulomb.max(one.coulomb);
            largest.complementarity = largest.complementarity.max(one.complementarity);
            largest.cone = largest.cone.max(one.cone);
        }
        let miss = (together.coulomb - largest.coulomb).abs();
        assert!(miss <= 1e-9 * largest.coulomb, "{together:?} {largest:?}");
        assert_eq!((together.complementarity, together.cone), (largest.complementarity, largest.cone));
        count += impulses.len();
    }
    assert!(count > 300, "{count}");
}
