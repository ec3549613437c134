//! A field over the configurations of a body: free or colliding, and the direction towards free space.
//!
//! ```text
//! q = chart(pose)             q̇ = J [v; ω]
//! h(q) = network(scale(q))    ∂h/∂q = diag(2/(highₖ − lowₖ)) ∇network      a = Jᵀ ∂h/∂q
//! ```
//! q six coordinates of the moving part's pose relative to the other ([`CspaceChart`]) [m, rad]; h positive for a free
//! configuration, negative for a colliding one [-]; a gradient of h per velocity of the centre of mass and angular
//! velocity [1/m, 1/rad].
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022, section 4.

use std::array::from_fn;
use std::path::Path;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use tightfit_spatial::Pose;

use crate::chart::{COORDINATES, per_velocity};
use crate::file::{Describes, FORMAT, read_whole, sealed_bytes, unsealed, write_whole};
use crate::{Activation, CspaceChart, Inference, InferenceScratch, Network, NetworkError, Range};

/// Most configurations of [`CspaceField::some_values`]: one vector of the widest registers.
pub const MOST_AT_ONCE: usize = 16;

/// The field; immutable and shared between threads.
#[derive(Debug)]
pub struct CspaceField {
    chart: CspaceChart,
    ranges: [Range; COORDINATES],
    network: Network,
    inference: Inference,
}

impl CspaceField {
    /// A field from its components; ranges in [m] and [rad].
    ///
    /// # Errors
    /// When the network does not have six inputs, or a range is empty.
    pub fn new(
        chart: CspaceChart,
        ranges: [Range; COORDINATES],
        network: Network,
    ) -> Result<Self, NetworkError> {
        if network.inputs() != COORDINATES {
            let found = network.inputs();
            return Err(NetworkError::size("configuration field", "number of inputs", found, COORDINATES));
        }
        for range in ranges {
            Range::new("configuration field", range.low, range.high)?;
        }
        let inference = Inference::new(&network);
        Ok(Self { chart, ranges, network, inference })
    }

    /// The chart of the coordinates.
    #[must_use]
    pub fn chart(&self) -> &CspaceChart {
        &self.chart
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
    /// Never for a field from [`Self::new`]; the error type is that of [`Inference`].
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

    /// h [-] at a pose and its gradient per velocity of the centre of mass and angular velocity [1/m, 1/rad], in the
    /// axes of the fixed part.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn at_pose(
        &self,
        fixed_from_part: &Pose,
        center_in_part: Vector3<f64>,
        scratch: &mut InferenceScratch,
    ) -> Result<(f64, [f64; COORDINATES]), NetworkError> {
        let (q, jacobian) = self.chart.coordinates(fixed_from_part, center_in_part);
        let (value, slopes) = self.evaluate(q, scratch)?;
        Ok((value, per_velocity(slopes, &jacobian)))
    }

    /// Whether a pose lies in the box of the training data.
    #[must_use]
    pub fn covers(&self, fixed_from_part: &Pose, center_in_part: Vector3<f64>) -> bool {
        self.contains(&self.chart.coordinates(fixed_from_part, center_in_part).0)
    }

    /// Whether a configuration [m, rad] lies in the box of the training data.
    #[must_use]
    pub fn contains(&self, configuration: &[f64; COORDINATES]) -> bool {
        let mut both = configuration.iter().zip(&self.ranges);
        both.all(|(value, range)| (range.low..=range.high).contains(value))
    }

    /// h [-] at up to [`MOST_AT_ONCE`] configurations [m, rad]; those beyond the length of `values` are ignored.
    ///
    /// # Errors
    /// When `values` is longer than that.
    pub fn some_values(
        &self,
        configurations: &[[f64; COORDINATES]],
        values: &mut [f32],
        scratch: &mut InferenceScratch,
    ) -> Result<(), NetworkError> {
        let count = values.len();
        let mut inputs = [0.0; COORDINATES * MOST_AT_ONCE];
        let Some(inputs) = inputs.get_mut(..COORDINATES * count) else {
            return Err(NetworkError::size("configuration field", "configurations", count, MOST_AT_ONCE));
        };
        for (index, q) in configurations.iter().enumerate().take(count) {
            for k in 0..COORDINATES {
                inputs[k * count + index] = self.ranges[k].scaled(q[k]) as f32;
            }
        }
        self.inference.values(inputs, values, scratch)
    }

    /// h at many configurations [m, rad].
    ///
    /// # Errors
    /// Never for a field from [`Self::new`].
    pub fn values(&self, configurations: &[[f64; COORDINATES]]) -> Result<Vec<f32>, NetworkError> {
        let column = |k: usize| configurations.iter().map(move |q| self.ranges[k].scaled(q[k]) as f32);
        let inputs: Vec<f32> = (0..COORDINATES).flat_map(column).collect();
        let mut values = vec![0.0; configurations.len()];
        self.inference.values(&inputs, &mut values, &mut InferenceScratch::default())?;
        Ok(values)
    }

    /// Allocates the memory of an evaluation.
    pub fn reserve(&self, scratch: &mut InferenceScratch) {
        scratch.reserve(&self.inference);
    }
}

/// The metadata without the hash.
#[derive(Serialize, Deserialize)]
struct Description {
    format: u32,
    // Files written before other charts existed do not name it.
    #[serde(default, skip_serializing_if = "CspaceChart::is_euler")]
    chart: CspaceChart,
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

/// A configuration field and its recipe; a safetensors file like that of a [`crate::Field`].
#[derive(Debug)]
pub struct CspaceFile {
    /// The field.
    pub field: CspaceField,
    /// How the field was trained; free form.
    pub recipe: serde_json::Value,
}

impl CspaceFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the recipe cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let layers = self.field.network.layers();
        let description = Description {
            format: FORMAT,
            chart: self.field.chart,
            configuration_ranges: self.field.ranges,
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
        let Description { chart, configuration_ranges, recipe, .. } = description;
        Ok(Self { field: CspaceField::new(chart, configuration_ranges, Network::new(layers)?)?, recipe })
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
    /// When the file cannot be read, is of another kind or version, or damaged.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&read_whole(path)?, &path.display().to_string())
    }
}
