//! Laws of any problem, tested on pegs wedged in their holes.

use nalgebra::Vector3;

use super::scenes::{Random, Scene, wedged_peg};
use crate::solving::contact_frame::frame_and_delassus;
use crate::solving::passivity_filter::{passive_scale, work};
use crate::solving::residual::coulomb_residual;
use crate::solving::{ContactImpulse, SolveReport, SolverOptions, SolverWorkspace, WarmStart, solve};

fn solve_from(scene: &Scene, warm: &mut WarmStart, workspace: &mut SolverWorkspace) -> SolveReport {
    solve(&scene.problem(), &SolverOptions::default(), warm, workspace)
}

/// Statistics of many solves.
#[derive(Debug, Default)]
struct Census {
    /// Solves that ended at each level.
    levels: [u32; 5],
    unconverged: u32,
    /// Solves whose residual exceeds 1e-5 m/s.
    coarse: u32,
    /// Largest Coulomb residual [m/s], and relative to the yield of the softness ε.
    coulomb: f64,
    relative: f64,
    complementarity: f64,
    cone: f64,
    evaluations: u64,
}

fn census(count: u32, friction: f64, seed: u64) -> Census {
    let (mut random, mut workspace) = (Random(seed), SolverWorkspace::default());
    let mut census = Census::default();
    for _ in 0..count {
        let scene = wedged_peg(&mut random, friction);
        let problem = scene.problem();
        let report = scene.solve_cold(&mut workspace);
        census.levels[report.level as usize] += 1;
        census.evaluations += u64::from(report.evaluations);
        census.unconverged += u32::from(!report.converged);
        if !report.converged {
            continue;
        }
        let residuals = coulomb_residual(&problem, &workspace.impulses, &workspace.velocity);
        let give = workspace
            .impulses
            .iter()
            .map(|entry| {
                1e-6 * frame_and_delassus(&problem, entry.contact)[1].trace() / 3.0 * entry.impulse.norm()
            })
            .fold(1e-7, f64::max);
        census.coarse += u32::from(residuals.coulomb > 1e-5);
        census.coulomb = census.coulomb.max(residuals.coulomb);
        census.relative = census.relative.max(residuals.coulomb / give);
        census.complementarity = census.complementarity.max(residuals.complementarity);
        census.cone = census.cone.max(residuals.cone);
    }
    census
}

#[test]
fn every_wedge_is_solved() {
    for friction in [0.05, 0.15, 0.3, 0.4, 0.6] {
        let census = census(300, friction, 7);
        assert_eq!(census.unconverged, 0, "μ {friction} {census:?}");
        assert!(census.coulomb <= 2.5e-6, "μ {friction} {census:?}");
        assert!(census.complementarity <= 1.1e-6, "μ {friction} {census:?}");
        assert!(census.cone <= 1e-9, "μ {friction} {census:?}");
    }
}

#[test]
fn exchanging_one_row_at_a_time_ends_most_cycles() {
    let (mut random, mut workspace) = (Random(5), SolverWorkspace::default());
    let mut unsolved = [0; 2];
    for _ in 0..400 {
        let scene = wedged_peg(&mut random, 0.05);
        for (count, mixed_iterations) in unsolved.iter_mut().zip([5, 22]) {
            let options = SolverOptions { mixed_iterations, highest_level: 0, ..SolverOptions::default() };
            let report = solve(&scene.problem(), &options, &mut WarmStart::default(), &mut workspace);
            *count += u32::from(!report.converged);
        }
    }
    assert!(2 * unsolved[1] < unsolved[0], "{unsolved:?} of 400 unsolved at level 0");
}

#[test]
#[ignore = "prints a table; run it when the solver changes"]
fn census_of_wedges() {
    for friction in [0.05, 0.15, 0.2, 0.3, 0.4, 0.6] {
        println!("μ {friction}: {:?}", census(5000, friction, 20_250_101));
    }
}

#[test]
fn filtered_impulses_do_no_positive_work() {
    let mut random = Random(3);
    for _ in 0..200 {
        let mut scene = wedged_peg(&mut random, 0.3);
        let count = scene.contacts.len();
        for surface in &mut scene.contacts.surface_velocity.x {
            *surface = random.between(-0.1, 0.1);
        }
        let start: Vec<f64> = (0..6).map(|_| random.between(-0.1, 0.1)).collect();
        let impulses: Vec<ContactImpulse> = (0..count.min(5))
            .map(|contact| ContactImpulse { contact, impulse: random.vector(0.1) })
            .collect();
        let mut generalised = vec![0.0; 6];
        for entry in &impulses {
            scene.contacts.add_impulse(entry.contact, entry.impulse, &mut generalised);
        }
        let problem = scene.problem();
        let scale = passive_scale(&problem, &start, &impulses, &generalised);
        let (linear, quadratic) = work(&problem, &start, &impulses, &generalised);
        assert!((0.0..=1.0).contains(&scale));
        assert!(scale * linear + scale * scale * quadratic <= 1e-15);
        // The sum of relative midpoint power over the contacts is the same number.
        let mut end = Vec::new();
        problem.respond(&generalised, &mut end);
        let middle: Vec<f64> = start.iter().zip(&end).map(|(a, b)| 0.5 * (a + b)).collect();
        let power: f64 = impulses
            .iter()
            .map(|entry| entry.impulse.dot(&scene.contacts.relative_velocity(entry.contact, &middle)))
            .sum();
        assert!((power - linear - quadratic).abs() < 1e-12);
    }
}

/// The problem with its contacts in another order.
fn shuffled(scene: &Scene, random: &mut Random) -> Scene {
    let mut order: Vec<usize> = (0..scene.contacts.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place + 1));
    }
    let mut other = Scene {
        free_velocity: scene.free_velocity.clone(),
        response: scene.response.clone(),
        ..Scene::default()
    };
    let c = &scene.contacts;
    for &i in &order {
        other.touch(c.arm_a.get(i), c.normal.get(i), c.friction[i], scene.approach[i]);
        if let Some(id) = other.contacts.id.last_mut() {
            *id = c.id[i];
        }
    }
    other
}

/// Largest difference of the velocities of centre and surface [m/s].
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let arm = |index: usize| if index % 6 < 3 { 1.0 } else { 0.025 };
    a.iter().zip(b).enumerate().map(|(index, (a, b))| arm(index) * (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_order_of_the_contacts_does_not_change_the_velocity() {
    let mut random = Random(11);
    let (mut one, mut two) = (SolverWorkspace::default(), SolverWorkspace::default());
    for number in 0..600 {
        let scene = wedged_peg(&mut random, [0.05, 0.15, 0.3, 0.6][number % 4]);
        let other = shuffled(&scene, &mut random);
        scene.solve_cold(&mut one);
        other.solve_cold(&mut two);
        assert!(distance(&one.velocity, &two.velocity) < 1e-9, "{:?} {:?}", one.velocity, two.velocity);
    }
}

#[test]
fn a_warm_start_gives_the_velocity_of_a_cold_one() {
    let mut random = Random(13);
    let (mut cold, mut hot) = (SolverWorkspace::default(), SolverWorkspace::default());
    for _ in 0..300 {
        // Little friction: one solution. At μ = 0.3 one wedge in 300 has several, and a warm start keeps its own.
        let mut scene = wedged_peg(&mut random, 0.05);
        let mut warm = WarmStart::default();
        solve_from(&scene, &mut warm, &mut hot);
        for component in &mut scene.free_velocity {
            *component *= random.between(0.9, 1.1);
        }
        let warmed = solve_from(&scene, &mut warm, &mut hot);
        scene.solve_cold(&mut cold);
        assert!(warmed.converged);
        assert!(distance(&hot.velocity, &cold.velocity) < 1e-9, "{:?} {:?}", hot.velocity, cold.velocity);
        assert!(warm.ids.is_sorted());
    }
}

#[test]
fn a_moving_surface_is_equivalent_to_a_moving_frame() {
    // If all surfaces move with one velocity, the problem is the same in their frame.
    let (mut random, drift) = (Random(17), Vector3::new(0.03, -0.2, 0.1));
    let (mut one, mut two) = (SolverWorkspace::default(), SolverWorkspace::default());
    for _ in 0..100 {
        let scene = wedged_peg(&mut random, 0.05);
        let mut moved = scene.clone();
        let count = moved.contacts.len();
        moved.contacts.surface_velocity = std::iter::repeat_n(drift, count).collect();
        for axis in 0..3 {
            moved.free_velocity[axis] += drift[axis];
        }
        // Both roots are more accurate than the comparison.
        let options = SolverOptions { tolerance: 2.5e-10, ..SolverOptions::default() };
        let _ = solve(&scene.problem(), &options, &mut WarmStart::default(), &mut one);
        let _ = solve(&moved.problem(), &options, &mut WarmStart::default(), &mut two);
        for axis in 0..3 {
            assert!((two.velocity[axis] - drift[axis] - one.velocity[axis]).abs() < 1e-9);
            assert!((two.velocity[3 + axis] - one.velocity[3 + axis]).abs() < 1e-8);
        }
    }
}
