//! The program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program there.
pub(crate) fn tightfit(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tightfit")).current_dir(folder).args(arguments).output().unwrap()
}

/// What it printed.
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// A page without its scripts and the data of its 3-D views: what a reader sees as text, tables and plots.
pub(crate) fn without_scripts(html: &str) -> String {
    let mut pieces = html.split("<script");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| text + piece.split_once("</script>").map_or("", |(_, rest)| rest))
}
