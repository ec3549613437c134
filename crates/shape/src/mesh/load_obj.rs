//! Wavefront OBJ: reads positions and faces; ignores texture coordinates, normals, groups and materials.
//!
//! ```text
//! v x y z [w …]            a vertex, numbered from 1
//! f v[/vt][/vn] …          a polygon; −1 is the latest vertex
//! ```

use nalgebra::Vector3;

use super::gather::Gather;
use super::mesh_error::excerpt;
use super::{MeshError, TriMesh};

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<TriMesh, MeshError> {
    let mut gather = Gather::new(file);
    let mut corners = Vec::new();
    let mut joined = Vec::new();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii_end();
        // a backslash at the end continues the line
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(start);
            joined.push(b' ');
            continue;
        }
        if joined.is_empty() {
            statement(line, index + 1, &mut gather, &mut corners)?;
        } else {
            joined.extend_from_slice(line);
            statement(&joined, index + 1, &mut gather, &mut corners)?;
            joined.clear();
        }
    }
    gather.finish()
}

fn statement(
    line: &[u8],
    number: usize,
    gather: &mut Gather<'_>,
    corners: &mut Vec<u32>,
) -> Result<(), MeshError> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let syntax = |value: &[u8], expected: &str| MeshError::Syntax {
        file: gather.file().into(),
        place: format!("line {number}"),
        value: excerpt(value),
        expected: expected.into(),
    };
    match words.next() {
        Some(b"v") => {
            let mut number =
                || words.next().and_then(|w| str::from_utf8(w).ok()).and_then(|w| w.parse().ok());
            let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                return Err(syntax(line, "`v x y z` with three numbers"));
            };
            gather.vertex(Vector3::new(x, y, z))
        }
        Some(b"f") => {
            corners.clear();
            let count = gather.vertex_count();
            for word in words.take_while(|word| !word.starts_with(b"#")) {
                let position = word.split(|&byte| byte == b'/').next().unwrap_or_default();
                let index = str::from_utf8(position).ok().and_then(|text| text.parse::<i64>().ok());
                let index = index.ok_or_else(|| syntax(word, "a vertex number such as 7 or 7/1/3"))?;
                let from_zero = if index > 0 { index - 1 } else { index.saturating_add(count as i64) };
                let valid = u32::try_from(from_zero).ok().filter(|_| index != 0);
                corners.push(valid.ok_or_else(|| MeshError::Index {
                    file: gather.file().into(),
                    place: format!("line {number}"),
                    index,
                    count: count as u64,
                })?);
            }
            if corners.len() < 3 {
                return Err(syntax(line, "a face with at least three vertices"));
            }
            gather.face(corners)
        }
        _ => Ok(()),
    }
}
