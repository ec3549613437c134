//! Reads a folder of recordings: `tosses.npy` with the rows of all tosses, and `index.csv` with the first row of each
//! toss.
//!
//! ```text
//! row        quaternion w x y z | position [m] | angular velocity, body axes [rad/s] | velocity, world axes [m/s]
//! index.csv  columns first_row and n_rows, named in its first line
//! ```

use std::path::Path;

use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::{Quaternion, Twist, UnitQuaternion, Vector3};

use super::RecordingError;
use super::npy;

/// Numbers of a row.
const COLUMNS: usize = 13;

/// Tolerance on the length of a recorded quaternion [-].
const UNIT: f64 = 1e-3;

/// One recorded state: pose and velocity of the cube's centre.
pub type RecordedState = BodyMotion;

/// One toss, with rows at equal time intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Its states, at least two.
    pub states: Vec<RecordedState>,
}

/// All tosses of a folder.
///
/// # Errors
/// When a file is missing or does not have the expected format.
pub fn load_tosses(folder: &Path) -> Result<Vec<Toss>, RecordingError> {
    let rows_path = folder.join("tosses.npy");
    let bytes = std::fs::read(&rows_path).map_err(missing(&rows_path))?;
    let table = npy::table(&rows_path, &bytes)?;
    if table.columns != COLUMNS {
        return Err(RecordingError::malformed(
            &rows_path,
            format!("has {} columns", table.columns),
            format!("expected {COLUMNS}: quaternion w x y z, position, angular velocity, velocity"),
        ));
    }
    let index_path = folder.join("index.csv");
    let text = std::fs::read_to_string(&index_path).map_err(missing(&index_path))?;
    let mut tosses = Vec::new();
    for (line, first, count) in index(&text, &index_path)? {
        let end = first.checked_add(count).filter(|end| *end <= table.rows() && count >= 2);
        let Some(end) = end else {
            return Err(RecordingError::malformed(
                &index_path,
                format!("line {line} asks for {count} rows from row {first}"),
                format!("expected at least 2 rows within the {} of tosses.npy", table.rows()),
            ));
        };
        let states = (first..end)
            .map(|row| {
                state(table.row(row)).map_err(|found| {
                    let remedy = "expected finite numbers and a unit quaternion";
                    RecordingError::malformed(&rows_path, format!("row {row} {found}"), remedy)
                })
            })
            .collect::<Result<_, _>>()?;
        tosses.push(Toss { states });
    }
    if tosses.is_empty() {
        return Err(RecordingError::malformed(&index_path, "names no toss", "expected one line per toss"));
    }
    Ok(tosses)
}

/// A file of the folder that cannot be read.
fn missing(path: &Path) -> impl FnOnce(std::io::Error) -> RecordingError {
    let path = path.to_path_buf();
    move |error| {
        let remedy = "the folder of recordings holds tosses.npy and index.csv";
        RecordingError::malformed(&path, format!("cannot be read: {error}"), remedy)
    }
}

/// (line, first row, number of rows) of every toss.
fn index(text: &str, path: &Path) -> Result<Vec<(usize, usize, usize)>, RecordingError> {
    let mut lines = text.lines().enumerate();
    let head: Vec<&str> =
        lines.next().map_or_else(Vec::new, |(_, line)| line.split(',').map(str::trim).collect());
    let column = |name: &str| {
        head.iter().position(|own| *own == name).ok_or_else(|| {
            let found = format!("has no column `{name}` in its first line");
            RecordingError::malformed(path, found, "expected the columns first_row and n_rows")
        })
    };
    let (first, count) = (column("first_row")?, column("n_rows")?);
    let mut tosses = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let whole = |column: usize| cells.get(column).and_then(|cell| cell.parse().ok());
        let (Some(first), Some(count)) = (whole(first), whole(count)) else {
            let found = format!("line {} is `{line}`", number + 1);
            return Err(RecordingError::malformed(path, found, "expected whole numbers separated by commas"));
        };
        tosses.push((number + 1, first, count));
    }
    Ok(tosses)
}

/// The state of a row, or what is wrong with it.
fn state(row: &[f64]) -> Result<RecordedState, String> {
    if let Some(at) = row.iter().position(|value| !value.is_finite()) {
        return Err(format!("has {} in column {at}", row[at]));
    }
    let quaternion = Quaternion::new(row[0], row[1], row[2], row[3]);
    let length = quaternion.norm();
    if (length - 1.0).abs() > UNIT {
        return Err(format!("has a quaternion of length {length}"));
    }
    let vector = |at: usize| Vector3::new(row[at], row[at + 1], row[at + 2]);
    Ok(RecordedState {
        center: vector(4),
        rotation: UnitQuaternion::new_normalize(quaternion),
        twist: Twist::new(vector(10), vector(7)),
    })
}
