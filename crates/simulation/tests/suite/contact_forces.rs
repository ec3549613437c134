//! Contact forces of records and logs hold the whole change of momentum of a step, impacts included.

use std::path::Path;

use tightfit_simulation::log::{self, RunMeta, Values};
use tightfit_simulation::{Record, Scene, Simulation};

/// A kinematic ram at 0.1 m/s strikes a block of 0.1 kg that is at rest 1 mm in front of it; nothing else acts.
fn struck_block() -> Simulation {
    let text = r#"
        name = "struck-block"
        gravity_m_s2 = [0, 0, 0]
        friction = 0
        [parts.block]
        shape = { kind = "block", size_mm = [20, 20, 20] }
        mass_kg = 0.1
        position_mm = [21, 0, 0]
        [parts.ram]
        shape = { kind = "block", size_mm = [20, 20, 20] }
        motion = "kinematic"
        [drive]
        part = "ram"
        waypoints = [{ time_s = 0, position_mm = [0, 0, 0] }, { time_s = 1, position_mm = [100, 0, 0] }]
    "#;
    Simulation::new(Scene::from_toml(text).unwrap(), 1)
}

#[test]
fn a_block_that_is_struck_to_a_tenth_of_a_metre_per_second_logs_one_newton() {
    let mut run = struck_block();
    let mut before = run.state.motions[0].twist.linear_in_world.x;
    let mut largest = 0.0_f64;
    for _ in 0..10 {
        let record = run.advance();
        let after = record.bodies[0].motion.twist.linear_in_world.x;
        let expected = 0.1 * (after - before) / run.scene.dt;
        assert!(
            (record.bodies[0].force.x - expected).abs() < 1e-9,
            "{} {expected}",
            record.bodies[0].force.x
        );
        // action and reaction
        assert!(
            (record.kinematic[0].force + record.bodies[0].force).norm() < 1e-9,
            "{:?}",
            record.kinematic[0]
        );
        largest = largest.max(record.bodies[0].force.x);
        before = after;
    }
    assert!((before - 0.1).abs() < 1e-9, "the block moves with the ram: {before} m/s");
    assert!((largest - 1.0).abs() < 1e-6, "one step takes the whole blow: {largest} N");
}

#[test]
fn logs_hold_the_pose_of_kinematic_parts() {
    let mut run = struck_block();
    let records: Vec<Record> = (0..10).map(|_| run.advance()).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kinematic.csv");
    log::write(&path, &run.scene, &RunMeta::new(1, None), &records).unwrap();
    let log = log::read(&path).unwrap();
    let Some(Values::Real(x)) = log.column("ram.position_x_m") else { panic!("no pose of the ram") };
    for (row, x) in x.iter().enumerate() {
        assert!((x - 1e-3 * (row + 1) as f64).abs() < 1e-12, "{row}: {x}");
    }
    let Some(Values::Real(w)) = log.column("ram.quaternion_w") else { panic!("no attitude of the ram") };
    assert!(w.iter().all(|w| (w - 1.0).abs() < 1e-12));
    assert!(log::replay(&path).unwrap().is_same());
}
