//! Recipe of a depth network.

use serde::{Deserialize, Serialize};
use tightfit_network::training::{Optimizer, TrainingOptions};
use tightfit_network::{Activation, Features};
use tightfit_shape::{Part, Symmetry};

use crate::LearningError;
use crate::recipe::check_size;

/// Input coordinates of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureKind {
    /// Coordinates reduced by the part's symmetry.
    Symmetry,
    /// x, y, z, as in the paper.
    Cartesian,
}

impl FeatureKind {
    /// The features for a part.
    #[must_use]
    pub fn of(self, part: &Part) -> Features {
        match (self, part.symmetry()) {
            (Self::Cartesian, _) | (Self::Symmetry, Symmetry::None) => Features::Cartesian,
            (Self::Symmetry, Symmetry::Revolved) => Features::Revolved,
            (Self::Symmetry, Symmetry::Screw { pitch }) => Features::Screw { pitch },
        }
    }
}

/// Everything but the part that determines the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthRecipe {
    /// Input coordinates.
    pub features: FeatureKind,
    /// Hidden layers.
    pub hidden: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Activation of the output.
    pub output: Activation,
    /// Number of training points.
    pub samples: usize,
    /// Fraction of the points near the surface [-].
    pub near_fraction: f64,
    /// Distance within which near points are uniform [m].
    pub near: f64,
    /// Largest distance of any point [m]; the network is not valid beyond it.
    pub band: f64,
    /// Fraction of points that are uniform over the bounding volume, where the distance is cut to the band [-]; without any
    /// the network may be asked within its band alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub everywhere_fraction: f64,
    /// Distance at which a point has half the weight [m].
    pub half_weight: f64,
    /// Whether the network learns the residual of the primitive of [`super::primitive_of`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub residual: bool,
    /// Steps, rates, seed.
    pub training: TrainingOptions,
}

impl Default for DepthRecipe {
    fn default() -> Self {
        Self {
            features: FeatureKind::Symmetry,
            hidden: vec![64, 64, 64],
            activation: Activation::Relu,
            output: Activation::Identity,
            samples: 1_500_000,
            near_fraction: 0.75,
            near: 120e-6,
            band: 2e-3,
            everywhere_fraction: 0.0,
            half_weight: 300e-6,
            residual: false,
            training: TrainingOptions {
                optimizer: Optimizer::Soap,
                batch: 1920,
                steps: 50_000,
                learning_rate: 5e-3,
                ..TrainingOptions::default()
            },
        }
    }
}

/// Recipes without it keep their text.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl DepthRecipe {
    /// The paper's network: x, y, z in, hidden layers of 64 with ReLU, tanh out, asked in the whole bounding volume. Samples,
    /// optimiser and scaling are ours, since the paper does not print its own.
    #[must_use]
    pub fn paper() -> Self {
        Self {
            features: FeatureKind::Cartesian,
            output: Activation::Tanh,
            everywhere_fraction: 0.15,
            ..Self::default()
        }
    }

    /// Checks all options.
    ///
    /// # Errors
    /// Names the first option out of range.
    pub fn check(&self) -> Result<(), LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        check_size(&self.hidden, self.samples)?;
        for (option, value) in
            [("near_fraction", self.near_fraction), ("everywhere_fraction", self.everywhere_fraction)]
        {
            if !(0.0..=1.0).contains(&value) {
                return wrong(option, value.to_string(), "0 to 1");
            }
        }
        for (option, value) in [("near", self.near), ("band", self.band), ("half_weight", self.half_weight)] {
            if !(value > 1e-7 && value < 1.0) {
                return wrong(option, format!("{value} m"), "more than 1e-7 m and less than 1 m");
            }
        }
        if self.near > self.band {
            return wrong("near", format!("{} m", self.near), "at most the band");
        }
        Ok(self.training.check()?)
    }
}
