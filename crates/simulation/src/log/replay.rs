//! Repeats the run of a log and compares every fingerprint and every number with the logged one.

use std::path::Path;

use super::table::{self, HASH};
use super::{Log, LogError, Values, read};
use crate::{Record, Scene, SceneError, SceneSource, Simulation};

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayReport {
    /// Name of the scene.
    pub scene: String,
    /// Steps in the log.
    pub steps: usize,
    /// The first step that came out differently.
    pub difference: Option<Difference>,
    /// The first number in the log that the run does not have, in the steps that came out the same.
    pub changed: Option<ChangedNumber>,
    /// Version of the program that wrote the log.
    pub written_by: String,
}

/// A step that came out differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Number of the step, from 1.
    pub step: usize,
    /// Time at its end [s].
    pub time: f64,
    /// Fingerprint in the log.
    pub written: u64,
    /// Fingerprint now.
    pub found: u64,
}

/// A number of a log that the run it repeats does not have: the log was edited or damaged.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedNumber {
    /// Number of the step, from 1.
    pub step: usize,
    /// Time at its end [s].
    pub time: f64,
    /// Column, with its unit.
    pub column: String,
    /// Value in the log.
    pub written: String,
    /// Value now.
    pub found: String,
}

impl ReplayReport {
    /// Whether every step came out the same, and the log says so in every number.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.changed.is_none()
    }
}

/// Runs the log's scene again and stops at the first step whose fingerprint differs; then holds every number up to there against
/// the one that was written. Fingerprints tell whether the run is the same, numbers whether the log is still that run's.
///
/// # Errors
/// When the log cannot be read, or its scene cannot be built: a mesh file may have gone.
pub fn replay(path: &Path) -> Result<ReplayReport, LogError> {
    let log = read(path)?;
    let Some(Values::Whole(hashes)) = log.column(HASH) else {
        return Err(LogError::damaged(path, format!("it has no column {HASH}")));
    };
    let scene = log.build_scene().map_err(|problem| LogError::Scene { path: path.to_path_buf(), problem })?;
    let mut run = Simulation::new(scene, log.meta.seed);
    run.disturbance = log.meta.disturbance;
    let mut records = Vec::new();
    let mut difference = None;
    for (index, &written) in hashes.iter().enumerate() {
        let record = run.advance();
        if record.hash != written {
            difference = Some(Difference { step: index + 1, time: record.time, written, found: record.hash });
            break;
        }
        records.push(record);
    }
    Ok(ReplayReport {
        changed: changed_number(&log, &run.scene, &records),
        scene: run.scene.name,
        steps: hashes.len(),
        difference,
        written_by: log.meta.version,
    })
}

impl Log {
    /// Builds the scene of the run. Its files are looked up in the folder that the run named, then, from another
    /// working directory, under that folder's absolute path.
    ///
    /// # Errors
    /// When the text or a file of the scene is wrong or missing.
    pub fn build_scene(&self) -> Result<Scene, SceneError> {
        Scene::from_source(&self.scene).or_else(|problem| {
            let folder = self.absolute_folder.clone().ok_or(problem)?;
            Scene::from_source(&SceneSource { folder, text: self.scene.text.clone() })
        })
    }
}

/// The first number of the log, by step, that is not the one of the same step now.
fn changed_number(log: &Log, scene: &Scene, records: &[Record]) -> Option<ChangedNumber> {
    let now = table::columns(scene, records);
    let both = now.iter().filter(|column| column.is_repeated(log.format) && column.name != HASH);
    let both =
        both.filter_map(|now| Some((log.columns.iter().find(|written| written.name == now.name)?, now)));
    let differences = both.filter_map(|(written, now)| Some((written, written.first_difference(now)?)));
    let (column, (step, [written, found])) = differences.min_by_key(|(_, (step, _))| *step)?;
    let time = records.get(step)?.time;
    Some(ChangedNumber { step: step + 1, time, column: column.name.clone(), written, found })
}
