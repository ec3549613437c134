//! Recordings through the program: what one command writes the next one reads, and what is left out or judged twice is said.

use std::path::Path;
use std::process::Output;

use crate::support::{folder, json, tightfit};
use serde_json::Value;

/// A peg that is led into a hole from a mesh file.
const SCENE: &str = r#"
name = "meshed"
[parts.hole]
shape = { kind = "mesh", file = "hole.stl", unit = "mm" }
motion = "fixed"
[parts.peg]
shape = { kind = "preset", name = "peg-50" }
mass_kg = 0.53
[drive]
part = "peg"
stiffness_n_m = [2000, 2000, 2000]
turning_stiffness_nm_rad = [2, 2, 0.6]
damping_per_s = 50
waypoints = [{ time_s = 0, position_mm = [0, 0, 0.1] }, { time_s = 0.3, position_mm = [0, 0, -4] }]
[task]
kind = "insert"
into = "hole"
depth_mm = 3
engaged_mm = 1
"#;

/// Runs the program, which succeeds.
fn succeeds(folder: &Path, arguments: &[&str]) -> Output {
    let output = tightfit(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output
}

#[test]
fn an_experiment_with_a_mesh_is_examined_and_evaluated_from_elsewhere() {
    let folder = folder("recorded-mesh");
    succeeds(&folder, &["part", "hole-50", "--no-bake", "--export", "hole.stl"]);
    std::fs::write(folder.join("mesh.toml"), SCENE).unwrap();
    let made = ["virtual-experiment", "mesh.toml", "--trials", "1", "--seconds", "0.2", "--out", "made"];
    succeeds(&folder, &made);

    // the scene beside the recordings finds its mesh, whatever the working directory is
    let made = folder.join("made");
    let looked_over = json(&succeeds(&made, &["recording", ".", "--json"]));
    assert_eq!(
        (&looked_over["form"], &looked_over["trials"]),
        (&"recordings of this program".into(), &1.into())
    );
    let evaluated = json(&succeeds(&made, &["evaluate", ".", "--preset", "tight", "--json"]));
    // of a single trial none is left to test on
    assert_eq!(evaluated["training_trials"], evaluated["trials"], "{evaluated}");
    assert_eq!(evaluated["fit_costs"], Value::Null);
    // the rigid hold beside the rest is the load model that holds rigidly
    let beside = json(&succeeds(&made, &["evaluate", ".", "--preset", "tight", "--rigid", "--json"]));
    let alone = json(&succeeds(
        &made,
        &["evaluate", ".", "--preset", "tight", "--load-model", "next-pose", "--json"],
    ));
    let names = [0, 1, 2].map(|place| beside["methods"][place]["name"].as_str().unwrap_or_default());
    assert_eq!(names, ["all contacts", "all contacts, rigid hold", "K-means + PGS, rigid hold"]);
    assert_eq!(beside["methods"][0], evaluated["methods"][0]);
    assert_eq!(beside["methods"][1]["errors"], alone["methods"][0]["errors"]);
    let text = succeeds(&made, &["evaluate", ".", "--preset", "tight", "--fit-load", "1"]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("1 trials (1 of them train by the split)"), "{text}");
    assert!(text.contains("N/m") && text.contains("fitted: cost"), "{text}");
}

#[test]
fn the_hole_is_found_where_the_recorded_peg_penetrates_least() {
    let folder = folder("recorded-pose");
    succeeds(
        &folder,
        &[
            "virtual-experiment",
            "peg-in-hole",
            "--trials",
            "2",
            "--seconds",
            "4",
            "--step-ms",
            "5",
            "--out",
            "made",
        ],
    );
    let scene = std::fs::read_to_string(folder.join("made/scene.toml")).unwrap();
    let wrong = scene.replace("[parts.hole]", "[parts.hole]\nposition_mm = [0.2, -0.15, 0]");
    assert_ne!(wrong, scene);
    std::fs::write(folder.join("wrong.toml"), wrong).unwrap();
    let arguments = [
        "identify-pose",
        "made",
        "--scene",
        "wrong.toml",
        "--share",
        "0.3",
        "--poses",
        "24",
        "--write",
        "placed.toml",
    ];
    let found = json(&succeeds(&folder, &[&arguments[..], &["--json"]].concat()));
    let position = |axis: usize| found["position_mm"][axis].as_f64().unwrap();
    // it was recorded at the origin, with a play of 0.065 mm
    assert!(position(0).hypot(position(1)) < 0.04, "{found}");
    let refused = found["answer"]["refusals"].as_array().unwrap();
    assert!(refused.iter().any(|own| own["name"] == "turn about z"), "{found}");
    // the written scene holds the part there
    let again = json(&succeeds(
        &folder,
        &["identify-pose", "made", "--scene", "placed.toml", "--share", "0.3", "--poses", "24", "--json"],
    ));
    for axis in 0..2 {
        let shift = again["position_mm"][axis].as_f64().unwrap() - position(axis);
        assert!(shift.abs() < 0.02, "{again}");
    }
    let unknown = tightfit(&folder, &["identify-pose", "made", "--part", "peg"]);
    let text = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(!unknown.status.success() && text.contains("fixed parts: [\"hole\"]"), "{text}");
}

#[test]
fn a_scene_with_an_arm_is_evaluated_as_a_whole() {
    let folder = folder("recorded-arm");
    let made = [
        "virtual-experiment",
        "peg-in-hole-arm",
        "--trials",
        "2",
        "--seconds",
        "0.4",
        "--step-ms",
        "10",
        "--without",
        "friction,sensor-noise",
        "--out",
        "made",
    ];
    succeeds(&folder, &made);
    let report = json(&succeeds(&folder, &["evaluate", "made", "--preset", "tight,textbook", "--json"]));
    assert_eq!(report["complete_simulation"], true, "{report}");
    let names: Vec<&str> =
        report["methods"].as_array().unwrap().iter().map(|own| own["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tight", "textbook", "zero", "mean of the training trials"]);
    // the same methods at the same step from the same start
    assert!(report["methods"][0]["errors"]["force"].as_f64().unwrap() < 1e-9, "{report}");
    let refused = tightfit(&folder, &["evaluate", "made", "--trained", "none.safetensors"]);
    assert!(!refused.status.success());
}
