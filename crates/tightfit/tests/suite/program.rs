//! The program as a user meets it: what it prints, what it writes, how it answers bad input.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{folder, json, tightfit, without_scripts};
use serde_json::Value;
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Scene, Simulation};

/// Bad input: a message, a failure, no panic.
fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "accepted: {output:?}");
    assert!(!text.contains("panicked") && text.starts_with("tightfit: "), "{text}");
    text
}

#[test]
fn a_part_by_name_is_exported_and_passes_the_doctor_in_every_format() {
    let folder = folder("export");
    for name in ["m48x5-nut", "m48x5-bolt", "peg-50", "square-hole-20", "m3-bolt"] {
        for extension in ["stl", "obj", "ply"] {
            let file = format!("{name}.{extension}");
            let exported = tightfit(&folder, &["part", name, "--no-bake", "--export", &file]);
            assert!(exported.status.success(), "{exported:?}");
            let report = json(&tightfit(&folder, &["part", &file, "--unit", "mm", "--no-bake", "--json"]));
            assert_eq!(report["findings"], Value::Array(vec![]), "{file}: {report}");
            assert_eq!(report["facts"]["closed"], true, "{file}");
        }
    }
}

#[test]
fn an_inside_out_part_is_found_and_repaired() {
    let folder = folder("repair");
    // a tetrahedron with all faces turned inwards, in millimetres
    let text = "v 0 0 0\nv 30 0 0\nv 0 30 0\nv 0 0 30\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
    std::fs::write(folder.join("in.obj"), text).unwrap();
    let output =
        tightfit(&folder, &["part", "in.obj", "--repair", "out.stl", "--picture", "in.svg", "--json"]);
    let report = json(&output);
    assert_eq!(report["findings"][0]["kind"], "inward_orientation", "{report}");
    assert_eq!(report["repair"]["after"]["findings"], Value::Array(vec![]));
    assert!(report["baked_field"]["error_m"]["p99"].as_f64().unwrap() < 2e-6);
    let again = json(&tightfit(&folder, &["part", "out.stl", "--no-bake", "--json"]));
    assert!((again["facts"]["volume_m3"].as_f64().unwrap() - 4.5e-6).abs() < 1e-12);
    assert!(std::fs::read_to_string(folder.join("in.svg")).unwrap().contains("</svg>"));
}

#[test]
fn bad_files_are_answered_with_a_reason() {
    let folder = folder("bad");
    let mut truncated = vec![0_u8; 84];
    truncated[80..84].copy_from_slice(&1000_u32.to_le_bytes());
    let files: [(&str, &[u8]); 6] = [
        ("empty.stl", b""),
        ("truncated.stl", &truncated),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("huge.obj", b"v 0 0 1e300\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        ("noise.xyz", b"\x00\x01\x02 nothing of this is a mesh"),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
        let message = refused(&tightfit(&folder, &["part", name]));
        assert!(message.contains(name), "{message}");
    }
    let message = refused(&tightfit(&folder, &["part", "no-such-file.stl"]));
    assert!(message.contains("no file `no-such-file.stl`"), "{message}");
    let message = refused(&tightfit(&folder, &["part", "m48x5-nut", "--clearance-mm=-0.1"]));
    assert!(message.contains("--clearance-mm is -0.1; allowed: more than 0"), "{message}");
    let message = refused(&tightfit(&folder, &["part", "m10x12-nut"]));
    assert!(message.contains("pitch_mm is 12 mm"), "{message}");
}

#[test]
fn an_open_sheet_is_reported_and_ends_with_a_status_of_its_own() {
    let folder = folder("sheet");
    std::fs::write(folder.join("sheet.obj"), "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nf 1 2 3 4\n").unwrap();
    let output = tightfit(&folder, &["part", "sheet.obj"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("error:") && text.contains("baked field none"), "{text}");
}

#[test]
fn scenes_are_listed_shown_and_written_for_a_start() {
    let folder = folder("scenes");
    let listed = json(&tightfit(&folder, &["scenes", "--json"]));
    let names: Vec<_> =
        listed.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"peg-in-hole") && names.contains(&"bolting-engaged"), "{names:?}");
    let text = tightfit(&folder, &["scenes", "bolting-engaged", "--toml"]).stdout;
    std::fs::write(folder.join("mine.toml"), &text).unwrap();
    let mine = json(&tightfit(&folder, &["scenes", "mine.toml", "--json"]));
    // 0.2 mm of radial play leaves 0.1 mm between the flanks when the nut is in phase
    let gap = mine["contacts"][0]["smallest_gap_um"].as_f64().unwrap();
    assert!((gap - 100.0).abs() < 0.2, "{gap}");
    std::fs::write(folder.join("wrong.toml"), "name = \"x\"\n[parts.p]\nshape = { kind = \"sphere\" }\n")
        .unwrap();
    let message = refused(&tightfit(&folder, &["scenes", "wrong.toml"]));
    assert!(message.contains("line 3: parts.p.shape.diameter_mm: is missing"), "{message}");
}

#[test]
fn a_scene_with_a_mesh_file_is_built_and_a_broken_one_is_answered() {
    let folder = folder("mesh-scene");
    assert!(tightfit(&folder, &["part", "peg-50", "--no-bake", "--export", "peg.ply"]).status.success());
    let scene = "name = \"x\"\n[parts.peg]\nshape = { kind = \"mesh\", file = \"peg.ply\", offset_mm = -0.01 }\n[parts.floor]\nmotion = \"fixed\"\nshape = { kind = \"half-space\" }\n";
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let shown = json(&tightfit(&folder, &["scenes", "scene.toml", "--json"]));
    let gap = shown["contacts"][0]["smallest_gap_um"].as_f64().unwrap();
    assert!((gap - 10.0).abs() < 1e-6, "the clearance counts for the nodes too: {gap}");
    assert!(tightfit(&folder, &["part", "peg.ply", "--bake", "peg.field"]).status.success());
    std::fs::write(
        folder.join("baked.toml"),
        scene.replace(" }\n[parts.floor", ", baked = \"peg.field\" }\n[parts.floor"),
    )
    .unwrap();
    let baked = json(&tightfit(&folder, &["scenes", "baked.toml", "--json"]));
    let gap = baked["contacts"][0]["smallest_gap_um"].as_f64().unwrap();
    assert!((gap - 10.0).abs() < 1e-6, "{gap}");
    std::fs::write(folder.join("scene.toml"), scene.replace("peg.ply", "gone.ply")).unwrap();
    let message = refused(&tightfit(&folder, &["scenes", "scene.toml"]));
    assert!(message.contains("line 3: parts.peg.shape.file = \"gone.ply\""), "{message}");
}

#[test]
fn every_scene_is_drawn() {
    let folder = folder("survey");
    let output = tightfit(&folder, &["scenes", "--draw", "pictures"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("the mesh doctor has 0 findings"), "{text}");
    assert!(folder.join("pictures/bolting-nut.svg").exists());
}

#[test]
fn a_log_is_replayed_and_a_changed_one_names_its_step() {
    let folder = folder("replay");
    let mut run = Simulation::new(Scene::find("block-on-table").unwrap(), 1);
    let records: Vec<_> = (0..20).map(|_| run.advance()).collect();
    log::write(&folder.join("run.csv"), &run.scene, &RunMeta::new(1, None), &records).unwrap();
    let same = tightfit(&folder, &["replay", "run.csv"]);
    assert!(same.status.success(), "{same:?}");
    assert_eq!(String::from_utf8_lossy(&same.stdout), "block-on-table: all 20 hashes equal\n");

    let mut changed = records.clone();
    changed[4].hash += 1;
    log::write(&folder.join("changed.parquet"), &run.scene, &RunMeta::new(1, None), &changed).unwrap();
    let differs = tightfit(&folder, &["replay", "changed.parquet"]);
    assert_eq!(differs.status.code(), Some(1), "{differs:?}");
    assert!(String::from_utf8_lossy(&differs.stdout).contains("step 5 of 20 differs"), "{differs:?}");

    std::fs::write(folder.join("foreign.csv"), "a,b\n1,2\n").unwrap();
    let message = refused(&tightfit(&folder, &["replay", "foreign.csv"]));
    assert!(message.contains("foreign.csv is no log of tightfit"), "{message}");
}

#[test]
fn the_schema_is_json() {
    let schema = json(&tightfit(&folder("schema"), &["schema"]));
    assert_eq!(schema["title"], "SceneDescription");
}

#[test]
fn both_tasks_complete_without_a_command_and_certify_themselves() {
    let output = tightfit(&folder("run"), &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("peg-in-hole") && text.contains("engaged"), "{text}");
}

/// The verdict is that of the certificate: a preset whose steps do not converge completes the task without certifying it.
#[test]
fn a_completed_run_is_certified_only_by_its_certificate() {
    let folder = folder("verdict");
    let run = |preset: &str, report: &str| {
        tightfit(&folder, &["run", "peg-in-hole", "--preset", preset, "--json", "--report", report])
    };
    let (tight, standard) = (run("tight", "tight.html"), run("standard", "standard.html"));
    assert_eq!((tight.status.code(), standard.status.code()), (Some(0), Some(3)), "{standard:?}");
    let (tight, standard) = (json(&tight), json(&standard));
    assert_eq!((&tight["completed"], &standard["completed"]), (&true.into(), &true.into()));
    assert_eq!((&tight["verdict"], &tight["reasons"]), (&"certified".into(), &Value::Array(vec![])));
    assert_eq!(standard["verdict"], "completed-uncertified");
    assert_eq!(standard["reasons"][0]["kind"], "not_converged");
    let pages =
        ["tight.html", "standard.html"].map(|page| std::fs::read_to_string(folder.join(page)).unwrap());
    assert!(pages[0].contains("<div class=\"good\">certified"), "{}", pages[0]);
    assert!(
        pages[1].contains("<div class=\"fair\">completed, uncertified")
            && pages[1].contains("did not converge")
    );
    // the page has the depth that the program prints
    let depth = format!("{:.3} of 20 mm", tight["outcome"]["depth_mm"].as_f64().unwrap());
    assert!(pages[0].contains(&depth), "{depth}");

    let text = tightfit(&folder, &["run", "peg-in-hole", "--seconds", "0.1"]);
    assert_eq!(text.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&text.stdout).contains("the task is not completed"), "{text:?}");
    let help = tightfit(&folder, &["run", "--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("Exit codes:"), "{help:?}");
}

#[test]
fn docs_commands_is_the_help_of_the_program() {
    let page = tightfit(&folder("commands"), &["commands"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    let kept = std::fs::read_to_string(path).unwrap();
    let printed = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(printed == kept, "docs/commands.md is out of date: `cargo run -- commands > docs/commands.md`");
}

#[test]
fn a_scene_shows_the_size_of_a_part_that_the_doctor_measures() {
    let folder = folder("sizes");
    let shown = String::from_utf8_lossy(&tightfit(&folder, &["scenes", "bolting"]).stdout).into_owned();
    let part =
        String::from_utf8_lossy(&tightfit(&folder, &["part", "m48x5-nut", "--no-bake"]).stdout).into_owned();
    let size =
        part.lines().find_map(|line| line.strip_prefix("size ")).unwrap().trim().trim_end_matches(" mm");
    let rounded: Vec<String> =
        size.split(" x ").map(|side| format!("{:.1}", side.parse::<f64>().unwrap())).collect();
    assert!(shown.contains(&rounded.join(" x ")), "{rounded:?}: {shown}");
}

#[test]
fn a_run_reports_in_json_and_wrong_settings_are_answered() {
    let folder = folder("run-json");
    let report = json(&tightfit(&folder, &["run", "peg-in-hole", "--audit", "--seconds", "1", "--json"]));
    assert_eq!(report["steps"], 100);
    assert!(report["audit"]["max_penetration_um"].as_f64().unwrap() < 1.0, "{report}");
    assert_eq!(report["certificate"]["unconverged_steps"], 0);
    assert_eq!(report["order"], Value::Null);
    let message = refused(&tightfit(&folder, &["run", "peg-in-hole", "--set", "friction=-1"]));
    assert!(message.contains("friction = -1"), "{message}");
    let message = refused(&tightfit(&folder, &["run", "peg-in-hole", "--disturb", "20"]));
    assert!(message.contains("FORCE,TORQUE"), "{message}");
}

#[test]
fn validation_answers_with_verdicts_and_an_unknown_case_with_the_names() {
    let folder = folder("validate");
    let output = tightfit(&folder, &["validate", "--only", "sliding-stop", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let verdicts = json(&output);
    let verdict = &verdicts[0];
    assert_eq!(verdict["name"], "sliding-stop.distance");
    assert_eq!(verdict["pass"], true);
    for key in ["expected", "measured", "error", "tolerance"] {
        assert!(verdict[key].is_number(), "{key}: {verdict}");
    }
    let text = refused(&tightfit(&folder, &["validate", "--only", "perpetual-motion"]));
    assert!(text.contains("perpetual-motion") && text.contains("thread-torque"), "{text}");
}

#[test]
fn a_reader_that_stops_early_ends_the_program_in_peace() {
    use std::io::Read;
    use std::process::Stdio;
    let folder = folder("pipe");
    for arguments in [&["scenes"][..], &["schema"], &["run", "block-on-table", "--log", "run.csv", "--json"]]
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tightfit"))
            .current_dir(&folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(program.stdout.take());
        let mut complaint = String::new();
        program.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert!(program.wait().unwrap().success(), "{arguments:?}: {complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
    }
    assert!(folder.join("run.csv").exists(), "what was asked for is written all the same");
}

#[test]
fn smaller_steps_are_compared_with_the_smallest() {
    let folder = folder("halvings");
    let arguments = ["run", "peg-in-hole", "--seconds", "0.4", "--halvings", "2", "--report", "order.html"];
    let text = String::from_utf8_lossy(&tightfit(&folder, &arguments).stdout).into_owned();
    assert!(text.contains("pose error") && text.contains("falls by"), "{text}");
    let html = std::fs::read_to_string(folder.join("order.html")).unwrap();
    assert_eq!(html.matches("data-door=\"recording\"").count(), 1, "one 3-D view");
    let html = without_scripts(&html);
    assert!(html.contains("Pose error against a step of 2.5 ms") && !html.contains("NaN"));
    let report = json(&tightfit(&folder, &[&arguments[..6], &["--json"]].concat()));
    let levels = report["order"]["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2);
    assert_eq!(report["order"]["reference_dt_s"], 0.0025);
    assert!(levels[0]["max_error_ratio"].as_f64().unwrap() > 1.8 && levels[1]["max_error_ratio"].is_null());
}

#[test]
fn penetration_without_and_with_c_space_is_drawn() {
    let folder = folder("cspace");
    let arguments = ["compare", "peg-in-hole", "--figure", "cspace", "--seconds", "0.5", "--json"];
    let report = json(&tightfit(&folder, &[&arguments[..], &["--report", "fig8.html"]].concat()));
    let means: Vec<f64> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["penetration_under_wrench_um"]["mean"].as_f64().unwrap())
        .collect();
    let share = report["mean_with_over_without"].as_f64().unwrap();
    assert!((share - means[1] / means[0]).abs() < 1e-12 && share < 1.0, "{means:?}");
    assert_eq!(report["runs"][1]["methods"]["cspace"], "network");
    let html = std::fs::read_to_string(folder.join("fig8.html")).unwrap();
    assert!(html.contains("with C-space") && html.contains("<svg") && !html.contains("NaN"));

    let none = refused(&tightfit(&folder, &["train", "cspace", "peg-in-hole", "--box", "cellar"]));
    assert!(none.contains("boxes: workspace, mouth, inserted"), "{none}");
    let idle = refused(&tightfit(&folder, &["compare", "block-on-table", "--figure", "cspace"]));
    assert!(idle.contains("tightfit train cspace"), "{idle}");
}

#[test]
fn presets_are_compared_and_single_methods_replaced() {
    let folder = folder("compare");
    let arguments = ["compare", "peg-in-hole", "--seconds", "0.6", "--report", "compare.html", "--json"];
    let report = json(&tightfit(&folder, &arguments));
    let runs = report["runs"].as_array().unwrap();
    let names: Vec<_> = runs.iter().map(|run| run["preset"].as_str().unwrap()).collect();
    assert_eq!(names, ["tight", "standard", "refined"]);
    for run in runs {
        let is_tight = run["preset"] == "tight";
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        assert!(run["audit"]["max_penetration_um"].is_number() && run["completed"].is_boolean());
        assert_eq!(number(&run["timing"]["stages_us"]["clustering"]) > 0.0, !is_tight, "{run}");
        for way in ["own_way", "same_states"] {
            assert_eq!(number(&run["wrench_difference"][way]["rms_force_n"]) > 0.0, !is_tight, "{run}");
        }
        assert_eq!(run["methods"]["detection"], "exact");
        assert_eq!(run["verdict"], "failed", "{run}");
        let words = run["words"].as_str().unwrap();
        assert!(words.starts_with("not completed, "), "{words}");
        assert_eq!(words.contains("every step converged"), is_tight, "{words}");
    }
    // the whole is the root of the sum of the squares of the axes
    for way in ["own_way", "same_states"] {
        let difference = &report["standard_against_refined"][way];
        for (whole, axes) in [("rms_force_n", "rms_force_xyz_n"), ("rms_torque_nm", "rms_torque_xyz_nm")] {
            let axes = difference[axes].as_array().unwrap().iter().map(|axis| axis.as_f64().unwrap());
            let sum: f64 = axes.map(|axis| axis * axis).sum();
            let whole = difference[whole].as_f64().unwrap();
            assert!(whole > 0.0 && (sum.sqrt() / whole - 1.0).abs() < 1e-9, "{difference}");
        }
    }
    let html = std::fs::read_to_string(folder.join("compare.html")).unwrap();
    assert!(html.contains("Contact wrench: standard against refined"));
    assert_eq!(html.matches("class=\"tf-frames\"").count(), 3, "one recording per preset");
    let html = without_scripts(&html);
    assert!(html.contains("Methods compared on peg-in-hole") && !html.contains("NaN"));
    assert_eq!(html.matches(">standard</text>").count(), html.matches("<svg").count());

    let swapped =
        ["run", "peg-in-hole", "--seconds", "0.3", "--preset", "refined", "--set", "method.solver=pgs"];
    let report = json(&tightfit(&folder, &[&swapped[..], &["--log", "run.csv", "--json"]].concat()));
    assert_eq!(report["preset"], "refined");
    assert_eq!(report["methods"]["solver"], "pgs");
    assert_eq!(report["methods"]["integration"], "paper-midpoint");
    assert!(tightfit(&folder, &["replay", "run.csv"]).status.success(), "a log knows its methods");
    let output = tightfit(&folder, &["run", "peg-in-hole", "--preset", "loose"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("tight, standard, refined, paper, paper-n-space, textbook"),
        "{text}"
    );
}

#[test]
fn recordings_that_are_missing_are_answered_with_their_file() {
    let folder = folder("recordings");
    let text = refused(&tightfit(&folder, &["validate", "--recordings", "nowhere"]));
    assert!(text.contains("nowhere/tosses.npy") && text.contains("index.csv"), "{text}");
}

#[test]
fn steps_are_measured_stage_by_stage() {
    let folder = folder("bench-step");
    let steps = ["bench", "step", "peg-in-hole", "--rounds", "2", "--seconds", "0.2", "--json"];
    let steps = json(&tightfit(&folder, &steps));
    let one = &steps[0];
    assert_eq!(one["scene"], "peg-in-hole");
    assert_eq!(one["preset"], "tight");
    for key in ["median_step_us", "p99_step_us", "real_time_factor"] {
        assert!(one[key].as_f64().is_some_and(|value| value > 0.0), "{key}: {steps}");
    }
    assert!(one["stages_us"]["detection"].as_f64().is_some_and(|value| value > 0.0), "{steps}");
    refused(&tightfit(&folder, &["bench", "step", "--rounds", "0"]));
}

#[test]
fn batches_clustering_and_contacts_are_measured_and_kept_in_files() {
    let folder = folder("bench-others");
    // files that were there would be added to
    let _ = std::fs::remove_file(folder.join("batch.csv"));
    let batch = ["bench", "batch", "peg-in-hole", "bolting-engaged", "--environments", "3", "--warm-up", "1"];
    let few = ["--steps", "1", "--rounds", "1", "--json", "--csv", "batch.csv"];
    let report = json(&tightfit(&folder, &[&batch[..], &few[..]].concat()));
    for (one, threads) in report.as_array().unwrap().iter().zip([1, 2, 1, 2]) {
        assert_eq!((&one["environments"], &one["threads"]), (&3.into(), &threads.into()), "{one}");
        assert!(one["env_steps_per_s"].as_f64().unwrap() > 0.0 && one["faults"] == 0, "{one}");
        assert!(one["bytes_per_environment"].as_f64().unwrap() <= 262_144.0, "{one}");
    }
    let rows = std::fs::read_to_string(folder.join("batch.csv")).unwrap();
    assert_eq!(rows.lines().count(), 5, "{rows}");
    assert!(rows.starts_with("scene,environments,threads") && rows.contains("conditions\n"), "{rows}");

    let clustering = ["bench", "clustering", "--contacts", "50", "--rounds", "1", "--json", "--csv"];
    let report = json(&tightfit(&folder, &clustering));
    let methods: Vec<_> = report.as_array().unwrap().iter().map(|one| one["method"].clone()).collect();
    assert_eq!(methods, ["k-means", "interaction", "interaction-located"]);
    // without a name the file is that of this machine
    let machines = std::fs::read_dir(folder.join("experiments/speed/results")).unwrap();
    let files: Vec<_> = machines.map(|machine| machine.unwrap().path().join("clustering.csv")).collect();
    assert!(matches!(&files[..], [file] if file.is_file()), "{files:?}");

    let contacts = ["bench", "contacts", "--along", "3,5", "--steps", "2", "--json"];
    let report = json(&tightfit(&folder, &contacts));
    assert!(report[1]["contacts"].as_f64() > report[0]["contacts"].as_f64(), "{report}");
    refused(&tightfit(&folder, &["bench", "batch", "--threads", "0"]));
}

#[test]
fn a_network_is_measured_against_the_core_and_agrees_with_double_precision() {
    let folder = folder("bench");
    let report =
        json(&tightfit(&folder, &["bench", "network", "--points", "200", "--rounds", "3", "--json"]));
    assert!(report["ns_per_point"].as_f64().unwrap() > 0.0, "{report}");
    assert!(report["fraction_of_peak"].as_f64().unwrap() > 0.0, "{report}");
    for path in report["paths"].as_array().unwrap() {
        assert!(path["max_value_error_of_range"].as_f64().unwrap() <= 1e-6, "{path}");
    }
    let text = refused(&tightfit(&folder, &["bench", "network", "--sizes", "3-64-2"]));
    assert!(text.contains("3-64-64-64-1"), "{text}");
}

#[test]
fn a_depth_network_is_trained_from_a_part_by_name() {
    let folder = folder("train");
    let short = ["--steps", "60", "--samples", "4000", "--hidden", "16-16", "--json"];
    let output =
        tightfit(&folder, &[&["train", "depth", "peg-50", "--out", "peg.safetensors"][..], &short].concat());
    let report = json(&output);
    assert!(report["errors_um"]["p99"].as_f64().unwrap() > 0.0, "{report}");
    let file = tightfit::network::FieldFile::load(&folder.join("peg.safetensors")).unwrap();
    assert_eq!(file.recipe, report["recipe"]);
    assert!(file.field.residual().is_none());
    let rest =
        [&["train", "depth", "peg-50", "--residual", "--out", "rest.safetensors"][..], &short].concat();
    assert_eq!(json(&tightfit(&folder, &rest))["recipe"]["recipe"]["residual"], true);
    let file = tightfit::network::FieldFile::load(&folder.join("rest.safetensors")).unwrap();
    assert!(file.field.residual().is_some());
    let text = refused(&tightfit(&folder, &["train", "depth", "peg-51"]));
    assert!(text.contains("peg-50"), "{text}");
    let text = refused(&tightfit(&folder, &["train", "depth", "peg-50", "--hidden", "64x64"]));
    assert!(text.contains("64-64-64"), "{text}");
}

#[test]
fn the_papers_network_is_trained_from_a_part_of_a_scene_or_a_mesh() {
    let folder = folder("train-paper");
    let short = ["--steps", "20", "--samples", "2000", "--paper", "--json"];
    let of_scene = ["train", "depth", "hole", "--scene", "peg-in-hole"];
    let report = json(&tightfit(&folder, &[&of_scene[..], &short].concat()));
    assert_eq!(report["features"], "cartesian");
    assert_eq!(report["recipe"]["recipe"]["output"], "tanh");
    assert!(folder.join("hole-depth-paper.safetensors").exists());
    let text = refused(&tightfit(&folder, &["train", "depth", "lid", "--scene", "peg-in-hole"]));
    assert!(text.contains("`lid`") && text.contains("hole, peg"), "{text}");

    let exported = tightfit(&folder, &["part", "peg-50", "--export", "own.stl", "--no-bake"]);
    assert!(exported.status.success(), "{exported:?}");
    let report = json(&tightfit(&folder, &[&["train", "depth", "own.stl"][..], &short].concat()));
    assert_eq!(report["file"], "own-depth-paper.safetensors");
}

#[test]
fn the_ten_pairs_of_table_2_are_trained_by_one_command_that_keeps_what_is_done() {
    let folder = folder("train-table-2");
    let _ = std::fs::remove_dir_all(folder.join("ten"));
    let short = |steps: &'static str| {
        let rest = ["--steps", steps, "--samples", "1000", "--hidden", "4", "--json"];
        [&["train", "depth", "--table-2", "--out", "ten"][..], &rest].concat()
    };
    let report = json(&tightfit(&folder, &short("4")));
    let all = report.as_array().unwrap();
    assert_eq!(all.len(), 10);
    assert!(all.iter().all(|one| one["stop"] != "Before" && one["errors_um"]["p99"].as_f64().is_some()));
    let again = json(&tightfit(&folder, &short("4")));
    assert!(again.as_array().unwrap().iter().all(|one| one["stop"] == "Before"), "{again}");
    assert_eq!(again[3]["errors_um"], report[3]["errors_um"]);
    let text = refused(&tightfit(&folder, &short("5")));
    assert!(text.contains("paper-47.2x5-bolt") && text.contains("another recipe"), "{text}");
}

/// Killed while the second of the ten is under way, the command goes on from there: the first is kept, the second begins at
/// its checkpoint and ends with the bits of a run that nobody killed.
#[test]
fn a_killed_training_of_table_2_goes_on_where_it_was() {
    let folder = folder("train-table-2-killed");
    let _ = std::fs::remove_dir_all(folder.join("ten"));
    let rest = ["--steps", "2500", "--samples", "2000", "--batch", "240", "--hidden", "16"];
    let ten = [&["train", "depth", "--table-2", "--out", "ten"][..], &rest].concat();
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_tightfit")).current_dir(&folder).args(&ten).spawn().unwrap();
    let second = folder.join("ten/paper-47.6x5-bolt-depth.safetensors");
    let checkpoint = second.with_extension("safetensors.checkpoint");
    while !checkpoint.exists() && !second.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its second network");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let all = json(&tightfit(&folder, &[&ten[..], &["--json"]].concat()));
    assert_eq!(all.as_array().unwrap().len(), 10);
    assert_eq!(all[0]["stop"], "Before");
    assert!(!checkpoint.exists() && second.exists());
    let name = all[1]["part"].as_str().unwrap();
    let whole = [&["train", "depth", name, "--out", "whole.safetensors"][..], &rest].concat();
    assert!(tightfit(&folder, &whole).status.success());
    let network = |path: &Path| tightfit::network::FieldFile::load(path).unwrap().field.network().clone();
    assert_eq!(network(&second), network(&folder.join("whole.safetensors")));
}

#[test]
fn a_folder_without_the_published_files_is_refused() {
    let folder = folder("import");
    let text = refused(&tightfit(&folder, &["import", "inrol", ".", "out"]));
    assert!(text.contains("txt/W0.txt"), "{text}");
}

#[test]
fn the_peg_goes_in_against_a_depth_network() {
    let folder = folder("neural");
    let run = ["run", "peg-in-hole", "--set", "method.detection=neural", "--audit", "--json"];
    let report = json(&tightfit(&folder, &run));
    assert_eq!(report["completed"], true);
    assert!(report["audit"]["max_penetration_um"].as_f64().unwrap() < 5.0, "{report}");
    assert_eq!(report["methods"]["detection"], "neural");
}

/// The authors' scenes against their recorded runs. Skipped where those are not there.
#[test]
fn the_authors_scenes_follow_their_recorded_runs() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol"));
    if !shared.exists() {
        eprintln!("skipped: {} is not there", shared.display());
        return;
    }
    let folder = folder("inrol");
    let imported = tightfit(&folder, &["import", "inrol", shared.to_str().unwrap(), "imported"]);
    assert!(imported.status.success(), "{imported:?}");
    for (task, steps) in [("peg", "700,2600"), ("bolt", "1100,2790")] {
        let recorded = shared.join(format!("reference_runs/{task}.csv"));
        let scene = format!("inrol-{task}");
        let output = tightfit(
            &folder,
            &[
                "run",
                &scene,
                "--assets",
                "imported",
                "--reference",
                recorded.to_str().unwrap(),
                "--reference-steps",
                steps,
                "--overlay",
                "overlay.html",
                "--json",
            ],
        );
        let report = json(&output);
        assert_eq!(report["completed"], true, "{report}");
        assert_eq!(report["certificate"]["unconverged_steps"], 0, "{report}");
        assert_eq!(report["steps"], 3100, "2,800 set-points and 3 s");
        let touches = &report["reference"]["first_contact_step"];
        let [ours, theirs] = ["ours", "theirs"].map(|whose| touches[whose].as_f64().unwrap());
        assert!((ours - theirs).abs() <= 20.0, "{touches}");
        let differences = report["reference"]["differences"].as_array().unwrap();
        let force = differences.iter().find(|difference| difference["quantity"] == "force z").unwrap();
        assert!(force["root_mean_square"].as_f64().unwrap() < 1.0, "{force}");
        assert!(std::fs::read_to_string(folder.join("overlay.html")).unwrap().contains("force z [N]"));
    }
    // the paper's methods with the published networks and habits
    let recorded = shared.join("reference_runs/bolt.csv");
    let reference = ["--reference", recorded.to_str().unwrap(), "--reference-steps", "1100,2790", "--json"];
    let run = ["run", "inrol-bolt", "--preset", "refined", "--assets", "imported"];
    let report = json(&tightfit(&folder, &[&run[..], &reference].concat()));
    let differences = report["reference"]["differences"].as_array().unwrap();
    let force = differences.iter().find(|difference| difference["quantity"] == "force difference").unwrap();
    assert!(force["root_mean_square"].as_f64().unwrap() < 1.0, "{force}");
    let text = refused(&tightfit(&folder, &["run", "inrol-peg"]));
    assert!(text.contains("tightfit import inrol"), "{text}");
    let text = refused(&tightfit(&folder, &["run", "inrol-peg", "--assets", "."]));
    assert!(text.contains("set_points.csv"), "{text}");
}

#[test]
fn an_arm_that_fails_ends_a_run_by_name() {
    let folder = folder("failing");
    let three = |value: f64| format!("[{value:?}, {value:?}, {value:?}]");
    let light = |damping: f64, turning_mass: f64| {
        format!(
            "arm.controller={{ kind = \"admittance\", mass_kg = {}, damping_ns_m = {}, stiffness_n_m = {}, turning_mass_kg_m2 = {}, \
             turning_damping_nms_rad = {}, turning_stiffness_nm_rad = {}, joint_frequency_rad_s = 400 }}",
            three(0.01),
            three(damping),
            three(100.0),
            three(turning_mass),
            three(0.01 * damping),
            three(1.0)
        )
    };
    // so light that the force of the last step throws it about: it runs away, or joints hit their limits and it is said
    let report = json(&tightfit(&folder, &["run", "peg-in-hole-arm", "--set", &light(1.0, 1e-4), "--json"]));
    assert!(report["certificate"]["limits_hit"].as_u64().unwrap() > 0, "{report}");
    // and so little damped and so light to turn that it runs away
    let light = light(0.1, 1e-5);
    let output = tightfit(&folder, &["run", "peg-in-hole-arm", "--set", &light]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text.contains("stopped at ") && text.contains("of the arm ran away"), "{text}");
    let report = json(&tightfit(&folder, &["run", "peg-in-hole-arm", "--set", &light, "--json"]));
    assert_eq!((&report["completed"], &report["verdict"]), (&false.into(), &"failed".into()));
    assert!(report["end"].as_str().unwrap().contains("ran away"), "{report}");
    let kinds = report["reasons"].as_array().unwrap().iter().map(|reason| reason["kind"].clone());
    assert!(kinds.into_iter().any(|kind| kind == "arm_failed"), "{report}");

    let waypoints = "drive.waypoints=[{ time_s = 0, position_mm = [0, 0, 3] }, { time_s = 1, position_mm = [nan, 0, 3] }]";
    let text = refused(&tightfit(&folder, &["run", "peg-in-hole-arm", "--set", waypoints]));
    assert!(text.contains("drive.waypoints[1].position_mm[0] = nan"), "{text}");
}

#[test]
fn a_strategy_ends_its_run_and_is_tried_from_many_starts() {
    let folder = folder("trials");
    let report = json(&tightfit(&folder, &["run", "peg-tilt", "--json"]));
    assert_eq!(report["completed"], true, "{report}");
    assert_eq!(report["verdict"], "certified", "{report}");
    assert!(report["end"].as_str().unwrap().contains("the strategy reported success"), "{report}");
    let output =
        tightfit(&folder, &["trials", "peg-tilt", "--count", "2", "--report", "trials.html", "--json"]);
    let report = json(&output);
    assert_eq!((&report["succeeded"], &report["unconverged_steps"]), (&2.into(), &0.into()), "{report}");
    assert_eq!((&report["certified"], &report["verdict"]), (&2.into(), &"certified".into()), "{report}");
    assert!(output.status.success());
    assert_eq!(report["trials"][1]["last_phase"], "insert");
    let html = std::fs::read_to_string(folder.join("trials.html")).unwrap();
    for text in ["2 of 2 succeeded, 2 certified", "Contact force [N]", "align", "about x [deg]"] {
        assert!(html.contains(text), "{text}");
    }
    let text = refused(&tightfit(&folder, &["trials", "peg-in-hole"]));
    assert!(text.contains("no [arm.strategy]"), "{text}");
    let text = refused(&tightfit(&folder, &["trials", "peg-tilt", "--error-mm=-1"]));
    assert!(text.contains("--error-mm is -1"), "{text}");
}
