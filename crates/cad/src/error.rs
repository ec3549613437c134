//! Errors of STEP files.

/// Why a STEP file cannot be used; the message names the place in the file and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CadError {
    /// The file cannot be read.
    #[error("{file}: {reason}")]
    File {
        /// Name of the file.
        file: String,
        /// The system's reason.
        reason: String,
    },
    /// The text does not follow ISO 10303-21.
    #[error("line {line}: {what}; export the file again as STEP (AP203, AP214 or AP242)")]
    Syntax {
        /// Line in the file, from 1.
        line: usize,
        /// What was found or expected.
        what: String,
    },
    /// The file exceeds a limit of the reader.
    #[error("the file has more than {limit} {what}; split it, or export one body")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// What was counted.
        what: &'static str,
    },
    /// An instance is missing or has unexpected fields.
    #[error("#{id} {kind}: {what}; export the file again")]
    Instance {
        /// Number of the instance.
        id: u64,
        /// Its type.
        kind: String,
        /// What is wrong.
        what: String,
    },
    /// A valid entity that this reader does not handle.
    #[error("#{id} {kind} is not supported; {remedy}")]
    Unsupported {
        /// Number of the face, edge or body.
        id: u64,
        /// Its type.
        kind: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// The faces do not close a solid.
    #[error(
        "body `{body}`: {what}; repair the body in the CAD program, or export an STL mesh and use `tightfit doctor`"
    )]
    Broken {
        /// Name of the body.
        body: String,
        /// What is wrong, with the numbers of faces and edges in the file.
        what: String,
    },
    /// The file holds no solid.
    #[error("the file holds no solid body ({found}); export solids, not surfaces or wireframe")]
    NoBody {
        /// What was found instead.
        found: String,
    },
    /// Several bodies, and none was chosen.
    #[error("the file holds {} bodies: {}; choose one with `body = \"NAME\"` (`--body NAME`)", names.len(), list(names))]
    SeveralBodies {
        /// Names of all bodies.
        names: Vec<String>,
    },
    /// No body has the requested name.
    #[error("no body is called `{name}`; the file holds {}", list(names))]
    UnknownBody {
        /// The requested name.
        name: String,
        /// Names of all bodies.
        names: Vec<String>,
    },
}

/// Names in backticks, at most twelve.
fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > 12 { format!(" and {} more", names.len() - 12) } else { String::new() };
    shown.join(", ") + &more
}
