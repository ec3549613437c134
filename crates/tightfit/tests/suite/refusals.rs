//! Bad input to the program: an error that names the value and the remedy before any work, and no result that is lost.

use std::path::Path;

use crate::support::{folder, json, tightfit};

/// Every command is refused without a panic and without a word on the standard output; the message has all the words.
fn all_refused(folder: &Path, cases: &[(&[&str], &[&str])]) {
    for (arguments, words) in cases {
        let output = tightfit(folder, arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?} was accepted");
        assert!(!text.contains("panicked") && output.stdout.is_empty(), "{arguments:?}: {output:?}");
        // help is wrapped to the width of a terminal
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in *words {
            assert!(flat.contains(word), "{arguments:?}: {word}: {text}");
        }
    }
}

#[test]
fn a_cell_that_is_no_number_is_named_instead_of_left_out() {
    let folder = folder("refusals-cells");
    let poses = |name: &str, row: &str| {
        std::fs::write(folder.join(name), format!("t,x,y,z,w,i,j,k\n0,0,0,0.1,1,0,0,0\n{row}\n")).unwrap();
    };
    poses("word.csv", "0.1,abc,0,0.1,1,0,0,0");
    poses("first.csv", "0.o1,0,0,0.1,1,0,0,0");
    poses("nan.csv", "0.1,0,nan,0.1,1,0,0,0");
    poses("time.csv", "inf,0,0,0.1,1,0,0,0");
    poses("long.csv", "0.1,0,0,0.1,1,0,0,0,9");
    let audit = |file: &'static str| ["audit", "block-on-table", "--poses", file];
    let run = |option: &'static str, value: &'static str| ["run", "peg-in-hole", option, value];
    all_refused(
        &folder,
        &[
            (&run("--disturb", "5,abc,0.5"), &["--disturb is `5,abc,0.5`", "`abc` in place 2", "20,0.5"]),
            (&run("--disturb", "5,0.5,"), &["`` in place 3"]),
            (&run("--reference-steps", "7x,9"), &["`7x` in place 1 is no whole number"]),
            (&["bench", "network", "--sizes", "3-x-64-1"], &["--sizes is `3-x-64-1`", "`x` in place 2"]),
            (&audit("word.csv"), &["word.csv, line 3", "`abc` in place 2 is no number"]),
            (&audit("first.csv"), &["first.csv, line 3", "`0.o1` in place 1 is no number"]),
            (&audit("nan.csv"), &["nan.csv, line 3", "`NaN` in place 3 is not finite"]),
            (&audit("time.csv"), &["time.csv, line 3", "`inf` in place 1 is not finite"]),
            (&audit("long.csv"), &["long.csv, line 3", "9 numbers"]),
        ],
    );
}

#[test]
fn numbers_out_of_range_are_refused_by_the_name_of_their_option() {
    let folder = folder("refusals-ranges");
    let run = |option: &'static str, value: &'static str| ["run", "peg-in-hole", option, value];
    all_refused(
        &folder,
        &[
            (&run("--disturb", "1e300,1"), &["1e300,1", "from 0 to 1000000"]),
            (&run("--disturb", "inf,1"), &["inf,1", "from 0 to 1000000"]),
            (&run("--seconds", "-1"), &["--seconds is -1"]),
            (&run("--set", "drive.force_n=[0, 0, 1e9]"), &["drive.force_n[2]", "up to 1000000"]),
            (&run("--set", "gravity_m_s2=[0, 0, -1e30]"), &["gravity_m_s2[2]", "from -10000"]),
            (&["identify", "logs", "--friction", "-1"], &["--friction is -1; allowed: 0 to 10"]),
            (&["identify", "logs", "--tool-to-tip-mm", "nan"], &["--tool-to-tip-mm is NaN"]),
            (&["virtual-experiment", "48x5", "--trials", "0", "--out", "x"], &["--trials", "1..="]),
            (&["virtual-experiment", "48x5", "--waviness-um", "-3", "--out", "x"], &["--waviness-um is -3"]),
            (&["virtual-experiment", "48x5", "--waviness-um", "1e9", "--out", "x"], &["--waviness-um"]),
            (&["train", "clustering", "logs", "--seconds", "nan"], &["--seconds is NaN"]),
            (&["train", "clustering", "logs", "--seconds", "-5"], &["--seconds is -5"]),
            (&["evaluate", "logs", "--fit-trials", "0"], &["--fit-trials"]),
            (&["evaluate", "logs", "--fit-seconds", "0"], &["--fit-seconds is 0"]),
            (&["trials", "peg-tilt", "--error-mm", "-1"], &["--error-mm is -1"]),
            (&["part", "peg-50", "--clearance-mm", "-1"], &["--clearance-mm is -1"]),
        ],
    );
    assert!(!folder.join("x").exists(), "nothing is made before the check");
}

/// The run of a million years would ask for more memory than any machine has.
#[test]
fn a_run_of_too_many_steps_is_refused_with_its_length_and_its_step() {
    let folder = folder("refusals-steps");
    // set-points that count from 1970, by the millisecond
    let stream = "t_s,x_m,y_m,z_m,qx,qy,qz,qw\n1763280000,0,0,0.1,0,0,0,1\n1763280001,0,0,0.1,0,0,0,1\n";
    std::fs::write(folder.join("unix.csv"), stream).unwrap();
    let scene = "name = \"x\"\n[parts.peg]\nmotion = \"kinematic\"\nshape = { kind = \"sphere\", diameter_mm = 10 }\n\
                 [drive]\npart = \"peg\"\nfile = \"unix.csv\"\n";
    std::fs::write(folder.join("unix.toml"), scene).unwrap();
    all_refused(
        &folder,
        &[
            (&["run", "peg-in-hole", "--dt", "1e-12"], &["steps of", "allowed: up to 1e8", "--dt"]),
            (&["run", "unix.toml"], &["1763280001 s in steps of 10 ms", "times begin at 0"]),
        ],
    );
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_work() {
    let folder = folder("refusals-files");
    std::fs::write(folder.join("file"), "").unwrap();
    all_refused(
        &folder,
        &[
            (&["run", "peg-in-hole", "--log", "run.log"], &["run.log", ".parquet or .csv"]),
            (&["run", "peg-in-hole", "--log", "file/run.csv"], &["--log file/run.csv"]),
            (&["run", "peg-in-hole", "--report", "file/run.html"], &["--report file/run.html"]),
            (&["run", "peg-in-hole", "--report", "."], &["--report .", "that is a folder"]),
            (&["compare", "peg-in-hole", "--report", "file/c.html"], &["--report file/c.html"]),
            (&["trials", "peg-tilt", "--report", "file/t.html"], &["--report file/t.html"]),
            (&["evaluate", "logs", "--report", "file/e.html"], &["--report file/e.html"]),
            (&["evaluate", "logs", "--curves", "file/e.csv"], &["--curves file/e.csv"]),
        ],
    );
    let arguments = ["run", "peg-in-hole", "--seconds", "0.1", "--log", "new/deep/run.csv"];
    let output = tightfit(&folder, &arguments);
    assert!(folder.join("new/deep/run.csv").exists(), "{output:?}");
}

/// What the file does not have is made where it belongs; what no scene has is refused.
#[test]
fn replacements_go_where_their_key_belongs() {
    let folder = folder("refusals-set");
    let shown = |set: &[&str]| {
        json(&tightfit(&folder, &[&["run", "block-on-table", "--seconds", "0.01", "--json"], set].concat()))
    };
    shown(&["--set", "contacts=[{ parts = [\"block\", \"table\"], friction = 0.7 }]"]);
    shown(&[
        "--set",
        "task.kind=insert",
        "--set",
        "task.into=table",
        "--set",
        "depth_mm=1",
        "--set",
        "engaged_mm=0",
    ]);
    let run = |set: &'static str| ["run", "block-on-table", "--set", set];
    all_refused(
        &folder,
        &[
            (&run("frictoin=0.2"), &["block-on-table: `--set frictoin=…`: no such key", "`friction`"]),
            (&run("drive.tilt_deg=3"), &["drive.part: is missing"]),
            (&run("arm.robot=panda"), &["arm.holds: is missing"]),
            (&run("friction"), &["`--set friction` has no `=`"]),
            (&run("=3"), &["has a key with nothing in it"]),
        ],
    );
    std::fs::write(
        folder.join("mine.toml"),
        tightfit(&folder, &["scenes", "block-on-table", "--toml"]).stdout,
    )
    .unwrap();
    let output = tightfit(&folder, &["run", "mine.toml", "--set", "friction=-1"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("friction = -1") && !text.contains("line "), "{text}");
    // what the user wrote keeps its line
    std::fs::write(
        folder.join("wrong.toml"),
        "name = \"x\"\nfriction = 77\n[parts.p]\nshape = { kind = \"half-space\" }\nmotion = \"fixed\"\n",
    )
    .unwrap();
    all_refused(
        &folder,
        &[(
            &["run", "wrong.toml", "--dt", "5"],
            &["line 2: friction = 77: allowed: a number from 0 up to 10"],
        )],
    );
    for arguments in [
        &["run", "peg-in-hloe", "--set", "friction=0.2"][..],
        &["run", "peg-in-hloe", "--dt", "1"],
        &["run", "peg-in-hloe", "--preset", "refined"],
        &["compare", "peg-in-hloe"],
        &["bench", "step", "peg-in-hloe"],
        &["scenes", "peg-in-hloe", "--toml"],
    ] {
        all_refused(&folder, &[(arguments, &["no scene `peg-in-hloe`", "peg-in-hole, "])]);
    }
}

#[test]
fn a_recorded_run_is_compared_where_both_have_the_same_times() {
    let folder = folder("refusals-reference");
    let names: Vec<String> = (1..=7).map(|joint| format!("a{joint}")).collect();
    let head = format!("t_s,x,y,z,qx,qy,qz,qw,{},Fx,Fy,Fz,Tx,Ty,Tz", names.join(","));
    let row = |time: f64| format!("{time},0.5,0,0.3,0,0,0,1,0,-0.78,0,-2.36,0,1.57,0.78,0,0,0,0,0,0");
    let write = |name: &str, period: f64| {
        let rows: Vec<String> = (1..=20).map(|step| row(f64::from(step) * period)).collect();
        std::fs::write(folder.join(name), format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    };
    write("same.csv", 0.01);
    write("slow.csv", 0.02);
    let run = |scene: &'static str, file: &'static str| ["run", scene, "--reference", file];
    let steps = |steps: &'static str| {
        [&run("peg-in-hole-arm", "same.csv")[..], &["--reference-steps", steps]].concat()
    };
    all_refused(
        &folder,
        &[
            (
                &run("peg-in-hole", "same.csv"),
                &["--reference is for scenes with an arm; `peg-in-hole` has none"],
            ),
            (&run("peg-in-hole-arm", "slow.csv"), &["slow.csv, line 2: t_s is 0.02", "--dt"]),
            (&steps("10,5000"), &["--reference-steps is 10,5000; same.csv has 20 steps"]),
        ],
    );
}

#[test]
fn json_is_all_that_is_printed_where_it_was_asked_for() {
    let folder = folder("refusals-json");
    let parts = json(&tightfit(&folder, &["part", "--list", "--json"]));
    assert!(parts.as_array().unwrap().contains(&"m48x5-nut".into()), "{parts}");
    let scene = json(&tightfit(&folder, &["scenes", "bolting", "--toml", "--json"]));
    assert!(scene["toml"].as_str().unwrap().contains("[parts.nut]"), "{scene}");
    let drawn = json(&tightfit(&folder, &["scenes", "--draw", "pictures", "--json"]));
    assert_eq!(drawn["findings"], 0);
    assert!(drawn["pictures"].as_array().unwrap().contains(&"pictures/bolting-nut.svg".into()), "{drawn}");
}
