//! The layer check: a crate imports only crates of lower layers, and the stages of the pipeline do not import
//! one another.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Crates from the lowest layer to the highest; those in one row do not import one another.
const LAYERS: [&[&str]; 9] = [
    &["spatial"],
    &["cad"],
    &["shape", "network"],
    &["pipeline"],
    &["robot", "interaction"],
    &["simulation"],
    &["learning", "haptics", "gpu", "viewer"],
    &["calibration", "environments", "interaction-training"],
    &["playground", "python", "tightfit"],
];

/// Stages of the pipeline, which know only the records that pass between them.
const STAGES: [&str; 5] = ["detection", "cspace", "clustering", "solving", "integration"];

pub(crate) fn check(root: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"))
            .with_context(|| format!("crates/{name} has no Cargo.toml"))?;
        wrong.extend(against_order(&name, &manifest)?);
    }
    for stage in STAGES {
        for file in rust_files(&root.join("crates/pipeline/src").join(stage))? {
            let text = std::fs::read_to_string(&file)?;
            for other in sideways(stage, &text) {
                wrong.push(format!("{}: stage `{stage}` imports stage `{other}`", file.display()));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("imports against the layer order of ARCHITECTURE.md:\n  {}", wrong.join("\n  "));
    }
    Ok(())
}

/// Dependencies of a crate that are not in a lower layer.
fn against_order(name: &str, manifest: &str) -> Result<Vec<String>> {
    let rank = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let own = rank(name).with_context(|| format!("crates/{name} has no layer: add it to LAYERS in xtask"))?;
    let manifest: toml::Table = manifest.parse()?;
    let mut wrong = Vec::new();
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(table) = manifest.get(section).and_then(toml::Value::as_table) else { continue };
        for dependency in table.keys() {
            let other = dependency.strip_prefix("tightfit-");
            let other = other.or((dependency == "tightfit").then_some("tightfit"));
            let Some(other) = other else { continue };
            if rank(other).is_none_or(|rank| rank >= own) {
                wrong.push(format!("crates/{name}/Cargo.toml: `{name}` imports `{other}`"));
            }
        }
    }
    Ok(wrong)
}

/// Other stages that a stage's source names.
fn sideways(stage: &str, text: &str) -> Vec<&'static str> {
    let names = |other: &str| [format!("crate::{other}"), format!("super::super::{other}")];
    let others = STAGES.into_iter().filter(|other| *other != stage);
    others.filter(|other| names(other).iter().any(|path| text.contains(path.as_str()))).collect()
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_follows_its_own_order() {
        check(&crate::root()).unwrap();
    }

    #[test]
    fn an_import_against_the_order_is_refused() {
        let upwards = "[dependencies]\ntightfit-simulation.workspace = true\n";
        let found = against_order("shape", upwards).unwrap();
        assert_eq!(found, ["crates/shape/Cargo.toml: `shape` imports `simulation`"]);
        let sidewards = "[dev-dependencies]\ntightfit-network = \"1\"\n";
        assert_eq!(against_order("shape", sidewards).unwrap().len(), 1);
        let downwards = "[dependencies]\ntightfit-spatial.workspace = true\nserde = \"1\"\n";
        assert!(against_order("shape", downwards).unwrap().is_empty());
        assert!(against_order("attic", downwards).is_err());
    }

    #[test]
    fn stages_do_not_import_one_another() {
        assert_eq!(sideways("detection", "use crate::solving::Problem;"), ["solving"]);
        assert!(
            sideways("detection", "use crate::detection::field; use crate::records::Contacts;").is_empty()
        );
    }
}
