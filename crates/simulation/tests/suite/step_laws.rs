//! Laws of steps and runs that hold whatever the parts are.

use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_simulation::{
    Disturbance, Input, Limit, Outcome, Parameters, Record, Scene, Simulation, State, Workspace, step,
};
use tightfit_spatial::{Vector3, Wrench};

fn scene(text: &str) -> Scene {
    Scene::from_toml(&format!("name = 'law'\ndescription = 'a law'\n{text}")).unwrap()
}

/// A ball above a plate that is 10 mm thick.
fn ball(height_mm: f64) -> String {
    format!(
        "gravity_m_s2 = [0, 0, -9.81]\n[parts.plate]\nshape = {{ kind = 'block', size_mm = [400, 400, 10] }}\n\
         motion = 'fixed'\n[parts.ball]\nshape = {{ kind = 'sphere', diameter_mm = 40 }}\n\
         position_mm = [0, 0, {height_mm}]\n"
    )
}

/// A clustering that keeps every contact is none: faces of edges are exchanged in it too.
#[test]
fn a_clustering_that_keeps_all_contacts_changes_nothing() {
    for name in ["bolting", "peg-in-hole"] {
        let plain = Scene::find(name).unwrap();
        let mut clustered = plain.clone();
        clustered.methods.clustering = ClusteringMethod::KMeans { clusters: 100_000 };
        let mut runs = [plain, clustered].map(|scene| Simulation::new(scene, 1));
        for step in 0..160 {
            let [one, other] = runs.each_mut().map(|run| {
                run.step();
                run.state.hash()
            });
            assert_eq!(one, other, "{name}, step {step}");
        }
    }
}

/// A state that is moved between two steps meets what is there.
#[test]
fn a_body_that_is_put_elsewhere_finds_its_contacts_there() {
    let mut run = Simulation::new(scene(&ball(300.0)), 1);
    for _ in 0..10 {
        run.step();
    }
    run.state.motions[0].center.z = 26e-3;
    run.state.motions[0].twist.linear_in_world = Vector3::new(0.0, 0.0, -1.0);
    for _ in 0..3 {
        let certificate = run.step();
        assert!(certificate.penetration < 1e-7, "{} m", certificate.penetration);
    }
    let height = run.state.motions[0].center.z;
    assert!((height - 25e-3).abs() < 1e-5, "{height} m");
}

#[test]
fn what_goes_farther_than_contacts_are_sought_is_reported() {
    let mut run = Simulation::new(scene(&ball(300.0)), 1);
    run.state.motions[0].twist.linear_in_world = Vector3::new(0.0, 0.0, -30.0);
    let certificate = run.step();
    assert!(certificate.limits.contains(Limit::TooFast), "{:?}", certificate.limits);
    let mut run = Simulation::new(scene(&ball(300.0)), 1);
    run.state.motions[0].twist.linear_in_world = Vector3::new(0.0, 0.0, -15.0);
    assert!(run.step().limits.is_empty());
}

#[test]
fn parts_that_begin_inside_one_another_are_reported() {
    let first = Simulation::new(scene(&ball(10.0)), 1).step();
    assert!(first.limits.contains(Limit::BeganInside), "{:?}", first.limits);
    let mut run = Simulation::new(scene(&ball(25.0)), 1);
    assert!(!run.step().limits.contains(Limit::BeganInside));
}

/// Newton: what contacts and weight give is what the body has more of.
#[test]
fn impacts_and_forces_together_are_the_change_of_momentum() {
    let scene = scene(&ball(60.0));
    let mass =
        scene.bodies.iter().find_map(|body| body.inertia.filter(|_| body.name == "ball")).unwrap().mass;
    let parameters = Parameters::of(&scene);
    let mut state = State::start(&scene, &parameters);
    let (input, mut workspace) = (Input::none(&state), Workspace::default());
    let mut struck = 0.0_f64;
    for _ in 0..20 {
        let before = state.motions[0].twist.linear_in_world.z;
        step(&scene, &parameters, &mut state, &input, &mut workspace);
        let after = state.motions[0].twist.linear_in_world.z;
        let upwards = |impulse: &[f64]| impulse.get(2).copied().unwrap_or(0.0);
        let [force, impact] = [workspace.generalised_impulse(), workspace.impact_impulse()].map(upwards);
        let expected = mass * (after - before + 9.81 * scene.dt);
        assert!(
            (force + impact - expected).abs() < 1e-9 * mass,
            "{force} + {impact} instead of {expected} N·s"
        );
        struck = struck.max(impact);
    }
    assert!(struck > 0.1 * mass, "{struck} N·s");
}

/// What sticks to a turntable goes round with it, at any step.
#[test]
fn a_block_on_a_turntable_keeps_its_place() {
    for step in [0.01, 0.005, 0.002] {
        let mut scene = scene(
            "gravity_m_s2 = [0, 0, -9.81]\nfriction = 0.8\n\
             [parts.table]\nshape = { kind = 'cylinder', diameter_mm = 200, length_mm = 10 }\nmotion = 'kinematic'\n\
             [parts.block]\nshape = { kind = 'block', size_mm = [20, 20, 20] }\nposition_mm = [30, 0, 15]\n\
             [drive]\npart = 'table'\nwaypoints = [{ time_s = 0, position_mm = [0, 0, 0] }, \
             { time_s = 1, position_mm = [0, 0, 0], turns = 1 }]\n",
        );
        scene.dt = step;
        let mut run = Simulation::new(scene, 1);
        // as fast as the table from the start
        let speed = std::f64::consts::TAU;
        run.state.motions[0].twist.linear_in_world = Vector3::new(0.0, 30e-3 * speed, 0.0);
        run.state.motions[0].twist.angular_in_body = Vector3::new(0.0, 0.0, speed);
        for _ in 0..(1.0 / step).round() as usize {
            run.step();
        }
        let radius = run.state.motions[0].center.xy().norm();
        assert!((radius - 30e-3).abs() < 1e-6, "{radius} m at steps of {step} s");
    }
}

/// A ball of radius R on the rim of a bore of radius r stands sqrt(R² - r²) above it.
#[test]
fn a_ball_rests_on_the_rim_of_a_bore() {
    let mut run = Simulation::new(
        scene(
            "gravity_m_s2 = [0, 0, -9.81]\nfriction = 0.2\n[parts.hole]\n\
             shape = { kind = 'hole', diameter_mm = 50, depth_mm = 50, outer_diameter_mm = 100 }\nmotion = 'fixed'\n\
             [parts.ball]\nshape = { kind = 'sphere', diameter_mm = 60 }\nposition_mm = [1, 0.5, 20]\n",
        ),
        1,
    );
    for _ in 0..150 {
        run.step();
    }
    let (center, speed) = (run.state.motions[0].center, run.state.motions[0].twist.linear_in_world.norm());
    let expected = (0.03_f64.powi(2) - 0.025_f64.powi(2)).sqrt();
    assert!(
        (center - Vector3::new(0.0, 0.0, expected)).norm() < 20e-6 && speed < 1e-3,
        "{center}, {speed} m/s"
    );
}

/// The mirror image of an engaged nut is engaged.
#[test]
fn a_left_hand_nut_engages_as_its_mirror_image() {
    let scene = |left: bool, turns: f64| {
        Scene::from_toml(&format!(
            "name = 'hand'\ndescription = 'a nut is turned on'\nfriction = 0.1\n\
             [parts.bolt]\nshape = {{ kind = 'bolt', diameter_mm = 48, pitch_mm = 5, length_mm = 40, radial_clearance_mm = 0.1, \
             start_diameter_mm = 41.5, left_hand = {left} }}\nmotion = 'fixed'\n\
             [parts.nut]\nshape = {{ kind = 'nut', diameter_mm = 48, pitch_mm = 5, height_mm = 15, radial_clearance_mm = 0.1, \
             start_diameter_mm = 45, left_hand = {left} }}\nmass_kg = 0.6\n\
             [drive]\npart = 'nut'\nstiffness_n_m = [2000, 2000, 0]\nturning_stiffness_nm_rad = [1.5, 1.5, 2.5]\n\
             damping_per_s = 50\nforce_n = [0, 0, -5]\n\
             waypoints = [{{ time_s = 0.0, position_mm = [0, 0, 37.5], turns = {} }}, \
             {{ time_s = 1.3, position_mm = [0, 0, 37.5], turns = {} }}]\n\
             [task]\nkind = 'thread'\nonto = 'bolt'\nturns = 1\nengaged_mm = 5\n",
            0.5 * turns,
            -0.8 * turns,
        ))
        .unwrap()
    };
    for (left, turns) in [(false, 1.0), (true, -1.0)] {
        let scene = scene(left, turns);
        let mut run = Simulation::new(scene, 1);
        let records: Vec<Record> = (0..130).map(|_| run.advance()).collect();
        let outcome = Outcome::of(&run, &records);
        assert!(outcome.completed, "left {left}: {outcome:?}");
    }
}

/// A disturbance reaches what is led, or the first free part where nothing is.
#[test]
fn a_disturbance_needs_no_drive() {
    for name in ["block-on-table", "peg-spiral"] {
        let [calm, shaken] = [None, Some(Disturbance { force: 20.0, torque: 0.5 })].map(|disturbance| {
            let mut run = Simulation::new(Scene::find(name).unwrap(), 1);
            run.disturbance = disturbance;
            for _ in 0..5 {
                run.step();
            }
            run.state.hash()
        });
        assert_ne!(calm, shaken, "{name}");
    }
}

/// A node behind both faces at the edge of a table is pushed outwards. The pose moves with V₀ under explicit Euler and with V₁
/// under implicit Euler, so the node stays over the table in the first case and passes its edge in the second. Judged by the
/// midpoint velocity, both would come out the other way round.
#[test]
fn edges_are_passed_by_the_velocity_that_the_pose_moves_with() {
    for (rule, displacement, is_supported) in
        [("explicit-euler", 6e-6, true), ("implicit-euler", 1.5e-6, false)]
    {
        let scene = scene(&format!(
            "gravity_m_s2 = [0, 0, -9.81]\nfriction = 0\n[method]\nintegration = '{rule}'\n\
             [parts.node]\nshape = {{ kind = 'nodes', points_mm = [[0, 0, 0]], mass_kg = 1, inertia_kg_m2 = [1, 1, 1] }}\n\
             position_mm = [9.9955, 0, -0.002]\n\
             [parts.table]\nshape = {{ kind = 'block', size_mm = [20, 20, 20] }}\nmotion = 'fixed'\nposition_mm = [0, 0, -10]\n",
        ));
        let parameters = Parameters::of(&scene);
        let mut state = State::start(&scene, &parameters);
        let mut input = Input::none(&state);
        let dt = scene.dt;
        input.wrenches[0] = Wrench::new(Vector3::x() * (displacement / (dt * dt)), Vector3::zeros());
        step(&scene, &parameters, &mut state, &input, &mut Workspace::default());
        let speed = state.motions[0].twist.linear_in_world.z;
        let expected = if is_supported { 0.0 } else { -9.81 * dt };
        assert!((speed - expected).abs() < 1e-5, "{rule}: {speed} instead of {expected} m/s");
    }
}

/// Action and reaction: what the pairs of a body sum up to is the impulse on it, impacts included.
#[test]
fn impulses_of_pairs_sum_up_to_those_of_bodies() {
    let cube = |name: &str, height: f64| {
        format!(
            "[parts.{name}]\nshape = {{ kind = 'block', size_mm = [20, 20, 20] }}\nposition_mm = [2, 1, {height}]\n"
        )
    };
    let text = "gravity_m_s2 = [0, 0, -9.81]\nfriction = 0.4\n[parts.ground]\nshape = { kind = 'half-space' }\nmotion = 'fixed'\n";
    let scene = scene(&(text.to_string() + &cube("lower", 10.5) + &cube("upper", 33.0)));
    let parameters = Parameters::of(&scene);
    let mut state = State::start(&scene, &parameters);
    state.motions[1].twist.linear_in_world.x = 0.1;
    let (input, mut workspace) = (Input::none(&state), Workspace::default());
    let mut largest = 0.0_f64;
    for _ in 0..40 {
        let before = state.clone();
        step(&scene, &parameters, &mut state, &input, &mut workspace);
        let free = scene.body_ids().filter(|body| scene.bodies[*body].inertia.is_some());
        for (index, body) in free.enumerate() {
            let mut sum = [Vector3::zeros(); 2];
            for (pair, own) in scene.contacts.iter().zip(workspace.pair_impulses()) {
                let sign = match pair.bodies {
                    [first, _] if first == body => 1.0,
                    [_, second] if second == body => -1.0,
                    _ => continue,
                };
                sum[0] += own.linear * sign;
                sum[1] += own.angular * sign;
            }
            let about_center = sum[1] - before.motions[index].center.cross(&sum[0]);
            let both = [workspace.generalised_impulse(), workspace.impact_impulse()];
            for axis in 0..3 {
                let of = |first: usize| -> f64 {
                    both.iter().map(|all| all.get(6 * index + first + axis).copied().unwrap_or(0.0)).sum()
                };
                assert!((of(0) - sum[0][axis]).abs() < 1e-12, "linear, body {body:?}");
                assert!((of(3) - about_center[axis]).abs() < 1e-12, "angular, body {body:?}");
            }
            largest = largest.max(sum[0].norm());
        }
    }
    assert!(largest > 1e-3, "{largest} N·s: nothing touched");
}
