//! Logs as CSV: entries as comment lines, then a head, then one line per step.
//!
//! ```text
//! # tightfit.seed: 1
//! # tightfit.columns: rrw
//! # tightfit.scene:
//! #| name = "peg-in-hole"
//! time_s,peg.center_x_m,state_hash
//! 0.01,0.0004,1234567890
//! ```
//!
//! Reals are written with as many digits as tell them apart. One letter per column says its kind: real,
//! measured (empty where it was not), whole, flag. Readers that skip `#` lines see a plain table.

use std::fmt::Write;
use std::path::Path;

use super::meta::SCENE;
use super::{Column, LogError, Values};

/// Key of the columns' kinds.
const COLUMNS: &str = "tightfit.columns";

pub(super) fn write(path: &Path, entries: &[(String, String)], columns: &[Column]) -> Result<(), LogError> {
    let mut text = String::new();
    for (key, value) in entries.iter().filter(|(key, _)| key != SCENE) {
        let _ = writeln!(text, "# {key}: {value}");
    }
    let kinds: String = columns.iter().map(|column| column.values.letter()).collect();
    let _ = writeln!(text, "# {COLUMNS}: {kinds}");
    for (key, value) in entries.iter().filter(|(key, _)| key == SCENE) {
        let _ = writeln!(text, "# {key}:\n#| {}", value.split('\n').collect::<Vec<_>>().join("\n#| "));
    }
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    let _ = writeln!(text, "{}", names.join(","));
    for row in 0..columns.first().map_or(0, |column| column.values.len()) {
        for (index, column) in columns.iter().enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            write_cell(&mut text, &column.values, row);
        }
        text.push('\n');
    }
    std::fs::write(path, text).map_err(LogError::io("write", path))
}

fn write_cell(text: &mut String, values: &Values, row: usize) {
    let _ = match values {
        Values::Real(values) => write!(text, "{:?}", values[row]),
        Values::Measured(values) => values[row].map_or(Ok(()), |value| write!(text, "{value:?}")),
        Values::Whole(values) => write!(text, "{}", values[row]),
        Values::Flag(values) => write!(text, "{}", values[row]),
    };
}

type Contents = (Vec<(String, String)>, Vec<Column>);

pub(super) fn read(path: &Path) -> Result<Contents, LogError> {
    let bytes = std::fs::read(path).map_err(LogError::io("read", path))?;
    let text = String::from_utf8(bytes).map_err(|_| LogError::foreign(path, "it is not text"))?;
    if !text.starts_with("# tightfit.format: ") {
        return Err(LogError::foreign(path, "its first line is not `# tightfit.format: ...`"));
    }
    let Some(text) = text.strip_suffix('\n') else {
        return Err(LogError::truncated(path, "the last line has no end"));
    };
    let mut lines = text.split('\n').enumerate();
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut scene = Vec::new();
    let head = loop {
        let Some((_, line)) = lines.next() else {
            return Err(LogError::truncated(path, "it ends before the first step"));
        };
        if let Some(line) = line.strip_prefix("#| ") {
            scene.push(line);
        } else if let Some(entry) = line.strip_prefix("# ") {
            let (key, value) = entry.split_once(':').unwrap_or((entry, ""));
            entries.push((key.to_string(), value.strip_prefix(' ').unwrap_or(value).to_string()));
        } else {
            break line;
        }
    };
    if let Some((_, text)) = entries.iter_mut().find(|(key, _)| key == SCENE) {
        *text = scene.join("\n");
    }
    let kinds = entries.iter().find(|(key, _)| key == COLUMNS).map_or("", |(_, value)| value.as_str());
    let names: Vec<&str> = head.split(',').collect();
    let columns: Option<Vec<Column>> = names
        .iter()
        .zip(kinds.chars())
        .map(|(name, letter)| Some(Column { name: name.to_string(), values: Values::with_letter(letter)? }))
        .collect();
    let mut columns = columns
        .filter(|columns| columns.len() == names.len() && kinds.len() == names.len())
        .ok_or_else(|| LogError::damaged(path, format!("{COLUMNS} does not fit the head of the table")))?;
    for (number, line) in lines {
        let wrong = |reason: String| LogError::damaged(path, format!("line {}: {reason}", number + 1));
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != columns.len() {
            return Err(wrong(format!("{} values for {} columns", cells.len(), columns.len())));
        }
        for (cell, column) in cells.into_iter().zip(&mut columns) {
            read_cell(cell, &mut column.values)
                .ok_or_else(|| wrong(format!("{} = `{cell}`", column.name)))?;
        }
    }
    Ok((entries, columns))
}

fn read_cell(cell: &str, values: &mut Values) -> Option<()> {
    match values {
        Values::Real(values) => values.push(cell.parse().ok()?),
        Values::Measured(values) if cell.is_empty() => values.push(None),
        Values::Measured(values) => values.push(Some(cell.parse().ok()?)),
        Values::Whole(values) => values.push(cell.parse().ok()?),
        Values::Flag(values) => values.push(cell.parse().ok()?),
    }
    Some(())
}
