//! Stanford PLY, as text or binary of either byte order.
//!
//! The header lists elements with their counts and properties; only `x`, `y`, `z` of `vertex` and `vertex_indices`
//! (or `vertex_index`) of `face` are kept, everything else is skipped. Counts are not trusted: no memory is reserved
//! for them, and a file that holds fewer elements is reported with both numbers.

use nalgebra::Vector3;

use super::gather::Gather;
use super::mesh_error::excerpt;
use super::{MeshError, TriMesh};

#[derive(Clone, Copy, Debug)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Value of little-endian bytes; every integer type fits a double.
    fn value(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Self::I8 => f64::from(a as i8),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(bytes),
        }
    }
}

struct Property {
    name: String,
    /// Type of the count, when the property is a list.
    length: Option<Scalar>,
    scalar: Scalar,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    Little,
    Big,
}

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<TriMesh, MeshError> {
    let (encoding, elements, start) = header(bytes, file)?;
    let mut body = Body { bytes, at: start, encoding, file };
    let mut gather = Gather::new(file);
    if !elements.iter().any(|element| element.name == "face" && element.count > 0) {
        return Err(MeshError::Unsupported {
            file: file.into(),
            what: "points without faces (a point cloud)".into(),
            remedy: "export a surface mesh".into(),
        });
    }
    let mut list = Vec::new();
    for element in elements.iter().filter(|element| !element.properties.is_empty()) {
        for done in 0..element.count {
            let mut point = Vector3::from_element(f64::NAN);
            for property in &element.properties {
                let short = |body: &Body<'_>| MeshError::Truncated {
                    file: file.into(),
                    place: format!("byte {}", body.at),
                    what: format!("`{}` elements", excerpt(element.name.as_bytes())),
                    promised: element.count,
                    found: done,
                };
                let Some(length) = property.length else {
                    let value = body.next(property.scalar)?.ok_or_else(|| short(&body))?;
                    if let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == property.name) {
                        point[axis] = value;
                    }
                    continue;
                };
                let count = body.next(length)?.ok_or_else(|| short(&body))?;
                list.clear();
                for _ in 0..body.whole(count, "a list length")? {
                    let value = body.next(property.scalar)?.ok_or_else(|| short(&body))?;
                    list.push(value);
                }
                let indices = ["vertex_indices", "vertex_index"].contains(&property.name.as_str());
                if element.name == "face" && indices {
                    let corners: Result<Vec<_>, _> =
                        list.iter().map(|&value| body.whole(value, "a vertex index")).collect();
                    gather.face(&corners?)?;
                }
            }
            if element.name == "vertex" {
                gather.vertex(point)?;
            }
        }
    }
    gather.finish()
}

/// Encoding, elements, and the byte at which the body starts.
fn header(bytes: &[u8], file: &str) -> Result<(Encoding, Vec<Element>, usize), MeshError> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut at = 0;
    let mut number = 0;
    while let Some(length) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        let line = &bytes[at..at + length];
        at += length + 1;
        number += 1;
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = |expected: &str| MeshError::Syntax {
            file: file.into(),
            place: format!("line {number}"),
            value: excerpt(line),
            expected: expected.into(),
        };
        match words[..] {
            ["ply"] | ["comment" | "obj_info", ..] | [] => {}
            ["format", "ascii", _] => encoding = Some(Encoding::Text),
            ["format", "binary_little_endian", _] => encoding = Some(Encoding::Little),
            ["format", "binary_big_endian", _] => encoding = Some(Encoding::Big),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| wrong("`element name count`"))?;
                elements.push(Element { name: name.into(), count, properties: Vec::new() });
            }
            ["property", ref rest @ ..] => {
                let (length, scalar, name) = match *rest {
                    ["list", length, scalar, name] => (Scalar::parse(length), Scalar::parse(scalar), name),
                    [scalar, name] => (None, Scalar::parse(scalar), name),
                    _ => (None, None, ""),
                };
                let is_list = rest.len() == 4;
                let element =
                    elements.last_mut().ok_or_else(|| wrong("an `element` before its properties"))?;
                let (Some(scalar), true) = (scalar, length.is_some() == is_list) else {
                    return Err(wrong("`property type name` or `property list type type name`"));
                };
                element.properties.push(Property { name: name.into(), length, scalar });
            }
            ["end_header"] => {
                let encoding =
                    encoding.ok_or_else(|| wrong("a line `format …` before the end of the header"))?;
                return Ok((encoding, elements, at));
            }
            _ => return Err(wrong("a line of a PLY header")),
        }
    }
    Err(MeshError::Truncated {
        file: file.into(),
        place: format!("byte {}", bytes.len()),
        what: "`end_header` lines".into(),
        promised: 1,
        found: 0,
    })
}

struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
    file: &'a str,
}

impl Body<'_> {
    /// The next number; `None` at the end of the file.
    fn next(&mut self, scalar: Scalar) -> Result<Option<f64>, MeshError> {
        let rest = &self.bytes[self.at..];
        if self.encoding == Encoding::Text {
            let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                return Ok(None);
            };
            let word = rest[start..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let value = str::from_utf8(word).ok().and_then(|text| text.parse().ok());
            let value = value.ok_or_else(|| self.wrong(self.at + start, excerpt(word), "a number"))?;
            self.at += start + word.len();
            return Ok(Some(value));
        }
        let size = scalar.size();
        let Some(bytes) = rest.get(..size) else { return Ok(None) };
        let mut padded = [0; 8];
        padded[..size].copy_from_slice(bytes);
        if self.encoding == Encoding::Big {
            padded[..size].reverse();
        }
        self.at += size;
        Ok(Some(scalar.value(padded)))
    }

    /// A number that must be whole and not negative.
    fn whole(&self, value: f64, what: &str) -> Result<u32, MeshError> {
        let fits = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        if fits { Ok(value as u32) } else { Err(self.wrong(self.at, value.to_string(), what)) }
    }

    fn wrong(&self, at: usize, value: String, expected: &str) -> MeshError {
        let place = format!("the number that ends near byte {at}");
        MeshError::Syntax { file: self.file.into(), place, value, expected: expected.into() }
    }
}
