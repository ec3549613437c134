//! The program's training from recordings: killed at any moment it goes on to the same file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tightfit"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tightfit-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name")
}

#[test]
fn training_that_is_killed_goes_on_to_the_same_network() {
    let folder = folder("kill");
    let recordings = folder.join("recordings");
    let made = program(&[
        "virtual-experiment",
        "48x5",
        "--trials",
        "3",
        "--seconds",
        "0.2",
        "--out",
        text(&recordings),
    ]);
    assert!({ made }.status().expect("run").success());
    let train = |out: &Path| {
        program(&[
            "train",
            "clustering",
            text(&recordings),
            "--stages",
            "outputs,objects",
            "--generations",
            "4",
            "--population",
            "4",
            "--batch",
            "4",
            "--watched",
            "4",
            "--out",
            text(out),
        ])
    };
    let [whole, killed] = ["whole.safetensors", "killed.safetensors"].map(|name| folder.join(name));
    assert!(train(&whole).status().expect("run").success());

    // killed again and again, each time after a generation or so, until it is through
    let checkpoint = folder.join("killed.safetensors.checkpoint");
    let mut kills = 0;
    let mut wait = 37;
    loop {
        let mut child = train(&killed).spawn().expect("run");
        let seen = std::fs::metadata(&checkpoint).and_then(|own| own.modified()).ok();
        let ended = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break Some(status);
            }
            let now = std::fs::metadata(&checkpoint).and_then(|own| own.modified()).ok();
            // the first ones while it still works on a generation, some while it writes
            if now != seen && kills < 6 {
                std::thread::sleep(Duration::from_millis(wait % 53));
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        if let Some(status) = ended {
            assert!(status.success());
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        kills += 1;
        wait = wait * 31 + 7;
    }
    assert!(kills > 2, "{kills}");
    assert_eq!(std::fs::read(&whole).expect("a file"), std::fs::read(&killed).expect("a file"));
    assert!(!checkpoint.exists());

    // the same recordings through the evaluation, with a page
    let page = folder.join("page.html");
    let output = Command::new(env!("CARGO_BIN_EXE_tightfit"))
        .args(["evaluate", text(&recordings), "--trained", text(&whole), "--report", text(&page), "--json"])
        .output()
        .expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["methods"].as_array().map(Vec::len), Some(8));
    assert!(report["methods"][0]["errors"]["force"].as_f64().is_some_and(|error| error > 0.0));
    // another split would judge the network on what it has seen
    let refused = |split: u64| {
        let output = Command::new(env!("CARGO_BIN_EXE_tightfit"))
            .args(["evaluate", text(&recordings), "--trained", text(&whole), "--split", &split.to_string()])
            .output()
            .expect("run");
        String::from_utf8_lossy(&output.stderr).contains("was trained on it")
    };
    assert!((2..8).any(refused));
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("K-means + PGS") && page.contains("<svg"));
    std::fs::remove_dir_all(&folder).expect("removed");
}
