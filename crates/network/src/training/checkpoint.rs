//! Checkpoints of a training run: written at any validation, resumed after an interruption with identical results.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::{Trainer, TrainingOptions};
use crate::file::{from_bytes, read_whole, to_bytes, unusable, write_whole};
use crate::{Activation, Layer, Network, NetworkError};

const KEY: &str = "tightfit-checkpoint";
const REMEDY: &str = "delete it to restart";

/// The state without its tensors.
#[derive(Serialize, Deserialize)]
struct State {
    options: TrainingOptions,
    sizes: Vec<usize>,
    activations: Vec<Activation>,
    step: u64,
    /// `None` before the first validation.
    best_error: Option<f64>,
    looks_without_gain: u64,
    /// Data by which the caller recognises its run.
    purpose: serde_json::Value,
}

impl Trainer {
    /// Writes the run; [`Self::resume`] returns `purpose`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path, purpose: &serde_json::Value) -> Result<(), NetworkError> {
        let name = path.display().to_string();
        let broken = |error: String| unusable(&name, error, "report this");
        let layers = self.network.layers();
        let state = State {
            options: self.options.clone(),
            sizes: std::iter::once(self.network.inputs()).chain(layers.iter().map(Layer::outputs)).collect(),
            activations: layers.iter().map(|layer| layer.activation).collect(),
            step: self.step,
            best_error: self.best_error.is_finite().then_some(self.best_error),
            looks_without_gain: self.looks_without_gain,
            purpose: purpose.clone(),
        };
        let columns = [
            ("best", to_bytes(&self.best)),
            ("optimizer", to_bytes(&self.optimizer.columns())),
            ("parameters", to_bytes(&self.parameters)),
        ];
        let mut tensors = Vec::new();
        for (column, bytes) in &columns {
            let view = TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes);
            tensors.push((*column, view.map_err(|error| broken(error.to_string()))?));
        }
        let text = serde_json::to_string(&state).map_err(|error| broken(error.to_string()))?;
        let metadata = HashMap::from([(KEY.to_string(), text)]);
        let bytes = safetensors::serialize(tensors, Some(metadata)).map_err(|e| broken(e.to_string()))?;
        write_whole(path, &bytes)
    }

    /// Reads a run and its purpose.
    ///
    /// # Errors
    /// When the file cannot be read or is not a run.
    pub fn resume(path: &Path) -> Result<(Self, serde_json::Value), NetworkError> {
        let name = path.display().to_string();
        let wrong = |problem: String| unusable(&name, problem, REMEDY);
        let bytes = read_whole(path)?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|error| wrong(error.to_string()))?;
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or_else(|| wrong("it is not a checkpoint of a training run".into()))?;
        let state: State = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|error| wrong(error.to_string()))?;
        if state.sizes.len() != state.activations.len() + 1 {
            return Err(wrong("numbers of sizes and activations do not match".into()));
        }
        let layers = state.sizes.windows(2).zip(&state.activations).map(|(pair, activation)| Layer {
            weights: vec![0.0; pair[0].saturating_mul(pair[1]).min(bytes.len())],
            biases: vec![0.0; pair[1].min(bytes.len())],
            activation: *activation,
        });
        let mut trainer = Self::new(Network::new(layers.collect())?, state.options)?;
        let count = trainer.parameters.len();
        let column = |name: &str| {
            let tensor = tensors.tensor(name).map_err(|error| wrong(error.to_string()))?;
            Ok::<_, NetworkError>(from_bytes(tensor.data()))
        };
        let long = |name: &str| {
            let numbers = column(name)?;
            let fits = numbers.len() == count;
            fits.then_some(numbers)
                .ok_or_else(|| wrong(format!("the column `{name}` does not have {count} numbers")))
        };
        trainer.best = long("best")?;
        trainer.take(long("parameters")?);
        if !trainer.optimizer.set_columns(&column("optimizer")?) {
            return Err(wrong("the length of the column `optimizer` does not match the network".into()));
        }
        trainer.step = state.step;
        trainer.best_error = state.best_error.unwrap_or(f64::INFINITY);
        trainer.looks_without_gain = state.looks_without_gain;
        Ok((trainer, state.purpose))
    }
}
