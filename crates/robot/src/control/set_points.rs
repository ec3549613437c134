//! Set-points of the tip over time, from a CSV table.
//!
//! The table has a header. The columns `t_s, x_m, y_m, z_m, qx, qy, qz, qw` are found by name, in any order; other
//! columns are ignored. `time_s` and `quaternion_x` to `quaternion_w` are aliases. The optional columns
//! `gripper_quaternion_x` to `gripper_quaternion_w` rotate the pose further, about the axes of that pose. The pose is
//! interpolated between rows, and constant before the first and after the last row.

use std::path::Path;

use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

use super::Posed;

const COLUMNS: [&str; 8] = ["t_s", "x_m", "y_m", "z_m", "qx", "qy", "qz", "qw"];
/// Aliases of [`COLUMNS`].
const ALIASES: [&str; 8] =
    ["time_s", "x_m", "y_m", "z_m", "quaternion_x", "quaternion_y", "quaternion_z", "quaternion_w"];
const GRIPPER: [&str; 4] =
    ["gripper_quaternion_x", "gripper_quaternion_y", "gripper_quaternion_z", "gripper_quaternion_w"];

/// Why a table of set-points cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetPointError {
    /// The file could not be read.
    #[error("cannot read {path}: {reason}; give the path of a CSV file of set-points")]
    Unreadable {
        /// The path.
        path: String,
        /// The reason given by the operating system.
        reason: String,
    },
    /// A column is missing.
    #[error("{place}: the header has no column `{column}`; it must have t_s, x_m, y_m, z_m, qx, qy, qz, qw")]
    Column {
        /// The file.
        place: String,
        /// The column.
        column: &'static str,
    },
    /// Some but not all columns of the gripper's rotation.
    #[error("{place}: the header has no column `{column}`; give all four of gripper_quaternion, or none")]
    Gripper {
        /// The file.
        place: String,
        /// The column.
        column: &'static str,
    },
    /// A cell that is missing or not a finite number.
    #[error("{place}, line {line}: column `{column}` is `{found}`; it must be a finite number")]
    Cell {
        /// The file.
        place: String,
        /// Line, counted from one.
        line: usize,
        /// The column.
        column: &'static str,
        /// The text of the cell.
        found: String,
    },
    /// A quaternion that is not of unit length.
    #[error(
        "{place}, line {line}: the quaternion has length {length}; it must be 1 within 0.001, in the order x, y, z, w"
    )]
    Quaternion {
        /// The file.
        place: String,
        /// Line, counted from one.
        line: usize,
        /// Its length.
        length: f64,
    },
    /// A set-point before the run begins.
    #[error(
        "{place}, line {line}: t_s is {time} s; a run begins at 0 s: subtract the first time from all times"
    )]
    Early {
        /// The file.
        place: String,
        /// Line, counted from one.
        line: usize,
        /// Its time [s].
        time: f64,
    },
    /// Times that do not increase.
    #[error("{place}, line {line}: t_s is {time} s after {before} s; times must increase")]
    Time {
        /// The file.
        place: String,
        /// Line, counted from one.
        line: usize,
        /// The time.
        time: f64,
        /// The time of the row before.
        before: f64,
    },
    /// No rows.
    #[error("{place}: there is no set-point; at least one row must follow the header")]
    Empty {
        /// The file.
        place: String,
    },
}

/// Poses over time.
#[derive(Clone, Debug, PartialEq)]
pub struct SetPoints {
    rows: Vec<(f64, Pose)>,
}

impl SetPoints {
    /// The set-points of a file.
    ///
    /// # Errors
    /// When the file cannot be read or a cell is invalid; the error names line and column.
    pub fn from_file(path: &Path) -> Result<Self, SetPointError> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| SetPointError::Unreadable { path: place.clone(), reason: error.to_string() })?;
        Self::from_csv(&text, &place)
    }

    /// The set-points of a text; `place` names it in errors.
    ///
    /// # Errors
    /// When a column is missing or a cell is invalid; the error names line and column.
    pub fn from_csv(text: &str, place: &str) -> Result<Self, SetPointError> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line).trim_start_matches('\u{feff}');
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let mut places = [0; COLUMNS.len()];
        for ((column, alias), found) in COLUMNS.into_iter().zip(ALIASES).zip(&mut places) {
            let found_at = names.iter().position(|name| *name == column || *name == alias);
            *found = found_at.ok_or_else(|| SetPointError::Column { place: place.into(), column })?;
        }
        let gripper = GRIPPER.map(|column| names.iter().position(|name| *name == column));
        if let (true, Some(lacks)) =
            (gripper.iter().any(Option::is_some), gripper.iter().position(Option::is_none))
        {
            return Err(SetPointError::Gripper { place: place.into(), column: GRIPPER[lacks] });
        }
        let mut rows: Vec<(f64, Pose)> = Vec::new();
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let line_number = index + 1;
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let number = |column: &'static str, cell: usize| {
                let found = cells.get(cell).copied().unwrap_or("");
                let number = found.parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| SetPointError::Cell {
                    place: place.into(),
                    line: line_number,
                    column,
                    found: found.into(),
                })
            };
            let rotation = |[x, y, z, w]: [f64; 4]| {
                let quaternion = Quaternion::new(w, x, y, z);
                let length = quaternion.norm();
                match (length - 1.0).abs() > 1e-3 {
                    true => Err(SetPointError::Quaternion { place: place.into(), line: line_number, length }),
                    false => Ok(UnitQuaternion::new_normalize(quaternion)),
                }
            };
            let mut values = [0.0; COLUMNS.len()];
            for ((column, cell), value) in COLUMNS.into_iter().zip(places).zip(&mut values) {
                *value = number(column, cell)?;
            }
            let [time, x, y, z, qx, qy, qz, qw] = values;
            let mut attitude = rotation([qx, qy, qz, qw])?;
            if let [Some(x), Some(y), Some(z), Some(w)] = gripper {
                let mut turn = [0.0; 4];
                for ((column, cell), value) in GRIPPER.into_iter().zip([x, y, z, w]).zip(&mut turn) {
                    *value = number(column, cell)?;
                }
                attitude *= rotation(turn)?;
            }
            if time < 0.0 {
                return Err(SetPointError::Early { place: place.into(), line: line_number, time });
            }
            if let Some((before, _)) = rows.last().filter(|(before, _)| *before >= time) {
                return Err(SetPointError::Time {
                    place: place.into(),
                    line: line_number,
                    time,
                    before: *before,
                });
            }
            rows.push((time, Pose::new(Vector3::new(x, y, z), attitude)));
        }
        if rows.is_empty() {
            return Err(SetPointError::Empty { place: place.into() });
        }
        Ok(Self { rows })
    }

    /// Time of the last set-point [s].
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.rows.last().map_or(0.0, |(time, _)| *time)
    }

    /// The pose at a time [s].
    #[must_use]
    pub fn at(&self, time: f64) -> Pose {
        let after = self.rows.partition_point(|(when, _)| *when <= time);
        match (after.checked_sub(1).and_then(|before| self.rows.get(before)), self.rows.get(after)) {
            (Some((from, a)), Some((until, b))) => a.towards(b, (time - from) / (until - from)),
            (Some((_, only)), None) | (None, Some((_, only))) => *only,
            (None, None) => Pose::identity(),
        }
    }

    /// The set-point of a step that begins at `time` and takes `step` seconds.
    #[must_use]
    pub fn during(&self, time: f64, step: f64) -> Posed {
        Posed::between(&self.at(time), &self.at(time + step), step)
    }
}
