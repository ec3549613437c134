//! Reads two-dimensional arrays of numbers in NumPy's file format.
//!
//! ```text
//! 6 bytes  \x93NUMPY      2 bytes  version      2 (version 1) or 4 bytes  length of the header, little-endian
//! header   {'descr': '<f4', 'fortran_order': False, 'shape': (58362, 13), }      then the numbers, row by row
//! ```
//!
//! Format: numpy.lib.format. Supported: little-endian floats of 4 and 8 bytes, row-major, two dimensions.

use std::path::{Path, PathBuf};

/// The file is not a supported array.
#[derive(Debug, thiserror::Error)]
#[error("{}: {found}; expected a row-major two-dimensional array of float32 or float64, as numpy.save writes it", .path.display())]
pub struct NotAnArray {
    /// The path.
    pub path: PathBuf,
    /// What was found, and where.
    pub found: String,
}

/// Numbers by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Numbers per row, at least one.
    pub columns: usize,
    /// The numbers, row by row.
    pub values: Vec<f64>,
}

impl Table {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// One row.
    #[must_use]
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.columns..(index + 1) * self.columns]
    }
}

/// The array in the bytes of a file.
///
/// # Errors
/// When the file is not a supported array.
pub fn table(path: &Path, bytes: &[u8]) -> Result<Table, NotAnArray> {
    parse(bytes).map_err(|found| NotAnArray { path: path.to_path_buf(), found })
}

/// The table, or a description of the error in the bytes.
fn parse(bytes: &[u8]) -> Result<Table, String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("does not begin like a .npy file".into());
    }
    let word = |at: usize, count: usize| -> Option<usize> {
        let word = bytes.get(at..at + count)?;
        Some(word.iter().rev().fold(0, |value, byte| (value << 8) | usize::from(*byte)))
    };
    let (start, length): (usize, _) = match bytes.get(6) {
        Some(1) => (10, word(8, 2)),
        Some(2 | 3) => (12, word(8, 4)),
        Some(other) => return Err(format!("has format version {other}; supported are 1 to 3")),
        None => return Err("ends within its first bytes".into()),
    };
    let header = length.and_then(|length| bytes.get(start..start.checked_add(length)?));
    let header = header.ok_or("ends within its header")?;
    let data = &bytes[start + header.len()..];
    let header = std::str::from_utf8(header).map_err(|_| "has a header that is not text")?;
    let width = match value_of(header, "'descr'") {
        Some(text) if text.starts_with("'<f4'") => 4,
        Some(text) if text.starts_with("'<f8'") => 8,
        _ => return Err(format!("holds another kind of numbers: {}", header.trim())),
    };
    if !value_of(header, "'fortran_order'").is_some_and(|text| text.starts_with("False")) {
        return Err("is stored by columns".into());
    }
    let shape = value_of(header, "'shape'").and_then(|text| text.strip_prefix('(')?.split(')').next());
    let sizes: Vec<Option<usize>> = shape
        .map(|text| text.split(',').map(str::trim).filter(|size| !size.is_empty()))
        .map_or_else(Vec::new, |sizes| sizes.map(|size| size.parse().ok()).collect());
    let [Some(rows), Some(columns)] = sizes[..] else {
        return Err(format!("has the shape ({})", shape.unwrap_or_default()));
    };
    let wanted = rows.checked_mul(columns).and_then(|count| count.checked_mul(width));
    if columns == 0 || wanted != Some(data.len()) {
        return Err(format!(
            "declares {rows} x {columns} numbers of {width} bytes but holds {} bytes",
            data.len()
        ));
    }
    let values = match width {
        4 => data.as_chunks::<4>().0.iter().map(|chunk| f64::from(f32::from_le_bytes(*chunk))).collect(),
        _ => data.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect(),
    };
    Ok(Table { columns, values })
}

/// The text after a key of the header.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let after = header.split_once(key)?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn rows_of_both_widths_are_read() {
        let singles: Vec<u8> = [1.5_f32, -2.0, 3.25, 4.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }   \n";
        let table = parse(&file(header, &singles)).expect("a good file");
        assert_eq!((table.rows(), table.row(1)), (2, &[3.25, 4.0][..]));
        let doubles: Vec<u8> = [0.1_f64, 0.2].iter().flat_map(|v| v.to_le_bytes()).collect();
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n";
        assert_eq!(parse(&file(header, &doubles)).expect("a good file").values, [0.1, 0.2]);
    }

    #[test]
    fn wrong_files_are_named_and_never_panic() {
        let good = file("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", &[0; 8]);
        for end in 0..good.len() {
            assert!(parse(&good[..end]).is_err(), "{end}");
        }
        let answer = |header: &str| parse(&file(header, &[0; 8])).expect_err("a wrong file");
        assert!(answer("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }").contains("<i8"));
        assert!(answer("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }").contains("by columns"));
        assert!(answer("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }").contains("shape (1,)"));
        let huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 13), }";
        assert!(answer(huge).contains("declares"));
    }
}
