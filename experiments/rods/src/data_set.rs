//! The UR5e data set: one array per trial, 19 columns, named `ROD_tTOLERANCE__sample_N_session_S.npy`.
//!
//! ```text
//! t | F, T in M axes | tool xyz | rotation vector | v, ω base axes     M = R_y(180°) R(rotation vector): w_base = Mᵀ w
//! ```
//!
//! Forces act on the rod. The robot zeroes its sensor after the hover move, between 1.1 s and 1.4 s.

use std::path::{Path, PathBuf};

use tightfit_learning::identification::Outline;
use tightfit_learning::recordings::{RecordingError, Trial};
use tightfit_simulation::recordings::npy;
use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

use crate::Rod;

const COLUMNS: usize = 19;
/// Time from which the wrench counts [s].
const ZEROED: f64 = 1.45;

impl Rod {
    /// The rod of a session: `small_rod_t0.1`, `big_rod_t0.3`, `rect_rod_t0.2`; the tolerance is the air on both sides
    /// [mm].
    #[must_use]
    pub fn of_session(session: &str) -> Option<Self> {
        let (rod, tolerance) = session.split_once("_rod_t")?;
        let clearance = tolerance.parse::<f64>().ok()? * 0.5e-3;
        let outline = match rod {
            "small" => Outline::Round { radius: 4.35e-3 },
            "big" => Outline::Round { radius: 8.35e-3 },
            "rect" => Outline::Rectangle { half: [6e-3, 4e-3] },
            _ => return None,
        };
        Some(Self { outline, clearance })
    }
}

/// All trials of a folder of arrays, by name.
///
/// # Errors
/// When the folder holds no array, or one of another form.
pub fn read(folder: &Path) -> Result<Vec<Trial>, RecordingError> {
    let entries = std::fs::read_dir(folder).map_err(RecordingError::unreadable(folder))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "npy"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(RecordingError::malformed(
            folder,
            "holds no .npy file",
            "name the folder `npy` of the data set",
        ));
    }
    files.iter().map(|file| read_trial(file)).collect()
}

fn read_trial(path: &Path) -> Result<Trial, RecordingError> {
    let bytes = std::fs::read(path).map_err(RecordingError::unreadable(path))?;
    let table = npy::table(path, &bytes)?;
    if table.columns != COLUMNS {
        let found = format!("has {} columns", table.columns);
        return Err(RecordingError::malformed(path, found, format!("expected {COLUMNS}")));
    }
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut trial = Trial::new(name);
    trial.wrench_from = ZEROED;
    (0..table.rows()).for_each(|row| push_row(&mut trial, table.row(row)));
    Ok(trial)
}

fn push_row(trial: &mut Trial, row: &[f64]) {
    let vector = |at: usize| Vector3::new(row[at], row[at + 1], row[at + 2]);
    let attitude = UnitQuaternion::from_scaled_axis(vector(10));
    let logged_from_base =
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI) * attitude;
    let tool_from_logged = attitude.inverse() * logged_from_base.inverse();
    trial.time.push(row[0]);
    trial.world_from_tool.push(Pose::new(vector(7), attitude));
    trial.attitude_defect.push(0.0);
    trial.twist.push(Twist::new(vector(13), attitude.inverse() * vector(16)));
    trial.force.push(tool_from_logged * vector(1));
    trial.torque.push(tool_from_logged * vector(4));
}
