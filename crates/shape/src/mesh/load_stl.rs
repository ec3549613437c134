//! STL, binary and text.
//!
//! ```text
//! binary: 80 arbitrary bytes, n: u32, n × (normal 3 f32, corners 9 f32, attribute u16), little endian
//! text:   solid … facet … outer loop / vertex x y z (×3) / endloop … endfacet … endsolid
//! ```
//!
//! The first word does not decide the encoding, because binary files may begin with `solid`: a file of exactly 84 +
//! 50 n bytes is binary. Stored normals are ignored; normals follow from the winding. Only corners with equal bits
//! are merged, so that the mesh doctor can report what a tolerance would merge.

use nalgebra::Vector3;

use super::gather::Gather;
use super::mesh_error::excerpt;
use super::weld::ExactVertices;
use super::{MAX_TRIANGLES, MeshError, TriMesh};

const HEADER: usize = 84;
const FACET: usize = 50;

/// Triangle count of a binary header; `None` when the file is too short for a header.
fn promised(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEADER).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes)
}

/// Whether the length is exactly that of a binary file.
pub(super) fn looks_binary(bytes: &[u8]) -> bool {
    promised(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + FACET as u64 * u64::from(count))
}

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<TriMesh, MeshError> {
    let head = &bytes[..bytes.len().min(1024)];
    let text = head.trim_ascii_start().starts_with(b"solid") && !head.contains(&0);
    if !looks_binary(bytes) && text { parse_text(bytes, file) } else { parse_binary(bytes, file) }
}

fn parse_binary(bytes: &[u8], file: &str) -> Result<TriMesh, MeshError> {
    let body = bytes.get(HEADER..).unwrap_or_default();
    let found = body.len() / FACET;
    let Some(promised) = promised(bytes) else {
        return Err(MeshError::Syntax {
            file: file.into(),
            place: "byte 0".into(),
            value: excerpt(bytes),
            expected: "`solid` (text STL) or a header of 84 bytes (binary STL)".into(),
        });
    };
    if found < promised as usize {
        return Err(MeshError::Truncated {
            file: file.into(),
            place: format!("byte {}", bytes.len()),
            what: "triangles".into(),
            promised: promised.into(),
            found: found as u64,
        });
    }
    let promised = promised as usize;
    if promised > MAX_TRIANGLES {
        let (count, limit) = (promised as u64, MAX_TRIANGLES as u64);
        return Err(MeshError::TooMany { file: file.into(), what: "triangles", count, limit });
    }
    let mut soup = Soup::new(file);
    for facet in body.chunks_exact(FACET).take(promised) {
        let mut coordinates = facet[12..48].chunks_exact(4).map(|chunk| {
            let bits = chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
            f64::from(f32::from_bits(bits))
        });
        for _ in 0..3 {
            let mut next = || coordinates.next().unwrap_or_default();
            soup.corner(Vector3::new(next(), next(), next()))?;
        }
    }
    soup.finish()
}

fn parse_text(bytes: &[u8], file: &str) -> Result<TriMesh, MeshError> {
    let mut soup = Soup::new(file);
    let mut last_line = 0;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        last_line = index + 1;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).peekable();
        // the name of a solid may contain the word `vertex`
        if words.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
            continue;
        }
        while let Some(word) = words.next() {
            if !word.eq_ignore_ascii_case(b"vertex") {
                continue;
            }
            let mut number =
                || words.next().and_then(|w| str::from_utf8(w).ok()).and_then(|w| w.parse().ok());
            let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                return Err(MeshError::Syntax {
                    file: file.into(),
                    place: format!("line {last_line}"),
                    value: excerpt(line),
                    expected: "`vertex x y z` with three numbers".into(),
                });
            };
            soup.corner(Vector3::new(x, y, z))?;
        }
    }
    if !soup.corners.is_multiple_of(3) {
        return Err(MeshError::Truncated {
            file: file.into(),
            place: format!("line {last_line}"),
            what: "triangle corners".into(),
            promised: soup.corners.next_multiple_of(3),
            found: soup.corners,
        });
    }
    soup.finish()
}

/// Collects triangles from their corners, three at a time.
struct Soup<'a> {
    gather: Gather<'a>,
    known: ExactVertices,
    triangle: [u32; 3],
    corners: u64,
}

impl<'a> Soup<'a> {
    fn new(file: &'a str) -> Self {
        Self { gather: Gather::new(file), known: ExactVertices::default(), triangle: [0; 3], corners: 0 }
    }

    fn corner(&mut self, point: Vector3<f64>) -> Result<(), MeshError> {
        let point = point + Vector3::zeros();
        let (index, new) = self.known.index_of(point);
        if new {
            self.gather.vertex(point)?;
        }
        self.triangle[(self.corners % 3) as usize] = index;
        self.corners += 1;
        if self.corners.is_multiple_of(3) { self.gather.face(&self.triangle) } else { Ok(()) }
    }

    fn finish(self) -> Result<TriMesh, MeshError> {
        self.gather.finish()
    }
}
