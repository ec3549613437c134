//! Arms in scenes: energy and momentum are accounted for, what is pressed is felt, both tasks are done.

use nalgebra::Vector3;
use tightfit_robot::arm::ArmCommand;
use tightfit_simulation::{
    ArmInput, Input, Limit, Outcome, Record, Scene, Simulation, Summary, Workspace, step,
};

const GRAVITY: f64 = 9.81;

/// A Panda that lowers a peg by `depth_mm` onto a table 1 mm below it, and presses with `force` [N].
fn on_a_table(depth_mm: f64, force: f64, more: &str) -> Scene {
    let text = format!(
        r#"
        name = "pressed"
        gravity_m_s2 = [0, 0, -9.81]
        friction = 0.3
        [parts.table]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        [parts.peg]
        shape = {{ kind = "peg", diameter_mm = 50, length_mm = 80 }}
        mass_kg = 0.5
        [drive]
        part = "peg"
        force_n = [0, 0, {force}]
        waypoints = [
            {{ time_s = 0, position_mm = [0, 0, 1] }},
            {{ time_s = 1, position_mm = [3, 0, {}] }},
        ]
        hold_s = 1
        [arm]
        robot = "panda"
        holds = "peg"
        base_position_mm = [-450, 0, -300]
        joint_friction = false
        [arm.grasp]
        position_mm = [0, 0, 100]
        rotation_deg = [180, 0, 0]
        {more}
        [arm.controller]
        kind = "impedance"
        stiffness_n_m = [2000, 2000, 1000]
        damping_ns_m = [200, 200, 150]
        turning_stiffness_nm_rad = [50, 50, 50]
        turning_damping_nms_rad = [3, 3, 3]
        "#,
        1.0 - depth_mm
    );
    Scene::from_toml(&text).unwrap()
}

fn kinetic(run: &Simulation) -> f64 {
    let (scene, state) = (&run.scene, &run.state);
    let joints = &state.arm.as_ref().unwrap().joints;
    let arm = scene.arm.as_ref().unwrap().chain.kinetic_energy(&joints.angles, &joints.speeds);
    let inertia = run.parameters.bodies[scene.body("peg").unwrap()].inertia.unwrap();
    let twist = state.motions[0].twist;
    let turning = twist.angular_in_body.dot(&(inertia.moment * twist.angular_in_body));
    arm + (inertia.mass * twist.linear_in_world.norm_squared() + turning) / 2.0
}

#[test]
fn energy_of_arm_part_and_contact_is_accounted_for() {
    let mut run = Simulation::new(on_a_table(3.0, 0.0, ""), 1);
    let (mut worst, mut moved, mut touched) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..200 {
        let (before, from) = (kinetic(&run), run.state.motions[0]);
        let record = run.advance();
        let report = record.certificate.arm.unwrap().report;
        let to = run.state.motions[0];
        // a projection moves the pose alone: the weight works along the mean velocity
        let mean = (from.twist.linear_in_world + to.twist.linear_in_world) / 2.0;
        let is_projected = record.certificate.projection_work != 0.0;
        let moved_by = if is_projected { mean * run.parameters.dt } else { to.center - from.center };
        let weight = -0.5 * GRAVITY * moved_by.z;
        let work = report.drive_work + report.weight_work + report.friction_work + report.stop_work;
        let unexplained = kinetic(&run) - before - work - weight - record.certificate.contact_work;
        worst = worst.max(unexplained.abs());
        moved = moved.max(report.drive_work.abs());
        touched = touched.max(-record.certificate.contact_work);
        assert!(record.certificate.energy_injected <= 1e-15);
    }
    eprintln!("unexplained {worst:.1e} J in a step, drives up to {moved:.1e} J, contact {touched:.1e} J");
    // the drift feedback and the bend of the grasp
    assert!(worst < 1e-9, "{worst:e}");
    assert!(moved > 1e-3 && touched > 1e-5, "nothing happened");
}

#[test]
fn momentum_of_the_part_is_that_of_hand_contact_and_weight() {
    // without friction only an impact, which is not among the forces, does work
    let text = on_a_table(3.0, 0.0, "").source.text.replace("friction = 0.3", "friction = 0");
    let mut run = Simulation::new(Scene::from_toml(&text).unwrap(), 1);
    let (mut compared, mut pressed) = (0, 0);
    for _ in 0..200 {
        let before = run.state.motions[0].twist.linear_in_world;
        let record = run.advance();
        let load = record.arm.unwrap().load;
        let hand = Vector3::new(load[0], load[1], load[2]);
        let force = hand + record.bodies[0].force - Vector3::z() * (0.5 * GRAVITY);
        let gained = (run.state.motions[0].twist.linear_in_world - before) * 0.5;
        if record.certificate.contact_work.abs() < 1e-12 {
            assert!((gained - force * run.scene.dt).norm() < 1e-12, "{gained} {force}");
            compared += 1;
            pressed += usize::from(record.force.z > 1.0);
        }
    }
    assert!(compared > 80 && pressed > 20, "{compared} {pressed}");
}

#[test]
fn a_pressed_peg_rests_on_the_table_with_that_force_and_the_wrist_feels_it() {
    // the set-point lies on the table: only the force presses
    for force in [-20.0, -0.5 * GRAVITY] {
        let mut mean = 0.0;
        let mut run = Simulation::new(on_a_table(1.0, force, ""), 1);
        let mut last: Option<Record> = None;
        for _ in 0..400 {
            let record = run.advance();
            assert!(record.certificate.converged);
            assert!(record.certificate.penetration < 1e-6);
            assert!(record.certificate.arm.unwrap().drift < 1e-6);
            // what is slower than an impact goes to and fro from step to step
            let before = last.map_or(0.0, |before: Record| before.force.z);
            mean = f64::midpoint(before, record.force.z);
            last = Some(record);
        }
        let record = last.unwrap();
        assert!((mean + force).abs() < 1e-3, "{mean} N pressed by {force} N");
        let arm = run.scene.arm.as_ref().unwrap();
        let tip = arm.chain.posture(&record.arm.unwrap().joints.angles).world_from_tip;
        let measured = record.arm.unwrap().measured;
        let felt = tip.rotation * Vector3::new(measured[0], measured[1], measured[2]);
        assert!((felt.z - (record.force.z - 0.5 * GRAVITY)).abs() < 1e-3, "{felt}");
    }
}

#[test]
fn soft_fingers_give_way_by_their_stiffness_and_slip_at_their_limit() {
    let fingers = "[arm.grasp.compliance]\nstiffness_n_m = [2e4, 2e4, 2e4]\ndamping_ns_m = [100, 100, 100]\n\
                   turning_stiffness_nm_rad = [100, 100, 100]\nturning_damping_nms_rad = [1, 1, 1]\n";
    let mut run = Simulation::new(on_a_table(1.0, -20.0, fingers), 1);
    let last = (0..400).map(|_| run.advance()).last().unwrap();
    // the fingers carry what the contact does less the weight, and the hand goes down by what they give way
    let drift = last.certificate.arm.unwrap().drift;
    let load = last.arm.unwrap().load;
    let expected = Vector3::new(load[0], load[1], load[2]).norm() / 2e4;
    assert!((drift / expected - 1.0).abs() < 0.01, "{drift:e} {expected:e}");
    let lower = (last.force.z - 0.5 * GRAVITY) / 2e4;
    assert!((last.force.z - (20.0 - 1000.0 * lower)).abs() < 0.05, "{}", last.force.z);

    let mut run = Simulation::new(on_a_table(1.0, -20.0, &format!("{fingers}slip_force_n = 8\n")), 1);
    let slipped = (0..200).any(|_| run.advance().certificate.limits.contains(Limit::GraspSlipped));
    assert!(slipped);
}

fn whole(name: &str, seconds: f64) -> (Simulation, Vec<Record>) {
    let scene = Scene::find(name).unwrap();
    let steps = (seconds / scene.dt).round() as usize;
    let mut run = Simulation::new(scene, 1);
    run.with_audit();
    let records = (0..steps).map(|_| run.advance()).collect();
    (run, records)
}

fn assert_certified(records: &[Record], deepest: f64) {
    let summary = Summary::of(records);
    let drift = records.iter().filter_map(|record| record.certificate.arm).map(|arm| arm.drift);
    let drift = drift.fold(0.0, f64::max);
    let audited = summary.audited.unwrap()[0];
    eprintln!("audit {:.3} um, drift {:.4} um", audited * 1e6, drift * 1e6);
    assert_eq!((summary.unconverged, summary.limits), (0, 0));
    assert!(audited <= deepest, "{audited:e}");
    assert!(drift <= 1e-6, "{drift:e}");
}

#[test]
fn a_panda_inserts_the_peg() {
    let (run, records) = whole("peg-in-hole-arm", 4.2);
    assert!(Outcome::of(&run, &records).completed);
    assert_certified(&records, 1e-6);
}

#[test]
fn a_panda_finds_the_thread() {
    let (run, records) = whole("bolting-arm", 3.0);
    let turns = Outcome::of(&run, &records).turns.unwrap();
    assert!(turns > 0.85, "{turns}");
    assert_certified(&records, 5e-6);
}

#[test]
fn other_controllers_hold_the_part_too() {
    let admittance = "{ kind = \"admittance\", mass_kg = [12, 12, 12], damping_ns_m = [310, 310, 310], \
        stiffness_n_m = [2000, 2000, 2000], turning_mass_kg_m2 = [0.8, 0.8, 0.8], \
        turning_damping_nms_rad = [12.65, 12.65, 12.65], turning_stiffness_nm_rad = [50, 50, 50] }";
    for (controller, reached) in [(admittance, 0.02), ("{ kind = \"joints\" }", 1e-3)] {
        let settings = [format!("arm.controller={controller}"), "arm.joint_friction=false".into()];
        let scene = Scene::find_with("peg-in-hole-arm", &settings).unwrap();
        let mut run = Simulation::new(scene, 1);
        // 2.5 mm above the mouth and no deeper: free motion
        let record = (0..40).map(|_| run.advance()).last().unwrap();
        let wanted = run.scene.drives[0].target(run.time());
        let missed = (record.pose.translation - wanted.translation).norm();
        assert!(missed < reached, "{controller}: {missed:e}");
        assert!(record.certificate.converged && record.certificate.arm.unwrap().drift < 1e-6);
    }
}

#[test]
fn absurd_control_is_refused_or_reported_and_never_explodes() {
    let stiff = ["arm.controller.stiffness_n_m=[2e5, 2e5, 2e5]".to_string()];
    let mut run = Simulation::new(Scene::find_with("peg-in-hole-arm", &stiff).unwrap(), 1);
    for _ in 0..300 {
        let record = run.advance();
        assert!(record.bodies[0].motion.center.norm() < 0.2 && record.force.norm() < 1e4);
    }
    let error = Scene::find_with("peg-in-hole-arm", &["arm.controller.damping_ns_m=[0, 0, 0]".to_string()]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("arm.controller") && error.contains("critical"), "{error}");

    // a number that is none leaves the state where it was
    let mut run = Simulation::new(Scene::find("peg-in-hole-arm").unwrap(), 1);
    run.advance();
    let before = run.state.clone();
    let mut input = Input::none(&run.state);
    let motion = run.state.arm.as_deref().unwrap();
    let mut command = ArmCommand::none();
    command.forward[2] = f64::NAN;
    input.arm = Some(Box::new(ArmInput::of_command(command, motion)));
    let certificate = step(&run.scene, &run.parameters, &mut run.state, &input, &mut Workspace::default());
    assert!(certificate.limits.contains(Limit::ArmFailed) && !certificate.converged);
    assert_eq!(run.state.motions, before.motions);
    assert_eq!(run.state.arm, before.arm);
}

#[test]
fn wrong_arms_are_answered_with_the_remedy() {
    for (setting, expected) in [
        ("arm.robot=sawyer", "built in are `panda`"),
        ("arm.holds=hole", "not free"),
        ("arm.holds=pin", "parts: hole, peg"),
        ("arm.joints_deg=[0, 0]", "the arm has 7 joints"),
        ("arm.joints_deg=[0, 0, 0, 30, 0, 0, 0]", "`joint4` is 30; allowed: -176.00 to -4.00"),
        ("arm.base_position_mm=[-3000, 0, 0]", "cannot hold `peg` where it starts"),
        ("arm.tip=flange", "leave it out"),
        ("drive.damping_per_s=50", "led by the arm"),
        ("method.integration=implicit-euler", "choose `midpoint`"),
        ("arm.controller.kind=magic", "impedance"),
        ("arm.sensor.mean_samples=65", "64"),
        ("drive.file=nowhere.csv", "nowhere.csv"),
    ] {
        let found = Scene::find_with("peg-in-hole-arm", &[setting.to_string()]).map(|_| ());
        let error = found.unwrap_err().to_string();
        assert!(error.contains(expected), "{setting}: {error}");
    }
}
