//! Files of recordings: one CSV per trial, one row per sample, the unit in every column name.
//!
//! The first line identifies the file and marks synthetic trials. Numbers are read back to the same bits.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tightfit_network::{read_whole, write_whole};
use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use super::{MeasuredLoad, Recording, Sample, torque_angle};
use crate::LearningError;

const COLUMNS: &str = "time_s,x_m,y_m,z_m,qw,qx,qy,qz,vx_m_s,vy_m_s,vz_m_s,wx_body_rad_s,wy_body_rad_s,wz_body_rad_s,\
fx_n,fy_n,fz_n,tx_nm,ty_nm,tz_nm";
/// Further columns where a sensor at the wrist measures the load of the hand.
const LOAD_COLUMNS: &str = ",load_fx_n,load_fy_n,load_fz_n,load_tx_nm,load_ty_nm,load_tz_nm";

impl Recording {
    /// Start of the first line of a file.
    pub(super) const FIRST: &'static str = "# tightfit recording";

    /// Writes the trial; `note` states its origin in a few words.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path, note: &str) -> Result<(), LearningError> {
        let note = note.replace(['\n', ';'], ",");
        let has_load = !self.samples.is_empty() && self.samples.iter().all(|sample| sample.load.is_some());
        let further = if has_load { LOAD_COLUMNS } else { "" };
        let mut text = format!("{}; {}; {note}\n{COLUMNS}{further}\n", Self::FIRST, self.name);
        for sample in &self.samples {
            let load = sample.load.filter(|_| has_load);
            for (place, number) in numbers(&Sample { load, ..*sample }).enumerate() {
                let _ = write!(text, "{}{number:?}", if place > 0 { "," } else { "" });
            }
            text.push('\n');
        }
        Ok(write_whole(path, text.as_bytes())?)
    }

    /// Reads a trial that [`Self::save`] wrote.
    ///
    /// # Errors
    /// When it cannot be read or a row does not match the columns.
    pub fn load(path: &Path) -> Result<Self, LearningError> {
        let wrong = |problem: String| LearningError::file(path, problem, "write it again");
        let text = String::from_utf8(read_whole(path)?).map_err(|_| wrong("it is not text".into()))?;
        let mut lines = text.lines();
        let first = lines.next().filter(|line| line.starts_with(Self::FIRST));
        let first =
            first.ok_or_else(|| wrong(format!("its first line does not begin with `{}`", Self::FIRST)))?;
        let name = first.split("; ").nth(1).unwrap_or_default().to_string();
        let further = lines.next().and_then(|line| line.strip_prefix(COLUMNS));
        let count = match further {
            Some("") => 20,
            Some(LOAD_COLUMNS) => 26,
            _ => {
                return Err(wrong(format!(
                    "its columns are not `{COLUMNS}`, with or without `{LOAD_COLUMNS}`"
                )));
            }
        };
        let mut samples: Vec<Sample> = Vec::new();
        for (index, line) in lines.enumerate() {
            let numbers: Option<Vec<f64>> = line.split(',').map(|number| number.parse().ok()).collect();
            let sample = numbers.as_deref().filter(|all| all.len() == count).and_then(sample);
            let follows = |own: &Sample| samples.last().is_none_or(|before| own.time > before.time);
            let Some(sample) = sample.filter(follows) else {
                let reason = format!("is not {count} finite numbers with a later time and a unit quaternion");
                return Err(wrong(format!("line {} {reason}", index + 3)));
            };
            samples.push(sample);
        }
        Ok(Self { name, samples })
    }
}

/// All trials of a folder, sorted by name, or the trial of a file.
///
/// # Errors
/// When there is no recording or a file is not one.
pub fn load_recordings(path: &Path) -> Result<Vec<Recording>, LearningError> {
    if torque_angle::is_torque_angle(path) {
        return Err(LearningError::file(path, torque_angle::FOUND.into(), torque_angle::REMEDY));
    }
    if path.is_file() {
        return Ok(vec![Recording::load(path)?]);
    }
    let entries = std::fs::read_dir(path)
        .map_err(|error| LearningError::file(path, error.to_string(), "check the name"))?;
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_csv).collect();
    files.sort();
    if files.is_empty() {
        let remedy = "`tightfit virtual-experiment` writes recordings; other logs need a calibration (`tightfit identify`)";
        return Err(LearningError::file(path, "it holds no recording (.csv)".into(), remedy));
    }
    files.iter().map(|file| Recording::load(file)).collect()
}

/// Hash of every bit of some trials (FNV-1a, 64 bits): shows whether two trainings used the same data.
#[must_use]
pub fn fingerprint(recordings: &[Recording]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for recording in recordings {
        let numbers = recording.samples.iter().flat_map(numbers);
        for byte in numbers.flat_map(|number| number.to_bits().to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

fn numbers(sample: &Sample) -> impl Iterator<Item = f64> {
    let Sample { time, world_from_part, twist, force, torque, load } = *sample;
    let (p, q) = (world_from_part.translation, world_from_part.rotation);
    let (v, w) = (twist.linear_in_world, twist.angular_in_body);
    let own = [
        time, p.x, p.y, p.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, w.x, w.y, w.z, force.x, force.y, force.z,
        torque.x, torque.y, torque.z,
    ];
    let load =
        load.map(|MeasuredLoad { force, torque }| [force.x, force.y, force.z, torque.x, torque.y, torque.z]);
    own.into_iter().chain(load.into_iter().flatten())
}

fn sample(numbers: &[f64]) -> Option<Sample> {
    let &[time, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, fx, fy, fz, tx, ty, tz, ref further @ ..] =
        numbers
    else {
        return None;
    };
    let load = match *further {
        [] => None,
        [fx, fy, fz, tx, ty, tz] => {
            Some(MeasuredLoad { force: Vector3::new(fx, fy, fz), torque: Vector3::new(tx, ty, tz) })
        }
        _ => return None,
    };
    let quaternion = Quaternion::new(qw, qx, qy, qz);
    let is_good = numbers.iter().all(|number| number.is_finite()) && (quaternion.norm() - 1.0).abs() < 1e-6;
    // Not normalised again: that would change bits.
    let rotation = UnitQuaternion::new_unchecked(quaternion);
    is_good.then(|| Sample {
        time,
        world_from_part: Pose::new(Vector3::new(x, y, z), rotation),
        twist: Twist::new(Vector3::new(vx, vy, vz), Vector3::new(wx, wy, wz)),
        force: Vector3::new(fx, fy, fz),
        torque: Vector3::new(tx, ty, tz),
        load,
    })
}
