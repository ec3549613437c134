//! Paths in the text of a scene that is to be kept elsewhere.

use std::path::{Path, PathBuf};

use super::SceneSource;

/// Keys whose values are files, relative to the scene file.
const KEYS: [&str; 5] = ["file", "baked", "network", "networks", "robot"];

impl SceneSource {
    /// The folder of its files from the root on.
    ///
    /// # Errors
    /// When the working directory is gone.
    pub fn absolute_folder(&self) -> std::io::Result<PathBuf> {
        // a file that is named without a folder has an empty one
        std::path::absolute(Path::new(".").join(&self.folder))
    }

    /// The text for a scene file in any folder: paths of files that are there from the root on. Without such a file it is the
    /// text itself.
    ///
    /// # Errors
    /// When the text is no TOML or the working directory is gone.
    pub fn text_for_any_folder(&self) -> std::io::Result<String> {
        let folder = self.absolute_folder()?;
        let mut table: toml::Table = self.text.parse().map_err(std::io::Error::other)?;
        let mut changed = false;
        root_table(&mut table, &folder, &mut changed);
        match changed {
            true => toml::to_string(&table).map_err(std::io::Error::other),
            false => Ok(self.text.clone()),
        }
    }
}

fn root_table(table: &mut toml::Table, folder: &Path, changed: &mut bool) {
    for (key, value) in table.iter_mut() {
        root(value, KEYS.contains(&key.as_str()), folder, changed);
    }
}

fn root(value: &mut toml::Value, is_file: bool, folder: &Path, changed: &mut bool) {
    match value {
        toml::Value::String(text) if is_file && folder.join(&*text).is_file() => {
            // a path that is absolute already stays as it is
            let rooted = folder.join(&*text).to_string_lossy().into_owned();
            *changed |= rooted != *text;
            *text = rooted;
        }
        toml::Value::Array(items) => items.iter_mut().for_each(|item| root(item, is_file, folder, changed)),
        toml::Value::Table(table) => root_table(table, folder, changed),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_there_are_named_from_the_root_and_nothing_else_changes() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("tightfit-paths-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("peg.stl"), "")?;
        let text = "name = \"peg.stl\"\n[parts.peg]\nshape = { kind = \"mesh\", file = \"peg.stl\" }\nnetwork = \"gone\"\n";
        let here = SceneSource { text: text.into(), folder: folder.clone() };
        let rooted: toml::Table = here.text_for_any_folder()?.parse().map_err(std::io::Error::other)?;
        let bare = SceneSource { text: "name = \"x\" # as written\n".into(), folder: folder.clone() };
        let same = bare.text_for_any_folder()?;
        std::fs::remove_dir_all(&folder)?;
        assert_eq!(rooted["parts"]["peg"]["shape"]["file"].as_str(), folder.join("peg.stl").to_str());
        assert_eq!(
            (rooted["name"].as_str(), rooted["parts"]["peg"]["network"].as_str()),
            (Some("peg.stl"), Some("gone"))
        );
        assert_eq!(same, bare.text);
        Ok(())
    }
}
