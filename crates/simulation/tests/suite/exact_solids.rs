//! Exact solids touch where they are lowest and where their edges cross, not at nodes: they roll, rest and go in at a step of 10 ms
//! as turned parts and polyhedra do.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::cad::{CadPart, File, step_text};
use tightfit_shape::mesh::MeshOptions;
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::preset::preset;
use tightfit_shape::profile::{Outline, Section, SectionedSolid};
use tightfit_shape::recognition::recognise;
use tightfit_simulation::{Audit, BodyBuilder, Drive, Limit, Scene, Simulation};
use tightfit_spatial::{Pose, SplitMix};

const G: f64 = 9.81;

/// A block of 20 × 10 × 5 mm with a bore of 4 mm diameter.
const BORED_BLOCK: &str = include_str!("../../../cad/tests/suite/bored_block.step");

fn bored_block() -> Part {
    let solid = File::parse(BORED_BLOCK.as_bytes()).unwrap().solid(None).unwrap();
    Part::Cad(CadPart::new(solid).unwrap())
}

/// A turned part as a solid with faces and edges, without the contacts of turned parts.
fn solid_of(part: &Part) -> Part {
    let text = step_text(part, "part").unwrap();
    Part::Cad(CadPart::new(File::parse(text.as_bytes()).unwrap().solid(None).unwrap()).unwrap())
}

/// A pin is nearest to a short chord of a bore between its ends.
#[test]
fn every_edge_has_a_node_between_its_ends_however_short_it_is() {
    let part = bored_block();
    let Part::Cad(cad) = &part else { panic!("a solid") };
    let coarse = NodeSpacing { face: 1.0, edge: 1.0, ..NodeSpacing::default() };
    let nodes = part.nodes(&coarse);
    let faces = cad.solid().faces.len();
    for (number, edge) in cad.solid().edges.iter().enumerate().filter(|(_, edge)| !edge.is_seam) {
        let between = |place: usize| nodes.u[place] > edge.range[0] && nodes.u[place] < edge.range[1];
        let own = |place: &usize| nodes.face[*place] as usize == faces + number && between(*place);
        assert!((0..nodes.len()).any(|place| own(&place)), "edge {number}");
    }
}

fn step(simulation: &mut Simulation, at: usize) {
    let certificate = simulation.step();
    assert!(certificate.limits.is_empty() && certificate.converged, "step {at}: {certificate:?}");
    assert!(certificate.penetration < 0.2e-6, "step {at}: {} m deep", certificate.penetration);
}

/// The axis neither sinks nor hovers, and the speed is that of theory.
#[test]
fn a_cylinder_with_faces_and_edges_rolls_down_a_slope() {
    let radius = 20e-3;
    let part = solid_of(&Part::cylinder(radius, 60e-3).unwrap());
    let table = Part::Block(tightfit_shape::primitive::Block::new(Vector3::new(4.0, 0.2, 0.02)).unwrap());
    for (name, plane, height) in [("half-space", Part::HalfSpace, 0.0), ("block", table, 0.01)] {
        for slope in [1.0_f64, 10.0] {
            let slope = slope.to_radians();
            let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
            let scene = Scene::builder("slope")
                .friction(0.5)
                .gravity(Vector3::new(G * slope.sin(), 0.0, -G * slope.cos()))
                .part("plane", BodyBuilder::fixed(plane.clone()))
                .part(
                    "round",
                    BodyBuilder::free(part.clone()).at(Pose::new(Vector3::z() * (radius + height), turn)),
                )
                .build()
                .expect("a scene");
            let mut simulation = Simulation::new(scene, 1);
            for at in 0..100 {
                step(&mut simulation, at);
                let above = simulation.state.motions[0].center.z - height - radius;
                assert!(above.abs() < 0.05e-6, "{name}, slope {slope}, step {at}: {above} m above the plane");
            }
            let speed = simulation.state.motions[0].twist.linear_in_world.x;
            let theory = 2.0 / 3.0 * G * slope.sin();
            assert!((speed / theory - 1.0).abs() < 1e-5, "{name}: {speed} of {theory}");
        }
    }
}

/// Two round solids side by side, at any turn: the least gap is that of their axes, wherever the contact lies between nodes.
#[test]
fn the_gap_of_two_cylinders_side_by_side_is_found_at_any_turn() {
    let (gap, mut random) = (10e-6, tightfit_spatial::SplitMix(5));
    for [first, second] in [[5e-3, 5e-3], [3e-3, 7e-3], [9e-3, 2e-3]] {
        let parts = [first, second].map(|radius| solid_of(&Part::cylinder(radius, 10e-3).unwrap()));
        for trial in 0..30 {
            let turned = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            let way = turned(6.0 * random.unit()) * Vector3::x() * (first + second + gap);
            let [one, other] = &parts;
            let scene = Scene::builder("side by side")
                .part(
                    "one",
                    BodyBuilder::fixed(one.clone()).at(Pose::new(Vector3::zeros(), turned(random.unit()))),
                )
                .part("other", BodyBuilder::free(other.clone()).at(Pose::new(way, turned(random.unit()))))
                .build()
                .expect("a scene");
            let simulation = Simulation::new(scene, 1);
            let mut state = simulation.state.clone();
            let mut workspace = tightfit_simulation::Workspace::default();
            let (scene, parameters) = (&simulation.scene, &simulation.parameters);
            let found = workspace.contacts_at(scene, parameters, &mut state, 50e-6).smallest_gap();
            assert!((found - gap).abs() < 20e-9, "{first} {second}, trial {trial}: {found} m");
        }
    }
}

/// A plate whose top rises by 3° along its rim, so that its middle is a face of its own: what falls past the rim is free, also where it
/// is about to pass the height of the middle, which ends before the rim.
#[test]
fn what_falls_past_a_rim_that_rises_is_free() {
    let [middle, rim] = [19.95e-3, 20e-3];
    let rise = (rim - middle) * 3.0_f64.to_radians().tan();
    let outline = Outline::new(&[[0.0, -5e-3], [rim, -5e-3], [rim, rise], [middle, 0.0], [0.0, 0.0]]);
    let plate = solid_of(&Part::Sectioned(SectionedSolid::new(Section::Round, outline)));
    for [beside, speed, lean] in
        [[0.3e-3, 0.1, 0.0], [0.1e-3, 0.3, 0.0], [0.5e-3, 0.5, 0.0], [0.3e-3, 0.3, 0.02], [0.8e-3, 1.0, 0.3]]
    {
        let pose = Pose::new(
            Vector3::new(rim + beside, -5e-3, 2e-3),
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), lean),
        );
        let scene = Scene::builder("rim")
            .gravity(Vector3::z() * -G)
            .part("plate", BodyBuilder::fixed(plate.clone()))
            .part("falls", BodyBuilder::free(bored_block()).at(pose))
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        simulation.state.motions[0].twist.linear_in_world.z = -speed;
        for at in 1..=8 {
            step(&mut simulation, at);
            let fallen = -simulation.state.motions[0].twist.linear_in_world.z - speed;
            let theory = G * 0.01 * at as f64;
            assert!((fallen - theory).abs() < 1e-9, "{beside}, {speed}, step {at}: {fallen} of {theory} m/s");
        }
    }
}

/// Largest depth of the edges and corners of one bored block in another [m]: samples, refined where they are lowest.
fn depth(of: &Part, against: &Part, against_from_of: &Pose) -> f64 {
    const SAMPLES: u32 = 200;
    let Part::Cad(part) = of else { panic!("a solid") };
    let mut least = f64::INFINITY;
    for edge in &part.solid().edges {
        let at = |place: f64| edge.range[0] + (edge.range[1] - edge.range[0]) * place;
        let height = |place: f64| {
            against.sample(against_from_of.transform_point(edge.curve.point(at(place)))).distance
        };
        let heights: Vec<f64> = (0..=SAMPLES).map(|k| height(f64::from(k) / f64::from(SAMPLES))).collect();
        least = heights.iter().copied().fold(least, f64::min);
        for k in 1..SAMPLES as usize {
            if heights[k] <= heights[k - 1] && heights[k] <= heights[k + 1] && heights[k] < 0.2e-3 {
                let [mut low, mut high] = [k - 1, k + 1].map(|k| k as f64 / f64::from(SAMPLES));
                for _ in 0..40 {
                    let [one, two] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
                    if height(one) < height(two) { high = two } else { low = one }
                }
                least = least.min(height(low));
            }
        }
    }
    (-least).max(0.0)
}

/// Blocks that fall on each other edge over edge come to rest or slide off, and are never deeper than the certificate says.
#[test]
fn edges_of_solids_cross_without_sinking() {
    let mut random = SplitMix(3);
    let mut deepest = [0.0_f64; 2];
    for trial in 0..4 {
        let lean = UnitQuaternion::from_scaled_axis(
            Vector3::x() * 0.6 + random.centered_cube() * 0.3 + Vector3::z() * (0.5 + 0.3 * f64::from(trial)),
        );
        let scene = Scene::builder("edges")
            .friction(0.4)
            .part("below", BodyBuilder::fixed(bored_block()))
            .part(
                "above",
                BodyBuilder::free(bored_block()).at(Pose::new(Vector3::new(4e-3, 6e-3, 11e-3), lean)),
            )
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        for _ in 0..40 {
            let certificate = simulation.step();
            let center =
                simulation.parameters.bodies.iter().find_map(|body| body.inertia).unwrap().center_of_mass;
            let pose = simulation.state.motions[0].world_from_part(center);
            let part = bored_block();
            let truth = depth(&part, &part, &pose).max(depth(&part, &part, &pose.inverse()));
            deepest = [deepest[0].max(truth), deepest[1].max(certificate.penetration)];
            let told = certificate.penetration;
            assert!(
                truth < 0.2e-6 || told > 0.9 * truth,
                "trial {trial}: {truth} m deep, certificate {told}"
            );
        }
    }
    assert!(deepest[0] < 1e-6, "{deepest:?}");
}

/// A rod through a plate has its edges outside, on both sides: the certificate tells all the same.
#[test]
fn a_rod_that_pierces_a_solid_is_reported() {
    let rod = Part::cylinder(1e-3, 40e-3).unwrap();
    let plate = Part::Block(tightfit_shape::primitive::Block::new(Vector3::new(0.1, 0.1, 2e-3)).unwrap());
    // the bored block is 5 mm thick, and solid 4 mm beside its corner
    let beside = Pose::from_translation(Vector3::new(4e-3, 5e-3, 2.5e-3));
    let pairs = [
        (rod.clone(), bored_block(), beside),
        (solid_of(&rod), bored_block(), beside),
        (solid_of(&rod), plate, Pose::identity()),
    ];
    for (number, (rod, plate, pose)) in pairs.into_iter().enumerate() {
        let scene = Scene::builder("pierced")
            .part("plate", BodyBuilder::fixed(plate))
            .part("rod", BodyBuilder::free(rod).at(pose))
            .build()
            .expect("a scene");
        let certificate = Simulation::new(scene, 1).step();
        assert!(certificate.limits.contains(Limit::BeganInside), "pair {number}: {certificate:?}");
    }
}

/// A key with rounded corners and a chamfer goes in equally deep at any step, and the certificate tells what an audit finds.
#[test]
fn a_key_goes_in_equally_deep_at_any_step() {
    let solid = |name: &str| {
        let mut mesh = preset(name).unwrap().mesh(&MeshOptions::default()).unwrap();
        // as in a file of 32-bit numbers: planes that were flush are tilted by nanometres
        mesh.vertices.iter_mut().for_each(|own| *own = own.map(|x| f64::from((x * 1e3) as f32) * 1e-3));
        Part::Cad(CadPart::new(recognise(&mesh).unwrap().solid.unwrap()).unwrap())
    };
    let [key, pocket] = ["square-peg-20", "square-hole-20"].map(solid);
    let depth_at = |dt: f64| {
        let drive = Drive::springs("key")
            .stiffness(Vector3::repeat(2000.0))
            .turning_stiffness(Vector3::repeat(2.0))
            .damping(50.0)
            .offset(0.2e-3)
            .tilt(0.3_f64.to_radians())
            .waypoint(0.0, Vector3::new(0.0, 0.0, 1e-3))
            .waypoint(0.5, Vector3::new(0.0, 0.0, -6e-3));
        let scene = Scene::builder("key")
            .dt(dt)
            .friction(0.15)
            .gravity(Vector3::zeros())
            .part("pocket", BodyBuilder::fixed(pocket.clone()))
            .part("key", BodyBuilder::free(key.clone()))
            .drive(drive)
            .build()
            .expect("a scene");
        let mut simulation = Simulation::new(scene, 1);
        let audit = Audit::new(&simulation.scene, &simulation.parameters);
        for at in 0..(0.5 / dt).round() as usize {
            let told = simulation.step().penetration;
            let truth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
            assert!(truth < 0.1e-6 || told > 0.9 * truth, "step {at}: {truth} m deep, certificate {told}");
        }
        let center =
            simulation.parameters.bodies.iter().find_map(|body| body.inertia).unwrap().center_of_mass;
        -simulation.state.motions[0].world_from_part(center).translation.z
    };
    let [coarse, fine] = [0.02, 0.01].map(depth_at);
    assert!((coarse - fine).abs() < 10e-6 && fine > 5.9e-3, "{coarse} and {fine} m deep");
}

/// The corners of a box stand 10 µm beyond the rim of a bore. Its upright edges cross the rim at their ends, on the face that they
/// stand on: there is no depth, and the box neither falls in nor is pushed aside.
#[test]
fn a_box_whose_corners_just_reach_over_a_bore_stands_on_its_rim() {
    let half = (2e-3 + 10e-6) / std::f64::consts::SQRT_2;
    let cube = tightfit_shape::primitive::Block::new(Vector3::repeat(2.0 * half)).unwrap();
    let plate = bored_block();
    let bounds = plate.aabb().unwrap();
    let (top, middle) = (bounds.max.z, bounds.center());
    let at = Vector3::new(middle.x, middle.y, top + half);
    let scene = Scene::builder("rim")
        .friction(0.3)
        .gravity(Vector3::new(0.0, 0.0, -G))
        .part("plate", BodyBuilder::fixed(plate))
        .part("cube", BodyBuilder::free(Part::Block(cube)).at(Pose::new(at, UnitQuaternion::identity())))
        .build()
        .expect("a scene");
    let mut simulation = Simulation::new(scene, 1);
    for number in 0..50 {
        step(&mut simulation, number);
        let off = simulation.state.motions[0].center - at;
        assert!(off.norm() < 0.2e-6, "step {number}: {off:?} m aside");
    }
}
