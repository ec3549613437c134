//! Errors of reading and writing mesh files: the file, the position in it, the value and the remedy.

/// A mesh file that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// The operating system cannot read the file.
    #[error("{file}: cannot be read ({reason}); check the path and the permissions")]
    Read {
        /// Name of the file.
        file: String,
        /// Message of the operating system.
        reason: String,
    },
    /// The operating system cannot write the file.
    #[error("{file}: cannot be written ({reason}); check the folder, the permissions and the space left")]
    Write {
        /// Name of the file.
        file: String,
        /// Message of the operating system.
        reason: String,
    },
    /// Neither the extension nor the content names a format.
    #[error("{file}: neither its extension nor its content is one of {known}; convert it to one of these")]
    UnknownFormat {
        /// Name of the file.
        file: String,
        /// The supported formats.
        known: &'static str,
    },
    /// The file has no content.
    #[error("{file}: is empty (0 bytes); export the part again")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// The file ends before its content does.
    #[error(
        "{file}: ends too early at {place}: expected {promised} {what}, found {found}; export or copy it again"
    )]
    Truncated {
        /// Name of the file.
        file: String,
        /// Byte offset or line.
        place: String,
        /// What is missing, in the plural.
        what: String,
        /// How many the format or the file's counts require.
        promised: u64,
        /// How many the file contains.
        found: u64,
    },
    /// The content violates the format.
    #[error(
        "{file}: {place} holds `{value}`, expected {expected}; repair that place or export the part again"
    )]
    Syntax {
        /// Name of the file.
        file: String,
        /// Byte offset, line or field.
        place: String,
        /// What was found there, shortened.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// A coordinate that is not a finite, sensible number.
    #[error(
        "{file}: vertex {vertex} has the coordinate {value}; \
         it must be finite and at most {limit:e} in magnitude: choose a larger unit or export the part again",
        limit = super::MAX_COORDINATE
    )]
    Coordinate {
        /// Name of the file.
        file: String,
        /// Number of the vertex, from 0.
        vertex: u64,
        /// The coordinate.
        value: String,
    },
    /// A face that refers to a vertex that does not exist.
    #[error("{file}: {place} refers to vertex {index} but there are {count} vertices; export the part again")]
    Index {
        /// Name of the file.
        file: String,
        /// The face, from 0, or the line.
        place: String,
        /// The index as written in the file.
        index: i64,
        /// Number of vertices.
        count: u64,
    },
    /// A file without any triangle.
    #[error("{file}: holds {vertices} vertices but no triangle; export a surface mesh, not points or curves")]
    NoTriangles {
        /// Name of the file.
        file: String,
        /// Number of vertices.
        vertices: u64,
    },
    /// More items than the loader accepts.
    #[error(
        "{file}: holds {count} {what}, at most {limit} are read; export the part with a coarser tolerance"
    )]
    TooMany {
        /// Name of the file.
        file: String,
        /// What there is too much of, in the plural.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// The largest number that is read.
        limit: u64,
    },
    /// A valid file that uses an unsupported feature.
    #[error("{file}: uses {what}, which is not supported; {remedy}")]
    Unsupported {
        /// Name of the file.
        file: String,
        /// The feature.
        what: String,
        /// How to avoid it.
        remedy: String,
    },
}

/// At most the first 40 characters of a file's content, safe to print.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(160)]);
    text.trim().chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
