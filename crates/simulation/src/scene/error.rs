//! What is wrong with a scene, all of it at once.

use std::fmt;

use super::built_in_scenes;

/// One wrong place.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneProblem {
    /// Line in the file, from 1; none for a scene built in Rust and for a value that `--set` replaced.
    pub line: Option<usize>,
    /// Dotted key: `parts.peg.mass_kg` in a file, `parts.peg.mass` in Rust.
    pub key: String,
    /// The value found there, as written.
    pub value: Option<String>,
    /// What is allowed, or what to do.
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
    /// Something in the file or in the builder is wrong.
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
        /// The reason that the system gave.
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
    /// The scene has no body of that name.
    #[error("scene `{scene}` has no part `{name}`; parts: {known}")]
    UnknownBody {
        /// Name of the scene.
        scene: String,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The scene has no text to build it from again.
    #[error(
        "the scene was built in Rust and has no scene file; to replay its log, build the same scene in Rust, run it with the \
         log's seed and compare the hash of every record with the log's column `state_hash`"
    )]
    BuiltInCode,
    /// No built-in scene and no file has that name.
    #[error("there is no scene `{name}` and no file of that name; built-in scenes: {known}")]
    Unknown {
        /// The name that was given.
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
