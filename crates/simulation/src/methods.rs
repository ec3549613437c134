//! Which methods a step is made of.
//!
//! | preset | detection | contacts | clustering | C-space | solver | integration | projection |
//! |---|---|---|---|---|---|---|---|
//! | `tight` | exact | anticipated | none | none | ladder | midpoint | yes |
//! | `standard` | exact | anticipated | K-means to 12, deepest | none | projected Gauss-Seidel, 50 sweeps | midpoint | yes |
//! | `refined` | exact | anticipated | interaction network where there is one, else K-means to 12 | up to 16 rows where there is a network | SOR by maximum dissipation | midpoint with C(ω₀); midpoint where an arm holds a part | no |
//! | `paper` | networks in x, y, z for both parts | penetrating | interaction network | one row, at the pose | SOR until the constraints hold | midpoint with C(ω₀), arm in joint space | no |
//! | `paper-n-space` | as `paper` | penetrating | as `paper` | none | as `paper` | as `paper` | no |
//! | `textbook` | exact | penetrating | K-means to 12, means | none | projected Gauss-Seidel | midpoint with C(ω₀) | no |
//!
//! `paper` is the system of the paper as it is printed, `paper-n-space` the same without its C-space row, `textbook` what the
//! paper compares itself with. `standard` and
//! `refined` are the same two within this engine: contacts are anticipated, impacts are a stage of their own, and the
//! passivity filter bounds their work. Every difference is listed in `docs/presets.md`.

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
    /// The paper's architecture with what was found better within it: anticipated contacts, an impact stage, several
    /// C-space rows.
    Refined,
    /// The system of the paper as it is printed.
    Paper,
    /// `paper` without its C-space row: the one deviation with which the arm's peg goes in.
    PaperNSpace,
    /// The baseline of the paper as it is printed: means of K-means and projected Gauss-Seidel.
    Textbook,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 6] =
        [Self::Tight, Self::Standard, Self::Refined, Self::Paper, Self::PaperNSpace, Self::Textbook];

    /// Whether it takes the networks that have the paper's form.
    pub(crate) fn has_printed_networks(self) -> bool {
        matches!(self, Self::Paper | Self::PaperNSpace)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tight => "tight",
            Self::Standard => "standard",
            Self::Refined => "refined",
            Self::Paper => "paper",
            Self::PaperNSpace => "paper-n-space",
            Self::Textbook => "textbook",
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
    /// Whether a contact acts before it penetrates: nodes that could touch within the step are contacts, and each may
    /// close its gap but no more. Without it only nodes that penetrate at the start of the step are contacts, and their
    /// normal velocity at its end must not be negative (paper eq. 2).
    pub anticipation: bool,
    /// Whether impacts are a stage of their own, before the forces over the step.
    pub impact: bool,
    /// Whether contact impulses are scaled down where they would do work.
    pub passivity_filter: bool,
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
        let deepest = ClusteringMethod::KMeans { clusters: CLUSTERS };
        let usual = Self {
            preset,
            clustering: ClusteringMethod::None,
            cspace: CspaceMethod::None,
            solver: SolverMethod::Ladder,
            integration: IntegrationMethod::Midpoint,
            anticipation: true,
            impact: true,
            passivity_filter: true,
            crossings: true,
            projection: true,
        };
        let printed = Self {
            integration: IntegrationMethod::PaperMidpoint,
            anticipation: false,
            impact: false,
            passivity_filter: false,
            crossings: false,
            projection: false,
            ..usual
        };
        match preset {
            Preset::Tight => usual,
            Preset::Standard => {
                Self { clustering: deepest, solver: SolverMethod::Pgs(SweepOptions::PGS), ..usual }
            }
            Preset::Refined => Self {
                clustering: deepest,
                cspace: CspaceMethod::Network { rows: CspaceMethod::MOST_ROWS },
                solver: SolverMethod::Sor(SweepOptions::SOR, SlipRule::Dissipation),
                integration: IntegrationMethod::PaperMidpoint,
                crossings: false,
                projection: false,
                ..usual
            },
            Preset::Paper => Self {
                preset,
                cspace: CspaceMethod::Network { rows: 1 },
                ..Self::from(Preset::PaperNSpace)
            },
            Preset::PaperNSpace => Self {
                clustering: ClusteringMethod::Interaction,
                solver: SolverMethod::Sor(SweepOptions::PAPER, SlipRule::Dissipation),
                ..printed
            },
            Preset::Textbook => Self {
                clustering: ClusteringMethod::KMeansMean { clusters: CLUSTERS },
                solver: SolverMethod::Pgs(SweepOptions::PGS),
                ..printed
            },
        }
    }
}
