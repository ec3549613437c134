//! Laws of `Simulation`: wrenches, branches and guided set-points.

use tightfit_simulation::{Disturbance, Scene, Simulation};
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

fn peg_in_hole() -> Simulation {
    Simulation::new(Scene::find("peg-in-hole").unwrap(), 3)
}

#[test]
fn a_branch_goes_on_to_the_same_bits_and_leaves_its_origin_alone() {
    let mut simulation = peg_in_hole();
    simulation.disturbance = Some(Disturbance { force: 5.0, torque: 0.1 });
    (0..100).for_each(|_| {
        simulation.step();
    });
    let before = simulation.state.clone();
    let mut branch = simulation.branch();
    branch.parameters.friction.fill(0.5);
    (0..50).for_each(|_| {
        branch.step();
    });
    assert_eq!(simulation.state, before);
    let mut twin = simulation.branch();
    for _ in 0..50 {
        simulation.step();
        twin.step();
        assert_eq!(simulation.state.hash(), twin.state.hash());
    }
    assert_ne!(branch.state.hash(), twin.state.hash(), "another friction leads elsewhere");
}

#[test]
fn wrenches_of_bodies_and_pairs_are_those_of_the_record() {
    let mut simulation = peg_in_hole();
    let [peg, hole] = ["peg", "hole"].map(|name| simulation.scene.body_id(name).unwrap());
    let mut largest = 0.0_f64;
    for _ in 0..150 {
        let record = simulation.advance();
        let on_peg = simulation.wrench_on(peg);
        assert_eq!(on_peg, simulation.wrench_between(peg, hole));
        assert!((on_peg.force - record.force).norm() < 1e-9, "{on_peg:?} {:?}", record.force);
        assert!((simulation.wrench_on(hole).force + on_peg.force).norm() < 1e-9, "action and reaction");
        assert_eq!(*simulation.certificate(), record.certificate);
        largest = largest.max(on_peg.force.norm());
    }
    assert!(largest > 0.5, "{largest} N: the peg never touched");
}

/// The set-point of a driven block is given step by step: the block follows it to a place and attitude that its waypoints do not
/// name.
#[test]
fn a_guided_body_follows_its_set_point() {
    let scene = Scene::from_toml(
        "name = 'guided'\ngravity_m_s2 = [0, 0, 0]\n\
         [parts.block]\nshape = { kind = 'block', size_mm = [20, 20, 20] }\n\
         [drive]\npart = 'block'\nstiffness_n_m = [2000, 2000, 2000]\nturning_stiffness_nm_rad = [5, 5, 5]\n\
         damping_per_s = 50\nwaypoints = [{ time_s = 0, position_mm = [0, 0, 0] }]\n",
    )
    .unwrap();
    let mut simulation = Simulation::new(scene, 1);
    let block = simulation.scene.body_id("block").unwrap();
    let pose = |share: f64| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 0.5) * share);
        Pose::new(Vector3::new(0.05, -0.02, 0.01) * share, turn)
    };
    for step in 1..=200 {
        simulation.guide(block, pose((f64::from(step) / 100.0).min(1.0)));
        simulation.step();
    }
    let (found, wanted) = (simulation.world_from_part(block), pose(1.0));
    assert!((found.translation - wanted.translation).norm() < 1e-5, "{found:?}");
    assert!(found.rotation.angle_to(&wanted.rotation) < 1e-3, "{found:?}");
}
