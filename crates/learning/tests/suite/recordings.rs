//! Readers: a foreign table and an array through a column map, and the logs of this program.

use tightfit_learning::recordings::read_trials;
use tightfit_simulation::log::{self, RunMeta};
use tightfit_simulation::{Scene, Simulation};
use tightfit_spatial::Vector3;

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("tightfit-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

const MAP: &str = r#"
time = { column = "t", unit = "ms" }
position = { columns = ["px", "py", "pz"], unit = "mm" }
attitude = { columns = ["rx", "ry", "rz"], form = "rotation-vector-deg" }
force = { columns = ["fx", "fy", "fz"], unit = "N", axes = "world", on = "fixed" }
torque = { columns = ["tx", "ty", "tz"], unit = "Nmm" }
trial = "run"
"#;

#[test]
fn a_foreign_table_is_converted_to_si_units_tool_axes_and_the_held_part() {
    let folder = folder("map");
    let (table, map) = (folder.join("log.csv"), folder.join("map.toml"));
    let text = "t,px,py,pz,rx,ry,rz,fx,fy,fz,tx,ty,tz,run\n\
                0,100,200,300,0,0,90,1,0,5,10,20,30,1\n\
                10,100,200,299,0,0,90,1,0,5,10,20,30,1\n\
                0,1,2,3,0,0,0,0,0,0,0,0,0,2\n";
    std::fs::write(&table, text).expect("written");
    std::fs::write(&map, MAP).expect("written");
    let set = read_trials(&table, Some(&map)).expect("a good table");
    assert_eq!(set.trials.iter().map(|trial| trial.len()).collect::<Vec<_>>(), [2, 1]);
    let trial = &set.trials[0];
    assert!((trial.time[1] - 0.01).abs() < 1e-15);
    assert!((trial.world_from_tool[0].translation - Vector3::new(0.1, 0.2, 0.3)).norm() < 1e-15);
    // A force of (1, 0, 5) on the fixed part, in the axes of a tool that is turned by a quarter about z.
    assert!((trial.force[0] - Vector3::new(0.0, 1.0, -5.0)).norm() < 1e-12, "{}", trial.force[0]);
    assert!((trial.torque[0] - Vector3::new(0.01, 0.02, 0.03)).norm() < 1e-15);

    std::fs::write(&map, MAP.replace("\"Nmm\"", "\"lbf\"")).expect("written");
    let error = read_trials(&table, Some(&map)).expect_err("an unknown unit").to_string();
    assert!(error.contains("lbf") && error.contains("Nmm"), "{error}");
    std::fs::write(&map, MAP.replace("\"px\"", "\"qx\"")).expect("written");
    let error = read_trials(&table, Some(&map)).expect_err("a missing column").to_string();
    assert!(error.contains("`qx`") && error.contains("py"), "{error}");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// One row of eleven columns: time, position, quaternion, force; the velocity is the force's columns in world axes.
#[test]
fn an_array_is_read_by_column_numbers_with_velocities_and_the_time_of_zeroing() {
    let folder = folder("array");
    let (array, map) = (folder.join("day-1__a.npy"), folder.join("map.toml"));
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 11), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for time in [0.0, 0.01] {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let row = [time, 0.1, 0.2, 0.3, half, 0.0, 0.0, half, 1.0, 2.0, 3.0];
        bytes.extend(row.iter().flat_map(|number: &f64| number.to_le_bytes()));
    }
    std::fs::write(&array, bytes).expect("written");
    let text = r#"
time = { column = "0", unit = "s" }
position = { columns = ["1", "2", "3"], unit = "m" }
attitude = { columns = ["4", "5", "6", "7"], form = "quaternion-wxyz" }
force = { columns = ["8", "9", "10"], unit = "N" }
torque = { columns = ["8", "9", "10"], unit = "Nm" }
velocity = { columns = ["8", "9", "10"], unit = "m/s", axes = "world" }
turning = { columns = ["8", "9", "10"], unit = "rad/s", axes = "world" }
wrench_from_s = 0.005
"#;
    std::fs::write(&map, text).expect("written");
    let set = read_trials(&array, Some(&map)).expect("a good array");
    let trial = &set.trials[0];
    assert_eq!((trial.len(), trial.session.as_str()), (2, "day-1"));
    assert!(!trial.has_wrench(0) && trial.has_wrench(1));
    let twist = trial.twist[1];
    assert!((twist.linear_in_world - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-15);
    // In the axes of a tool that is turned by a quarter about z.
    assert!((twist.angular_in_body - Vector3::new(2.0, -1.0, 3.0)).norm() < 1e-12);
    std::fs::write(&map, text.replace("turning", "# turning")).expect("written");
    let error = read_trials(&array, Some(&map)).expect_err("half a twist").to_string();
    assert!(error.contains("velocity and turning"), "{error}");
    let error = read_trials(&array, None).expect_err("no map").to_string();
    assert!(error.contains("--map"), "{error}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn logs_of_this_program_are_read_as_trials() {
    let folder = folder("own-log");
    let scene = Scene::find("peg-in-hole").expect("a built-in scene");
    let mut run = Simulation::new(scene.clone(), 1);
    let records: Vec<_> = (0..60).map(|_| run.advance()).collect();
    for name in ["run.csv", "run.parquet"] {
        let path = folder.join(name);
        log::write(&path, &scene, &RunMeta::new(1, run.disturbance), &records).expect("written");
        let set = read_trials(&path, None).expect("a log of ours");
        let (trial, record) = (&set.trials[0], &records[40].bodies[0]);
        assert_eq!(trial.len(), 60);
        let pose = trial.world_from_tool[40];
        assert!((pose.translation - record.motion.center).norm() < 1e-12);
        assert!((pose.rotation * trial.force[40] - record.force).norm() < 1e-9);
        assert!((pose.rotation * trial.torque[40] - record.torque).norm() < 1e-9);
    }
    std::fs::remove_dir_all(folder).expect("removed");
}
