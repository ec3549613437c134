//! An interaction network with its embedded surface, as a safetensors file.
//!
//! Tensors in f64: `parameters` [3246], `points` and `normals` [vertices, 3], `embedding` [vertices, 8]; in u32 `faces`
//! [triangles, 3]. The metadata entry `tightfit` holds ranges, options and recipe as JSON, and a hash of
//! the whole content.

use std::path::Path;

use nalgebra::Vector3;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use tightfit_network::{METADATA_KEY as KEY, NetworkError, Range, content_hash, read_whole, write_whole};

use crate::{EMBEDDING, EmbeddedSurface, INPUT_NAMES, INPUTS, InteractionNetwork, InteractionOptions};

const FORMAT: u32 = 1;
const REMEDY: &str = "give a clustering file that `tightfit import inrol` or `tightfit train` wrote";

/// A network, its surface, and their recipe.
#[derive(Clone, Debug)]
pub struct InteractionFile {
    /// The network.
    pub network: InteractionNetwork,
    /// The object's surface; its frame is at the object's centre of mass.
    pub surface: EmbeddedSurface,
    /// How the file was made; free form.
    pub recipe: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
struct Description {
    format: u32,
    kind: String,
    input_ranges: Vec<NamedRange>,
    options: InteractionOptions,
    recipe: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
struct NamedRange {
    name: String,
    low: f64,
    high: f64,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    description: Description,
    hash: String,
}

const KIND: &str = "interaction";
const NAMES: [&str; 5] = ["parameters", "points", "normals", "faces", "embedding"];

impl InteractionFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the recipe cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let broken = |error: String| unusable("memory", error, "report this");
        let named = INPUT_NAMES.iter().zip(self.network.ranges());
        let description = Description {
            format: FORMAT,
            kind: KIND.into(),
            input_ranges: named
                .map(|(name, range)| NamedRange { name: (*name).into(), low: range.low, high: range.high })
                .collect(),
            options: *self.network.options(),
            recipe: self.recipe.clone(),
        };
        let surface = &self.surface;
        let numbers = |numbers: &mut dyn Iterator<Item = f64>| -> Vec<u8> {
            numbers.flat_map(f64::to_le_bytes).collect()
        };
        let data = [
            numbers(&mut self.network.parameters().iter().copied()),
            numbers(&mut surface.points().iter().flat_map(|point| point.iter().copied().collect::<Vec<_>>())),
            numbers(
                &mut surface.normals().iter().flat_map(|normal| normal.iter().copied().collect::<Vec<_>>()),
            ),
            surface.faces().iter().flatten().flat_map(|vertex| vertex.to_le_bytes()).collect(),
            numbers(&mut surface.embedding().iter().flatten().copied()),
        ];
        let count = surface.points().len();
        let shapes = [
            vec![self.network.parameters().len()],
            vec![count, 3],
            vec![count, 3],
            vec![surface.faces().len(), 3],
            vec![count, EMBEDDING],
        ];
        let mut tensors = Vec::new();
        for ((name, shape), bytes) in NAMES.into_iter().zip(shapes).zip(&data) {
            let kind = if name == "faces" { Dtype::U32 } else { Dtype::F64 };
            tensors.push((name, TensorView::new(kind, shape, bytes).map_err(|e| broken(e.to_string()))?));
        }
        let hash = seal(&description, &data).map_err(|e| broken(e.to_string()))?;
        let text = serde_json::to_string(&Sealed { description, hash }).map_err(|e| broken(e.to_string()))?;
        let metadata = [(KEY.to_string(), text)].into_iter().collect();
        safetensors::serialize(tensors, Some(metadata)).map_err(|e| broken(e.to_string()))
    }

    /// Reads bytes; errors mention `name`.
    ///
    /// # Errors
    /// When the bytes are another kind of file, another version, or damaged.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, NetworkError> {
        let wrong = |problem: String| unusable(name, problem, REMEDY);
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| wrong(format!("not a safetensors file ({error})")))?;
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or_else(|| wrong(format!("its metadata have no entry `{KEY}`")))?;
        let sealed: Sealed =
            serde_json::from_str(text).map_err(|error| wrong(format!("its entry `{KEY}`: {error}")))?;
        let Sealed { description, hash } = sealed;
        if description.format != FORMAT || description.kind != KIND {
            let found = format!("it has format {} of kind `{}`", description.format, description.kind);
            return Err(wrong(format!("{found}, this program reads {FORMAT} of `{KIND}`")));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| wrong(error.to_string()))?;
        let read = |name: &str, width: usize| {
            let tensor =
                tensors.tensor(name).map_err(|_| wrong(format!("the tensor `{name}` is missing")))?;
            let kind = if name == "faces" { Dtype::U32 } else { Dtype::F64 };
            if tensor.dtype() != kind || (width > 1) && tensor.shape().get(1) != Some(&width) {
                let (kind, shape) = (tensor.dtype(), tensor.shape());
                return Err(wrong(format!("the tensor `{name}` is {kind:?} of shape {shape:?}")));
            }
            Ok(tensor.data())
        };
        let widths = [1, 3, 3, 3, EMBEDDING];
        let mut data: [&[u8]; 5] = [&[]; 5];
        for ((place, name), width) in data.iter_mut().zip(NAMES).zip(widths) {
            *place = read(name, width)?;
        }
        let found = seal(&description, &data).map_err(|error| wrong(error.to_string()))?;
        if found != hash {
            return Err(wrong(format!(
                "its hash is {found}, but it states {hash}: it was damaged or changed"
            )));
        }
        let [parameters, points, normals, faces, embedding] = data;
        let mut ranges = [Range { low: 0.0, high: 0.0 }; INPUTS];
        for (range, name) in ranges.iter_mut().zip(INPUT_NAMES) {
            let own = description.input_ranges.iter().find(|own| own.name == name);
            let own = own.ok_or_else(|| wrong(format!("the range of `{name}` is missing")))?;
            *range = Range::new(name, own.low, own.high)?;
        }
        let network = InteractionNetwork::new(numbers(parameters), ranges, description.options)?;
        let vectors = |bytes: &[u8]| -> Vec<Vector3<f64>> {
            numbers(bytes).as_chunks::<3>().0.iter().map(|place| Vector3::from(*place)).collect()
        };
        let corners: Vec<u32> = faces.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let surface = EmbeddedSurface::new(
            vectors(points),
            vectors(normals),
            corners.as_chunks::<3>().0.to_vec(),
            numbers(embedding).as_chunks::<EMBEDDING>().0.to_vec(),
        )?;
        Ok(Self { network, surface, recipe: description.recipe })
    }

    /// Writes the file. An existing file is replaced atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), NetworkError> {
        write_whole(path, &self.to_bytes()?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read; otherwise as [`Self::from_bytes`].
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&read_whole(path)?, &path.display().to_string())
    }
}

fn unusable(path: &str, problem: String, remedy: &'static str) -> NetworkError {
    NetworkError::File { path: path.to_string(), problem, remedy }
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

fn seal<B: AsRef<[u8]>>(description: &Description, data: &[B]) -> Result<String, serde_json::Error> {
    let text = serde_json::to_vec(description)?;
    Ok(content_hash(text.into_iter().chain(data.iter().flat_map(|bytes| bytes.as_ref().iter().copied()))))
}

#[cfg(test)]
mod tests {
    use tightfit_network::Random;

    use super::*;

    fn file() -> InteractionFile {
        let ranges = [Range { low: -1.0, high: 2.0 }; INPUTS];
        let network =
            InteractionNetwork::random(ranges, InteractionOptions::PUBLISHED_NUT, &mut Random::new(1))
                .unwrap();
        let points = vec![Vector3::zeros(), Vector3::x(), Vector3::y()];
        let embedding = vec![[0.25; EMBEDDING]; 3];
        let surface =
            EmbeddedSurface::new(points, vec![Vector3::z(); 3], vec![[0, 1, 2]], embedding).unwrap();
        InteractionFile { network, surface, recipe: serde_json::json!({ "seed": 1 }) }
    }

    #[test]
    fn a_written_file_is_read_back() {
        let file = file();
        let again = InteractionFile::from_bytes(&file.to_bytes().unwrap(), "memory").unwrap();
        assert_eq!(again.network, file.network);
        assert_eq!(again.surface.points(), file.surface.points());
        assert_eq!(again.surface.faces(), file.surface.faces());
        assert_eq!(again.surface.embedding(), file.surface.embedding());
        assert_eq!(again.recipe, file.recipe);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let mut bytes = file().to_bytes().unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        let error = InteractionFile::from_bytes(&bytes, "x.safetensors").unwrap_err().to_string();
        assert!(error.contains("x.safetensors") && error.contains("hash"), "{error}");
        let error = InteractionFile::from_bytes(b"no", "x").unwrap_err().to_string();
        assert!(error.contains("not a safetensors file"), "{error}");
    }
}
