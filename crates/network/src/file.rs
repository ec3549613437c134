//! Fields as safetensors files.
//!
//! Tensors `layer0.weight` [outputs, inputs], `layer0.bias` [outputs], … in f32. One metadata entry, `tightfit`,
//! holds the rest as JSON: features, ranges, activations, the primitive shape of a residual, the training recipe, and
//! a hash over everything. The hash detects damage and manual changes (FNV-1a, 64 bits: no protection against
//! forgery).

use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Activation, Features, Field, Layer, Network, NetworkError, Range, Residual};

/// Version of the layout.
pub(crate) const FORMAT: u32 = 1;
/// Name of the metadata entry that holds description and hash as JSON.
pub const KEY: &str = "tightfit";

/// The metadata of a field without the hash.
#[derive(Serialize, Deserialize)]
struct Description {
    format: u32,
    features: Features,
    input_ranges: Vec<Range>,
    output_range: Range,
    /// Omitted if there is none, so that the file equals those written before residuals existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    residual: Option<Residual>,
    activations: Vec<Activation>,
    recipe: serde_json::Value,
}

/// Contents common to all descriptions.
pub(crate) trait Describes: Serialize + DeserializeOwned {
    /// Version of the layout.
    fn format(&self) -> u32;
    /// One per layer.
    fn activations(&self) -> &[Activation];
}

impl Describes for Description {
    fn format(&self) -> u32 {
        self.format
    }

    fn activations(&self) -> &[Activation] {
        &self.activations
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed<D> {
    description: D,
    hash: String,
}

/// A field and its recipe.
#[derive(Debug)]
pub struct FieldFile {
    /// The field.
    pub field: Field,
    /// How the field was trained: part, seed, samples, steps, errors; free form.
    pub recipe: serde_json::Value,
}

impl FieldFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the recipe cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let layers = self.field.network().layers();
        let description = Description {
            format: FORMAT,
            features: self.field.features(),
            input_ranges: self.field.input_ranges().to_vec(),
            output_range: self.field.output_range(),
            residual: self.field.residual(),
            activations: layers.iter().map(|layer| layer.activation).collect(),
            recipe: self.recipe.clone(),
        };
        sealed_bytes(description, layers)
    }

    /// Reads a file from bytes; errors contain `name`.
    ///
    /// # Errors
    /// When the bytes are not such a file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, NetworkError> {
        let (description, layers) = unsealed::<Description>(bytes, name)?;
        let Description { features, input_ranges, output_range, residual, recipe, .. } = description;
        let mut field = Field::new(features, input_ranges, output_range, Network::new(layers)?)?;
        if let Some(residual) = residual {
            field = field.with_residual(residual)?;
        }
        Ok(Self { field, recipe })
    }

    /// Writes the file; an old one is replaced atomically.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), NetworkError> {
        write_whole(path, &self.to_bytes()?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read; otherwise as [`Self::from_bytes`].
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&read_whole(path)?, &path.display().to_string())
    }
}

/// Layers and their description as a safetensors file.
pub(crate) fn sealed_bytes<D: Describes>(description: D, layers: &[Layer]) -> Result<Vec<u8>, NetworkError> {
    let broken = |error: String| unusable("memory", error, "report this");
    let bytes: Vec<[Vec<u8>; 2]> =
        layers.iter().map(|layer| [to_bytes(&layer.weights), to_bytes(&layer.biases)]).collect();
    let mut tensors = Vec::new();
    for (index, (layer, [weights, biases])) in layers.iter().zip(&bytes).enumerate() {
        let shapes = [vec![layer.outputs(), layer.inputs()], vec![layer.outputs()]];
        for ((name, shape), data) in ["weight", "bias"].into_iter().zip(shapes).zip([weights, biases]) {
            let view = TensorView::new(Dtype::F32, shape, data).map_err(|e| broken(e.to_string()))?;
            tensors.push((format!("layer{index}.{name}"), view));
        }
    }
    let hash = seal(&description, layers).map_err(|e| broken(e.to_string()))?;
    let text = serde_json::to_string(&Sealed { description, hash }).map_err(|e| broken(e.to_string()))?;
    let metadata = [(KEY.to_string(), text)].into_iter().collect();
    safetensors::serialize(tensors, Some(metadata)).map_err(|e| broken(e.to_string()))
}

/// Description and layers of such a file.
pub(crate) fn unsealed<D: Describes>(bytes: &[u8], name: &str) -> Result<(D, Vec<Layer>), NetworkError> {
    const REMEDY: &str = "give a file of this kind that tightfit wrote, or create it anew";
    let wrong = |problem: String| unusable(name, problem, REMEDY);
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|error| wrong(format!("not a safetensors file ({error})")))?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.ok_or_else(|| wrong(format!("its metadata has no entry `{KEY}`")))?;
    let sealed: Sealed<D> =
        serde_json::from_str(text).map_err(|error| wrong(format!("its entry `{KEY}`: {error}")))?;
    let Sealed { description, hash } = sealed;
    if description.format() != FORMAT {
        return Err(wrong(format!("it has format {}, this program reads {FORMAT}", description.format())));
    }
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
    let read = |name: &str, dimensions: usize| {
        let tensor = tensors.tensor(name).map_err(|_| wrong(format!("the tensor `{name}` is missing")))?;
        if tensor.dtype() != Dtype::F32 || tensor.shape().len() != dimensions {
            let (dtype, shape) = (tensor.dtype(), tensor.shape());
            return Err(wrong(format!("the tensor `{name}` is {dtype:?} of shape {shape:?}")));
        }
        Ok((from_bytes(tensor.data()), tensor.shape().to_vec()))
    };
    let mut layers = Vec::new();
    for (index, activation) in description.activations().iter().enumerate() {
        let (weights, shape) = read(&format!("layer{index}.weight"), 2)?;
        let (biases, _) = read(&format!("layer{index}.bias"), 1)?;
        if shape[0] != biases.len() {
            let found = format!("layer {index} has {} rows and {} biases", shape[0], biases.len());
            return Err(wrong(found));
        }
        layers.push(Layer { weights, biases, activation: *activation });
    }
    if tensors.len() != 2 * layers.len() {
        return Err(wrong(format!("{} tensors for {} layers", tensors.len(), layers.len())));
    }
    let found = seal(&description, &layers).map_err(|error| wrong(error.to_string()))?;
    if found != hash {
        return Err(wrong(format!(
            "its hash is {found}, but {hash} is recorded: the file was damaged or changed"
        )));
    }
    Ok((description, layers))
}

/// Reads a file.
///
/// # Errors
/// When the operating system reports an error.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, NetworkError> {
    let name = path.display().to_string();
    std::fs::read(path).map_err(|error| unusable(&name, error.to_string(), "check the path"))
}

/// Writes a temporary file and renames it, so that an interrupted program leaves the old or the new file.
///
/// # Errors
/// When the operating system reports an error.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), NetworkError> {
    let name = path.display().to_string();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        unusable(&name, error.to_string(), "check that its folder exists and the disk has space")
    })
}

pub(crate) fn unusable(path: &str, problem: String, remedy: &'static str) -> NetworkError {
    NetworkError::File { path: path.to_string(), problem, remedy }
}

pub(crate) fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

/// Hash over the description and every weight, as 16 hexadecimal digits.
fn seal(description: &impl Serialize, layers: &[Layer]) -> Result<String, serde_json::Error> {
    let text = serde_json::to_vec(description)?;
    let numbers = layers.iter().flat_map(|layer| layer.weights.iter().chain(&layer.biases));
    Ok(hash(text.into_iter().chain(numbers.flat_map(|number| number.to_le_bytes()))))
}

/// FNV-1a of some bytes, as 16 hexadecimal digits.
#[must_use]
pub fn hash(bytes: impl Iterator<Item = u8>) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, step))
}
