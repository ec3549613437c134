//! Which methods a step is made of.
//!
//! | preset | clustering | solver | integration |
//! |---|---|---|---|
//! | `tight` | none | ladder | midpoint |
//! | `standard` | K-means to 12 | projected Gauss-Seidel, 50 sweeps | midpoint |
//! | `paper` | K-means to 12 | SOR by maximum dissipation, 200 sweeps or 1e-5 m/s | midpoint with C(ω₀) |
//!
//! `standard` is what the paper compares itself with: the usual clustering and solver in its own framework. Impact,
//! passivity filter, pose projection and certificate are the same for all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_pipeline::solving::{SlipRule, SolverMethod, SweepOptions};

/// Clusters of a pair of parts, as many as the paper has.
pub(crate) const CLUSTERS: u32 = 12;

/// A set of methods by name.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// All contacts, Newton, midpoint.
    #[default]
    Tight,
    /// K-means and projected Gauss-Seidel, as usual elsewhere.
    Standard,
    /// K-means to 12 and SOR by maximum dissipation, C at the start of the step.
    Paper,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Tight, Self::Standard, Self::Paper];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tight => "tight",
            Self::Standard => "standard",
            Self::Paper => "paper",
        }
    }
}

/// The methods of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Methods {
    /// Preset that they were taken from; single ones may have been replaced since.
    pub preset: Preset,
    /// How contacts are reduced before they are solved.
    pub clustering: ClusteringMethod,
    /// How contacts are solved.
    pub solver: SolverMethod,
    /// How bodies are advanced.
    pub integration: IntegrationMethod,
    /// Whether the pose is kept out of the parts by projection. Without it contact acts on velocities alone, and what
    /// comes in stays in: for comparison with methods of another kind.
    pub projection: bool,
}

impl Default for Methods {
    fn default() -> Self {
        Preset::default().into()
    }
}

impl From<Preset> for Methods {
    fn from(preset: Preset) -> Self {
        let means = ClusteringMethod::KMeans { clusters: CLUSTERS };
        let (clustering, solver, integration) = match preset {
            Preset::Tight => (ClusteringMethod::None, SolverMethod::Ladder, IntegrationMethod::Midpoint),
            Preset::Standard => (means, SolverMethod::Pgs(SweepOptions::PGS), IntegrationMethod::Midpoint),
            Preset::Paper => {
                let solver = SolverMethod::Sor(SweepOptions::SOR, SlipRule::Dissipation);
                (means, solver, IntegrationMethod::PaperMidpoint)
            }
        };
        Self { preset, clustering, solver, integration, projection: true }
    }
}
