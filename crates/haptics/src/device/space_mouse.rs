//! A SpaceMouse at `/dev/hidraw*`: its cap is a velocity command, and it returns no force.
//!
//! ```text
//! x ← x + T g q_lin        R ← exp(T g_τ q_ang) R          q in [−1, 1]: deflection of the cap
//! ```
//!
//! Reports of 3Dconnexion devices (vendor 256f, or 046d for older ones): id 1 holds six 16-bit values, or three of shift
//! with three of rotation in id 2; full deflection is 350. The file is read without any library; the user needs the right
//! to read it. A SpaceMouse on another machine works through the page of `tightfit view` (WebHID).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::{Device, DeviceDescription, DeviceSample, DeviceWrench};

/// Value at full deflection.
const FULL: f64 = 350.0;
/// Speed at full deflection [m/s, rad/s].
const SPEED: [f64; 2] = [0.05, 2.0];
/// Deflection that counts as none [-].
const DEAD: f64 = 0.05;

/// Deflection that a report holds, device axes: x right, y towards the user, z down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpaceMouseReport {
    /// Shift in [−1, 1], where the report holds it.
    pub shift: Option<Vector3<f64>>,
    /// Rotation in [−1, 1], where the report holds it.
    pub turn: Option<Vector3<f64>>,
}

impl SpaceMouseReport {
    /// Reads a report; one of buttons holds neither.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let vector = |at: usize| {
            let value = |axis: usize| {
                let pair = bytes.get(at + 2 * axis..at + 2 * axis + 2)?;
                let value = f64::from(i16::from_le_bytes([pair[0], pair[1]])) / FULL;
                Some(if value.abs() < DEAD { 0.0 } else { value.clamp(-1.0, 1.0) })
            };
            Some(Vector3::new(value(0)?, value(1)?, value(2)?))
        };
        match bytes.first() {
            Some(1) => Self { shift: vector(1), turn: vector(7) },
            Some(2) => Self { shift: None, turn: vector(1) },
            _ => Self::default(),
        }
    }
}

/// A SpaceMouse.
#[derive(Debug)]
pub struct SpaceMouse {
    reports: Receiver<Vec<u8>>,
    path: PathBuf,
    pose: Pose,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    is_gone: bool,
}

impl SpaceMouse {
    /// Opens the first SpaceMouse of this machine.
    ///
    /// # Errors
    /// When there is none, or its file may not be read.
    pub fn open() -> io::Result<Self> {
        let path = find(Path::new("/sys/class/hidraw"))?.ok_or_else(|| {
            let text =
                "no SpaceMouse at /dev/hidraw*; plug it in, or use the page of `tightfit view` in Chrome";
            io::Error::new(io::ErrorKind::NotFound, text)
        })?;
        let file = OpenOptions::new().read(true).open(&path).map_err(|error| {
            let text =
                format!("{}: {error}; give your user the right to read it (udev rule)", path.display());
            io::Error::new(error.kind(), text)
        })?;
        Self::of_file(file, path)
    }

    fn of_file(mut file: File, path: PathBuf) -> io::Result<Self> {
        let (sender, reports) = sync_channel(64);
        std::thread::Builder::new().name("space mouse".into()).spawn(move || {
            let mut bytes = [0; 64];
            while let Ok(length @ 1..) = file.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    return;
                }
            }
        })?;
        let (linear, angular) = (Vector3::zeros(), Vector3::zeros());
        Ok(Self { reports, path, pose: Pose::identity(), linear, angular, is_gone: false })
    }

    /// The file that is read.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The file of the first 3Dconnexion device.
fn find(class: &Path) -> io::Result<Option<PathBuf>> {
    let Ok(entries) = fs::read_dir(class) else { return Ok(None) };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let about = fs::read_to_string(class.join(&name).join("device/uevent")).unwrap_or_default();
        let about = about.to_uppercase();
        let is_old = about.contains("0000046D") && about.contains("SPACE");
        if about.contains("0000256F") || is_old {
            return Ok(Some(Path::new("/dev").join(name)));
        }
    }
    Ok(None)
}

impl Device for SpaceMouse {
    fn description(&self) -> DeviceDescription {
        // it returns no force, so that any damping may be assumed
        DeviceDescription { damping: 10.0, turning_damping: 0.05, ..DeviceDescription::default() }
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        // device axes to world axes: y away from the user, z up
        let to_world = |v: Vector3<f64>| Vector3::new(v.x, -v.y, -v.z);
        loop {
            match self.reports.try_recv() {
                Ok(bytes) => {
                    let report = SpaceMouseReport::parse(&bytes);
                    if let Some(shift) = report.shift {
                        self.linear = to_world(shift) * SPEED[0];
                    }
                    if let Some(turn) = report.turn {
                        self.angular = to_world(turn) * SPEED[1];
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.is_gone = true;
                    break;
                }
            }
        }
        if self.is_gone {
            return None;
        }
        self.pose.translation += self.linear * elapsed;
        self.pose.rotation = UnitQuaternion::from_scaled_axis(self.angular * elapsed) * self.pose.rotation;
        self.pose.rotation.renormalize();
        Some(DeviceSample { pose: self.pose, linear: self.linear, angular: self.angular, hand: None })
    }

    fn write(&mut self, _wrench: &DeviceWrench) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_reports_are_read_and_short_ones_ignored() {
        let mut bytes = vec![1];
        for value in [350_i16, -350, 10, 175, 0, 700] {
            bytes.extend(value.to_le_bytes());
        }
        let report = SpaceMouseReport::parse(&bytes);
        assert_eq!(report.shift, Some(Vector3::new(1.0, -1.0, 0.0)));
        assert_eq!(report.turn, Some(Vector3::new(0.5, 0.0, 1.0)));
        bytes.truncate(7);
        assert_eq!(SpaceMouseReport::parse(&bytes).turn, None);
        bytes[0] = 2;
        assert_eq!(SpaceMouseReport::parse(&bytes).turn, report.shift);
        for wrong in [&[][..], &[3, 1, 0], &[1, 2]] {
            assert_eq!(SpaceMouseReport::parse(wrong), SpaceMouseReport::default());
        }
    }
}
