//! Recordings of this program as trials, for inspection and identification like any other log.
//!
//! The tool's frame is that of the part, the sensor's origin its centre of mass. The file has the velocity of the
//! centre of mass but not its position in the frame: twists are computed from the poses.

use std::path::Path;

use tightfit_network::read_whole;
use tightfit_simulation::recordings::RecordingError;

use super::{Recording, Trial};
use crate::LearningError;

/// Reads a recording; `None` for other files.
pub(super) fn read(path: &Path) -> Result<Option<Trial>, RecordingError> {
    let is_own = read_whole(path).is_ok_and(|bytes| bytes.starts_with(Recording::FIRST.as_bytes()));
    if !is_own {
        return Ok(None);
    }
    let recording = Recording::load(path).map_err(|error| match error {
        LearningError::File { problem, remedy, .. } => RecordingError::malformed(path, problem, remedy),
        other => RecordingError::malformed(path, other.to_string(), "write it again"),
    })?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut trial = Trial::new(stem);
    for sample in &recording.samples {
        let rotation = sample.world_from_part.rotation;
        trial.time.push(sample.time);
        trial.world_from_tool.push(sample.world_from_part);
        trial.attitude_defect.push((rotation.norm() - 1.0).abs());
        trial.force.push(rotation.inverse() * sample.force);
        trial.torque.push(rotation.inverse() * sample.torque);
    }
    Ok(Some(trial))
}

#[cfg(test)]
mod tests {
    use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

    use super::*;
    use crate::recordings::{LogForm, Sample, read_trials};

    #[test]
    fn a_recording_is_read_as_a_trial_whose_wrench_is_the_same_in_the_world() -> Result<(), LearningError> {
        let folder = std::env::temp_dir().join(format!("tightfit-own-recordings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let sample = |row: u32| Sample {
            time: f64::from(row) * 0.01,
            world_from_part: Pose::new(
                Vector3::new(0.1, 0.2, 0.3 - 0.001 * f64::from(row)),
                UnitQuaternion::from_euler_angles(0.3, -0.2, 0.1 * f64::from(row)),
            ),
            twist: Twist::new(Vector3::zeros(), Vector3::zeros()),
            force: Vector3::new(1.0, 2.0, f64::from(row)),
            torque: Vector3::new(0.1, -0.2, 0.3),
            load: None,
        };
        let recording = Recording { name: "one".into(), samples: (0..5).map(sample).collect() };
        recording.save(&folder.join("one.csv"), "made up")?;
        let set = read_trials(&folder, None);
        std::fs::remove_dir_all(&folder).expect("the folder");
        let set = set.expect("a set of trials");
        assert_eq!((set.form, set.trials.len()), (LogForm::Recordings, 1));
        let trial = &set.trials[0];
        assert_eq!((trial.name.as_str(), trial.len()), ("one", 5));
        for (row, sample) in recording.samples.iter().enumerate() {
            let rotation = trial.world_from_tool[row].rotation;
            assert_eq!((trial.time[row], trial.world_from_tool[row]), (sample.time, sample.world_from_part));
            assert!((rotation * trial.force[row] - sample.force).norm() < 1e-14);
            assert!((rotation * trial.torque[row] - sample.torque).norm() < 1e-14);
        }
        Ok(())
    }
}
