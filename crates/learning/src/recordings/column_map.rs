//! Column map: a TOML file that states the meaning of a table's columns. The columns of a `.npy` array are named by
//! their number, "0" the first.
//!
//! ```toml
//! time = { column = "t", unit = "s" }
//! position = { columns = ["px", "py", "pz"], unit = "mm" }
//! attitude = { columns = ["qx", "qy", "qz", "qw"], form = "quaternion-xyzw" }
//! force = { columns = ["fx", "fy", "fz"], unit = "N", axes = "tool", on = "held" }
//! torque = { columns = ["tx", "ty", "tz"], unit = "Nm", axes = "tool", on = "held" }
//! # optional
//! velocity = { columns = ["vx", "vy", "vz"], unit = "m/s", axes = "world" }
//! turning = { columns = ["wx", "wy", "wz"], unit = "rad/s", axes = "world" }
//! wrench_from_s = 1.5
//! trial = "run"
//! ```

use std::path::Path;

use nalgebra::{Matrix3, Rotation3};
use serde::Deserialize;
use tightfit_simulation::recordings::RecordingError;
use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use super::Trial;
use super::number_table::NumberTable;

/// Meaning of the columns of a table.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ColumnMap {
    /// Time.
    pub time: TimeMap,
    /// Position of the tool's frame in the world.
    pub position: VectorMap,
    /// Its attitude.
    pub attitude: AttitudeMap,
    /// Force as the sensor reports it.
    pub force: VectorMap,
    /// Torque about the sensor's origin.
    pub torque: VectorMap,
    /// Velocity of the tool frame's origin. Poses are differenced where it is missing.
    pub velocity: Option<VectorMap>,
    /// Angular velocity of the tool; given together with `velocity`.
    pub turning: Option<VectorMap>,
    /// Time from which the wrench counts [s]: earlier the sensor had not been zeroed.
    pub wrench_from_s: Option<f64>,
    /// Column whose change starts another trial.
    pub trial: Option<String>,
}

/// A column of times.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TimeMap {
    /// Its name.
    pub column: String,
    /// s, ms, us or ns.
    pub unit: String,
}

/// Three columns.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct VectorMap {
    /// x, y, z.
    pub columns: [String; 3],
    /// m, mm, N, kN, mN, Nm, Nmm, mNm, m/s, mm/s, rad/s or deg/s.
    pub unit: String,
    /// Axes of a force, torque or velocity.
    #[serde(default)]
    pub axes: MapAxes,
    /// The body that a force or torque acts on.
    #[serde(default)]
    pub on: MapBody,
}

/// Axes of a force, torque or velocity.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum MapAxes {
    /// Those of the tool.
    #[default]
    Tool,
    /// Those of the world.
    World,
}

/// The body on which a force acts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum MapBody {
    /// The part that the tool holds.
    #[default]
    Held,
    /// The fixed part.
    Fixed,
}

/// Columns of an attitude.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct AttitudeMap {
    /// Three, four or nine names, depending on the form.
    pub columns: Vec<String>,
    /// Their form.
    pub form: AttitudeForm,
}

/// Representations of an attitude.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum AttitudeForm {
    /// Quaternion x, y, z, w.
    QuaternionXyzw,
    /// Quaternion w, x, y, z.
    QuaternionWxyz,
    /// Axis times angle [rad].
    RotationVector,
    /// Axis times angle [deg].
    RotationVectorDeg,
    /// Rotation matrix, row by row.
    MatrixRows,
    /// Rotation matrix, column by column.
    MatrixColumns,
}

impl AttitudeForm {
    fn count(self) -> usize {
        match self {
            Self::QuaternionXyzw | Self::QuaternionWxyz => 4,
            Self::RotationVector | Self::RotationVectorDeg => 3,
            Self::MatrixRows | Self::MatrixColumns => 9,
        }
    }

    /// The rotation, and how far the numbers were from a rotation [-].
    fn read(self, numbers: &[f64]) -> (UnitQuaternion<f64>, f64) {
        match self {
            Self::QuaternionXyzw | Self::QuaternionWxyz => {
                let [x, y, z, w] = match self {
                    Self::QuaternionXyzw => [numbers[0], numbers[1], numbers[2], numbers[3]],
                    _ => [numbers[1], numbers[2], numbers[3], numbers[0]],
                };
                let quaternion = Quaternion::new(w, x, y, z);
                (UnitQuaternion::new_normalize(quaternion), (quaternion.norm() - 1.0).abs())
            }
            Self::RotationVector => {
                (UnitQuaternion::from_scaled_axis(Vector3::from_column_slice(numbers)), 0.0)
            }
            Self::RotationVectorDeg => {
                let radians = Vector3::from_column_slice(numbers).map(f64::to_radians);
                (UnitQuaternion::from_scaled_axis(radians), 0.0)
            }
            Self::MatrixRows | Self::MatrixColumns => {
                let columns = Matrix3::from_column_slice(numbers);
                let matrix = if self == Self::MatrixRows { columns.transpose() } else { columns };
                let rotation =
                    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
                (rotation, (matrix.transpose() * matrix - Matrix3::identity()).amax())
            }
        }
    }
}

/// Conversion factor of a unit to SI.
fn factor(unit: &str, known: &[(&str, f64)], key: &str, map: &Path) -> Result<f64, RecordingError> {
    known.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        RecordingError::malformed(
            map,
            format!("{key}.unit = `{unit}`"),
            format!("known: {}", names.join(", ")),
        )
    })
}

const SPEEDS: [(&str, f64); 2] = [("m/s", 1.0), ("mm/s", 1e-3)];
const TURNINGS: [(&str, f64); 2] = [("rad/s", 1.0), ("deg/s", std::f64::consts::PI / 180.0)];
const TIMES: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
const LENGTHS: [(&str, f64); 3] = [("m", 1.0), ("mm", 1e-3), ("cm", 1e-2)];
const FORCES: [(&str, f64); 3] = [("N", 1.0), ("kN", 1e3), ("mN", 1e-3)];
const TORQUES: [(&str, f64); 4] = [("Nm", 1.0), ("Nmm", 1e-3), ("Ncm", 1e-2), ("mNm", 1e-3)];

impl ColumnMap {
    /// Reads a map.
    ///
    /// # Errors
    /// When the file cannot be read or holds other keys than a map has.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let text = std::fs::read_to_string(path).map_err(RecordingError::unreadable(path))?;
        toml::from_str(&text).map_err(|error| {
            let remedy = "a map has time, position, attitude, force, torque; optional: velocity, turning, wrench_from_s, trial";
            RecordingError::malformed(path, error.to_string().trim().replace('\n', " "), remedy)
        })
    }

    /// The trials of a table.
    ///
    /// # Errors
    /// When a column is missing or a unit is unknown; `map` names the map in errors.
    pub fn read(&self, path: &Path, map: &Path) -> Result<Vec<Trial>, RecordingError> {
        let table = NumberTable::read(path)?;
        let second = factor(&self.time.unit, &TIMES, "time", map)?;
        let metre = factor(&self.position.unit, &LENGTHS, "position", map)?;
        let newton = factor(&self.force.unit, &FORCES, "force", map)?;
        let newton_metre = factor(&self.torque.unit, &TORQUES, "torque", map)?;
        let wanted = self.attitude.form.count();
        if self.attitude.columns.len() != wanted {
            let found = format!("attitude.columns has {} names", self.attitude.columns.len());
            return Err(RecordingError::malformed(map, found, format!("its form needs {wanted}")));
        }
        let columns = |names: &[String]| -> Result<Vec<&[f64]>, RecordingError> {
            names.iter().map(|name| table.column(path, name)).collect()
        };
        let time = table.column(path, &self.time.column)?;
        let position = columns(&self.position.columns)?;
        let attitude = columns(&self.attitude.columns)?;
        let (force, torque) = (columns(&self.force.columns)?, columns(&self.torque.columns)?);
        let twist = match (&self.velocity, &self.turning) {
            (Some(velocity), Some(turning)) => Some([
                (velocity, factor(&velocity.unit, &SPEEDS, "velocity", map)?, columns(&velocity.columns)?),
                (turning, factor(&turning.unit, &TURNINGS, "turning", map)?, columns(&turning.columns)?),
            ]),
            (None, None) => None,
            _ => {
                let found = "has only one of velocity and turning";
                return Err(RecordingError::malformed(map, found, "give both or none"));
            }
        };
        let label = self.trial.as_ref().map(|name| table.column(path, name)).transpose()?;
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let mut trials: Vec<Trial> = Vec::new();
        let mut numbers = Vec::with_capacity(wanted);
        for row in 0..table.rows() {
            let begins =
                label.is_some_and(|label| row > 0 && label[row].to_bits() != label[row - 1].to_bits());
            if trials.is_empty() || begins {
                let number = label.map_or_else(String::new, |label| format!(" {}", label[row]));
                let mut trial = Trial::new(format!("{stem}{number}"));
                trial.wrench_from = self.wrench_from_s.unwrap_or(f64::NEG_INFINITY);
                trials.push(trial);
            }
            let Some(trial) = trials.last_mut() else { continue };
            let vector = |columns: &[&[f64]]| Vector3::new(columns[0][row], columns[1][row], columns[2][row]);
            numbers.clear();
            numbers.extend(attitude.iter().map(|column| column[row]));
            let (rotation, defect) = self.attitude.form.read(&numbers);
            let held = |map: &VectorMap, unit: f64, value: Vector3<f64>| {
                let signed = if map.on == MapBody::Held { value * unit } else { -value * unit };
                if map.axes == MapAxes::World { rotation.inverse() * signed } else { signed }
            };
            trial.time.push(time[row] * second);
            trial.world_from_tool.push(Pose::new(vector(&position) * metre, rotation));
            trial.attitude_defect.push(defect);
            trial.force.push(held(&self.force, newton, vector(&force)));
            trial.torque.push(held(&self.torque, newton_metre, vector(&torque)));
            if let Some([linear, angular]) = &twist {
                let in_axes = |(map, unit, columns): &(&VectorMap, f64, Vec<&[f64]>), axes: MapAxes| {
                    let value = vector(columns) * *unit;
                    match (map.axes, axes) {
                        (MapAxes::Tool, MapAxes::World) => rotation * value,
                        (MapAxes::World, MapAxes::Tool) => rotation.inverse() * value,
                        _ => value,
                    }
                };
                trial
                    .twist
                    .push(Twist::new(in_axes(linear, MapAxes::World), in_axes(angular, MapAxes::Tool)));
            }
        }
        Ok(trials)
    }
}
