//! `--set KEY=VALUE`: a scene with some of its values replaced.
//!
//! A key is dotted as in error messages (`parts.peg.mass_kg`); entries of a list have a number (`drives.0.tilt_deg`).
//! A key of the only drive or of the task needs no table before it: `tilt_deg=0.5`. Missing tables are added.

use std::path::Path;

use serde_json::Value as Schema;

use super::schema_check::Document;
use super::{Scene, SceneError, SceneSource, built_in_scenes, scene_schema};

/// Tables whose keys need no name before them.
const SHORT: [(&str, &str); 2] = [("drive", "DriveDescription"), ("task", "TaskDescription")];

impl Scene {
    /// A built-in scene or scene file with values replaced.
    ///
    /// # Errors
    /// When the scene does not exist, a replacement has no key or no value, or the result is wrong.
    pub fn find_with(name_or_path: &str, replacements: &[String]) -> Result<Self, SceneError> {
        if replacements.is_empty() {
            return Self::find(name_or_path);
        }
        let path = Path::new(name_or_path);
        let source = match built_in_scenes().iter().find(|scene| scene.name == name_or_path) {
            Some(scene) => SceneSource { text: scene.text.to_string(), folder: ".".into() },
            None if path.exists() => SceneSource {
                text: std::fs::read_to_string(path)
                    .map_err(|error| SceneError::unreadable(name_or_path, &error))?,
                folder: path.parent().unwrap_or(Path::new(".")).to_path_buf(),
            },
            None => return Err(SceneError::unknown(name_or_path)),
        };
        Self::from_source_with(&source, name_or_path, replacements)
    }

    /// The scene of a text with values replaced; errors call it `name`.
    ///
    /// # Errors
    /// When a replacement has no key or no value, or the result is wrong.
    pub fn from_source_with(
        source: &SceneSource,
        name: &str,
        replacements: &[String],
    ) -> Result<Self, SceneError> {
        let invalid = |problem| SceneError::Invalid { name: name.to_string(), problems: vec![problem] };
        let written = Document::parse(&source.text).map_err(invalid)?;
        let wrong = |reason: String| SceneError::Replacement { name: name.to_string(), reason };
        let mut table: toml::Table =
            source.text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        let schema = scene_schema();
        for replacement in replacements {
            let (key, value) = replacement
                .split_once('=')
                .ok_or_else(|| wrong(format!("`--set {replacement}` has no `=`; write KEY=VALUE")))?;
            replace(&mut table, &schema, key.trim(), value.trim()).map_err(wrong)?;
        }
        let text = toml::to_string(&table).map_err(|error| wrong(error.to_string()))?;
        super::conversion::scene_from_text(&text, name, &source.folder)
            .map_err(|error| with_lines_of(&written, error))
    }
}

/// The error with lines of the text that the user wrote. A replaced value is not in that text and has no line.
fn with_lines_of(written: &Document, error: SceneError) -> SceneError {
    match error {
        SceneError::Invalid { name, mut problems } => {
            for problem in &mut problems {
                let own = written.problem(&problem.key, String::new());
                problem.line = own.line.filter(|_| own.value.is_some() && own.value == problem.value);
            }
            SceneError::Invalid { name, problems }
        }
        other => other,
    }
}

fn replace(table: &mut toml::Table, schema: &Schema, key: &str, value: &str) -> Result<(), String> {
    // a bare word is a string: `kind=hole` needs no quotes
    let parsed = format!("v = {value}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("v"));
    let value = parsed.unwrap_or_else(|| toml::Value::String(value.to_string()));
    let mut path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|step| step.is_empty()) {
        return Err(format!("`--set {key}=…` has a key with nothing in it; write `friction` or `arm.robot`"));
    }
    if schema["properties"].get(path[0]).is_none() {
        let short = table_of(schema, path[0]).ok_or_else(|| unknown(schema, key))?;
        let prefix = if short == "drive" { only_drive(table, key)? } else { &["task"][..] };
        path.splice(0..0, prefix.iter().copied());
    }
    let (last, folders) = path.split_last().ok_or("an empty key")?;
    let mut here = table;
    let mut folders = folders.iter();
    while let Some(folder) = folders.next() {
        let mut inner = here.entry(*folder).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        if let toml::Value::Array(items) = inner {
            let count = items.len();
            let index = folders.next().and_then(|index| index.parse::<usize>().ok());
            inner = index.and_then(|index| items.get_mut(index)).ok_or_else(|| {
                format!("`{folder}` is a list of {count}; write `--set {folder}.0.KEY=…` for its first entry")
            })?;
        }
        here = inner
            .as_table_mut()
            .ok_or_else(|| format!("`{folder}` is no table; `--set {key}` cannot go into it"))?;
    }
    here.insert((*last).to_string(), value);
    Ok(())
}

/// Where the keys of the only drive are.
fn only_drive(table: &toml::Table, key: &str) -> Result<&'static [&'static str], String> {
    let listed = table.get("drives").and_then(toml::Value::as_array).map_or(0, Vec::len);
    match (table.contains_key("drive"), listed) {
        (_, 0) => Ok(&["drive"]),
        (false, 1) => Ok(&["drives", "0"]),
        (has_drive, listed) => {
            let first = if has_drive { "drive" } else { "drives.0" };
            let count = listed + usize::from(has_drive);
            Err(format!("`--set {key}=…`: the scene has {count} drives; name one, as in `{first}.{key}`"))
        }
    }
}

/// The table whose short form a key is.
fn table_of(schema: &Schema, key: &str) -> Option<&'static str> {
    let has = |(_, definition): &&(&str, &str)| {
        let definition = &schema["$defs"][*definition];
        let variants = definition["oneOf"].as_array().into_iter().flatten();
        variants.chain([definition]).any(|variant| variant["properties"].get(key).is_some())
    };
    SHORT.iter().find(has).map(|(table, _)| *table)
}

fn unknown(schema: &Schema, key: &str) -> String {
    let known = schema["properties"].as_object().into_iter().flat_map(|own| own.keys());
    let known: Vec<String> = known.map(|key| format!("`{key}`")).collect();
    format!(
        "`--set {key}=…`: no such key; a scene has {}, and keys of `drive` and `task` need no table before them",
        known.join(", ")
    )
}
