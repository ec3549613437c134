//! `[method]` of a scene file: a preset, and what is to be different from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_pipeline::solving::{SlipRule, SolverMethod, SweepOptions, SweepStop};
use tightfit_shape::mesh::MeshOptions;

use super::method_choice::MethodChoice;
use super::problem::Problem;
use crate::methods::CLUSTERS;
use crate::{CspaceMethod, Methods, Preset};

/// Methods of the step.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MethodDescription {
    /// A set of methods; those named below replace single ones of it.
    #[serde(default)]
    pub preset: Preset,
    /// How contacts are found (`exact`, but `neural-paper` in `paper`).
    pub detection: Option<DetectionMethod>,
    /// Largest distance between a curved face and its triangles with detection `mesh` (0.002) [mm].
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub mesh_tolerance_mm: Option<f64>,
    /// How contacts are reduced before they are solved.
    pub clustering: Option<ClusteringChoice>,
    /// Contacts that represent those of a pair: groups of `k-means` (12).
    #[schemars(range(min = 1, max = 100000))]
    pub clusters: Option<u32>,
    /// Whether the configuration as a whole is kept from colliding, beside the contacts; with `sor` or `pgs`.
    pub cspace: Option<CspaceChoice>,
    /// C-space rows of a step at most (16); the paper has 1.
    #[schemars(range(min = 1, max = 16))]
    pub cspace_rows: Option<u32>,
    /// How contacts are solved.
    pub solver: Option<SolverChoice>,
    /// Most sweeps of `sor` (200) or `pgs` (50).
    #[schemars(range(min = 1, max = 1000000))]
    pub sweeps: Option<u32>,
    /// Relaxation of `sor` or `pgs` [-]: below 1 under-, above 1 over-relaxed.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.99))]
    pub relaxation: Option<f64>,
    /// What ends `sor` or `pgs` when it is below the tolerance (`change`, but `constraints` in `paper`).
    pub stopping: Option<SweepStop>,
    /// Tolerance at which `sor` or `pgs` ends [m/s].
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance_m_s: Option<f64>,
    /// What a sliding contact does in `sor`.
    pub slip: Option<SlipRule>,
    /// How bodies are advanced.
    pub integration: Option<IntegrationMethod>,
    /// Whether contacts act before they penetrate (true, but false in `paper` and `textbook`); false needs `sor` or `pgs`.
    pub anticipation: Option<bool>,
    /// Whether impacts are a stage of their own (true, but false in `paper` and `textbook`).
    pub impact: Option<bool>,
    /// Whether contact impulses are scaled down where they would do work (true, but false in `paper` and `textbook`).
    pub passivity_filter: Option<bool>,
    /// Whether crossings of edges are contacts (true, but false in `refined`, `paper` and `textbook`); without them contacts
    /// are at nodes alone.
    pub crossings: Option<bool>,
    /// Whether the pose is kept out of the parts by projection (true, but false in `refined`, `paper` and `textbook`);
    /// without it contact acts on velocities alone.
    pub projection: Option<bool>,
}

/// How contacts are found.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DetectionMethod {
    /// By nodes and the exact distance of the part that they meet.
    #[default]
    Exact,
    /// The same with the part's depth network, for every part that has one: by `network`, or embedded (`hole-50`,
    /// `m48x5-bolt`).
    Neural,
    /// By depth networks alone, as in the paper: both parts need one in x, y, z, and every node inside the other part's bounding
    /// volume is asked of it. Embedded for `peg-50`, `hole-50`, `m48x5-nut` and `m48x5-bolt`.
    NeuralPaper,
    /// By the triangles of both parts, every pair that crosses or nearly does; parts without end are met as in `exact`.
    Mesh,
}

impl DetectionMethod {
    /// That of a preset.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Tight | Preset::Standard | Preset::Refined | Preset::Textbook => Self::Exact,
            Preset::Paper | Preset::PaperNSpace => Self::NeuralPaper,
        }
    }

    /// Whether parts are replaced by depth networks.
    #[must_use]
    pub fn is_neural(self) -> bool {
        matches!(self, Self::Neural | Self::NeuralPaper)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Neural => "neural",
            Self::NeuralPaper => "neural-paper",
            Self::Mesh => "mesh",
        }
    }
}

/// How contacts are reduced before they are solved.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteringChoice {
    /// Not at all.
    None,
    /// The deepest of each of several groups of near place and normal.
    KMeans,
    /// The mean place, normal and gap of each of these groups.
    KMeansMean,
    /// Points of the surface by the interaction network of `parts.NAME.interaction`.
    Interaction,
}

/// Whether the configuration as a whole is kept from colliding, beside the contacts.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CspaceChoice {
    /// No.
    None,
    /// By frictionless rows of the C-space networks of `parts.NAME.cspace`, or of those that are embedded
    /// (`peg-50` in `hole-50`, `m48x5-nut` on `m48x5-bolt`).
    Network,
}

/// How contacts are solved.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverChoice {
    /// Newton in the bodies' velocities.
    Ladder,
    /// Block successive over-relaxation, contact by contact.
    Sor,
    /// Projected Gauss-Seidel on the friction cone.
    Pgs,
}

impl MethodDescription {
    /// How contacts are found.
    pub(super) fn detection(&self) -> DetectionMethod {
        self.detection.unwrap_or(DetectionMethod::of(self.preset))
    }

    /// How finely curved faces are cut into triangles.
    pub(super) fn mesh_options(&self) -> MeshOptions {
        let usual = MeshOptions::default();
        let chord_tolerance = self.mesh_tolerance_mm.map_or(usual.chord_tolerance, |mm| mm * 1e-3);
        MeshOptions { chord_tolerance, ..usual }
    }

    /// The methods, and which of them were chosen by name.
    pub(super) fn choice(&self) -> Result<MethodChoice, Problem> {
        let methods = self.methods()?;
        let is_paper = self.preset == Preset::Paper;
        let is_refined = self.preset == Preset::Refined;
        let is_open = is_refined && self.clustering.is_none() && self.clusters.is_none();
        Ok(MethodChoice {
            methods,
            needs_cspace: self.cspace == Some(CspaceChoice::Network) || is_paper && self.cspace.is_none(),
            takes_interaction: is_open && matches!(methods.clustering, ClusteringMethod::KMeans { .. }),
            yields_to_arm: is_refined && self.integration.is_none(),
        })
    }

    /// The methods. An option that no chosen method reads is an error.
    fn methods(&self) -> Result<Methods, Problem> {
        let mut methods = Methods::from(self.preset);
        if self.mesh_tolerance_mm.is_some() && self.detection() != DetectionMethod::Mesh {
            return Err(idle("mesh_tolerance_mm", self.detection().name(), "detection", "mesh"));
        }
        if let Some(choice) = self.clustering {
            methods.clustering = match choice {
                ClusteringChoice::None => ClusteringMethod::None,
                ClusteringChoice::KMeans => ClusteringMethod::KMeans { clusters: CLUSTERS },
                ClusteringChoice::KMeansMean => ClusteringMethod::KMeansMean { clusters: CLUSTERS },
                ClusteringChoice::Interaction => ClusteringMethod::Interaction,
            };
        }
        if let Some(number) = self.clusters {
            match &mut methods.clustering {
                ClusteringMethod::KMeans { clusters } | ClusteringMethod::KMeansMean { clusters } => {
                    *clusters = number;
                }
                other => return Err(idle("clusters", other.name(), "clustering", "k-means")),
            }
        }
        if let Some(choice) = self.solver {
            let solver = match choice {
                SolverChoice::Ladder => SolverMethod::Ladder,
                SolverChoice::Sor => SolverMethod::Sor(SweepOptions::SOR, SlipRule::default()),
                SolverChoice::Pgs => SolverMethod::Pgs(SweepOptions::PGS),
            };
            // the preset's options of the same solver stay
            if solver.name() != methods.solver.name() {
                methods.solver = solver;
            }
        }
        self.set_sweeps(&mut methods.solver)?;
        self.set_cspace(&mut methods)?;
        methods.anticipation = self.anticipation.unwrap_or(methods.anticipation);
        if !methods.anticipation && !methods.solver.sweeps() {
            return Err(idle("anticipation = false", methods.solver.name(), "solver", "sor` or `pgs"));
        }
        methods.impact = self.impact.unwrap_or(methods.impact);
        methods.passivity_filter = self.passivity_filter.unwrap_or(methods.passivity_filter);
        methods.crossings = self.crossings.unwrap_or(methods.crossings);
        methods.projection = self.projection.unwrap_or(methods.projection);
        methods.integration = self.integration.unwrap_or(methods.integration);
        Ok(methods)
    }

    fn set_cspace(&self, methods: &mut Methods) -> Result<(), Problem> {
        let most = CspaceMethod::Network { rows: CspaceMethod::MOST_ROWS };
        match self.cspace {
            Some(CspaceChoice::Network) if !methods.solver.sweeps() => {
                return Err(idle("cspace", methods.solver.name(), "solver", "sor` or `pgs"));
            }
            Some(CspaceChoice::Network) => methods.cspace = most,
            Some(CspaceChoice::None) => methods.cspace = CspaceMethod::None,
            // that of the preset, where something reads it
            None if !methods.solver.sweeps() => methods.cspace = CspaceMethod::None,
            None => {}
        }
        if let Some(number) = self.cspace_rows {
            match &mut methods.cspace {
                CspaceMethod::Network { rows } => *rows = number,
                CspaceMethod::None => return Err(idle("cspace_rows", "none", "cspace", "network")),
            }
        }
        Ok(())
    }

    fn set_sweeps(&self, solver: &mut SolverMethod) -> Result<(), Problem> {
        let name = solver.name();
        if let Some(choice) = self.slip {
            let SolverMethod::Sor(_, slip) = solver else {
                return Err(idle("slip", name, "solver", "sor"));
            };
            *slip = choice;
        }
        let given = [
            ("sweeps", self.sweeps.is_some()),
            ("relaxation", self.relaxation.is_some()),
            ("stopping", self.stopping.is_some()),
            ("tolerance_m_s", self.tolerance_m_s.is_some()),
        ];
        match solver {
            SolverMethod::Sor(options, _) | SolverMethod::Pgs(options) => {
                options.sweeps = self.sweeps.unwrap_or(options.sweeps);
                options.relaxation = self.relaxation.unwrap_or(options.relaxation);
                options.stopping = self.stopping.unwrap_or(options.stopping);
                options.tolerance = self.tolerance_m_s.unwrap_or(options.tolerance);
                Ok(())
            }
            SolverMethod::Ladder => match given.iter().find(|(_, is_given)| *is_given) {
                Some((key, _)) => Err(idle(key, name, "solver", "sor` or `pgs")),
                None => Ok(()),
            },
        }
    }
}

/// An option that nothing would read.
fn idle(key: &str, method: &str, choice: &str, fitting: &str) -> Problem {
    let remedy =
        format!("is not for {choice} `{method}`; choose method.{choice} `{fitting}`, or leave it out");
    (format!("method.{key}"), remedy)
}
