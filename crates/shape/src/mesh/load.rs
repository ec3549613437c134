//! Reads mesh files: STL, OBJ, PLY, glTF and GLB.
//!
//! Coordinates keep the unit of the file; [`LoadedMesh::scaled`] converts them to metres once the unit is known. The
//! parsers keep every digit of a coordinate, report the line or byte of an error, and never allocate more memory than
//! the size of the file justifies.

use std::fmt;
use std::fs;
use std::path::{Component, Path};

use super::{LengthUnit, MeshError, TriMesh, UnitGuess, guess_unit};
use super::{load_gltf, load_obj, load_ply, load_stl};

/// A file format for meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshFormat {
    /// Stereolithography: a soup of triangles, text or binary in single precision.
    Stl,
    /// Wavefront: text.
    Obj,
    /// Stanford polygons: text or binary.
    Ply,
    /// glTF 2.0 as JSON text.
    Gltf,
    /// glTF 2.0 in its binary container.
    Glb,
}

/// Largest size of a file [bytes]: a text STL of 20 million triangles has about 6 GB.
const MAX_BYTES: u64 = 8 << 30;

const KNOWN: &str = "stl, obj, ply, gltf, glb";

impl MeshFormat {
    /// Format of a file extension.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "gltf" => Some(Self::Gltf),
            "glb" => Some(Self::Glb),
            _ => None,
        }
    }

    /// Format detected from the content.
    #[must_use]
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(1024)];
        let starts = |word: &[u8]| head.trim_ascii_start().starts_with(word);
        let line_starts = |words: &[&[u8]]| {
            head.split(|&b| b == b'\n')
                .any(|line| words.iter().any(|w| line.trim_ascii_start().starts_with(w)))
        };
        if starts(b"ply") {
            Some(Self::Ply)
        } else if starts(b"glTF") {
            Some(Self::Glb)
        } else if load_stl::looks_binary(bytes) || (starts(b"solid") && line_starts(&[b"facet", b"endsolid"]))
        {
            Some(Self::Stl)
        } else if starts(b"{") {
            Some(Self::Gltf)
        } else if line_starts(&[b"v ", b"v\t", b"f "]) {
            Some(Self::Obj)
        } else {
            None
        }
    }
}

impl fmt::Display for MeshFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stl => "STL",
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
        })
    }
}

/// A mesh as read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedMesh {
    /// Triangles, with coordinates in the unit of the file.
    pub mesh: TriMesh,
    /// The format read.
    pub format: MeshFormat,
    /// Name of the file in errors and reports.
    pub name: String,
    /// The unit that the file states or suggests.
    pub raw_unit: UnitGuess,
}

impl LoadedMesh {
    /// The mesh with every coordinate multiplied by `factor` [m per raw unit].
    #[must_use]
    pub fn scaled(&self, factor: f64) -> TriMesh {
        let vertices = self.mesh.vertices.iter().map(|vertex| vertex * factor).collect();
        TriMesh { vertices, triangles: self.mesh.triangles.clone() }
    }

    /// The mesh in metres, when the file is in `unit`.
    #[must_use]
    pub fn in_metres(&self, unit: LengthUnit) -> TriMesh {
        self.scaled(unit.factor())
    }
}

/// Reads a mesh file; external buffers of a glTF file must lie in the same folder or below it.
///
/// # Errors
/// When the file cannot be read, has an unknown format, or does not contain a valid mesh: see [`MeshError`].
pub fn load(path: &Path) -> Result<LoadedMesh, MeshError> {
    let name = path.display().to_string();
    let bytes = read(path)?;
    // the content goes before the extension: a binary STL named part.obj is still a binary STL
    let by_extension = MeshFormat::from_extension(path);
    let format = MeshFormat::from_content(&bytes).or(by_extension);
    let format = match (format, by_extension) {
        // OBJ files have no signature, so the extension decides
        (Some(MeshFormat::Obj), Some(extension)) => Some(extension),
        _ => format,
    };
    let format = match format {
        _ if bytes.is_empty() => return Err(MeshError::Empty { file: name }),
        Some(format) => format,
        None => return Err(MeshError::UnknownFormat { file: name, known: KNOWN }),
    };
    let read_buffer = |address: &str| {
        let relative = Path::new(address);
        // a mesh file must not cause reads of arbitrary files of the machine
        let stays_in_folder =
            relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays_in_folder {
            return Err(MeshError::Unsupported {
                file: name.clone(),
                what: format!("the buffer address `{address}`, which leaves the folder of the file"),
                remedy: "put the buffer into the folder of the file".into(),
            });
        }
        read(&path.parent().unwrap_or(Path::new("")).join(relative))
    };
    parse(&bytes, format, &name, &read_buffer)
}

fn read(path: &Path) -> Result<Vec<u8>, MeshError> {
    let file = path.display().to_string();
    let length = fs::metadata(path).map(|data| data.len()).unwrap_or(0);
    if length > MAX_BYTES {
        return Err(MeshError::TooMany { file, what: "bytes", count: length, limit: MAX_BYTES });
    }
    fs::read(path).map_err(|error| MeshError::Read { file, reason: error.to_string() })
}

/// Reads a mesh from memory; errors refer to it by `name`.
///
/// # Errors
/// When the bytes are not a valid mesh of that format: see [`MeshError`].
pub fn load_bytes(bytes: &[u8], format: MeshFormat, name: &str) -> Result<LoadedMesh, MeshError> {
    let read_buffer = |address: &str| {
        Err(MeshError::Unsupported {
            file: name.into(),
            what: format!("the external buffer `{address}`"),
            remedy: "load it by its path, or embed the buffer (glb)".into(),
        })
    };
    parse(bytes, format, name, &read_buffer)
}

fn parse(
    bytes: &[u8],
    format: MeshFormat,
    name: &str,
    read_buffer: &load_gltf::ReadBuffer<'_>,
) -> Result<LoadedMesh, MeshError> {
    if bytes.is_empty() {
        return Err(MeshError::Empty { file: name.into() });
    }
    // some editors put a byte-order mark before text
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mesh = match format {
        MeshFormat::Stl => load_stl::parse(bytes, name)?,
        MeshFormat::Obj => load_obj::parse(bytes, name)?,
        MeshFormat::Ply => load_ply::parse(bytes, name)?,
        MeshFormat::Gltf | MeshFormat::Glb => load_gltf::parse(bytes, name, read_buffer)?,
    };
    let raw_unit = match format {
        MeshFormat::Gltf | MeshFormat::Glb => UnitGuess {
            unit: LengthUnit::Metre,
            confident: true,
            reason: "glTF files are in metres by specification".into(),
        },
        _ => guess_unit(mesh.aabb().diagonal()),
    };
    Ok(LoadedMesh { mesh, format, name: name.into(), raw_unit })
}
