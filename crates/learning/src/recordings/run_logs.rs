//! Simulated runs as recordings: our own logs, and the runs that the paper's authors published.
//!
//! Both have the pose of the part's centre of mass, which is the tool's frame here, and the contact wrench on it.

use std::path::Path;

use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use super::number_table::NumberTable;
use super::{Trial, TrialError};

/// Where the columns of a run are.
struct Columns {
    time: String,
    position: [String; 3],
    /// x, y, z, w.
    quaternion: [String; 4],
    force: [String; 3],
    torque: [String; 3],
    /// Velocity in world axes and turning in body axes.
    twist: Option<[[String; 3]; 2]>,
    /// Whether the torque is in world axes; else in the part's.
    torque_in_world: bool,
}

/// Reads a run of either form, or `None` where the table is neither.
pub(super) fn read(path: &Path) -> Result<Option<Trial>, TrialError> {
    let table = NumberTable::read(path)?;
    let Some(columns) = columns_of(&table) else { return Ok(None) };
    let all = |names: &[String]| -> Result<Vec<&[f64]>, TrialError> {
        names.iter().map(|name| table.column(path, name)).collect()
    };
    let time = table.column(path, &columns.time)?;
    let (position, quaternion) = (all(&columns.position)?, all(&columns.quaternion)?);
    let (force, torque) = (all(&columns.force)?, all(&columns.torque)?);
    let twist = columns.twist.as_ref().map(|[v, w]| Ok::<_, TrialError>((all(v)?, all(w)?))).transpose()?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut trial = Trial::new(stem);
    for row in 0..table.rows() {
        let vector = |columns: &[&[f64]]| Vector3::new(columns[0][row], columns[1][row], columns[2][row]);
        let imaginary = vector(&quaternion);
        let logged = Quaternion::from_parts(quaternion[3][row], imaginary);
        let rotation = UnitQuaternion::new_normalize(logged);
        trial.time.push(time[row]);
        trial.world_from_tool.push(Pose::new(vector(&position), rotation));
        trial.attitude_defect.push((logged.norm() - 1.0).abs());
        trial.force.push(rotation.inverse() * vector(&force));
        let turn = if columns.torque_in_world { rotation.inverse() } else { UnitQuaternion::identity() };
        trial.torque.push(turn * vector(&torque));
        if let Some((velocity, turning)) = &twist {
            trial.twist.push(Twist::new(vector(velocity), vector(turning)));
        }
    }
    Ok(Some(trial))
}

fn columns_of(table: &NumberTable) -> Option<Columns> {
    let plain = |names: [&str; 3]| names.map(String::from);
    if table.has("t_s") && table.has("Fx_raw") && table.has("qw") {
        return Some(Columns {
            time: "t_s".into(),
            position: plain(["x", "y", "z"]),
            quaternion: ["qx", "qy", "qz", "qw"].map(String::from),
            force: plain(["Fx_raw", "Fy_raw", "Fz_raw"]),
            torque: plain(["Tx_raw", "Ty_raw", "Tz_raw"]),
            twist: None,
            torque_in_world: false,
        });
    }
    // our own: the first free part
    let body = table.first_ending(".contact_force_x_n")?;
    let names = |what: &str, unit: &str| ["x", "y", "z"].map(|axis| format!("{body}.{what}_{axis}{unit}"));
    Some(Columns {
        time: "time_s".into(),
        position: names("center", "_m"),
        quaternion: ["x", "y", "z", "w"].map(|axis| format!("{body}.quaternion_{axis}")),
        force: names("contact_force", "_n"),
        torque: names("contact_torque", "_nm"),
        twist: Some([names("velocity", "_m_s"), names("turning_in_body", "_rad_s")]),
        torque_in_world: true,
    })
}
