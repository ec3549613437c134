//! The paper's presets and items: the documents are what the program says.

use std::path::Path;

use crate::support::{folder, json, tightfit};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn docs_presets_is_what_the_program_prints() {
    let page = tightfit(&folder("presets"), &["presets", "--markdown"]);
    let printed = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(
        printed == document("presets.md"),
        "out of date: `cargo run -- presets --markdown > docs/presets.md`"
    );
}

/// The preset as issue and documents define it: a changed default must be changed there too.
#[test]
fn the_preset_paper_is_the_papers_pipeline() {
    let report = json(&tightfit(
        &folder("preset-paper"),
        &["run", "bolting-arm", "--preset", "paper", "--seconds", "0.05", "--json"],
    ));
    let methods = &report["methods"];
    for (stage, choice) in [
        ("detection", "neural-paper"),
        ("clustering", "interaction"),
        ("cspace", "network"),
        ("solver", "sor"),
        ("integration", "paper-midpoint"),
    ] {
        assert_eq!(methods[stage], choice, "{stage}");
    }
    for stage in ["crossings", "projection", "anticipation", "impact", "passivity_filter"] {
        assert_eq!(methods[stage], false, "{stage}");
    }
}

/// The C-space row alone decides whether the arm's peg goes in.
#[test]
fn the_arms_peg_goes_in_without_the_c_space_row() {
    let folder = folder("preset-paper-n-space");
    let run =
        |preset: &str| json(&tightfit(&folder, &["run", "peg-in-hole-arm", "--preset", preset, "--json"]));
    let (mut printed, mut without) = (run("paper"), run("paper-n-space"));
    assert_eq!(printed["completed"], false);
    assert_eq!(without["completed"], true);
    for report in [&mut printed, &mut without] {
        let methods = report["methods"].as_object_mut().unwrap();
        methods.retain(|name, _| !["preset", "cspace", "cspace_rows"].contains(&name.as_str()));
    }
    assert_eq!(printed["methods"], without["methods"]);
}

#[test]
fn every_table_and_figure_of_the_paper_has_an_item_and_a_row() {
    let folder = folder("paper-items");
    let refused = tightfit(&folder, &["paper", "fig-99"]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    let (_, names) = text.trim().split_once("items: ").unwrap();
    let items: Vec<&str> = names.split(", ").map(str::trim).collect();
    let page = document("paper.md");
    for item in &items {
        assert!(
            page.contains(&format!("| {item} | `tightfit paper {item}`")),
            "docs/paper.md has no row for {item}"
        );
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/paper/paper.tex");
    match std::fs::read_to_string(&source) {
        Ok(text) => {
            let count = |what: &str| text.matches(&format!("\\begin{{{what}}}")).count();
            let figures = count("figure") + count("figure*");
            let of = |kind: &str| items.iter().filter(|item| item.starts_with(kind)).count();
            assert_eq!((of("fig-"), of("table-")), (figures, count("table")));
        }
        Err(_) => println!("skipped in part: {} is not here", source.display()),
    }
    let made = json(&tightfit(&folder, &["paper", "table-2", "--json"]));
    assert_eq!(made[0]["ours"]["rows"].as_array().unwrap().len(), 10);
    assert!(folder.join("tightfit-report/paper/table-2.json").exists());
}
