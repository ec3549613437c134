//! A table of numbers with named columns, from CSV, Parquet or NumPy's format.

use std::path::Path;

use tightfit_simulation::log::{Values, read_parquet_columns};
use tightfit_simulation::recordings::{RecordingError, npy};

/// Columns of equal length.
pub(super) struct NumberTable {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl NumberTable {
    pub(super) fn read(path: &Path) -> Result<Self, RecordingError> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("parquet") => Self::parquet(path),
            Some("csv" | "txt" | "tsv") => Self::csv(path),
            Some("npy") => Self::npy(path),
            _ => Err(RecordingError::malformed(
                path,
                "is not a .csv, .parquet or .npy file",
                "name one of these",
            )),
        }
    }

    fn parquet(path: &Path) -> Result<Self, RecordingError> {
        let mut table = Self { names: Vec::new(), columns: Vec::new() };
        for column in read_parquet_columns(path)? {
            table.names.push(column.name);
            table.columns.push(match column.values {
                Values::Real(values) => values,
                Values::Measured(values) => values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect(),
                Values::Whole(values) => values.into_iter().map(|v| v as f64).collect(),
                Values::Flag(values) => values.into_iter().map(|v| f64::from(u8::from(v))).collect(),
            });
        }
        Ok(table)
    }

    /// Columns are named by their number, from "0".
    fn npy(path: &Path) -> Result<Self, RecordingError> {
        let bytes = std::fs::read(path).map_err(RecordingError::unreadable(path))?;
        let table = npy::table(path, &bytes)?;
        let column = |index: usize| (0..table.rows()).map(|row| table.row(row)[index]).collect();
        Ok(Self {
            names: (0..table.columns).map(|index| index.to_string()).collect(),
            columns: (0..table.columns).map(column).collect(),
        })
    }

    /// Lines that start with # are skipped; the first other line names the columns; empty cells are NaN.
    fn csv(path: &Path) -> Result<Self, RecordingError> {
        let text = std::fs::read_to_string(path).map_err(RecordingError::unreadable(path))?;
        let mut lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((_, head)) = lines.next() else {
            return Err(RecordingError::malformed(path, "holds no line", "the first line names the columns"));
        };
        let separator = [',', ';', '\t'].into_iter().find(|s| head.contains(*s)).unwrap_or(' ');
        let cells = |line: &str| -> Vec<String> {
            line.split(separator).map(|cell| cell.trim().trim_matches('"').to_string()).collect()
        };
        let names = cells(head);
        if names.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Err(RecordingError::malformed(
                path,
                "has no header line",
                "put the names of the columns first",
            ));
        }
        let mut columns = vec![Vec::new(); names.len()];
        for (number, line) in lines {
            let cells = cells(line);
            if cells.len() != names.len() {
                let found =
                    format!("line {} has {} cells under {} columns", number + 1, cells.len(), names.len());
                return Err(RecordingError::malformed(
                    path,
                    found,
                    "every line has as many cells as the first",
                ));
            }
            for (cell, column) in cells.iter().zip(&mut columns) {
                // Words (a label, a flag) are read as NaN. That matters only where a map names their column.
                column.push(cell.parse().unwrap_or(f64::NAN));
            }
        }
        Ok(Self { names, columns })
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Prefix of the first column with this ending.
    pub(super) fn first_ending(&self, ending: &str) -> Option<&str> {
        self.names.iter().find_map(|name| name.strip_suffix(ending))
    }

    /// A column by name.
    pub(super) fn column(&self, path: &Path, name: &str) -> Result<&[f64], RecordingError> {
        let index = self.names.iter().position(|own| own == name).ok_or_else(|| {
            let remedy = format!("its columns are {}", self.names.join(", "));
            RecordingError::malformed(path, format!("has no column `{name}`"), remedy)
        })?;
        Ok(&self.columns[index])
    }
}
