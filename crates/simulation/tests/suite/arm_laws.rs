//! Laws of an arm that presses, strikes and feels.

use std::ops::AddAssign;

use tightfit_simulation::batch::{Batch, BatchError, Setup};
use tightfit_simulation::{Limit, Record, Scene, Simulation};
use tightfit_spatial::{Pose, Twist, Vector3};

/// A peg in the hand of a Panda over a table, led down by `last` [mm] within 0.6 s.
fn pressing(last: f64, rest: &str) -> Scene {
    Scene::from_toml(&format!(
        "name = 'press'\ndescription = 'a peg is pressed on a table'\ngravity_m_s2 = [0, 0, -9.81]\nfriction = 0.1\n\
         [parts.slab]\nshape = {{ kind = 'half-space' }}\nmotion = 'fixed'\n\
         [parts.peg]\nshape = {{ kind = 'preset', name = 'peg-50' }}\nmass_kg = 0.53\n\
         [drive]\npart = 'peg'\n\
         waypoints = [{{ time_s = 0.0, position_mm = [0, 0, 50] }}, {{ time_s = 0.6, position_mm = [0, 0, {last}] }}]\n\
         [arm]\nrobot = 'panda'\nholds = 'peg'\nbase_position_mm = [-450, 0, -300]\n\
         grasp = {{ position_mm = [0, 0, 100], rotation_deg = [180, 0, 0] }}\n{rest}"
    ))
    .unwrap()
}

fn records(scene: Scene, steps: usize) -> Vec<Record> {
    let mut run = Simulation::new(scene, 1);
    (0..steps).map(|_| run.advance()).collect()
}

fn impedance(stiffness: f64, damping: f64) -> String {
    format!(
        "[arm.controller]\nkind = 'impedance'\nstiffness_n_m = [{stiffness}, {stiffness}, {stiffness}]\n\
         damping_ns_m = [{damping}, {damping}, {damping}]\n\
         turning_stiffness_nm_rad = [100, 100, 100]\nturning_damping_nms_rad = [6, 6, 6]\n"
    )
}

/// Efforts of the drives of an arm that stands, from its weight and what it presses with: none is beyond its end, and one is
/// there, whatever a controller asks for.
#[test]
fn what_presses_harder_than_its_drives_can_stands_at_their_end() {
    let joints = "joint_friction = false\n[arm.controller]\nkind = 'joints'\njoint_frequency_rad_s = 100\n\
                  joint_damping_ratio = 1\n";
    let stiff =
        |stiffness: f64| format!("joint_friction = false\n{}", impedance(stiffness, stiffness / 50.0));
    for controller in [joints.to_string(), stiff(5e4), stiff(1e5)] {
        let scene = pressing(-10.0, &controller);
        let arm = scene.arm.clone().unwrap();
        let gravity = scene.gravity;
        for record in &records(scene, 120)[100..] {
            assert!(record.certificate.limits.contains(Limit::DriveEffort), "{controller}");
            let kept = record.arm.unwrap();
            let posture = arm.chain.posture(&kept.joints.angles);
            let part = &record.bodies[0].motion;
            // the hand's wrench, which is about the centre of the part, about the tip
            let mut wrench = kept.load;
            let force: Vector3<f64> = wrench.fixed_rows::<3>(0).into();
            let turn = (part.center - posture.world_from_tip.translation).cross(&force);
            wrench.fixed_rows_mut::<3>(3).add_assign(&turn);
            let efforts = arm.chain.dynamics(&posture, &kept.joints.speeds, gravity).gravity
                + posture.tip_jacobian().tr_mul(&wrench);
            let loads = arm.chain.joints().iter().enumerate();
            let most =
                loads.map(|(index, joint)| efforts[index].abs() / joint.limits.effort).fold(0.0, f64::max);
            assert!((0.97..1.03).contains(&most), "{most} of its effort, {force}, {controller}");
        }
    }
}

/// A ball that bounces far away cuts the steps into pieces; the arm does not know.
#[test]
fn an_arm_does_not_notice_that_steps_are_cut() {
    let ends = [0.0, 0.9].map(|restitution| {
        let rest = format!(
            "{}[parts.ball]\nshape = {{ kind = 'sphere', diameter_mm = 40 }}\nposition_mm = [0, 400, 60]\n\
             [[contacts]]\nparts = ['ball', 'slab']\nrestitution = {restitution}\n",
            impedance(2e3, 200.0)
        );
        let mut scene = pressing(80.0, &rest);
        scene.arm.as_mut().unwrap().chain = scene.arm.as_ref().unwrap().chain.clone().without_friction();
        records(scene, 60)
    });
    let [whole, cut] = &ends;
    for (whole, cut) in whole.iter().zip(cut) {
        let apart = (whole.pose.translation - cut.pose.translation).norm();
        assert!(apart < 2e-6, "{apart} m apart at {} s", whole.time);
        let [one, other] = [whole, cut].map(|record| record.arm.unwrap().measured.fixed_rows::<3>(0).norm());
        assert!((one - other).abs() < 0.3, "{one} and {other} N at {} s", whole.time);
    }
}

/// Sensors feel the momentum that a table takes from arm and part when they land on it.
#[test]
fn sensors_feel_impacts() {
    let step = 0.01;
    for place in ["table", "wrist"] {
        let rest = format!("{}[arm.sensor]\nplace = '{place}'\n", impedance(2e3, 200.0));
        let mut scene = pressing(-10.0, &rest);
        scene.gravity = Vector3::zeros();
        let records = records(scene, 70);
        let measured = |record: &Record| record.arm.unwrap().measured.fixed_rows::<3>(0).norm();
        let work = |index: &usize| records[*index].certificate.contact_work;
        let landing = (1..records.len()).min_by(|a, b| work(a).total_cmp(&work(b))).unwrap();
        // what stops arm and part within the step: twice the lost energy over the lost speed
        let [before, after] = [&records[landing - 1], &records[landing]];
        let speed = |record: &Record| record.bodies[0].motion.twist.linear_in_world.z;
        let lost = -2.0 * after.certificate.contact_work / (speed(before) + speed(after)).abs();
        // beside the forces over the step, which the step after the landing has alone
        let felt = (measured(after) - records[landing + 1].force.norm()) * step;
        // the peg lands a little askew and turns, hence not the same to the last per cent; the part itself keeps from the
        // wrist what stops its own 0.53 kg
        let ratio = felt / lost;
        assert!((0.7..1.1).contains(&ratio), "{place}: {felt} N·s, {lost} N·s lost");
    }
}

/// The weight that a controller knows is in the first reading too.
#[test]
fn nothing_is_felt_before_anything_touches() {
    for place in ["wrist", "table"] {
        let rest = format!(
            "joint_friction = false\n[arm.controller]\nkind = 'admittance'\nmass_kg = [12, 12, 12]\n\
             stiffness_n_m = [1000, 1000, 1000]\ndamping_ns_m = [220, 220, 220]\nturning_mass_kg_m2 = [1, 1, 1]\n\
             turning_stiffness_nm_rad = [50, 50, 50]\nturning_damping_nms_rad = [14, 14, 14]\n\
             joint_frequency_rad_s = 100\njoint_damping_ratio = 1\n\
             [arm.sensor]\nplace = '{place}'\nbias_n = [0, 0, 0]\n"
        );
        let records = records(pressing(50.0, &rest), 50);
        for record in &records {
            let moved = (record.pose.translation - Vector3::new(0.0, 0.0, 0.05)).norm();
            assert!(moved < 1e-6, "{place}: {moved} m at {} s", record.time);
        }
    }
}

/// A posture far away is not approached at the price of the set-point, however short the steps are.
#[test]
fn a_far_posture_does_not_hold_the_tip_up() {
    let at_end = |posture: &str, step: f64| {
        let rest = format!(
            "joint_friction = false\n{posture}[arm.controller]\nkind = 'admittance'\nmass_kg = [12, 12, 12]\n\
             stiffness_n_m = [1000, 1000, 1000]\ndamping_ns_m = [220, 220, 220]\nturning_mass_kg_m2 = [1, 1, 1]\n\
             turning_stiffness_nm_rad = [50, 50, 50]\nturning_damping_nms_rad = [14, 14, 14]\n\
             joint_frequency_rad_s = 100\njoint_damping_ratio = 1\n"
        );
        let mut scene = pressing(80.0, &rest);
        scene.dt = step;
        let steps = (0.3 / step).round() as usize;
        records(scene, steps).last().unwrap().pose.translation
    };
    let plain = at_end("", 0.01);
    for step in [0.01, 0.002] {
        let drawn = at_end("posture_deg = [60, -40, -60, -130, 20, 110, 0]\n", step);
        assert!((drawn - plain).norm() < 1e-4, "{drawn} instead of {plain} at {step} s");
    }
}

#[test]
fn a_held_part_that_is_put_elsewhere_takes_the_arm_along() {
    let scene = Scene::find("peg-in-hole-arm").unwrap();
    let mut drive = scene.drives[0].clone();
    drive.offset += 5e-3;
    let setup = Setup::of(&scene).with_drive(&scene, drive).unwrap();
    let mut batch = Batch::new(scene, 1, 1).unwrap();
    batch.reset(0, setup).unwrap();
    batch.step();
    let drift = batch.certificate(0).unwrap().arm.unwrap().drift;
    assert!(drift < 1e-6, "{drift} m");

    let scene = Scene::find("peg-in-hole-arm").unwrap();
    let far = Pose::from_translation(Vector3::new(0.0, 0.0, 5.0));
    let error = Setup::of(&scene).with_motion(&scene, "peg", far, Twist::zero()).unwrap_err();
    assert!(matches!(error, BatchError::OutOfHand { .. }), "{error}");
    let spin = Twist::new(Vector3::z(), Vector3::zeros());
    let error = Setup::of(&scene).with_motion(&scene, "peg", Pose::identity(), spin).unwrap_err();
    assert!(matches!(error, BatchError::HeldMoving { .. }), "{error}");
}

#[test]
fn environments_of_a_batch_hear_other_noise() {
    let mut scene = Scene::find("peg-spiral").unwrap();
    scene.arm.as_mut().unwrap().sensor.seed = 7;
    let batch = Batch::new(scene, 3, 1).unwrap();
    let streams: Vec<_> =
        (0..3).map(|index| batch.state(index).unwrap().arm.as_ref().unwrap().sensor.random).collect();
    assert!(streams[0] != streams[1] && streams[1] != streams[2]);
}

#[test]
fn keys_that_would_do_nothing_are_refused() {
    let with = |key: &str, value: &str| {
        let text = include_str!("../../assets/scenes/peg-in-hole-arm.toml");
        Scene::from_toml(&text.replace("[drive]", &format!("[drive]\n{key} = {value}")))
            .unwrap_err()
            .to_string()
    };
    for (key, value) in [("stiffness_factor", "50"), ("file_rotation_deg", "[0, 0, 90]")] {
        let error = with(key, value);
        assert!(error.contains(&format!("drive.{key}")) && error.contains("leave it out"), "{error}");
    }
}

/// A table of set-points is shifted and tilted as waypoints are.
#[test]
fn offsets_and_tilts_move_a_table_of_set_points() {
    let scene = |rest: &str| pressing(50.0, &format!("{rest}{}", impedance(2e3, 200.0)));
    let mut drive = scene("").drives.remove(0);
    let table = "t_s,x_m,y_m,z_m,qx,qy,qz,qw\n0,0,0,0.05,0,0,0,1\n1,0,0,0.06,0,0,0,1\n";
    let points = tightfit_robot::control::SetPoints::from_csv(table, "table").unwrap();
    let plain = drive.target(0.5);
    drive.stream = Some(std::sync::Arc::new(points));
    let streamed = drive.target(0.5);
    (drive.offset, drive.tilt) = (1e-3, 0.1);
    let moved = drive.target(0.5);
    assert!((plain.translation.z - 0.05).abs() < 1e-12);
    assert!((moved.translation - streamed.translation - Vector3::new(1e-3, 0.0, 0.0)).norm() < 1e-15);
    assert!(((moved.rotation * streamed.rotation.inverse()).angle() - 0.1).abs() < 1e-12);
}

#[test]
fn part_of_a_turn_of_the_gripper_is_refused() {
    let table = "t_s,x_m,y_m,z_m,qx,qy,qz,qw,gripper_quaternion_x,gripper_quaternion_y,gripper_quaternion_z\n\
                 0,0,0,0,0,0,0,1,0,0,1\n";
    let error = tightfit_robot::control::SetPoints::from_csv(table, "table").unwrap_err().to_string();
    assert!(error.contains("gripper_quaternion_w"), "{error}");
}
