//! A fit that was interrupted: what the next iteration needs, replaced as a whole after each.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tightfit_network::{read_whole, write_whole};

use crate::CalibrationError;
use crate::linear::Slopes;

/// State of a fit between two iterations.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Checkpoint {
    /// What is fitted to what: unknowns, starts, options and every bit of the recordings.
    pub(crate) purpose: String,
    pub(crate) iteration: usize,
    pub(crate) coordinates: Vec<f64>,
    pub(crate) damping: f64,
    pub(crate) costs: Vec<f64>,
    pub(crate) slopes: Slopes,
    /// Where the fit began: after sizes were tried.
    pub(crate) start: Vec<f64>,
    /// Unknowns that stay at their start because the data leave them open, or because wear is not fitted yet.
    pub(crate) held: Vec<usize>,
    /// Whether sizes, poses and hold are fitted alone, before wear.
    pub(crate) waits_for_wear: bool,
    /// Times that the fit went on from a lower place of a profile.
    pub(crate) jumps: usize,
    pub(crate) is_done: bool,
}

impl Checkpoint {
    /// Reads one; `None` where there is no file.
    pub(crate) fn load(path: &Path, purpose: &str) -> Result<Option<Self>, CalibrationError> {
        if !path.exists() {
            return Ok(None);
        }
        let other =
            |difference: String| CalibrationError::OtherFit { path: path.display().to_string(), difference };
        let own: Self = serde_json::from_slice(&read_whole(path)?)
            .map_err(|error| other(format!("it is damaged: {error}")))?;
        if own.purpose != purpose {
            return Err(other(format!("of `{}`, not of `{purpose}`", own.purpose)));
        }
        Ok(Some(own))
    }

    pub(crate) fn save(&self, path: &Path) -> Result<(), CalibrationError> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Ok(write_whole(path, text.as_bytes())?)
    }
}
