//! The two published data sets as arrays, told apart by their number of columns.
//!
//! ```text
//! Panda, hand-guided, 39 columns   t | F, M sensor axes | tool xyz | R column by column | v, ω base axes | q | dq
//! UR5e, rods, 19 columns           t | F, T in M axes   | tool xyz | rotation vector    | v, ω base axes
//!                                  M = R_y(180°) R(rotation vector): w_base = Mᵀ w
//! ```
//!
//! The Panda's log has what the peg does to the hole: it is negated here. Its torque is about the sensor's origin. That of the UR5e is on
//! the rod; its robot zeroes the sensor after the hover move, a while after the log begins.

use std::path::Path;

use nalgebra::{Matrix3, Rotation3};
use tightfit_simulation::recordings::npy;
use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

use super::{Trial, TrialError};

/// Columns of a hand-guided Panda.
const PANDA: usize = 39;
/// Columns of a UR5e.
const UR5E: usize = 19;
/// Time from which the UR5e's wrench counts [s]: its sensor is zeroed between 1.1 s and 1.4 s.
const UR5E_ZEROED: f64 = 1.45;

/// Reads one array; the form follows from its columns.
pub(super) fn read(path: &Path) -> Result<Trial, TrialError> {
    let bytes = std::fs::read(path).map_err(TrialError::unreadable(path))?;
    let table = npy::table(path, &bytes)?;
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut trial = Trial::new(name);
    let take: fn(&mut Trial, &[f64]) = match table.columns {
        PANDA => panda_row,
        UR5E => ur5e_row,
        other => {
            return Err(TrialError::malformed(
                path,
                format!("has {other} columns"),
                format!(
                    "known are {PANDA} (hand-guided Panda) and {UR5E} (UR5e rods); write a CSV file and a column map for others"
                ),
            ));
        }
    };
    (0..table.rows()).for_each(|row| take(&mut trial, table.row(row)));
    if table.columns == UR5E {
        trial.wrench_from = UR5E_ZEROED;
        // hole and session: the names are TASK_tTOLERANCE__sample_N_session_S
        trial.session = trial.name.split("__").next().unwrap_or_default().to_string();
    } else {
        // one day each; the names are [NUMBER_]DATE.TIME
        let date = trial.name.rsplit('_').next().unwrap_or_default();
        trial.session = date.chars().take(10).collect();
    }
    Ok(trial)
}

fn vector(row: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(row[at], row[at + 1], row[at + 2])
}

fn panda_row(trial: &mut Trial, row: &[f64]) {
    let matrix = Matrix3::from_column_slice(&row[10..19]);
    trial.attitude_defect.push((matrix.transpose() * matrix - Matrix3::identity()).amax());
    let attitude = attitude_of(&matrix);
    trial.time.push(row[0]);
    trial.world_from_tool.push(Pose::new(vector(row, 7), attitude));
    trial.twist.push(Twist::new(vector(row, 19), attitude.inverse() * vector(row, 22)));
    trial.force.push(-vector(row, 1));
    trial.torque.push(-vector(row, 4));
}

fn ur5e_row(trial: &mut Trial, row: &[f64]) {
    let attitude = UnitQuaternion::from_scaled_axis(vector(row, 10));
    let logged_from_base =
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI) * attitude;
    let tool_from_logged = attitude.inverse() * logged_from_base.inverse();
    trial.time.push(row[0]);
    trial.world_from_tool.push(Pose::new(vector(row, 7), attitude));
    trial.attitude_defect.push(0.0);
    trial.twist.push(Twist::new(vector(row, 13), attitude.inverse() * vector(row, 16)));
    trial.force.push(tool_from_logged * vector(row, 1));
    trial.torque.push(tool_from_logged * vector(row, 4));
}

/// The rotation nearest to a matrix that was rounded to single precision.
pub(super) fn attitude_of(matrix: &Matrix3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*matrix))
}
