//! A field over the configurations of a body: whether it is free there, and which way is free.
//!
//! ```text
//! q = (x, y, z, α, β, γ)      R = Rx(α) Ry(β) Rz(γ)
//! h(q) = network(scale(q))    ∂h/∂q = diag(2/(highₖ − lowₖ)) ∇network
//! ```
//! x, y, z centre of mass of the moving body in the frame of the other [m]; R its attitude there, turned about its own
//! axes [rad]; h positive where it is free, negative where it collides [-].
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022, section 4.

use std::array::from_fn;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::file::{Describes, FORMAT, read_whole, sealed_bytes, unsealed, write_whole};
use crate::{Activation, Inference, InferenceScratch, Network, NetworkError, Range};

/// Numbers of a configuration.
const COORDINATES: usize = 6;

/// The field; constant, shared between threads.
#[derive(Debug)]
pub struct ConfigurationField {
    ranges: [Range; COORDINATES],
    network: Network,
    inference: Inference,
}

impl ConfigurationField {
    /// Puts the parts together; ranges in [m] and [rad].
    ///
    /// # Errors
    /// When the network has not six inputs, or a range is empty.
    pub fn new(ranges: [Range; COORDINATES], network: Network) -> Result<Self, NetworkError> {
        if network.inputs() != COORDINATES {
            let found = network.inputs();
            return Err(NetworkError::size("configuration field", "number of inputs", found, COORDINATES));
        }
        for range in ranges {
            Range::new("configuration field", range.low, range.high)?;
        }
        let inference = Inference::new(&network);
        Ok(Self { ranges, network, inference })
    }

    /// Range of every coordinate, in [m] and [rad].
    #[must_use]
    pub fn ranges(&self) -> &[Range; COORDINATES] {
        &self.ranges
    }

    /// The network inside.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// h [-] and ∂h/∂q [1/m, 1/rad] at a configuration [m, rad].
    ///
    /// # Errors
    /// Never for a field that [`Self::new`] made; the type is that of [`Inference`].
    pub fn evaluate(
        &self,
        configuration: [f64; COORDINATES],
        scratch: &mut InferenceScratch,
    ) -> Result<(f64, [f64; COORDINATES]), NetworkError> {
        let inputs: [f32; COORDINATES] = from_fn(|k| self.ranges[k].scaled(configuration[k]) as f32);
        let (mut value, mut slopes) = ([0.0], [0.0; COORDINATES]);
        self.inference.values_and_gradients(&inputs, &mut value, &mut slopes, scratch)?;
        Ok((f64::from(value[0]), from_fn(|k| f64::from(slopes[k]) / self.ranges[k].half_width())))
    }
}

/// What stands in the metadata, less the hash.
#[derive(Serialize, Deserialize)]
struct Description {
    format: u32,
    configuration_ranges: [Range; COORDINATES],
    activations: Vec<Activation>,
    recipe: serde_json::Value,
}

impl Describes for Description {
    fn format(&self) -> u32 {
        self.format
    }

    fn activations(&self) -> &[Activation] {
        &self.activations
    }
}

/// A configuration field and how it was made; a safetensors file like that of a [`crate::Field`].
#[derive(Debug)]
pub struct ConfigurationFile {
    /// The field.
    pub field: ConfigurationField,
    /// How it was made; free form.
    pub recipe: serde_json::Value,
}

impl ConfigurationFile {
    /// Writes the file; an old one is replaced at once or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), NetworkError> {
        let layers = self.field.network.layers();
        let description = Description {
            format: FORMAT,
            configuration_ranges: self.field.ranges,
            activations: layers.iter().map(|layer| layer.activation).collect(),
            recipe: self.recipe.clone(),
        };
        write_whole(path, &sealed_bytes(description, layers)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is of another kind or version, or damaged.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let (description, layers) = unsealed::<Description>(&read_whole(path)?, &path.display().to_string())?;
        let Description { configuration_ranges, recipe, .. } = description;
        Ok(Self { field: ConfigurationField::new(configuration_ranges, Network::new(layers)?)?, recipe })
    }
}
