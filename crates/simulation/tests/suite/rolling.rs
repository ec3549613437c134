//! Turned solids on plane faces: cylinders, cones and coins roll as theory says at the step of 10 ms, discs rest across edges, and
//! what begins inside is reported.

use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::cad::{CadPart, File, step_text};
use tightfit_shape::mesh::{LengthUnit, MeshOptions, save};
use tightfit_shape::primitive::Block;
use tightfit_shape::profile::{Outline, Section, SectionedSolid};
use tightfit_simulation::{Audit, BodyBuilder, Limit, Scene, Simulation};
use tightfit_spatial::Pose;

const G: f64 = 9.81;

/// A part on a plane whose slope is the direction of the weight [rad].
fn on_a_slope(part: Part, pose: Pose, slope: f64) -> Simulation {
    let scene = Scene::builder("slope")
        .friction(0.5)
        .gravity(Vector3::new(G * slope.sin(), 0.0, -G * slope.cos()))
        .part("plane", BodyBuilder::fixed(Part::HalfSpace))
        .part("round", BodyBuilder::free(part).at(pose))
        .build()
        .expect("a scene");
    Simulation::new(scene, 1)
}

/// The same part as an exact solid.
fn exact_solid_of(part: &Part) -> Part {
    let text = step_text(part, "roller").expect("a STEP file");
    Part::Cad(CadPart::new(File::parse(text.as_bytes()).unwrap().solid(None).unwrap()).unwrap())
}

/// Gives the free body a velocity and a turning velocity in world axes.
fn push(simulation: &mut Simulation, linear: Vector3<f64>, angular: Vector3<f64>) {
    let velocity: Vec<f64> = linear.iter().chain(angular.iter()).copied().collect();
    let motion = &mut simulation.state.motions[0];
    *motion = motion.with_world_velocity(&velocity);
}

/// Kinetic energy and weight [J].
fn energy(simulation: &Simulation) -> f64 {
    let motion = &simulation.state.motions[0];
    let inertia = simulation.parameters.bodies.iter().find_map(|body| body.inertia).expect("inertia");
    let (v, w) = (motion.twist.linear_in_world, motion.twist.angular_in_body);
    0.5 * inertia.mass * v.norm_squared() + 0.5 * w.dot(&(inertia.moment * w))
        - inertia.mass * simulation.scene.gravity.dot(&motion.center)
}

/// Takes steps; each must be certified and the parts at most 0.2 µm deep.
fn run(simulation: &mut Simulation, steps: usize) {
    for step in 0..steps {
        let certificate = simulation.step();
        assert!(certificate.limits.is_empty() && certificate.converged, "step {step}: {certificate:?}");
        assert!(certificate.penetration < 0.2e-6, "step {step}: {} m deep", certificate.penetration);
    }
}

fn lying(radius: f64) -> Pose {
    Pose::new(Vector3::new(0.0, 0.0, radius), UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2))
}

/// Two rails along the slope at both sides of the middle, this far away, and a part across them.
fn on_rails(rail: &Part, part: Part, pose: Pose, slope: f64) -> Simulation {
    let along = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
    let at = |side: f64| Pose::new(Vector3::new(0.15, side * 25e-3, 0.0), along);
    let scene = Scene::builder("rails")
        .friction(0.5)
        .gravity(Vector3::new(G * slope.sin(), 0.0, -G * slope.cos()))
        .part("left", BodyBuilder::fixed(rail.clone()).at(at(-1.0)))
        .part("right", BodyBuilder::fixed(rail.clone()).at(at(1.0)))
        .part("round", BodyBuilder::free(part).at(pose))
        .build()
        .expect("a scene");
    Simulation::new(scene, 1)
}

fn cylinder(radius: f64, length: f64) -> Part {
    let half = 0.5 * length;
    let outline = [[0.0, -half], [radius, -half], [radius, half], [0.0, half]];
    Part::Sectioned(SectionedSolid::new(Section::Round, Outline::new(&outline)))
}

#[test]
fn a_roller_on_round_rails_rolls_as_on_a_plane() {
    let (rail, radius) = (10e-3, 15e-3);
    for exact in [false, true] {
        let own = |part: Part| if exact { exact_solid_of(&part) } else { part };
        let (rails, roller) = (own(cylinder(rail, 0.4)), own(cylinder(radius, 80e-3)));
        let (slope, steps): (f64, _) = (0.17, 60);
        let mut simulation = on_rails(&rails, roller, lying(rail + radius), slope);
        run(&mut simulation, steps);
        let motion = &simulation.state.motions[0];
        let speed = 2.0 / 3.0 * G * slope.sin() * 0.01 * f64::from(steps as u32);
        assert!((motion.twist.linear_in_world.x / speed - 1.0).abs() < 1e-3, "{exact} {motion:?} {speed}");
        assert!((motion.center.z - rail - radius).abs() < 0.05e-6, "{exact} {motion:?}");
    }
}

#[test]
fn a_cylinder_and_a_coin_roll_down_a_slope_with_two_thirds_of_its_pull() {
    for (radius, length) in [(20e-3, 60e-3), (12e-3, 2e-3), (2e-3, 40e-3)] {
        for slope in [1.0_f64, 5.0, 10.0, 20.0] {
            let part = Part::cylinder(radius, length).expect("a cylinder");
            let mut simulation = on_a_slope(part, lying(radius), slope.to_radians());
            run(&mut simulation, 100);
            let speed = simulation.state.motions[0].twist.linear_in_world.x;
            let theory = 2.0 / 3.0 * G * slope.to_radians().sin();
            assert!((speed / theory - 1.0).abs() < 1e-6, "{radius} m, {slope} deg: {speed} of {theory}");
        }
    }
}

/// Outlines [m] with a bore, steps, a groove or a waist: a material node ahead of the lowest point must not brake them.
#[test]
fn rings_and_stepped_rollers_roll_as_their_inertia_says() {
    let outlines: [&[[f64; 2]]; 5] = [
        &[[15e-3, -20e-3], [20e-3, -20e-3], [20e-3, 20e-3], [15e-3, 20e-3]],
        &[[10e-3, -5e-3], [20e-3, -5e-3], [20e-3, 5e-3], [10e-3, 5e-3]],
        &[[0.0, -30e-3], [20e-3, -30e-3], [20e-3, 0.0], [12e-3, 0.0], [12e-3, 30e-3], [0.0, 30e-3]],
        &[
            [0.0, -20e-3],
            [20e-3, -20e-3],
            [20e-3, -5e-3],
            [15e-3, -5e-3],
            [15e-3, 5e-3],
            [20e-3, 5e-3],
            [20e-3, 20e-3],
            [0.0, 20e-3],
        ],
        &[[0.0, -20e-3], [20e-3, -20e-3], [12e-3, 0.0], [20e-3, 20e-3], [0.0, 20e-3]],
    ];
    for outline in outlines {
        for slope in [2.0_f64, 15.0] {
            let solid = SectionedSolid::new(Section::Round, Outline::new(outline));
            let mut simulation = on_a_slope(Part::Sectioned(solid), lying(20e-3), slope.to_radians());
            let inertia = simulation.parameters.bodies.iter().find_map(|body| body.inertia).expect("inertia");
            run(&mut simulation, 100);
            let speed = simulation.state.motions[0].twist.linear_in_world.x;
            let share = 1.0 / (1.0 + inertia.moment[(2, 2)] / (inertia.mass * 20e-3 * 20e-3));
            let theory = share * G * slope.to_radians().sin();
            assert!((speed / theory - 1.0).abs() < 1e-5, "{outline:?}, {slope} deg: {speed} of {theory}");
        }
    }
}

/// On the narrow table the line of contact ends at its edges, on the wide one at those of the collar.
#[test]
fn a_stepped_shaft_lies_on_a_table_and_rolls_on_one_wider_than_its_collar() {
    let outline = [
        [0.0, -40e-3],
        [8e-3, -40e-3],
        [8e-3, -16e-3],
        [12e-3, -16e-3],
        [12e-3, 16e-3],
        [6e-3, 16e-3],
        [6e-3, 40e-3],
        [0.0, 40e-3],
    ];
    for width in [30e-3, 50e-3] {
        let shaft = Part::Sectioned(SectionedSolid::new(Section::Round, Outline::new(&outline)));
        let table = Part::Block(Block::new(Vector3::new(100e-3, width, 20e-3)).expect("a block"));
        let scene = Scene::builder("shaft")
            .friction(0.5)
            .gravity(Vector3::new(0.2, 0.0, -G))
            .part(
                "table",
                BodyBuilder::fixed(table).at(Pose::from_translation(Vector3::new(0.0, 0.0, -10e-3))),
            )
            .part("shaft", BodyBuilder::free(shaft).at(lying(12.01e-3)))
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        let audit = Audit::new(&simulation.scene, &simulation.parameters);
        let inertia = simulation.parameters.bodies.iter().find_map(|body| body.inertia).expect("inertia");
        for step in 0..60 {
            run(&mut simulation, 1);
            let depth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
            assert!(depth < 0.3e-6, "{width} m, step {step}: {depth} m deep");
        }
        let speed = simulation.state.motions[0].twist.linear_in_world.x;
        let share = 1.0 / (1.0 + inertia.moment[(2, 2)] / (inertia.mass * 12e-3 * 12e-3));
        if width > 32e-3 {
            assert!((speed / (share * 0.2 * 0.6) - 1.0).abs() < 1e-3, "{width} m: {speed} m/s");
        }
    }
}

#[test]
fn a_cylinder_that_rolls_keeps_its_energy() {
    let part = Part::cylinder(20e-3, 60e-3).expect("a cylinder");
    for slope in [0.0, -0.1] {
        let mut simulation = on_a_slope(part.clone(), lying(20e-3), slope);
        push(&mut simulation, Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0 / 20e-3, 0.0));
        let before = energy(&simulation);
        run(&mut simulation, 300);
        let after = energy(&simulation);
        assert!((after / before - 1.0).abs() < 1e-6, "{before} J, {after} J");
    }
}

/// A cone of half-angle α rolls about its tip: ω along the line of contact turns its axis by Ω = ω tan α.
#[test]
fn a_cone_rolls_about_its_tip() {
    let (radius, length) = (20e-3, 60e-3);
    let half_angle = f64::atan2(radius, length);
    let part = Part::cone(radius, 0.0, length).expect("a cone");
    // the tip is at +z of the part; the line of contact is along −x from there
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2 + half_angle);
    let tip = turn * Vector3::new(0.0, 0.0, length / 2.0);
    let pose = Pose::new(Vector3::new(0.0, 0.0, -tip.z), turn);
    let mut simulation = on_a_slope(part, pose, 0.0);
    let turning = 4.0;
    let angular = Vector3::new(turning, 0.0, 0.0);
    let center = simulation.state.motions[0].center;
    push(&mut simulation, angular.cross(&Vector3::new(0.0, 0.0, center.z)), angular);
    let before = energy(&simulation);
    let steps = 100;
    run(&mut simulation, steps);
    let after = energy(&simulation);
    // friction acts where the cone touched when the step began, 0.8 deg behind
    assert!((after / before - 1.0).abs() < 1e-5, "{before} J, {after} J");
    let motion = &simulation.state.motions[0];
    let axis = motion.rotation * Vector3::z();
    let expected = turning * half_angle.tan() * steps as f64 * 0.01;
    let angle = axis.y.atan2(axis.x).abs();
    assert!((angle / expected - 1.0).abs() < 5e-3, "{angle} rad of {expected}");
}

/// Flat parts rest on their rim, across an edge of a table too.
#[test]
fn a_disc_rests_flat_across_the_edge_of_a_table() {
    let table = Part::Block(Block::new(Vector3::new(0.2, 0.2, 0.02)).expect("a block"));
    for beside in [0.0, 0.08, 0.09, 0.098] {
        let disc = Part::cylinder(10e-3, 4e-3).expect("a disc");
        let scene = Scene::builder("table")
            .friction(0.3)
            .gravity(Vector3::new(0.0, 0.0, -G))
            .part("table", BodyBuilder::fixed(table.clone()))
            .part(
                "disc",
                BodyBuilder::free(disc)
                    .at(Pose::new(Vector3::new(beside, 0.0, 12.1e-3), UnitQuaternion::identity())),
            )
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        run(&mut simulation, 100);
        let motion = &simulation.state.motions[0];
        assert!((motion.center.z - 12e-3).abs() < 0.2e-6, "{beside}: {}", motion.center.z);
        assert!(motion.rotation.angle() < 1e-5, "{beside}: {}", motion.rotation.angle());
    }
}

/// Neither rims nor edges are near where a plate cuts a rod or a disc in two.
#[test]
fn a_rod_or_a_disc_that_begins_through_a_plate_is_reported() {
    let plate = Part::Block(Block::new(Vector3::new(0.2, 0.2, 4e-3)).expect("a block"));
    let turned = |x: f64| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), x);
    let begins = [
        // upright, its middle above the plate; slanted; lying with its wall through the plate
        (Part::cylinder(5e-3, 80e-3), Pose::new(Vector3::new(0.01, 0.0, 20e-3), turned(0.0))),
        (Part::cylinder(5e-3, 80e-3), Pose::new(Vector3::new(0.01, 0.0, 15e-3), turned(0.7))),
        (Part::cylinder(30e-3, 3e-3), Pose::new(Vector3::new(0.01, 0.0, 15e-3), turned(FRAC_PI_2))),
        (Part::cone(10e-3, 0.0, 50e-3), Pose::new(Vector3::new(0.01, 0.0, 10e-3), turned(FRAC_PI_2 * 2.0))),
    ];
    for (place, (part, pose)) in begins.into_iter().enumerate() {
        let scene = Scene::builder("through")
            .gravity(Vector3::new(0.0, 0.0, -G))
            .part("plate", BodyBuilder::fixed(plate.clone()))
            .part("rod", BodyBuilder::free(part.expect("a turned part")).at(pose))
            .build()
            .expect("a scene");
        let certificate = Simulation::new(scene, 1).step();
        assert!(certificate.limits.contains(Limit::BeganInside), "{place}: {certificate:?}");
    }
}

/// The tangent of the edge's distance would foretell a contact 4 mm ahead and lift the roller by a quarter of a millimetre.
#[test]
fn a_roller_leaves_a_table_without_being_lifted() {
    let radius = 10e-3;
    for speed in [0.1, 0.28, 0.6] {
        let table = Part::Block(Block::new(Vector3::new(0.2, 0.2, 0.02)).expect("a block"));
        let roller = Part::cylinder(radius, 40e-3).expect("a cylinder");
        let start = Pose::new(Vector3::new(0.06, 0.02, radius), lying(radius).rotation);
        let scene = Scene::builder("table")
            .friction(0.3)
            .gravity(Vector3::new(0.0, 0.0, -G))
            .part(
                "table",
                BodyBuilder::fixed(table).at(Pose::from_translation(Vector3::new(0.0, 0.0, -0.01))),
            )
            .part("roller", BodyBuilder::free(roller).at(start))
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        push(&mut simulation, Vector3::new(speed, 0.0, 0.0), Vector3::new(0.0, speed / radius, 0.0));
        for _ in 0..(0.08 / speed / 0.01) as usize {
            run(&mut simulation, 1);
            let center = simulation.state.motions[0].center;
            assert!(center.z < radius + 2e-6, "{speed} m/s: {} m up at {}", center.z - radius, center.x);
        }
        assert!(simulation.state.motions[0].center.z < radius - 1e-3, "it never left");
    }
}

/// A ball on a slope of triangles slides and rolls as on a plane: the triangles ahead of it do not brake it.
#[test]
fn a_ball_on_a_mesh_moves_as_on_a_plane() {
    let plate = Block::new(Vector3::new(0.6, 0.1, 0.02))
        .unwrap()
        .mesh(&MeshOptions { max_edge: 20e-3, ..MeshOptions::default() });
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plate-of-triangles.stl");
    save(&plate, &path, LengthUnit::Millimetre).unwrap();
    let angle = 8.0_f64.to_radians();
    let slope = 9.81 * angle.sin();
    for (friction, share) in [(0.0, 1.0), (0.5, 5.0 / 7.0)] {
        let text = format!(
            "name = 'a'\nfriction = {friction}\ngravity_m_s2 = [{slope}, 0, {}]\n\
             [parts.plate]\nshape = {{ kind = 'mesh', file = '{}', unit = 'mm' }}\nmotion = 'fixed'\n\
             [parts.ball]\nshape = {{ kind = 'sphere', diameter_mm = 20 }}\nposition_mm = [-200, 3, 20]\n",
            -9.81 * angle.cos(),
            path.display()
        );
        let mut run = Simulation::new(Scene::from_toml(&text).unwrap(), 1);
        while run.time() < 0.5 - 1e-9 {
            assert!(run.step().penetration < 0.2e-6);
        }
        let ball = &run.state.motions[0];
        let speed = ball.world_velocity()[0];
        let true_speed = share * slope * 0.5;
        assert!((speed / true_speed - 1.0).abs() < 5e-3, "{speed} of {true_speed} m/s, friction {friction}");
        assert!((ball.center.z - 20e-3).abs() < 1e-6, "{} m high", ball.center.z);
    }
}
