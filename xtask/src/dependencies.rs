//! Licences and duplicate versions of everything we depend on, by the rules of deny.toml.
//!
//! The same file configures cargo-deny; this check needs nothing but cargo, so it runs on any machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

pub(crate) fn check(root: &Path) -> Result<()> {
    let rules: toml::Table = std::fs::read_to_string(root.join("deny.toml"))?.parse()?;
    let texts = |value: Option<&toml::Value>, key: Option<&str>| -> BTreeSet<String> {
        let items = value.and_then(toml::Value::as_array).into_iter().flatten();
        let text = |item: &toml::Value| match key {
            Some(key) => item.get(key).and_then(toml::Value::as_str).map(str::to_string),
            None => item.as_str().map(str::to_string),
        };
        items.filter_map(text).collect()
    };
    let allowed = texts(rules.get("licenses").and_then(|section| section.get("allow")), None);
    let skipped = texts(rules.get("bans").and_then(|section| section.get("skip")), Some("name"));

    // `cargo tree` lists what is really built; the metadata also name optional crates that nobody turned on
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["tree", "--workspace", "--locked", "--prefix", "none"]);
    command.args(["--format", "{p}|{l}"]);
    let output = command.output().context("cargo tree could not be started")?;
    if !output.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    for line in listing.lines() {
        let Some((package, licence)) = line.split_once('|') else { continue };
        let mut words = package.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        versions.entry(name).or_default().insert(version);
        let licence = licence.trim_end_matches(" (*)");
        if !is_allowed(licence, &allowed) {
            wrong.insert(format!("{name}: licence `{licence}` is not allowed by deny.toml"));
        }
    }
    for (name, found) in versions {
        if found.len() > 1 && !skipped.contains(name) {
            let found: Vec<_> = found.into_iter().collect();
            wrong.insert(format!("{name}: {} versions are built: {}", found.len(), found.join(", ")));
        }
    }
    if !wrong.is_empty() {
        let wrong: Vec<_> = wrong.into_iter().collect();
        bail!("dependencies against deny.toml:\n  {}", wrong.join("\n  "));
    }
    Ok(())
}

/// Whether an SPDX expression can be satisfied: every AND term needs an allowed OR term.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace(['(', ')'], " ").replace('/', " OR ");
    expression.split(" AND ").all(|term| {
        term.split(" OR ").any(|licence| {
            let licence = licence.trim();
            let base = licence.split(" WITH ").next().unwrap_or(licence);
            allowed.contains(licence) || allowed.contains(base)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_satisfied_by_one_term_of_every_group() {
        let allowed: BTreeSet<String> = ["MIT", "Apache-2.0", "Unicode-3.0"].map(String::from).into();
        assert!(is_allowed("MIT OR GPL-3.0", &allowed));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed));
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR GPL-2.0", &allowed));
        assert!(!is_allowed("MIT AND GPL-3.0", &allowed));
        assert!(!is_allowed("none stated", &allowed));
    }
}
