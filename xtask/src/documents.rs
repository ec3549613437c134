//! Every path that a document names in backticks exists.

use std::path::Path;

use anyhow::{Result, bail};

const DOCUMENTS: [&str; 6] = [
    "README.md",
    "ARCHITECTURE.md",
    "NOTATION.md",
    "docs/learning.md",
    "docs/strategies.md",
    "docs/tutorial.md",
];

/// First folders of paths that live in this repository; other backticked text is code.
const OUR_FOLDERS: [&str; 7] = ["crates/", "assets/", "docs/", "xtask/", "fuzz/", "experiments/", "web/"];

pub(crate) fn check(root: &Path) -> Result<()> {
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document))?;
        for path in paths(&text).filter(|path| !root.join(path).exists()) {
            missing.push(format!("{document} names `{path}`, which does not exist"));
        }
    }
    if !missing.is_empty() {
        bail!("{}", missing.join("\n"));
    }
    Ok(())
}

/// Backticked words that are paths of ours, and targets of relative links.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    quoted.chain(linked).map(|word| word.trim_end_matches('/')).filter(|word| {
        OUR_FOLDERS.iter().any(|folder| word.starts_with(folder)) && !word.contains([' ', '*', '<', '{'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_backticks_and_links_and_code_is_not() {
        let text = "see `crates/shape`, `cargo test`, [picture](docs/fit.svg) and `crates/<name>`";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["crates/shape", "docs/fit.svg"]);
    }
}
