//! File format of a baked field: self-contained, little-endian, checked on loading.
//!
//! ```text
//! "TFBAKED\0"  version u32  header length u32  header (JSON: fingerprint, options, report)
//! origin 3×f64  root edge f64  root counts 3×u32  offset f64
//! number of vertices, triangles, nodes, values, list entries 5×u64
//! vertices 3×f64  triangles 3×u32  nodes u32  values f32  list entries u32
//! FNV-1a of everything before u64
//! ```
//!
//! The checksum detects damage but not forgery, so every index is checked as well, and no allocation exceeds what the
//! length of the file justifies. Saving a loaded field gives the same bytes.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::clearance::Steps;
use super::error_report::ErrorReport;
use super::octree::{BakedField, Grid, Node, Octree};
use super::options::{BakeError, BakeOptions};
use super::trilinear::CORNERS;
use crate::mesh::fingerprint::Fnv;
use crate::mesh::{MeshDistance, MeshDistanceError, TriMesh};

const MAGIC: &[u8; 8] = b"TFBAKED\0";
const VERSION: u32 = 1;
/// Largest file that is read [bytes]: more than a field with places of thirty bits can need.
const LARGEST: u64 = 16 << 30;

/// Why a file is not a baked field.
#[derive(Debug, thiserror::Error)]
pub enum BakedFileError {
    /// The file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Not a baked field.
    #[error("not a baked distance field: the file does not start with TFBAKED")]
    Magic,
    /// Written by another version.
    #[error("baked distance field of version {found}, this program reads version {VERSION}; bake it again")]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// The file is truncated or has trailing bytes.
    #[error("baked distance field is truncated or has trailing bytes: {length} bytes; bake it again")]
    Length {
        /// Length of the file [bytes].
        length: u64,
    },
    /// The checksum does not match the content.
    #[error("baked distance field is damaged (checksum differs); bake it again")]
    Checksum,
    /// The header is not the expected JSON.
    #[error("header of the baked distance field: {0}")]
    Header(#[from] serde_json::Error),
    /// The settings in the header are out of range.
    #[error("header of the baked distance field: {0}")]
    Options(#[from] BakeError),
    /// The mesh in the file has no signed distance.
    #[error("mesh of the baked distance field: {0}")]
    Mesh(#[from] MeshDistanceError),
    /// A value that no bake writes.
    #[error("baked distance field is inconsistent: {0}")]
    Inconsistent(&'static str),
}

#[derive(Serialize, Deserialize)]
struct Header {
    /// Hexadecimal, because JSON numbers do not hold 64 bits.
    fingerprint: String,
    options: BakeOptions,
    report: ErrorReport,
}

impl BakedField {
    /// Writes the field to a file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), BakedFileError> {
        std::fs::write(path, self.to_bytes()?).map_err(|source| io(path, source))
    }

    /// Reads a field from a file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a valid baked field.
    pub fn load(path: &Path) -> Result<Self, BakedFileError> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|source| io(path, source))?;
        file.take(LARGEST).read_to_end(&mut bytes).map_err(|source| io(path, source))?;
        Self::from_bytes(&bytes)
    }

    /// The field as the bytes of a file.
    ///
    /// # Errors
    /// When the header cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BakedFileError> {
        let fingerprint = format!("{:016x}", self.exact.fingerprint());
        let header = Header { fingerprint, options: self.options.clone(), report: self.report.clone() };
        let header = serde_json::to_vec(&header)?;
        let mesh = self.exact.mesh();
        let mut bytes = Vec::with_capacity(header.len() + 256 + self.octree.memory() as usize);
        bytes.extend_from_slice(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(self.grid.origin.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(self.grid.root_size.to_le_bytes());
        bytes.extend(self.grid.counts.iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend(self.exact.offset().to_le_bytes());
        let Octree { nodes, values, lists } = &self.octree;
        for length in [mesh.vertices.len(), mesh.triangles.len(), nodes.len(), values.len(), lists.len()] {
            bytes.extend((length as u64).to_le_bytes());
        }
        bytes.extend(mesh.vertices.iter().flat_map(Vector3::iter).flat_map(|x| x.to_le_bytes()));
        bytes.extend(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
        bytes.extend(nodes.iter().flat_map(|i| i.to_le_bytes()));
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(lists.iter().flat_map(|i| i.to_le_bytes()));
        let checksum = Fnv::new().bytes(&bytes).0;
        bytes.extend(checksum.to_le_bytes());
        Ok(bytes)
    }

    /// Reads a field from the bytes of a file.
    ///
    /// # Errors
    /// When the bytes are not a valid baked field.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BakedFileError> {
        if !bytes.starts_with(MAGIC) {
            return Err(BakedFileError::Magic);
        }
        let mut all = Bytes { rest: &bytes[MAGIC.len()..], length: bytes.len() as u64 };
        let version = u32::from_le_bytes(all.array()?);
        if version != VERSION {
            return Err(BakedFileError::Version { found: version });
        }
        let Some((body, checksum)) = bytes.split_last_chunk::<8>() else { return Err(all.wrong_length()) };
        if Fnv::new().bytes(body).0 != u64::from_le_bytes(*checksum) {
            return Err(BakedFileError::Checksum);
        }
        let header_length = u32::from_le_bytes(all.array()?) as usize;
        let header: Header = serde_json::from_slice(all.take(header_length)?)?;
        header.options.check()?;
        let grid = read_grid(&mut all)?;
        let offset = f64::from_le_bytes(all.array()?);
        let mut lengths = [0u64; 5];
        for length in &mut lengths {
            *length = u64::from_le_bytes(all.array()?);
        }
        let vertices = all.numbers(lengths[0], f64::from_le_bytes, 3)?;
        let triangles = all.numbers(lengths[1], u32::from_le_bytes, 3)?;
        let octree = Octree {
            nodes: all.numbers(lengths[2], u32::from_le_bytes, 1)?,
            values: all.numbers(lengths[3], f32::from_le_bytes, 1)?,
            lists: all.numbers(lengths[4], u32::from_le_bytes, 1)?,
        };
        if all.rest.len() != checksum.len() {
            return Err(all.wrong_length());
        }
        let mesh = TriMesh {
            vertices: vertices.chunks_exact(3).map(Vector3::from_column_slice).collect(),
            triangles: triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        };
        let exact = MeshDistance::new(mesh)?.with_offset(offset);
        check(&grid, &octree, &exact)?;
        if format!("{:016x}", exact.fingerprint()) != header.fingerprint {
            return Err(BakedFileError::Inconsistent("the fingerprint belongs to another mesh"));
        }
        let steps = Steps::new(&grid, &octree, &exact);
        let (options, report) = (header.options, header.report);
        Ok(Self { grid, octree, steps, exact: Arc::new(exact), options, report })
    }
}

fn io(path: &Path, source: std::io::Error) -> BakedFileError {
    BakedFileError::Io { path: path.display().to_string(), source }
}

/// The unread bytes of a file.
struct Bytes<'a> {
    rest: &'a [u8],
    /// Length of the whole file [bytes], for messages.
    length: u64,
}

impl<'a> Bytes<'a> {
    fn wrong_length(&self) -> BakedFileError {
        BakedFileError::Length { length: self.length }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], BakedFileError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.wrong_length())?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BakedFileError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(|| self.wrong_length())?;
        self.rest = rest;
        Ok(*taken)
    }

    /// `count` groups of `group` numbers of N bytes.
    fn numbers<T, const N: usize>(
        &mut self,
        count: u64,
        convert: fn([u8; N]) -> T,
        group: usize,
    ) -> Result<Vec<T>, BakedFileError> {
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(N * group));
        let taken = self.take(length.ok_or_else(|| self.wrong_length())?)?;
        let (numbers, _) = taken.as_chunks::<N>();
        Ok(numbers.iter().map(|&number| convert(number)).collect())
    }
}

fn read_grid(bytes: &mut Bytes<'_>) -> Result<Grid, BakedFileError> {
    let mut number = || bytes.array().map(f64::from_le_bytes);
    let origin = Vector3::new(number()?, number()?, number()?);
    let root_size = number()?;
    let mut count = || bytes.array().map(u32::from_le_bytes);
    let counts = [count()?, count()?, count()?];
    let finite = origin.iter().all(|x| x.is_finite()) && root_size.is_finite();
    if !finite || root_size <= 0.0 || counts.contains(&0) {
        return Err(BakedFileError::Inconsistent("the grid has no volume"));
    }
    Ok(Grid { origin, root_size, counts })
}

/// Checks that every index that a query can reach is valid.
fn check(grid: &Grid, octree: &Octree, exact: &MeshDistance) -> Result<(), BakedFileError> {
    let wrong = |what| Err(BakedFileError::Inconsistent(what));
    let roots = grid.counts.iter().try_fold(1usize, |all, &count| all.checked_mul(count as usize));
    let Some(roots) = roots.filter(|&roots| roots <= octree.nodes.len()) else {
        return wrong("fewer nodes than root cells");
    };
    if !exact.offset().is_finite() || octree.values.iter().any(|value| !value.is_finite()) {
        return wrong("a distance is not finite");
    }
    let triangles = exact.triangles.len();
    for (index, &code) in octree.nodes.iter().enumerate() {
        let sound = match Node::decode(code) {
            // children come after their parent, so that a descent ends
            Some(Node::Branch(first)) => first > index && first >= roots && first + 8 <= octree.nodes.len(),
            Some(Node::Smooth(block)) => (block + 1) * CORNERS <= octree.values.len(),
            Some(Node::Exact(start)) => octree.lists.get(start).is_some_and(|&count| {
                let list = octree.lists.get(start + 1..(start + 1).saturating_add(count as usize));
                count > 0 && list.is_some_and(|list| list.iter().all(|&t| (t as usize) < triangles))
            }),
            None => false,
        };
        if !sound {
            return wrong("a node points outside of the file");
        }
    }
    Ok(())
}
