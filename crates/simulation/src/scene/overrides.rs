//! `--set KEY=VALUE`: a scene with some of its values replaced.
//!
//! A key is dotted like in error messages (`parts.peg.mass_kg`); one that is not found at the root is sought in
//! `[drive]` and `[task]`, so that `tilt_deg=0.5` is enough.

use super::{Scene, SceneError, SceneSource, built_in_scenes};

impl Scene {
    /// A built-in scene or scene file with values replaced.
    ///
    /// # Errors
    /// When the scene does not exist, a replacement has no key or no value, or the result is wrong.
    pub fn find_with(name_or_path: &str, replacements: &[String]) -> Result<Self, SceneError> {
        if replacements.is_empty() {
            return Self::find(name_or_path);
        }
        let built_in = built_in_scenes().iter().find(|scene| scene.name == name_or_path);
        let text = match built_in {
            Some(scene) => scene.text.to_string(),
            None => std::fs::read_to_string(name_or_path)
                .map_err(|error| SceneError::unreadable(name_or_path, &error))?,
        };
        let folder = std::path::Path::new(name_or_path).parent().filter(|_| built_in.is_none());
        let folder = folder.unwrap_or(std::path::Path::new(".")).to_path_buf();
        Self::from_source_with(&SceneSource { text, folder }, name_or_path, replacements)
    }

    /// The scene of a text with values replaced; `name` stands for it in errors.
    ///
    /// # Errors
    /// When a replacement has no key or no value, or the result is wrong.
    pub fn from_source_with(
        source: &SceneSource,
        name: &str,
        replacements: &[String],
    ) -> Result<Self, SceneError> {
        let wrong = |reason: String| SceneError::Unreadable { name: name.to_string(), reason };
        let mut table: toml::Table =
            source.text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        for replacement in replacements {
            let (key, value) = replacement
                .split_once('=')
                .ok_or_else(|| wrong(format!("`--set {replacement}` has no `=`; write KEY=VALUE")))?;
            replace(&mut table, key.trim(), value.trim()).map_err(wrong)?;
        }
        let text = toml::to_string(&table).map_err(|error| wrong(error.to_string()))?;
        super::build::scene_from_text(&text, name, &source.folder)
    }
}

fn replace(table: &mut toml::Table, key: &str, value: &str) -> Result<(), String> {
    // a bare word is a text: `kind=hole` needs no quotes
    let parsed = format!("v = {value}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("v"));
    let value = parsed.unwrap_or_else(|| toml::Value::String(value.to_string()));
    let mut path: Vec<&str> = key.split('.').collect();
    let is_at_root = table.contains_key(path[0])
        || ["name", "friction", "step_ms", "gravity_m_s2", "method"].contains(&path[0]);
    if !is_at_root {
        path.insert(0, if path[0] == "depth_mm" { "task" } else { "drive" });
    }
    let (last, folders) = path.split_last().ok_or("an empty key")?;
    let mut here = table;
    for folder in folders {
        let inner = here.entry(*folder).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        here = inner
            .as_table_mut()
            .ok_or_else(|| format!("`{folder}` is no table; `--set {key}` cannot go into it"))?;
    }
    here.insert((*last).to_string(), value);
    Ok(())
}
