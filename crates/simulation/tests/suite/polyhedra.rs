//! Solids bounded by planes: what the certificate says against separating axes, step by step.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use crate::truth::{Convex, Truth, overlap};
use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_shape::primitive::Block;
use tightfit_simulation::{BodyBuilder, Drive, Limit, Parameters, Scene, Simulation, State, Workspace};
use tightfit_spatial::{Pose, SplitMix};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

fn block(size: [f64; 3]) -> Part {
    Part::Block(Block::new(Vector3::from(size)).expect("a block"))
}

fn turned(position: [f64; 3], angles: [f64; 3]) -> Pose {
    Pose::new(Vector3::from(position), UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]))
}

/// A hexagonal prism of this width and length [m].
fn hexagon(diameter: f64, length: f64) -> (Part, Convex) {
    let section = FitSection::Polygon { sides: 6, corner_radius: 0.0 };
    let peg = PegDimensions { section, diameter, length, tip_chamfer: 0.0, tail_chamfer: 0.0 };
    let part = Part::Sectioned(peg.build().expect("a prism"));
    let solid = part.polyhedron().expect("planes");
    let heights = solid.corners.iter().map(|corner| corner.position.z);
    let heights = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], z| [a.min(z), b.max(z)]);
    let (radius, first) = (0.5 * diameter / (PI / 6.0).cos(), solid.corners[0].position.xy());
    let corner = |k: usize| {
        let angle = first.y.atan2(first.x) + k as f64 * PI / 3.0;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let polygon: Vec<_> = (0..6).map(corner).collect();
    (part, Convex::prism(&polygon, heights))
}

/// What a run came to.
struct Checked {
    /// Largest depth by separating axes [m].
    deepest: f64,
    /// Steps that the certificate does not vouch for.
    limited: usize,
    simulation: Simulation,
}

/// Runs a scene and compares certificate and truth in every step: what is deeper than the certificate says is named as a limit.
fn check(name: &str, scene: Scene, truth: &Truth, steps: usize) -> Checked {
    let mut simulation = Simulation::new(scene, 1);
    let (mut deepest, mut limited) = (0.0_f64, 0);
    for step in 0..steps {
        let certificate = simulation.step();
        let depth = truth.depth(&simulation);
        let is_limited = [Limit::NotConverged, Limit::ProjectionIncomplete]
            .iter()
            .any(|limit| certificate.limits.contains(*limit));
        deepest = deepest.max(depth);
        assert!(
            depth < 0.2e-6 || certificate.penetration >= 0.9 * depth || is_limited,
            "{name}, step {step}: {:.3} um certified, {:.3} um true",
            1e6 * certificate.penetration,
            1e6 * depth
        );
        limited += usize::from(is_limited);
    }
    Checked { deepest, limited, simulation }
}

#[test]
fn two_bars_rest_ridge_on_ridge() {
    let size = [0.2, 0.04, 0.04];
    let half = 0.04 / 2.0 * 2f64.sqrt();
    for turn in [FRAC_PI_2, 0.9, 0.3] {
        let scene = Scene::builder("ridges")
            .gravity(GRAVITY)
            .friction(0.5)
            .part("low", BodyBuilder::fixed(block(size)).at(turned([0.0, 0.0, half], [FRAC_PI_4, 0.0, 0.0])))
            .part(
                "up",
                BodyBuilder::free(block(size))
                    .at(turned([0.0, 1.3e-3, 3.0 * half + 5e-4], [FRAC_PI_4, 0.0, turn])),
            )
            .build()
            .unwrap();
        let truth = Truth(vec![vec![Convex::block(size, [0.0; 3])]; 2]);
        let Checked { deepest, limited, .. } = check("ridges", scene, &truth, 60);
        assert_eq!(limited, 0);
        assert!(deepest < 1e-6, "{deepest}");
    }
}

#[test]
fn a_box_falls_over_the_edge_of_a_table() {
    let (table, size) = ([0.2, 0.2, 0.04], [0.06, 0.04, 0.03]);
    for tilt in [[25.0, 35.0, 20.0], [5.0, 60.0, -40.0], [0.0, 30.0, 0.0], [45.0, 0.0, 10.0]] {
        let scene = Scene::builder("box")
            .gravity(GRAVITY)
            .friction(0.4)
            .part("table", BodyBuilder::fixed(block(table)).at(turned([0.0, 0.0, -0.02], [0.0; 3])))
            .part(
                "box",
                BodyBuilder::free(block(size)).at(turned([0.095, 0.003, 0.045], tilt.map(f64::to_radians))),
            )
            .build()
            .unwrap();
        let truth = Truth(vec![vec![Convex::block(table, [0.0; 3])], vec![Convex::block(size, [0.0; 3])]]);
        let Checked { deepest, limited, .. } = check("box", scene, &truth, 100);
        assert_eq!(limited, 0);
        assert!(deepest < 1e-6, "{tilt:?}: {deepest}");
    }
}

#[test]
fn a_stack_of_five_stays_where_it_is() {
    let side = 0.05;
    let mut builder = Scene::builder("stack").gravity(GRAVITY).friction(0.3);
    builder = builder.part("floor", BodyBuilder::fixed(Part::HalfSpace));
    for k in 0..5 {
        let position = Vector3::new(0.0, 0.0, side * (f64::from(k) + 0.5));
        let cube = BodyBuilder::free(block([side; 3])).position(position).mass(0.98125);
        builder = builder.part(&format!("c{k}"), cube);
    }
    let floor = Convex::block([1.0, 1.0, 0.1], [0.0, 0.0, -0.05]);
    let cube = Convex::block([side; 3], [0.0; 3]);
    let truth = Truth(vec![
        vec![floor],
        vec![cube.clone()],
        vec![cube.clone()],
        vec![cube.clone()],
        vec![cube.clone()],
        vec![cube],
    ]);
    let Checked { deepest, limited, simulation } = check("stack", builder.build().unwrap(), &truth, 300);
    assert_eq!(limited, 0);
    assert!(deepest < 0.1e-6, "{deepest}");
    for (k, body) in simulation.scene.body_ids().skip(1).enumerate() {
        let pose = simulation.world_from_part(body);
        let drift = pose.translation - Vector3::new(0.0, 0.0, side * (k as f64 + 0.5));
        assert!(drift.norm() < 1e-6 && pose.rotation.angle() < 1e-6, "cube {k}: {drift:?}");
    }
}

/// The soft contact law would yield under the heavy one by 0.2 mm/s.
#[test]
fn a_body_rests_on_one_that_is_a_hundred_thousand_times_lighter() {
    let (light, heavy) = ([0.04, 0.04, 0.02], [0.06, 0.05, 0.04]);
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.35);
    let scene = Scene::builder("heavy over light")
        .gravity(GRAVITY)
        .friction(0.4)
        .part("floor", BodyBuilder::fixed(Part::HalfSpace))
        .part("light", BodyBuilder::free(block(light)).position(Vector3::new(0.0, 0.0, 0.01)).mass(0.01))
        .part(
            "heavy",
            BodyBuilder::free(block(heavy))
                .position(Vector3::new(0.002, 0.003, 0.0405))
                .rotation(turned)
                .mass(1000.0),
        )
        .build()
        .unwrap();
    let floor = Convex::block([1.0, 1.0, 0.1], [0.0, 0.0, -0.05]);
    let truth =
        Truth(vec![vec![floor], vec![Convex::block(light, [0.0; 3])], vec![Convex::block(heavy, [0.0; 3])]]);
    let Checked { deepest, limited, simulation } = check("heavy over light", scene, &truth, 50);
    assert_eq!(limited, 0);
    assert!(deepest < 0.1e-6, "{deepest}");
    for motion in &simulation.state.motions {
        let [along, turning] =
            [0, 3].map(|first| Vector3::from_column_slice(&motion.world_velocity()[first..first + 3]));
        let farthest = 0.05;
        assert!(along.norm() + turning.norm() * farthest < 2e-6, "{motion:?}");
    }
}

/// Two blocks and a hexagonal prism fall onto a tilted block and onto each other, from random attitudes.
#[test]
fn solids_that_tumble_onto_each_other_do_not_overlap() {
    let mut limited_runs = 0;
    for seed in 0..20 {
        let mut random = SplitMix::stream(seed);
        let mut solids = Vec::new();
        let mut builder = Scene::builder("tumble").gravity(GRAVITY).friction(0.3 + 0.3 * random.signed());
        let table = [0.12, 0.1, 0.03];
        let tilt = random.centered_cube() * 0.3;
        builder = builder
            .part("table", BodyBuilder::fixed(block(table)).at(turned([0.0, 0.0, -0.02], tilt.into())));
        solids.push(vec![Convex::block(table, [0.0; 3])]);
        for k in 0..3 {
            let size: [f64; 3] = random.centered_cube().map(|x| 0.03 + 0.03 * x).into();
            let attitude = random.centered_cube() * 3.0;
            let place = [0.03 * random.signed(), 0.03 * random.signed(), 0.06 + 0.06 * f64::from(k)];
            let part = if k == 1 {
                let (part, convex) = hexagon(0.03, 0.02);
                solids.push(vec![convex]);
                part
            } else {
                solids.push(vec![Convex::block(size, [0.0; 3])]);
                block(size)
            };
            builder =
                builder.part(&format!("b{k}"), BodyBuilder::free(part).at(turned(place, attitude.into())));
        }
        let Checked { deepest, limited, .. } =
            check(&format!("seed {seed}"), builder.build().unwrap(), &Truth(solids), 120);
        assert!(limited > 0 || deepest < 1e-6, "seed {seed}: {deepest}");
        limited_runs += usize::from(limited > 0);
    }
    // impacts at 1.5 m/s turn small blocks by tens of radians per second
    assert!(limited_runs <= 4, "{limited_runs} of 20 runs with limits");
}

/// A square peg is pressed into a square hole, yawed, tilted and shaken: it goes in, or stays at the mouth.
#[test]
fn a_yawed_square_peg_stays_outside_the_walls_of_its_hole() {
    let section = FitSection::Polygon { sides: 4, corner_radius: 0.0 };
    let [bore, width, depth, outer, length] = [40.05e-3, 40e-3, 40e-3, 70e-3, 60e-3];
    let hole =
        HoleDimensions { section, diameter: bore, depth, floor: None, chamfer: 0.0, outer_diameter: outer };
    let peg = PegDimensions { section, diameter: width, length, tip_chamfer: 0.0, tail_chamfer: 0.0 };
    let wall = (outer - bore) / 2.0;
    let beside = (outer + bore) / 4.0;
    let walls = vec![
        Convex::block([wall, outer, depth], [beside, 0.0, -depth / 2.0]),
        Convex::block([wall, outer, depth], [-beside, 0.0, -depth / 2.0]),
        Convex::block([outer, wall, depth], [0.0, beside, -depth / 2.0]),
        Convex::block([outer, wall, depth], [0.0, -beside, -depth / 2.0]),
    ];
    let truth = Truth(vec![walls, vec![Convex::block([width, width, length], [0.0, 0.0, length / 2.0])]]);
    for (seed, yaw, tilt) in [(777, 4.0_f64, 2.0_f64), (1, 0.05, 0.0), (2, 1.0, 0.5), (3, 0.0, 5.0)] {
        let turn = |tilt: f64, yaw: f64| {
            UnitQuaternion::from_euler_angles(tilt.to_radians(), 0.5 * tilt.to_radians(), yaw.to_radians())
        };
        let scene = Scene::builder("square")
            .friction(0.15)
            .gravity(Vector3::zeros())
            .part("hole", BodyBuilder::fixed(Part::Sectioned(hole.build().unwrap())))
            .part("peg", BodyBuilder::free(Part::Sectioned(peg.build().unwrap())))
            .drive(
                Drive::springs("peg")
                    .stiffness(Vector3::repeat(2000.0))
                    .turning_stiffness(Vector3::repeat(2.0))
                    .damping(50.0)
                    .waypoint_pose(0.0, Pose::new(Vector3::new(0.0, 0.0, 1.5e-3), turn(tilt, yaw)))
                    .waypoint_pose(0.8, Pose::new(Vector3::new(2e-4, 0.0, -15e-3), turn(0.0, 0.0))),
            )
            .build()
            .unwrap();
        let Checked { deepest, limited, .. } = check(&format!("peg {seed}"), scene, &truth, 150);
        assert_eq!(limited, 0);
        assert!(deepest < 1e-6, "{yaw} {tilt}: {deepest}");
    }
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let size = [0.01, 0.04, 0.08];
    let mut builder = Scene::builder("dominoes").gravity(GRAVITY).friction(0.4);
    builder = builder.part("floor", BodyBuilder::fixed(Part::HalfSpace));
    let mut solids = vec![vec![Convex::block([2.0, 2.0, 0.1], [0.0, 0.0, -0.05])]];
    for k in 0..4 {
        let pose = match k {
            0 => turned([-0.006, 0.0, 0.0409], [0.0, 14f64.to_radians(), 0.0]),
            _ => turned([0.04 * f64::from(k), 0.0, 0.04], [0.0; 3]),
        };
        builder = builder.part(&format!("d{k}"), BodyBuilder::free(block(size)).at(pose).mass(0.2512));
        solids.push(vec![Convex::block(size, [0.0; 3])]);
    }
    let Checked { deepest, limited, simulation } =
        check("dominoes", builder.build().unwrap(), &Truth(solids), 200);
    // while one domino strikes the next, a few steps are beyond the solver and are named
    assert!(limited <= 12, "{limited} steps with limits");
    assert!(limited > 0 || deepest < 1e-6, "{deepest}");
    for body in simulation.scene.body_ids().skip(1) {
        let up = simulation.world_from_part(body).rotation * Vector3::z();
        assert!(up.z.abs() < 0.5, "a domino still stands: {up:?}");
    }
    // the row at rest: a guess from the last step, or a short continuation from it, solves every step
    let mut simulation = simulation;
    for _ in 0..60 {
        let certificate = simulation.step();
        assert!(certificate.converged && certificate.level <= 1, "level {}", certificate.level);
        assert!(certificate.penetration < 0.1e-6, "{}", certificate.penetration);
    }
}

/// The contacts of a prism at rest are as deep as separating axes say, wherever it overlaps a block.
#[test]
fn a_prism_is_found_as_deep_as_it_is() {
    let size = [0.05, 0.03, 0.02];
    let (prism, own) = hexagon(0.03, 0.02);
    let scene = Scene::builder("prism")
        .gravity(Vector3::zeros())
        .part("block", BodyBuilder::fixed(block(size)))
        .part("prism", BodyBuilder::free(prism).at(turned([0.2, 0.0, 0.0], [0.0; 3])))
        .build()
        .unwrap();
    let (other, here) = (Convex::block(size, [0.0; 3]), turned([0.0; 3], [0.0; 3]));
    let parameters = Parameters::of(&scene);
    let mut random = SplitMix::stream(5);
    let mut workspace = Workspace::default();
    for trial in 0..4000 {
        let attitude = random.centered_cube() * [3.0, 0.01, 1e-4][trial % 3];
        let direction = random.centered_cube().normalize();
        let depth = 100e-6 * (random.signed().abs() * -6.0).exp();
        let pose = |far: f64| Pose::new(direction * far, UnitQuaternion::from_scaled_axis(attitude));
        let (mut far, mut near) = (0.1, 0.0);
        for _ in 0..60 {
            let middle = f64::midpoint(far, near);
            let is_deep = overlap((&own, &pose(middle)), (&other, &here)) > depth;
            (far, near) = if is_deep { (far, middle) } else { (middle, near) };
        }
        let mut state = State::start(&scene, &parameters);
        let center = parameters.bodies[scene.body("prism").unwrap()].inertia.unwrap().center_of_mass;
        state.motions[0].rotation = pose(far).rotation;
        state.motions[0].center = pose(far).transform_point(center);
        let found = -workspace.contacts_at(&scene, &parameters, &mut state, 1e-4).smallest_gap();
        let (found, depth) = (1e6 * found, 1e6 * depth);
        assert!(found >= 0.9 * depth, "trial {trial}: {found} um for {depth} um {:?}", pose(far));
    }
}

/// Nothing near the surface is in contact, and still nothing is certified.
#[test]
fn a_solid_that_begins_deep_inside_another_is_reported() {
    let begins = [
        // a small cube inside a large block
        ([0.2, 0.2, 0.08], [0.03; 3], [0.0, 0.0, 0.005]),
        // two bars that cross: no corner of either is inside the other
        ([0.2, 0.04, 0.04], [0.04, 0.2, 0.04], [0.0, 0.0, 0.02]),
    ];
    for (fixed, free, place) in begins {
        let scene = Scene::builder("inside")
            .gravity(GRAVITY)
            .part("fixed", BodyBuilder::fixed(block(fixed)))
            .part("free", BodyBuilder::free(block(free)).at(turned(place, [0.0; 3])))
            .build()
            .unwrap();
        let truth = Truth(vec![vec![Convex::block(fixed, [0.0; 3])], vec![Convex::block(free, [0.0; 3])]]);
        let depth = truth.depth(&Simulation::new(scene.clone(), 1));
        assert!(depth > 15e-3);
        let mut simulation = Simulation::new(scene, 1);
        let first = simulation.step();
        assert!(first.limits.contains(Limit::BeganInside), "{first:?}");
        for step in 0..30 {
            let certificate = simulation.step();
            let depth = truth.depth(&simulation);
            let is_named = !certificate.limits.is_empty() || certificate.penetration > 10e-6;
            assert!(depth < 0.2e-6 || is_named, "step {step}: {depth} m deep, {certificate:?}");
        }
    }
}
