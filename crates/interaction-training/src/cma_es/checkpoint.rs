//! Checkpoint of a search: safetensors with f64 columns, so that a resumed search gives the same bits.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use tightfit_network::{read_whole, write_whole};

use super::search::Progress;
use super::stopping::History;
use super::{CmaEs, CmaOptions, Search, Stopped};
use crate::LearningError;

const KEY: &str = "tightfit-search";
const REMEDY: &str = "delete it to start again";

/// Everything but the long columns.
#[derive(Serialize, Deserialize)]
struct Header {
    progress: Progress,
    options: CmaOptions,
    sigma: f64,
    first_sigma: f64,
    generation: u64,
    descent: u64,
    history: History,
    stopped: Option<Stopped>,
    /// Data of the caller, to recognise and resume its search.
    purpose: serde_json::Value,
}

impl Search {
    /// Writes the search atomically; [`Self::resume`] returns `purpose`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path, purpose: &serde_json::Value) -> Result<(), LearningError> {
        let own = &self.descent;
        let header = Header {
            progress: self.progress.clone(),
            options: own.options,
            sigma: own.sigma,
            first_sigma: own.first_sigma,
            generation: own.generation,
            descent: own.descent,
            history: own.history.clone(),
            stopped: own.stopped,
            purpose: purpose.clone(),
        };
        let mut columns = vec![
            ("start", self.start.clone()),
            ("best", self.best.clone()),
            ("mean", own.mean.clone()),
            ("path_sigma", own.path_sigma.clone()),
            ("path", own.path.clone()),
        ];
        columns.extend(own.shape.columns());
        let broken = |error: String| LearningError::file(path, error, "report this");
        let bytes: Vec<(&str, Vec<u8>)> = columns
            .into_iter()
            .map(|(name, column)| (name, column.iter().flat_map(|number| number.to_le_bytes()).collect()))
            .collect();
        let mut tensors = Vec::new();
        for (name, bytes) in &bytes {
            let view = TensorView::new(Dtype::F64, vec![bytes.len() / 8], bytes);
            tensors.push((*name, view.map_err(|error| broken(error.to_string()))?));
        }
        let text = serde_json::to_string(&header).map_err(|error| broken(error.to_string()))?;
        let metadata = HashMap::from([(KEY.to_string(), text)]);
        let bytes = safetensors::serialize(tensors, Some(metadata)).map_err(|e| broken(e.to_string()))?;
        Ok(write_whole(path, &bytes)?)
    }

    /// Reads a search and its purpose.
    ///
    /// # Errors
    /// When the file cannot be read or is not a search.
    pub fn resume(path: &Path) -> Result<(Self, serde_json::Value), LearningError> {
        let wrong = |problem: String| LearningError::file(path, problem, REMEDY);
        let bytes = read_whole(path)?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|error| wrong(error.to_string()))?;
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or_else(|| wrong("it is not a checkpoint of a search".into()))?;
        let header: Header = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|error| wrong(error.to_string()))?;
        let column = |name: &str| {
            let tensor = tensors.tensor(name).ok()?;
            Some(tensor.data().as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
        };
        let long = |name: &str, length: Option<usize>| {
            let found: Option<Vec<f64>> = column(name);
            found
                .filter(|found| length.is_none_or(|length| found.len() == length))
                .ok_or_else(|| wrong(format!("the column `{name}` is missing or too short")))
        };
        let mean = long("mean", None)?;
        let n = Some(mean.len());
        let mut descent = CmaEs::new(mean, header.first_sigma, header.options)?;
        descent.path_sigma = long("path_sigma", n)?;
        descent.path = long("path", n)?;
        if !descent.shape.set_columns(column) {
            return Err(wrong("the sizes of its covariance and its mean do not match".into()));
        }
        descent.sigma = header.sigma;
        descent.generation = header.generation;
        descent.descent = header.descent;
        descent.history = header.history;
        descent.stopped = header.stopped;
        let search = Search::restored(descent, header.progress, long("start", n)?, long("best", n)?);
        Ok((search, header.purpose))
    }
}
