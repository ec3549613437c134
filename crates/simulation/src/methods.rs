//! Which methods a step is made of.
//!
//! | preset | clustering | C-space | solver | integration | projection |
//! |---|---|---|---|---|---|
//! | `tight` | none | none | ladder | midpoint | yes |
//! | `standard` | K-means to 12 | none | projected Gauss-Seidel, 50 sweeps | midpoint | yes |
//! | `paper` | interaction network where the scene has one, else K-means to 12 | where the scene has a network | SOR by maximum dissipation, 200 sweeps or 1e-5 m/s | midpoint with C(ω₀), without where an arm holds a part | no |
//!
//! `standard` is what the paper compares itself with: the usual clustering and solver in its own framework. The paper has
//! no pose projection: its C-space row is to keep out what the clustered contacts let in. Impact, passivity filter and
//! certificate are the same for all.

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
    /// K-means to 12, a C-space row and SOR by maximum dissipation, C at the start of the step, no pose projection.
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

/// Whether the configuration as a whole is kept from colliding, beside the contacts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CspaceMethod {
    /// No.
    #[default]
    None,
    /// By frictionless rows of the scene's C-space networks; idle where there is none.
    Network {
        /// Rows of a step at most, 1 to 16: the paper has one.
        rows: u32,
    },
}

impl CspaceMethod {
    /// Rows of a step at most, that of the presets: each is found after a solution that the ones before led to.
    pub const MOST_ROWS: u32 = 16;

    /// Rows of a step at most; none when there is no C-space.
    #[must_use]
    pub fn rows(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Network { rows } => rows.min(Self::MOST_ROWS),
        }
    }

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Network { .. } => "network",
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
    /// Whether the configuration as a whole is kept from colliding.
    pub cspace: CspaceMethod,
    /// How contacts are solved.
    pub solver: SolverMethod,
    /// How bodies are advanced.
    pub integration: IntegrationMethod,
    /// Whether crossings of edges are contacts of their own. Without them contacts are at nodes alone, as in methods of
    /// another kind.
    pub crossings: bool,
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
        let usual = Self {
            preset,
            clustering: ClusteringMethod::None,
            cspace: CspaceMethod::None,
            solver: SolverMethod::Ladder,
            integration: IntegrationMethod::Midpoint,
            crossings: true,
            projection: true,
        };
        match preset {
            Preset::Tight => usual,
            Preset::Standard => {
                Self { clustering: means, solver: SolverMethod::Pgs(SweepOptions::PGS), ..usual }
            }
            Preset::Paper => Self {
                clustering: means,
                cspace: CspaceMethod::Network { rows: CspaceMethod::MOST_ROWS },
                solver: SolverMethod::Sor(SweepOptions::SOR, SlipRule::Dissipation),
                integration: IntegrationMethod::PaperMidpoint,
                crossings: false,
                projection: false,
                ..usual
            },
        }
    }
}
