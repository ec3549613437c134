//! Readers: a foreign table through its map, our own logs, and the published data sets where they are there.

use std::path::Path;

use tightfit_learning::recordings::{Severity, examine, read_trials};
use tightfit_simulation::log::{self, RunMeta};
use tightfit_simulation::{Run, Scene};
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
fn a_foreign_table_is_brought_to_si_units_tool_axes_and_the_held_part() {
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
    // a force of (1, 0, 5) on the fixed part, seen from a tool that is turned by a quarter about z
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

#[test]
fn our_own_logs_come_back_as_trials() {
    let folder = folder("own-log");
    let scene = Scene::find("peg-in-hole").expect("a built-in scene");
    let mut run = Run::new(scene.clone(), 1);
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

#[test]
fn published_recordings_have_no_error() {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    for (name, trials) in
        [("panda_peg_kinesthetic", 21), ("ur5e_rod_insertion", 61), ("inrol/reference_runs", 2)]
    {
        let path = data.join(name);
        if !path.exists() {
            println!("skipped: {} is not there", path.display());
            continue;
        }
        let set = read_trials(&path, None).expect("a published data set");
        assert_eq!(set.trials.len(), trials, "{name}");
        for trial in set.trials.iter().step_by(7) {
            assert!(
                examine(trial).iter().all(|finding| finding.severity < Severity::Error),
                "{}",
                trial.name
            );
        }
    }
}
