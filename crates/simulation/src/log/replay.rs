//! Runs a log again and holds every fingerprint against the one that was written.

use std::path::Path;

use super::table::HASH;
use super::{LogError, Values, read};
use crate::{Run, Scene};

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayReport {
    /// Name of the scene.
    pub scene: String,
    /// Steps in the log.
    pub steps: usize,
    /// The first step that came out differently.
    pub difference: Option<Difference>,
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

impl ReplayReport {
    /// Whether every step came out the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none()
    }
}

/// Runs the log's scene again and stops at the first step whose fingerprint differs.
///
/// # Errors
/// When the log cannot be read, or its scene cannot be built: a mesh file may have gone.
pub fn replay(path: &Path) -> Result<ReplayReport, LogError> {
    let log = read(path)?;
    let Some(Values::Whole(hashes)) = log.column(HASH) else {
        return Err(LogError::damaged(path, format!("it has no column {HASH}")));
    };
    let scene = Scene::from_source(&log.scene)
        .map_err(|source| LogError::Scene { path: path.to_path_buf(), source })?;
    let name = scene.name.clone();
    let mut run = Run::new(scene, log.meta.seed);
    run.disturbance = log.meta.disturbance;
    let difference = hashes.iter().enumerate().find_map(|(index, &written)| {
        let record = run.advance();
        let difference = Difference { step: index + 1, time: record.time, written, found: record.hash };
        (record.hash != written).then_some(difference)
    });
    Ok(ReplayReport { scene: name, steps: hashes.len(), difference, written_by: log.meta.version })
}
