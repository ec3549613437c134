//! Reads logs of this program's runs as trials.
//!
//! A log has the pose of the part's centre of mass, which is the tool's frame here, and the contact wrench on it, world
//! axes.

use std::path::Path;

use tightfit_simulation::recordings::RecordingError;
use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use super::Trial;
use super::number_table::NumberTable;

/// Reads the first free part of a log, or `None` for other tables.
pub(super) fn read(path: &Path) -> Result<Option<Trial>, RecordingError> {
    let table = NumberTable::read(path)?;
    let Some(body) = table.first_ending(".contact_force_x_n") else { return Ok(None) };
    let column = |name: &str| table.column(path, &format!("{body}.{name}"));
    let columns = |what: &str, unit: &str| -> Result<Vec<&[f64]>, RecordingError> {
        ["x", "y", "z"].iter().map(|axis| column(&format!("{what}_{axis}{unit}"))).collect()
    };
    let time = table.column(path, "time_s")?;
    let (position, imaginary, real) =
        (columns("center", "_m")?, columns("quaternion", "")?, column("quaternion_w")?);
    let (force, torque) = (columns("contact_force", "_n")?, columns("contact_torque", "_nm")?);
    let (velocity, turning) = (columns("velocity", "_m_s")?, columns("turning_in_body", "_rad_s")?);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut trial = Trial::new(stem);
    for row in 0..table.rows() {
        let vector = |columns: &[&[f64]]| Vector3::new(columns[0][row], columns[1][row], columns[2][row]);
        let logged = Quaternion::from_parts(real[row], vector(&imaginary));
        let rotation = UnitQuaternion::new_normalize(logged);
        trial.time.push(time[row]);
        trial.world_from_tool.push(Pose::new(vector(&position), rotation));
        trial.attitude_defect.push((logged.norm() - 1.0).abs());
        trial.force.push(rotation.inverse() * vector(&force));
        trial.torque.push(rotation.inverse() * vector(&torque));
        trial.twist.push(Twist::new(vector(&velocity), vector(&turning)));
    }
    Ok(Some(trial))
}
