//! A run can be put away and taken up again, forgotten and repeated, without a changed bit.
//!
//! A naive version fails late: a quaternion normalised again on the way, or a cache that the next step reads,
//! changes one last bit, and contacts let it grow over some hundred steps.

use std::path::{Path, PathBuf};

use tightfit_simulation::log::{self, LogError, RunMeta, Values};
use tightfit_simulation::{Disturbance, Record, Scene, Simulation, Snapshot, SnapshotError};

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logs");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A short scene with impact, friction and, from 0.3 s, a disturbance.
fn scene() -> Scene {
    Scene::from_toml(
        r#"
        name = "short-peg"
        friction = 0.1
        [parts.hole]
        shape = { kind = "preset", name = "hole-50" }
        motion = "fixed"
        [parts.peg]
        shape = { kind = "preset", name = "peg-50" }
        mass_kg = 0.53
        [drive]
        part = "peg"
        stiffness_n_m = [2000, 2000, 2000]
        turning_stiffness_nm_rad = [2, 2, 0.6]
        damping_per_s = 50
        offset_mm = 0.4
        tilt_deg = 0.2
        waypoints = [{ time_s = 0, position_mm = [0, 0, 1] }, { time_s = 0.3, position_mm = [0, 0, -4] }]
        [task]
        kind = "insert"
        into = "hole"
        depth_mm = 3
        engaged_mm = 1
        "#,
    )
    .unwrap()
}

const DISTURBANCE: Disturbance = Disturbance { force: 5.0, torque: 0.05 };

fn start() -> Simulation {
    let mut run = Simulation::new(scene(), 7);
    run.disturbance = Some(DISTURBANCE);
    run
}

fn records(run: &mut Simulation, steps: usize) -> Vec<Record> {
    (0..steps).map(|_| run.advance()).collect()
}

fn hashes(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.hash).collect()
}

#[test]
fn a_restored_snapshot_continues_with_the_same_bits() {
    let mut run = start();
    records(&mut run, 100);
    let text = serde_json::to_string(&run.snapshot()).unwrap();
    let uninterrupted = records(&mut run, 60);
    assert!(uninterrupted.iter().any(|record| record.certificate.active > 0), "nothing touched");

    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let mut other = start();
    other.restore(&snapshot).unwrap();
    let continued = records(&mut other, 60);
    assert_eq!(hashes(&continued), hashes(&uninterrupted));
    assert_eq!(continued.last().unwrap().angle, uninterrupted.last().unwrap().angle);

    // back in time in the same run
    run.restore(&snapshot).unwrap();
    assert_eq!(hashes(&records(&mut run, 60)), hashes(&uninterrupted));
}

#[test]
fn forgetting_every_cache_before_every_step_changes_no_bit() {
    let expected = hashes(&records(&mut start(), 150));
    let mut run = start();
    let forgetful: Vec<u64> = (0..150)
        .map(|_| {
            run.forget();
            run.advance().hash
        })
        .collect();
    let first = expected.iter().zip(&forgetful).position(|(a, b)| a != b);
    assert_eq!(first, None, "first difference at this step, from 0");
}

#[test]
fn snapshots_of_another_scene_or_with_a_bent_quaternion_are_refused() {
    let snapshot = Simulation::new(Scene::find("block-on-table").unwrap(), 1).snapshot();
    let mut empty = Simulation::new(
        Scene::from_toml(
            "name = \"x\"\n[parts.floor]\nmotion = \"fixed\"\nshape = { kind = \"half-space\" }\n",
        )
        .unwrap(),
        1,
    );
    assert!(matches!(empty.restore(&snapshot), Err(SnapshotError::OtherScene { .. })));
    let mut json = serde_json::to_value(&snapshot).unwrap();
    json["state"]["free"][0]["quaternion"] = serde_json::json!([0.0, 0.0, 0.0, 1.1]);
    let error = serde_json::from_value::<Snapshot>(json).unwrap_err().to_string();
    assert!(error.contains("not of unit length"), "{error}");
}

#[test]
fn logs_give_back_every_number_in_both_forms() {
    let mut run = start();
    let mut kept = records(&mut run, 40);
    run.with_audit();
    kept.extend(records(&mut run, 10));
    let meta = RunMeta::new(7, Some(DISTURBANCE));
    let read = ["run.parquet", "run.csv"].map(|name| {
        let path = file(name);
        log::write(&path, &run.scene, &meta, &kept).unwrap();
        log::read(&path).unwrap()
    });
    assert_eq!(read[0].columns, read[1].columns.clone());
    for log in &read {
        assert_eq!((&log.scene, &log.meta, log.steps()), (&run.scene.source, &meta, 50));
        let Some(Values::Real(x)) = log.column("peg.center_x_m") else { panic!("no x") };
        assert!(x.iter().zip(&kept).all(|(x, record)| *x == record.bodies[0].motion.center.x));
        let Some(Values::Measured(audited)) = log.column("audited_penetration_m") else { panic!("no audit") };
        assert!(audited.iter().zip(&kept).all(|(found, record)| *found == record.audited));
        assert_eq!(audited.iter().flatten().count(), 10);
        let Some(Values::Whole(found)) = log.column("state_hash") else { panic!("no hash") };
        assert_eq!(*found, hashes(&kept));
    }
}

#[test]
fn a_replay_is_the_same_and_names_the_first_step_that_is_not() {
    let kept = records(&mut start(), 60);
    for name in ["replay.parquet", "replay.csv"] {
        let path = file(name);
        log::write(&path, &scene(), &RunMeta::new(7, Some(DISTURBANCE)), &kept).unwrap();
        let report = log::replay(&path).unwrap();
        assert!(report.is_same(), "{report:?}");
        assert_eq!((report.steps, report.scene.as_str()), (60, "short-peg"));

        // one that was tampered with, and one whose seed was another: it differs once the disturbance begins
        let mut changed = kept.clone();
        changed[41].hash ^= 1;
        log::write(&path, &scene(), &RunMeta::new(7, Some(DISTURBANCE)), &changed).unwrap();
        let difference = log::replay(&path).unwrap().difference.unwrap();
        assert_eq!((difference.step, difference.found), (42, kept[41].hash));
        log::write(&path, &scene(), &RunMeta::new(8, Some(DISTURBANCE)), &kept).unwrap();
        let difference = log::replay(&path).unwrap().difference.unwrap();
        assert!((0.3..0.35).contains(&difference.time), "{difference:?}");
    }
}

/// Format 1 had forces without impacts: such a log is read, and its forces are not compared.
#[test]
fn a_log_of_the_first_format_is_replayed() {
    let kept = records(&mut start(), 60);
    let mut smooth = kept.clone();
    smooth.iter_mut().for_each(|record| record.bodies[0].force *= 0.5);
    let path = file("first-format.csv");
    log::write(&path, &scene(), &RunMeta::new(7, Some(DISTURBANCE)), &smooth).unwrap();
    let report = log::replay(&path).unwrap();
    assert!(report.changed.is_some_and(|changed| changed.column.contains("contact_force")));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("# tightfit.format: 2", "# tightfit.format: 1")).unwrap();
    assert_eq!(log::read(&path).unwrap().format, 1);
    assert!(log::replay(&path).unwrap().is_same());
}

#[test]
fn an_empty_run_has_a_log() {
    for name in ["empty.parquet", "empty.csv"] {
        let path = file(name);
        log::write(&path, &scene(), &RunMeta::new(1, None), &[]).unwrap();
        let report = log::replay(&path).unwrap();
        assert!(report.is_same() && report.steps == 0);
    }
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    let kept = records(&mut start(), 5);
    for name in ["whole.parquet", "whole.csv"] {
        let path = file(name);
        log::write(&path, &scene(), &RunMeta::new(7, None), &kept).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let cut = file(&format!("cut-{name}"));
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            std::fs::write(&cut, &bytes[..length]).unwrap();
            let error = log::read(&cut).expect_err("a cut file was read");
            assert!(error.to_string().contains(&format!("cut-{name}")), "{error}");
        }
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let path = file("sound.parquet");
    log::write(&path, &scene(), &RunMeta::new(7, None), &records(&mut start(), 5)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let damaged = file("damaged.parquet");
    for place in (4..bytes.len() - 4).step_by(31) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x55;
        std::fs::write(&damaged, &bytes).unwrap();
        let _ = log::read(&damaged);
    }
}

#[test]
fn foreign_files_and_names_are_answered_with_a_reason() {
    let write = |name: &str, bytes: &[u8]| {
        let path = file(name);
        std::fs::write(&path, bytes).unwrap();
        log::read(&path).unwrap_err()
    };
    assert!(matches!(write("other.csv", b"a,b\n1,2\n"), LogError::Foreign { .. }));
    assert!(matches!(write("other.parquet", b"not a parquet file at all"), LogError::Foreign { .. }));
    assert!(matches!(write("half.parquet", b"PAR1 and then nothing"), LogError::Truncated { .. }));
    assert!(matches!(write("later.csv", b"# tightfit.format: 99\n\n"), LogError::Damaged { .. }));
    assert!(matches!(write("run.xlsx", b""), LogError::Extension { .. }));
    assert!(matches!(log::read(&file("no-such.csv")), Err(LogError::Io { .. })));
}

/// A fingerprint is of the state: it does not know what stands in the other cells of its row.
#[test]
fn a_number_that_was_changed_in_a_log_is_found() {
    let kept = records(&mut start(), 20);
    let path = file("edited.csv");
    log::write(&path, &scene(), &RunMeta::new(7, Some(DISTURBANCE)), &kept).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let head = text.lines().find(|line| !line.starts_with('#')).unwrap();
    for name in ["peg.center_z_m", "peg.contact_force_x_n", "engaged", "candidates"] {
        let column = head.split(',').position(|own| own == name).unwrap();
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let row = lines.len() - 8;
        let mut cells: Vec<&str> = lines[row].split(',').collect();
        cells[column] = match name {
            "engaged" if cells[column] == "true" => "false",
            "engaged" => "true",
            "candidates" => "99999",
            _ => "0.125",
        };
        lines[row] = cells.join(",");
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let report = log::replay(&path).unwrap();
        let changed = report.changed.clone().unwrap_or_else(|| panic!("{name} was not noticed"));
        assert_eq!((changed.column.as_str(), changed.step), (name, 13), "{changed:?}");
        assert!(!report.is_same() && report.difference.is_none());
    }
}

/// Paths in a scene are relative to its file, and the file may have been named relative to a working directory that is another now.
#[test]
fn a_log_finds_the_files_of_its_scene_from_another_working_directory() {
    let mesh = "v 0 0 0\nv 30 0 0\nv 0 30 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(file("tip.obj"), mesh).unwrap();
    let text = "name = \"x\"\n[parts.tip]\nshape = { kind = \"mesh\", file = \"tip.obj\", unit = \"mm\" }\n";
    std::fs::write(file("tip.toml"), text).unwrap();
    let mut run = Simulation::new(Scene::load(&file("tip.toml")).unwrap(), 1);
    let kept = records(&mut run, 3);
    let path = file("tip.csv");
    log::write(&path, &run.scene, &RunMeta::new(1, None), &kept).unwrap();
    let folder = run.scene.source.folder.display().to_string();
    let moved = std::fs::read_to_string(&path).unwrap();
    let moved = moved.replace(&format!("# tightfit.folder: {folder}"), "# tightfit.folder: not/here");
    std::fs::write(&path, &moved).unwrap();
    assert!(log::replay(&path).unwrap().is_same());
    // without either folder the error says once which file is missing
    let lost: Vec<&str> = moved.lines().filter(|line| !line.contains("absolute_folder")).collect();
    std::fs::write(&path, lost.join("\n") + "\n").unwrap();
    let error = log::replay(&path).unwrap_err();
    assert!(std::error::Error::source(&error).is_none(), "its text has the reason already");
    assert_eq!(error.to_string().matches("tip.obj").count(), 2, "key and reason: {error}");
}
