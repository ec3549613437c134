//! Tables of numbers in text files.

use std::path::Path;

use crate::LearningError;

/// A matrix as written: rows one after another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) numbers: Vec<f64>,
}

impl Table {
    /// Reads a file of the folder. Blank lines are skipped.
    pub(super) fn read(folder: &Path, name: &str) -> Result<Self, LearningError> {
        let path = folder.join(name);
        let wrong = |problem: String, remedy| LearningError::File {
            path: path.display().to_string(),
            problem,
            remedy,
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|error| wrong(error.to_string(), "the published folder has it; give a complete copy"))?;
        let remedy = "every line holds the same number of finite numbers; copy the file again";
        let mut table = Self { rows: 0, columns: 0, numbers: Vec::new() };
        for (line, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let before = table.numbers.len();
            for word in text.split_whitespace() {
                let number: Option<f64> = word.parse().ok().filter(|number: &f64| number.is_finite());
                let problem = || wrong(format!("line {}: `{word}` is not a finite number", line + 1), remedy);
                table.numbers.push(number.ok_or_else(problem)?);
            }
            let found = table.numbers.len() - before;
            if table.rows > 0 && found != table.columns {
                let problem =
                    format!("line {} has {found} numbers, the previous lines {}", line + 1, table.columns);
                return Err(wrong(problem, remedy));
            }
            (table.rows, table.columns) = (table.rows + 1, found);
        }
        Ok(table)
    }

    /// Reads a file and checks its size; `None` allows any number of rows.
    pub(super) fn sized(
        folder: &Path,
        name: &str,
        rows: Option<usize>,
        columns: usize,
    ) -> Result<Self, LearningError> {
        let table = Self::read(folder, name)?;
        if rows.is_some_and(|rows| rows != table.rows) || columns != table.columns || table.rows == 0 {
            let expected = rows.map_or("any".into(), |rows| rows.to_string());
            let problem =
                format!("{} x {} numbers, expected {expected} x {columns}", table.rows, table.columns);
            let path = folder.join(name).display().to_string();
            return Err(LearningError::File {
                path,
                problem,
                remedy: "give an unchanged copy of the folder",
            });
        }
        Ok(table)
    }

    /// Row by row.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(self.columns.max(1))
    }

    /// The transpose.
    pub(super) fn transposed(&self) -> Self {
        let at = |index: usize| self.numbers[(index % self.rows) * self.columns + index / self.rows];
        let numbers = (0..self.numbers.len()).map(at).collect();
        Self { rows: self.columns, columns: self.rows, numbers }
    }
}
