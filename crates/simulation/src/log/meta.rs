//! What repeats a run, as the key–value entries of a log.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::LogError;
use crate::{Disturbance, SceneSource};

/// Format that is written. Format 1 had contact forces without impacts and no kinematic parts.
const FORMAT: u32 = 2;
/// Formats that can be read.
const READABLE: [u32; 2] = [1, FORMAT];

/// Key of the scene's text, which may have many lines.
pub(super) const SCENE: &str = "tightfit.scene";

/// How a scene was run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunMeta {
    /// Seed given to [`Simulation::new`](crate::Simulation::new): the disturbance is drawn from it.
    pub seed: u64,
    /// Disturbance after the drive's end.
    pub disturbance: Option<Disturbance>,
    /// Version of the program that ran it.
    pub version: String,
}

impl RunMeta {
    /// A run of this version of the program.
    #[must_use]
    pub fn new(seed: u64, disturbance: Option<Disturbance>) -> Self {
        Self { seed, disturbance, version: env!("CARGO_PKG_VERSION").to_string() }
    }

    /// Keys and values in the order of the file.
    pub(super) fn entries(&self, scene: &SceneSource, steps: usize) -> Vec<(String, String)> {
        let mut entries = Vec::new();
        let mut entry = |key: &str, value: String| entries.push((format!("tightfit.{key}"), value));
        entry("format", FORMAT.to_string());
        entry("version", self.version.clone());
        entry("steps", steps.to_string());
        entry("seed", self.seed.to_string());
        if let Some(disturbance) = &self.disturbance {
            entry("disturbance_force_n", format!("{:?}", disturbance.force));
            entry("disturbance_torque_nm", format!("{:?}", disturbance.torque));
        }
        entry("folder", scene.folder.to_string_lossy().into_owned());
        // what finds the scene's files from any other working directory
        if let Ok(folder) = scene.absolute_folder() {
            entry("absolute_folder", folder.to_string_lossy().into_owned());
        }
        entries.push((SCENE.into(), scene.text.clone()));
        entries
    }

    /// The folder of the scene from the root on; logs of earlier versions have none.
    pub(super) fn absolute_folder(path: &Path, entries: &[(String, String)]) -> Option<PathBuf> {
        Entries { path, entries }.text("absolute_folder").map(PathBuf::from)
    }

    /// Format of a log.
    pub(super) fn format(path: &Path, entries: &[(String, String)]) -> Result<u32, LogError> {
        let entries = Entries { path, entries };
        let Some(text) = entries.text("format") else {
            return Err(LogError::foreign(path, "it has no entry tightfit.format"));
        };
        let format = text.parse().ok().filter(|format| READABLE.contains(format));
        format.ok_or_else(|| {
            LogError::foreign(path, format!("format {text}, this program reads 1 to {FORMAT}"))
        })
    }

    /// Scene, meta and number of steps.
    pub(super) fn from_entries(
        path: &Path,
        entries: &[(String, String)],
    ) -> Result<(SceneSource, Self, usize), LogError> {
        let entries = Entries { path, entries };
        let disturbance = match entries.text("disturbance_force_n") {
            Some(_) => Some(Disturbance {
                force: entries.number("disturbance_force_n")?,
                torque: entries.number("disturbance_torque_nm")?,
            }),
            None => None,
        };
        let scene =
            SceneSource { text: entries.needed("scene")?.into(), folder: entries.needed("folder")?.into() };
        let version = entries.needed("version")?.to_string();
        Ok((scene, Self { seed: entries.number("seed")?, disturbance, version }, entries.number("steps")?))
    }
}

struct Entries<'a> {
    path: &'a Path,
    entries: &'a [(String, String)],
}

impl Entries<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        let is = |found: &str| found.strip_prefix("tightfit.").is_some_and(|found| found == key);
        self.entries.iter().find(|(found, _)| is(found)).map(|(_, value)| value.as_str())
    }

    fn needed(&self, key: &str) -> Result<&str, LogError> {
        self.text(key).ok_or_else(|| LogError::damaged(self.path, format!("it has no entry tightfit.{key}")))
    }

    fn number<T: FromStr>(&self, key: &str) -> Result<T, LogError> {
        let text = self.needed(key)?;
        text.parse()
            .map_err(|_| LogError::damaged(self.path, format!("tightfit.{key} = {text}, which is no number")))
    }
}
