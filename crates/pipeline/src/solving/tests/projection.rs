//! Laws of the pose projection.

use nalgebra::{Matrix6, Vector3};

use super::scenes::{Random, Scene, rigid_response};
use crate::records::Contacts;
use crate::solving::pose_projection::{ProjectionWorkspace, SLOP, project};

const HORIZON: f64 = 0.01;

/// Random contacts of random bodies with a known velocity that opens all, so the problem is feasible.
struct Feasible {
    scene: Scene,
    mass: Vec<Matrix6<f64>>,
    inside: Vec<f64>,
    start: Vec<f64>,
}

fn feasible(random: &mut Random, bodies: usize) -> Feasible {
    let mut scene = Scene::default();
    let mut mass = Vec::new();
    for _ in 0..bodies {
        let root = Matrix6::from_fn(|_, _| random.between(-0.3, 0.3));
        mass.push(root * root.transpose() + Matrix6::identity() * 0.1);
        scene.add_body(rigid_response(1.0, Vector3::repeat(1.0)), Vector3::zeros(), Vector3::zeros());
    }
    let inside: Vec<f64> = (0..6 * bodies).map(|_| random.between(-0.1, 0.1)).collect();
    let start: Vec<f64> = (0..6 * bodies).map(|_| random.between(-0.3, 0.3)).collect();
    for _ in 0..1 + random.below(60) {
        let first = random.below(bodies) as u32;
        let second = random.below(bodies) as u32;
        let (arm, normal) = (random.vector(1.0), random.vector(1.0).normalize());
        if first == second {
            scene.touch_bodies((first, arm), (crate::records::NOT_FREE, Vector3::zeros()), normal, 0.0, 0.0);
        } else {
            scene.touch_bodies((first, arm), (second, random.vector(1.0)), normal, 0.0, 0.0);
        }
        let contact = scene.contacts.len() - 1;
        scene.contacts.surface_velocity.x[contact] = random.between(-0.05, 0.05);
        let opening = normal.dot(&scene.contacts.relative_velocity(contact, &inside));
        scene.contacts.gap[contact] = random.between(0.0, 1e-4) - HORIZON * opening;
    }
    Feasible { scene, mass, inside, start }
}

fn smallest_gap(contacts: &Contacts, velocity: &[f64]) -> f64 {
    let gap = |i: usize| contacts.gap[i] + HORIZON * contacts.normal_speed(i, velocity);
    (0..contacts.len()).map(gap).fold(f64::INFINITY, f64::min)
}

fn weighted(mass: &[Matrix6<f64>], a: &[f64], b: &[f64]) -> f64 {
    mass.iter()
        .zip(a.chunks_exact(6).zip(b.chunks_exact(6)))
        .map(|(m, (a, b))| {
            let (a, b) = (nalgebra::Vector6::from_column_slice(a), nalgebra::Vector6::from_column_slice(b));
            a.dot(&(m * b))
        })
        .sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[test]
fn the_projection_is_the_nearest_point_that_opens_every_gap() {
    let (mut random, mut workspace) = (Random(5), ProjectionWorkspace::default());
    let mut moved = 0;
    for number in 0..600 {
        let Feasible { scene, mass, inside, start } = feasible(&mut random, 1 + number % 3);
        let mut velocity = start.clone();
        let contacts = &scene.contacts;
        let report =
            project(contacts, &contacts.gap, HORIZON, f64::INFINITY, &mass, &mut velocity, &mut workspace);

        assert!(report.complete, "{number} {report:?}");
        assert!((report.worst_after - smallest_gap(contacts, &velocity)).abs() < 1e-15);
        if report.pivots == 0 {
            assert!(report.worst_before >= -SLOP);
            continue;
        }
        moved += 1;
        assert!(report.worst_after >= -1.001e-9, "{number} {report:?}");
        // Variational inequality of a projection on a convex set: (U − Ū)ᵀM(Z − U) ≥ 0 for every feasible Z
        let push = difference(&velocity, &start);
        for _ in 0..50 {
            let mut other: Vec<f64> = inside.iter().map(|v| v + random.between(-0.2, 0.2)).collect();
            let mut share = 1.0;
            while smallest_gap(contacts, &other) < 0.0 && share > 1e-3 {
                share *= 0.5;
                for (z, v) in other.iter_mut().zip(&inside) {
                    *z = v + 0.5 * (*z - v);
                }
            }
            if smallest_gap(contacts, &other) < 0.0 {
                other.clone_from(&inside);
            }
            let ahead = weighted(&mass, &push, &difference(&other, &velocity));
            assert!(ahead > -1e-6, "{number} {ahead}");
            let (near, far) = (push.clone(), difference(&other, &start));
            assert!(weighted(&mass, &near, &near) <= weighted(&mass, &far, &far) + 1e-6);
        }
    }
    assert!(moved > 400);
}

#[test]
fn the_correction_is_a_sum_of_normals_at_closed_gaps() {
    // KKT with one active wall: U − Ū = M⁻¹ Jᵀλ, λ = −slack/(J M⁻¹ Jᵀ)
    let (mut random, mut workspace) = (Random(9), ProjectionWorkspace::default());
    for _ in 0..200 {
        let mut scene = Scene::default();
        let (arm, normal) = (random.vector(1.0), random.vector(1.0).normalize());
        scene.touch(arm, normal, 0.0, 0.0);
        scene.touch(arm, -normal, 0.0, 0.0);
        scene.contacts.gap[0] = -1e-4;
        scene.contacts.gap[1] = 1.0;
        let root = Matrix6::from_fn(|_, _| random.between(-0.3, 0.3));
        let mass = root * root.transpose() + Matrix6::identity() * 0.1;
        let mut velocity = vec![0.0; 6];
        let gaps = &scene.contacts.gap;
        let report =
            project(&scene.contacts, gaps, HORIZON, f64::INFINITY, &[mass], &mut velocity, &mut workspace);
        assert_eq!((report.pivots, report.complete), (1, true));

        let turn = arm.cross(&normal);
        let row = nalgebra::Vector6::new(normal.x, normal.y, normal.z, turn.x, turn.y, turn.z);
        let response = mass.try_inverse().expect("positive definite") * row;
        let expected = response * (1e-4 / HORIZON / row.dot(&response));
        assert!((nalgebra::Vector6::from_column_slice(&velocity) - expected).norm() < 1e-12);
    }
}

#[test]
fn a_wedge_too_narrow_ends_with_equal_violation_on_both_sides() {
    let mut scene = Scene::default();
    for (side, gap) in [(1.0, -3e-6), (-1.0, -1e-6)] {
        scene.touch(Vector3::new(-side, 0.0, 0.0), Vector3::x() * side, 0.0, 0.0);
        scene.set_last_gap(gap);
    }
    let mut velocity = vec![0.0; 6];
    let report = project(
        &scene.contacts,
        &scene.contacts.gap,
        HORIZON,
        f64::INFINITY,
        &[Matrix6::identity()],
        &mut velocity,
        &mut ProjectionWorkspace::default(),
    );
    assert!(!report.complete);
    assert!((report.worst_after + 2e-6).abs() < 0.01e-6, "{report:?}");
}

#[test]
fn almost_opposite_planes_do_not_move_a_body_out_of_reach() {
    // Both gaps are open only beyond the intersection of the planes: 1 µm / 1e-4 rad = 10 mm away.
    let lean = 1e-4_f64;
    let mut scene = Scene::default();
    for side in [1.0, -1.0] {
        scene.touch(Vector3::zeros(), Vector3::new(side, 0.0, lean).normalize(), 0.0, 0.0);
        scene.set_last_gap(-1e-6);
    }
    let project_within = |reach: f64| {
        let mut velocity = vec![0.0; 6];
        let (contacts, mass) = (&scene.contacts, [Matrix6::identity()]);
        let workspace = &mut ProjectionWorkspace::default();
        let report = project(contacts, &contacts.gap, HORIZON, reach, &mass, &mut velocity, workspace);
        (report, HORIZON * Vector3::new(velocity[0], velocity[1], velocity[2]).norm())
    };
    let (report, moved) = project_within(f64::INFINITY);
    assert!(report.complete && (moved - 10e-3).abs() < 1e-4, "{report:?} {moved}");
    let (report, moved) = project_within(10e-6);
    assert!(!report.complete && moved <= 14e-6, "{report:?} {moved}");
    // Never deeper than before.
    assert!(report.worst_after >= report.worst_before, "{report:?}");
}

#[test]
fn a_peg_pressed_into_its_wall_is_projected_in_few_pivots() {
    // Two rings of nearly parallel rows; the centre of the hole opens all of them.
    let (mut random, mut workspace) = (Random(41), ProjectionWorkspace::default());
    let (radius, clearance) = (24.985e-3, 32.5e-6);
    let mut most = 0;
    for number in 0..500 {
        let mut scene = Scene::default();
        let count = 20 + random.below(400);
        for (height, shift) in
            [(-0.03, random.vector(3.0 * clearance)), (0.01, random.vector(3.0 * clearance))]
        {
            for point in 0..count {
                let angle = std::f64::consts::TAU * point as f64 / count as f64;
                let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
                scene.touch(outward * radius + Vector3::z() * height, -outward, 0.0, 0.0);
                scene.set_last_gap(clearance - outward.dot(&shift));
            }
        }
        let mut mass = Matrix6::identity();
        mass.fixed_view_mut::<3, 3>(3, 3).fill_with_identity();
        mass.fixed_view_mut::<3, 3>(3, 3).scale_mut(5e-4);
        let mut velocity: Vec<f64> =
            (0..6).map(|k| random.between(-1.0, 1.0) * if k < 3 { 0.02 } else { 0.5 }).collect();
        let gaps = &scene.contacts.gap;
        let report =
            project(&scene.contacts, gaps, HORIZON, f64::INFINITY, &[mass], &mut velocity, &mut workspace);
        assert!(report.complete && report.worst_after >= -1.001e-9, "{number} {report:?}");
        most = most.max(report.pivots);
    }
    assert!(most <= 60, "{most}");
}

#[test]
fn contradicting_gaps_terminate_and_never_become_worse() {
    let (mut random, mut workspace) = (Random(21), ProjectionWorkspace::default());
    for _ in 0..300 {
        let Feasible { mut scene, mass, mut start, .. } = feasible(&mut random, 1);
        for gap in &mut scene.contacts.gap {
            *gap -= random.between(0.0, 1e-2);
        }
        let before = smallest_gap(&scene.contacts, &start);
        let gaps = &scene.contacts.gap;
        let report =
            project(&scene.contacts, gaps, HORIZON, f64::INFINITY, &mass, &mut start, &mut workspace);
        assert!(report.worst_after >= before.min(-1e-9) - 1e-9, "{report:?}");
        assert!(report.complete || report.worst_after < 0.0);
    }
}

#[test]
fn small_penetration_and_no_contacts_need_no_projection() {
    let mut velocity = vec![0.1; 6];
    let mut workspace = ProjectionWorkspace::default();
    let mass = [Matrix6::identity()];
    let report =
        project(&Contacts::default(), &[], HORIZON, f64::INFINITY, &mass, &mut velocity, &mut workspace);
    assert!(report.complete && report.pivots == 0);

    let mut scene = Scene::default();
    scene.touch(Vector3::zeros(), Vector3::z(), 0.0, 0.0);
    velocity.fill(0.0);
    let report = project(
        &scene.contacts,
        &[-0.9 * SLOP],
        HORIZON,
        f64::INFINITY,
        &mass,
        &mut velocity,
        &mut workspace,
    );
    assert!(report.complete && velocity.iter().all(|&v| v == 0.0));
}
