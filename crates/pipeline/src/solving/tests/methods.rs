//! Laws of all methods, and of those that claim them.

use nalgebra::Vector3;

use super::scenes::{Random, Scene, rigid_response, wedged_peg};
use crate::solving::passivity_filter::{passive_scale, work};
use crate::solving::residual::{Residuals, coulomb_residual};
use crate::solving::{
    SlipRule, SolveReport, SolverMethod, SolverOptions, SolverWorkspace, SweepOptions, SweepWorkspace,
    WarmStart,
};

const PATIENT: SweepOptions = SweepOptions { sweeps: 20_000, tolerance: 1e-11, ..SweepOptions::SOR };

const METHODS: [SolverMethod; 4] = [
    SolverMethod::Ladder,
    SolverMethod::Sor(SweepOptions::SOR, SlipRule::Dissipation),
    SolverMethod::Sor(SweepOptions::SOR, SlipRule::Coulomb),
    SolverMethod::Pgs(SweepOptions::PGS),
];

/// Methods that converge to Coulomb's law, with enough sweeps.
const CONVERGENT: [SolverMethod; 3] =
    [SolverMethod::Ladder, SolverMethod::Sor(PATIENT, SlipRule::Coulomb), SolverMethod::Pgs(PATIENT)];

fn solve(method: SolverMethod, scene: &Scene, start: &[f64]) -> (SolverWorkspace, SolveReport, WarmStart) {
    let mut workspace = SolverWorkspace::default();
    let mut warm = WarmStart::default();
    let report = method.solve(
        &scene.problem(),
        start,
        &SolverOptions::default(),
        &mut warm,
        &mut workspace,
        &mut SweepWorkspace::default(),
    );
    (workspace, report, warm)
}

fn judged(scene: &Scene, workspace: &SolverWorkspace) -> Residuals {
    coulomb_residual(&scene.problem(), &workspace.impulses, &workspace.velocity)
}

/// A block of 2 kg that slides and turns on a plane, on four corners.
fn block(slide: Vector3<f64>, turn: f64, friction: f64) -> Scene {
    let mut scene = Scene::default();
    let pull = Vector3::z() * -0.0981;
    scene.add_body(rigid_response(2.0, Vector3::repeat(0.003)), slide + pull, Vector3::z() * turn);
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        scene.touch(Vector3::new(0.05 * x, 0.05 * y, -0.02), Vector3::z(), friction, 0.0);
    }
    scene
}

#[test]
fn no_method_leaves_the_cone_or_pulls() {
    let mut random = Random(5);
    for number in 0..60 {
        let scene = wedged_peg(&mut random, [0.05, 0.15, 0.4][number % 3]);
        let start: Vec<f64> = (0..6).map(|_| random.between(-0.05, 0.05)).collect();
        for relaxation in [0.7, 1.0, 1.3] {
            let options = SweepOptions { relaxation, ..SweepOptions::SOR };
            let relaxed = [SolverMethod::Sor(options, SlipRule::Dissipation), SolverMethod::Pgs(options)];
            for method in METHODS.into_iter().chain(relaxed) {
                let (workspace, ..) = solve(method, &scene, &start);
                let residuals = judged(&scene, &workspace);
                assert!(residuals.cone <= 1e-9, "{method:?} {residuals:?}");
                for entry in &workspace.impulses {
                    let pull = -entry.impulse.dot(&scene.contacts.normal.get(entry.contact));
                    assert!(pull <= 1e-15, "{method:?} {pull}");
                }
            }
        }
    }
}

#[test]
fn after_the_filter_every_method_is_passive() {
    let mut random = Random(6);
    for _ in 0..60 {
        let scene = wedged_peg(&mut random, 0.3);
        let start: Vec<f64> = (0..6).map(|_| random.between(-0.1, 0.1)).collect();
        for method in METHODS {
            let (workspace, ..) = solve(method, &scene, &start);
            let problem = scene.problem();
            let scale = passive_scale(&problem, &start, &workspace.impulses, &workspace.generalised);
            let (linear, square) = work(&problem, &start, &workspace.impulses, &workspace.generalised);
            assert!(scale * linear + scale * scale * square <= 1e-15, "{method:?}");
        }
    }
}

#[test]
fn the_results_of_every_method_are_consistent() {
    let mut random = Random(8);
    for _ in 0..40 {
        let scene = wedged_peg(&mut random, 0.15);
        for method in METHODS {
            let (workspace, report, warm) = solve(method, &scene, &scene.free_velocity);
            let mut velocity = Vec::new();
            scene.problem().respond(&workspace.generalised, &mut velocity);
            assert_eq!(velocity, workspace.velocity, "{method:?}");
            assert!(workspace.impulses.is_sorted_by_key(|entry| entry.contact), "{method:?}");
            assert_eq!(report.active, workspace.impulses.len());
            assert!(warm.ids.is_sorted() && warm.ids.len() == warm.impulses.len());
        }
    }
}

#[test]
fn where_it_converges_every_method_meets_coulomb_and_signorini() {
    for (slide, turn) in
        [(Vector3::zeros(), 0.0), (Vector3::new(0.5, 0.0, 0.0), 0.0), (Vector3::new(0.1, 0.05, 0.0), 2.0)]
    {
        let scene = block(slide, turn, 0.3);
        let mut velocities = Vec::new();
        for method in CONVERGENT {
            let (workspace, report, _) = solve(method, &scene, &scene.free_velocity);
            let residuals = judged(&scene, &workspace);
            assert!(report.converged, "{method:?} {slide} {turn} {report:?} {residuals:?}");
            assert!(residuals.coulomb < 1e-6, "{method:?} {residuals:?}");
            assert!(residuals.complementarity < 1e-6, "{method:?} {residuals:?}");
            velocities.push(workspace.velocity.clone());
        }
        // On four corners the loads are not unique; the velocity is, unless corners slide in different directions.
        for other in velocities[1..].iter().filter(|_| turn == 0.0) {
            for axis in 0..3 {
                let difference = (velocities[0][axis] - other[axis]).abs();
                assert!(difference < 1e-5, "{velocities:?}");
            }
        }
    }
}

/// Number of wedges that a method leaves with a Coulomb residual above 1e-5 m/s, and the largest [m/s].
fn unconverged(method: SolverMethod, count: u32) -> (u32, f64) {
    let mut random = Random(7);
    let mut found = (0, 0.0_f64);
    for _ in 0..count {
        let scene = wedged_peg(&mut random, 0.15);
        let (workspace, ..) = solve(method, &scene, &scene.free_velocity);
        let coulomb = judged(&scene, &workspace).coulomb;
        found = (found.0 + u32::from(coulomb > 1e-5), found.1.max(coulomb));
    }
    found
}

#[test]
fn sweeps_stall_on_wedges_and_newton_does_not() {
    assert_eq!(unconverged(SolverMethod::Ladder, 100).0, 0);
    for method in &METHODS[1..] {
        let (count, largest) = unconverged(*method, 100);
        println!("{method:?}: {count} of 100 wedges unconverged, largest residual {largest:.1e} m/s");
        assert!(count >= 20 && largest > 1e-4, "{method:?} {count} {largest}");
    }
}

#[test]
fn the_papers_rule_does_not_converge_to_coulombs_law() {
    // One corner of a block: its response differs between directions, so the largest dissipation is not opposite to the
    // slip; more sweeps change nothing.
    let mut scene = Scene::default();
    scene.add_body(
        rigid_response(2.0, Vector3::new(0.004, 0.002, 0.003)),
        Vector3::new(0.5, 0.2, -0.1),
        Vector3::zeros(),
    );
    scene.touch(Vector3::new(0.05, -0.03, -0.02), Vector3::z(), 0.3, 0.0);
    let residual = |slip: SlipRule| {
        let (workspace, report, _) = solve(SolverMethod::Sor(PATIENT, slip), &scene, &scene.free_velocity);
        assert!(report.converged);
        judged(&scene, &workspace).coulomb
    };
    assert!(residual(SlipRule::Coulomb) < 1e-9);
    assert!(residual(SlipRule::Dissipation) > 1e-4, "{}", residual(SlipRule::Dissipation));
}

#[test]
fn the_load_depends_on_the_order_of_the_contacts_for_sweeps_and_not_for_newton() {
    // A block at rest on four corners: with the ladder each carries a quarter; sweeps load the first contacts more.
    let scene = block(Vector3::zeros(), 0.0, 0.3);
    let spread = |method: SolverMethod| {
        let (workspace, ..) = solve(method, &scene, &scene.free_velocity);
        let loads = (0..4_usize).map(|contact| {
            let entry = workspace.impulses.iter().find(|entry| entry.contact == contact);
            entry.map_or(0.0, |entry| entry.impulse.z)
        });
        let (low, high) = loads.fold((f64::INFINITY, 0.0_f64), |(l, h), p| (l.min(p), h.max(p)));
        (high - low) / high
    };
    assert!(spread(SolverMethod::Ladder) < 1e-6);
    assert!(spread(SolverMethod::Pgs(PATIENT)) > 1e-3, "{}", spread(SolverMethod::Pgs(PATIENT)));
}
