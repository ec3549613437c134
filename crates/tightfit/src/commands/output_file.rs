//! Files that a command writes after its work; whether they can be written is checked before it.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Checks that the file of an option can be written, and creates its folder; an existing file is not changed.
///
/// # Errors
/// With the option and the system's reason.
pub(crate) fn check(option: &str, path: Option<&PathBuf>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let place = || format!("{option} {}", path.display());
    if path.is_dir() {
        bail!("{}: that is a folder; name a file in it", place());
    }
    make_folder(path).with_context(place)?;
    let is_new = !path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .with_context(|| format!("{}: cannot write there; name another file", place()))?;
    if is_new {
        std::fs::remove_file(path).with_context(place)?;
    }
    Ok(())
}

/// Writes a file, and creates its folder.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file, and creates its folder.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    make_folder(path)?;
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn make_folder(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_makes_folders_and_leaves_files_as_they_are() -> Result<()> {
        let root = std::env::temp_dir().join(format!("tightfit-output-{}", std::process::id()));
        let file = root.join("new/deep/run.csv");
        check("--log", Some(&file))?;
        assert!(!file.exists() && root.join("new/deep").is_dir());
        std::fs::write(&file, "kept")?;
        check("--log", Some(&file))?;
        assert_eq!(std::fs::read_to_string(&file)?, "kept");
        let below = file.join("no-folder.csv");
        let refused =
            check("--log", Some(&below)).err().map(|error| format!("{error:#}")).unwrap_or_default();
        let folder = check("--log", Some(&root)).err().map(|error| error.to_string()).unwrap_or_default();
        std::fs::remove_dir_all(&root)?;
        assert!(refused.starts_with("--log ") && refused.contains("no-folder.csv"), "{refused}");
        assert!(folder.contains("that is a folder"), "{folder}");
        Ok(())
    }
}
