//! Commands of the page: JSON objects with the key `do`. Every number is checked here, so that a session never sees a
//! value that is not finite or out of range.

use serde::Deserialize;
use thiserror::Error;

/// Longest command that is read [bytes].
const LONGEST: usize = 64 * 1024;
/// Most changes of scene values in one command.
const MOST_CHANGES: usize = 64;

/// What the page asks for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Runs on.
    Play {},
    /// Stops the clock of the simulation.
    Pause {},
    /// Takes steps while paused.
    Step {
        /// Number of steps, 1 to 1000.
        #[serde(default = "one")]
        count: u32,
    },
    /// Starts the scene again.
    Reset {},
    /// Sets simulated time per real time.
    Speed {
        /// 0.01 to 100 [-].
        factor: f64,
    },
    /// Opens a built-in scene.
    Scene {
        /// Its name.
        name: String,
    },
    /// Opens a scene of a TOML text, without files.
    Toml {
        /// The text.
        text: String,
    },
    /// Replaces values of the scene, as `tightfit run --set` does, and starts it again.
    Set {
        /// Changes KEY=VALUE that replace those before.
        changes: Vec<String>,
    },
    /// Sets the clearance of the task's parts and starts the scene again.
    Clearance {
        /// Gap between the centred parts [m], 1 µm to 1 mm.
        gap: f64,
    },
    /// Moves the set-point of a part with a velocity, until the next command.
    Move {
        /// Name of the part.
        part: String,
        /// Velocity, world axes [m/s], each at most 1.
        linear: [f64; 3],
        /// Angular velocity, part axes [rad/s], each at most 20.
        angular: [f64; 3],
    },
    /// Moves the set-point of a part to a pose.
    Drag {
        /// Name of the part.
        part: String,
        /// Position of the part's frame, world axes [m].
        position: [f64; 3],
        /// Attitude as a quaternion x, y, z, w.
        rotation: [f64; 4],
    },
    /// Lets go: the set-point moves to the part, so that the drive's force is zero.
    Release {},
    /// Gives the part back to the scene's drive by starting the scene again.
    Automatic {},
    /// Sends the gap of every vertex of a part to the others from now on; none without a part.
    Heat {
        /// Name of the part.
        #[serde(default)]
        part: Option<String>,
    },
}

fn one() -> u32 {
    1
}

/// Why a command was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CommandError {
    /// It is too long.
    #[error("a command of {length} bytes is too long; allowed: up to {LONGEST} bytes")]
    TooLong {
        /// Its length [bytes].
        length: usize,
    },
    /// It is not a command.
    #[error("this is no command: {reason}; docs/protocol.md lists them")]
    Malformed {
        /// What the JSON reader found.
        reason: String,
    },
    /// A number is out of range.
    #[error("`{field}` = {value}: allowed: {allowed}")]
    Range {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
}

impl Command {
    /// Reads and checks a command.
    ///
    /// # Errors
    /// When the text is too long, is no command, or has a number out of range.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        if text.len() > LONGEST {
            return Err(CommandError::TooLong { length: text.len() });
        }
        let command: Self = serde_json::from_str(text)
            .map_err(|error| CommandError::Malformed { reason: error.to_string() })?;
        command.check()?;
        Ok(command)
    }

    fn check(&self) -> Result<(), CommandError> {
        match self {
            Self::Step { count } => within("count", f64::from(*count), 1.0, 1000.0, "1 to 1000"),
            Self::Speed { factor } => within("factor", *factor, 0.01, 100.0, "0.01 to 100"),
            Self::Clearance { gap } => within("gap", *gap, 1e-6, 1e-3, "1e-6 to 1e-3 m"),
            Self::Set { changes } => {
                within("changes", changes.len() as f64, 0.0, MOST_CHANGES as f64, "up to 64 changes")
            }
            Self::Move { linear, angular, .. } => {
                each("linear", linear, 1.0, "-1 to 1 m/s")?;
                each("angular", angular, 20.0, "-20 to 20 rad/s")
            }
            Self::Drag { position, rotation, .. } => {
                each("position", position, 10.0, "-10 to 10 m")?;
                each("rotation", rotation, 2.0, "a unit quaternion")?;
                let norm = rotation.iter().map(|value| value * value).sum::<f64>().sqrt();
                within("rotation", norm, 0.9, 1.1, "a unit quaternion")
            }
            _ => Ok(()),
        }
    }
}

fn within(
    field: &'static str,
    value: f64,
    low: f64,
    high: f64,
    allowed: &'static str,
) -> Result<(), CommandError> {
    // a comparison with NaN is false
    if value >= low && value <= high { Ok(()) } else { Err(CommandError::Range { field, value, allowed }) }
}

fn each(field: &'static str, values: &[f64], most: f64, allowed: &'static str) -> Result<(), CommandError> {
    values.iter().try_for_each(|value| within(field, *value, -most, most, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_checked() {
        assert_eq!(Command::parse(r#"{"do":"pause"}"#), Ok(Command::Pause {}));
        assert_eq!(Command::parse(r#"{"do":"step"}"#), Ok(Command::Step { count: 1 }));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"do":"fly"}"#,
            r#"{"do":"pause","now":1}"#,
            r#"{"do":"speed","factor":1e999}"#,
            r#"{"do":"step","count":-1}"#,
            r#"{"do":"move","part":"nut","linear":[0,0],"angular":[0,0,0]}"#,
        ] {
            assert!(matches!(Command::parse(wrong), Err(CommandError::Malformed { .. })), "{wrong}");
        }
        assert!(matches!(
            Command::parse(r#"{"do":"speed","factor":0}"#),
            Err(CommandError::Range { field: "factor", .. })
        ));
        assert!(matches!(Command::parse(&" ".repeat(LONGEST + 1)), Err(CommandError::TooLong { .. })));
    }
}
