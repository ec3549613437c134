//! What is wrong with a scene file, all of it at once.

use std::fmt;

use super::built_in_scenes;

/// One wrong place.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneProblem {
    /// Line in the file, from 1; none for a value that was replaced, which no file has.
    pub line: Option<usize>,
    /// Dotted key, `parts.peg.shape.diameter_mm`.
    pub key: String,
    /// The value found there, as written.
    pub value: Option<String>,
    /// What would be accepted, or what to do.
    pub remedy: String,
}

impl fmt::Display for SceneProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}", self.key)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        write!(f, ": {}", self.remedy)
    }
}

/// A scene that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// Something in the file is wrong.
    #[error("{name} has {} problem{}:\n{}", .problems.len(), if .problems.len() == 1 { "" } else { "s" }, join(.problems))]
    Invalid {
        /// Name of the scene or file.
        name: String,
        /// Every problem found, by line.
        problems: Vec<SceneProblem>,
    },
    /// The file cannot be read.
    #[error("cannot read {name}: {reason}")]
    Unreadable {
        /// The path.
        name: String,
        /// What the system said.
        reason: String,
    },
    /// A value cannot be replaced.
    #[error("{name}: {reason}")]
    Replacement {
        /// Name of the scene or file.
        name: String,
        /// What is wrong with the replacement, and what would be right.
        reason: String,
    },
    /// No built-in scene and no file has that name.
    #[error("there is no scene `{name}` and no file of that name; built-in scenes: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
}

impl SceneError {
    pub(super) fn unreadable(name: &str, error: &std::io::Error) -> Self {
        Self::Unreadable { name: name.to_string(), reason: error.to_string() }
    }

    pub(super) fn unknown(name: &str) -> Self {
        let known: Vec<_> = built_in_scenes().iter().map(|scene| scene.name).collect();
        Self::Unknown { name: name.to_string(), known: known.join(", ") }
    }
}

fn join(problems: &[SceneProblem]) -> String {
    let lines: Vec<_> = problems.iter().map(|problem| format!("  {problem}")).collect();
    lines.join("\n")
}
