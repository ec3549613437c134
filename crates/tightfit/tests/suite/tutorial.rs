//! Every command of the pages in docs runs, in the order and with the files of the page.

use std::path::Path;
use std::process::Command;

/// Fenced blocks of a page: language and text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

/// Runs a page in a folder of its own: what its commands printed, and how many they are.
fn run(page: &str, folder: &Path) -> (String, usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    std::fs::create_dir_all(folder).unwrap();
    let mut outputs = String::new();
    let mut commands = 0;
    for (language, text) in blocks(&page) {
        match language {
            "toml" => {
                let name = text.lines().next().and_then(|line| line.strip_prefix("# "));
                std::fs::write(folder.join(name.expect("a file begins with `# NAME`")), text).unwrap();
            }
            "sh" => {
                for line in text.lines() {
                    let mut words = line.split_whitespace();
                    assert_eq!(words.next(), Some("tightfit"), "{line}");
                    let mut program = Command::new(env!("CARGO_BIN_EXE_tightfit"));
                    let output = program.current_dir(folder).args(words).output().unwrap();
                    // 2: it ran, but the task was not done, which a run cut short may say
                    let is_fine = output.status.success()
                        || (line.contains("--seconds") && output.status.code() == Some(2));
                    assert!(is_fine, "{line}: {output:?}");
                    outputs += &String::from_utf8_lossy(&output.stdout);
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    (outputs, commands)
}

#[test]
fn every_command_of_the_tutorial_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tutorial");
    let (outputs, commands) = run("tutorial.md", &folder);
    assert!(commands >= 8, "the page has only {commands} commands");
    assert!(outputs.contains("all 50 hashes equal"), "{outputs}");
    for file in ["key.svg", "fit.html", "fit.parquet"] {
        assert!(folder.join(file).exists(), "{file} was not written");
    }
}

#[test]
fn every_command_of_the_page_on_strategies_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strategies");
    let (outputs, commands) = run("strategies.md", &folder);
    assert!(commands >= 3, "the page has only {commands} commands");
    assert!(outputs.contains("the strategy reported success") && outputs.contains("3 of 3"), "{outputs}");
    assert!(folder.join("trials.html").exists());
}
