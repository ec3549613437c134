//! From `[drive]` of a scene file to the drive.

use std::path::Path;
use std::sync::Arc;

use tightfit_robot::control::SetPoints;
use tightfit_spatial::Vector3;

use super::Motion;
use super::build::{body_of, turned};
use super::description::{DriveDescription, WaypointDescription};
use crate::drive::{Drive, Waypoint, Wiggle};

/// The drive, or the dotted key that is wrong and what to do about it.
pub(super) fn drive_of(
    description: &DriveDescription,
    names: &[&str],
    motions: &[Motion],
    is_armed: bool,
    folder: &Path,
) -> Result<Drive, (String, String)> {
    let body = body_of(&description.part, names, "drive.part")?;
    if motions[body] == Motion::Fixed {
        return Err(("drive.part".into(), "names a fixed part; make it free or kinematic".into()));
    }
    let springs = [
        ("stiffness_n_m", description.stiffness_n_m.is_some()),
        ("turning_stiffness_nm_rad", description.turning_stiffness_nm_rad.is_some()),
        ("damping_per_s", description.damping_per_s.is_some()),
    ];
    let is_held = motions[body] == Motion::Free && is_armed;
    let leads = motions[body] == Motion::Free && !is_armed;
    if let Some((key, _)) = springs.iter().find(|(_, is_given)| *is_given != leads) {
        let remedy = match leads {
            true => "is missing; a free part is led by a spring and damper",
            false if is_held => {
                "is given; the part is led by the arm, whose controller has the springs: leave it out"
            }
            false => "is given; a kinematic part goes where it is led, leave springs and damping out",
        };
        return Err((format!("drive.{key}"), remedy.into()));
    }
    let times: Vec<f64> = description.waypoints.iter().map(|waypoint| waypoint.time_s).collect();
    let stream = description.file.as_ref().map(|file| SetPoints::from_file(&folder.join(file)));
    let stream = stream.transpose().map_err(|error| ("drive.file".to_string(), error.to_string()))?;
    if stream.is_some() {
        let unfit = match (times.is_empty(), leads) {
            (false, _) => Some("is given beside waypoints; keep one of the two"),
            (true, true) => Some("is for a part in an arm or a kinematic one; give waypoints"),
            (true, false) => None,
        };
        if let Some(remedy) = unfit {
            return Err(("drive.file".into(), remedy.into()));
        }
    } else if times.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(("drive.waypoints".into(), "give at least one set-point, with rising time_s".into()));
    }
    let factor = description.stiffness_factor;
    if factor != 1.0 && !leads {
        let remedy = "scales the springs of a drive, and this one has none; leave it out";
        return Err(("drive.stiffness_factor".into(), remedy.into()));
    }
    if description.file_rotation_deg != [0.0; 3] && stream.is_none() {
        let remedy = "turns the set-points of drive.file, which is not given; leave it out";
        return Err(("drive.file_rotation_deg".into(), remedy.into()));
    }
    let waypoint = |waypoint: &WaypointDescription| Waypoint {
        time: waypoint.time_s / description.speed_factor,
        position: Vector3::from(waypoint.position_mm) * 1e-3,
        angle: waypoint.turns * std::f64::consts::TAU,
    };
    let waypoints: Vec<Waypoint> = description.waypoints.iter().map(waypoint).collect();
    let last = stream.as_ref().map_or_else(|| times.last().copied().unwrap_or_default(), SetPoints::duration);
    let earlier = last * (1.0 - 1.0 / description.speed_factor);
    let wiggle = description.wiggle.map(|wiggle| Wiggle {
        span: [wiggle.from_s - earlier, wiggle.until_s - earlier],
        shift: [wiggle.amplitude_mm * 1e-3, wiggle.frequency_hz],
        tilt: [wiggle.tilt_deg.to_radians(), wiggle.tilt_frequency_hz],
    });
    Ok(Drive {
        body,
        stiffness: Vector3::from(description.stiffness_n_m.unwrap_or_default()) * factor,
        turning_stiffness: Vector3::from(description.turning_stiffness_nm_rad.unwrap_or_default()) * factor,
        damping: description.damping_per_s.unwrap_or_default(),
        force: description.force_n.into(),
        offset: description.offset_mm * 1e-3,
        tilt: description.tilt_deg.to_radians(),
        waypoints,
        stream: stream.map(Arc::new),
        stream_from_part: turned(description.file_rotation_deg),
        speed: description.speed_factor,
        hold: description.hold_s,
        wiggle,
    })
}
