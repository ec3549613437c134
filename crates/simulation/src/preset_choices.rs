//! What each preset chooses at every stage, beside what the paper prints.
//!
//! The choices are read off [`Methods`] and [`DetectionMethod`] themselves, so that this list cannot differ from what a
//! step does; a choice without an explanation here does not compile.
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022.

use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_pipeline::solving::{SlipRule, SolverMethod, SweepStop};

use crate::{CspaceMethod, DetectionMethod, Methods, Preset};

/// One stage of a preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetChoice {
    /// Stage of the step.
    pub stage: &'static str,
    /// What the paper prints, with its section.
    pub printed: &'static str,
    /// What the preset does.
    pub choice: String,
    /// Why it differs from the paper, or what the paper leaves open; empty where there is nothing to say.
    pub why: &'static str,
}

impl Preset {
    /// What the preset is for.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Tight => "the default: exact contacts, all of them, certified",
            Self::Standard => "the usual clustering and solver within this engine",
            Self::Refined => "the paper's architecture with what was found better within it",
            Self::Paper => "the system of the paper as it is printed",
            Self::PaperNSpace => "`paper` without its C-space row, so that the arm's peg goes in",
            Self::Textbook => "the baseline of the paper as it is printed",
        }
    }

    /// Its choices, stage by stage.
    #[must_use]
    pub fn choices(self) -> Vec<PresetChoice> {
        let methods = Methods::from(self);
        vec![
            detection(DetectionMethod::of(self)),
            anticipation(methods.anticipation),
            clustering(methods.clustering, self),
            cspace(&methods),
            on_or_off(
                "impact",
                "none: one solve per step (3.3)",
                methods.impact,
                "a plastic impact before the forces of the step",
                "at 10 ms a part that lands would sink by half a step of its speed",
            ),
            solver(methods.solver),
            integration(methods.integration, self),
            on_or_off(
                "passivity filter",
                "none",
                methods.passivity_filter,
                "impulses are scaled down where they would do work",
                "friction by maximum dissipation and clusters can inject energy",
            ),
            on_or_off(
                "edge crossings",
                "none: contacts are at nodes (3.1)",
                methods.crossings,
                "crossings of edges are contacts of their own",
                "two edges can cross with no node inside the other part",
            ),
            on_or_off(
                "pose projection",
                "none: the C-space row is to keep the parts apart (4.3)",
                methods.projection,
                "the pose is moved out of the parts",
                "velocity-level contact leaves second-order penetration, which would add up",
            ),
        ]
    }
}

fn detection(method: DetectionMethod) -> PresetChoice {
    let (choice, why) = match method {
        DetectionMethod::Exact => {
            ("exact distance of the parts", "a network errs by micrometres, the exact distance by none")
        }
        DetectionMethod::NeuralPaper => (
            "networks in x, y, z of both parts, asked at every node inside the other's bounding volume",
            "on the processor; samples, optimiser and scaling of the distance are not printed",
        ),
        DetectionMethod::Neural => {
            ("networks over symmetric coordinates, where the exact distance cannot exclude a node", "")
        }
        DetectionMethod::Mesh => ("pairs of triangles", ""),
    };
    let printed =
        "a network per part: 3 inputs, 64-64-64 with ReLU, tanh out; nodes in bounding volumes (3.1, 5.2)";
    PresetChoice { stage: "detection", printed, choice: choice.into(), why }
}

fn anticipation(is_on: bool) -> PresetChoice {
    let (choice, why) = match is_on {
        true => (
            "nodes that could touch within the step; each may close its gap and no more",
            "contacts that act only once they penetrate let a part sink by its speed times the step",
        ),
        false => ("nodes that penetrate; their normal velocity at the end of the step is not negative", ""),
    };
    let printed = "nodes that penetrate, 0 ≤ λ ⊥ v(k+1) ≥ 0 (eq. 2)";
    PresetChoice { stage: "contacts", printed, choice: choice.into(), why }
}

fn clustering(method: ClusteringMethod, preset: Preset) -> PresetChoice {
    let (choice, why) = match method {
        ClusteringMethod::None => ("none".to_string(), "all contacts are solved at once; fewer are not faster here"),
        ClusteringMethod::KMeans { clusters } if preset == Preset::Refined => (
            format!("interaction network that the scene names, else K-means to {clusters}, deepest contact"),
            "clusters that are real contacts keep the gap that must not close",
        ),
        ClusteringMethod::KMeans { clusters } => (
            format!("K-means to {clusters}, deepest contact of each"),
            "means of places lie off the surface, and a mean gap hides the deepest one",
        ),
        ClusteringMethod::KMeansMean { clusters } => {
            (format!("K-means to {clusters}, mean place and normal of each"), "the printed baseline")
        }
        ClusteringMethod::Interaction => (
            "interaction network: 12 clusters, 10 neighbours, quaternion, averages on the surface, averaged normals, turned"
                .to_string(),
            "contacts are kept where there are no more than clusters; angles are bounded by tanh, which is not printed",
        ),
    };
    let printed =
        "interaction network, 12 clusters, 10 neighbours, geodesic averages, turned normals (3.2, 5.2)";
    PresetChoice { stage: "clustering", printed, choice, why }
}

fn cspace(methods: &Methods) -> PresetChoice {
    let (choice, why) = match (methods.cspace, methods.anticipation) {
        (CspaceMethod::None, _) if methods.projection => {
            ("none".to_string(), "the pose projection keeps every node out")
        }
        (CspaceMethod::None, _) if methods.clustering == ClusteringMethod::Interaction => {
            ("none".to_string(), "the row pushes the peg of the arm back out of its hole")
        }
        (CspaceMethod::None, _) => ("none".to_string(), "the printed baseline has none"),
        (CspaceMethod::Network { rows }, false) => (
            format!("{rows} row at the pose, network with labels on and off over x-y-z angles, SQP"),
            "one network per phase of the task; the sigmoid is in the loss",
        ),
        (CspaceMethod::Network { rows }, true) => (
            format!("up to {rows} rows of the contacts that the motion comes to"),
            "a part crosses its play within a step: the nearest contact is not the one that it reaches",
        ),
    };
    let printed =
        "one row at the pose; 6 inputs, 64-64-64 with tanh, sigmoid out, labels on and off; SQP (4)";
    PresetChoice { stage: "C-space", printed, choice, why }
}

fn solver(method: SolverMethod) -> PresetChoice {
    let (choice, why) = match method {
        SolverMethod::Ladder => (
            "Newton in the bodies' velocities, with fallback levels".to_string(),
            "converges to Coulomb's law in wedges, where sweeps stall",
        ),
        SolverMethod::Pgs(options) => (
            format!("projected Gauss-Seidel, {} sweeps at most", options.sweeps),
            "the printed baseline's solver",
        ),
        SolverMethod::Sor(options, slip) => {
            let slip = match slip {
                SlipRule::Dissipation => "maximum dissipation",
                SlipRule::Coulomb => "Coulomb slip",
            };
            let (stop, why) = match options.stopping {
                SweepStop::Constraints => {
                    ("the constraints hold", "relaxation factor, tolerance and most sweeps are not printed")
                }
                SweepStop::Change => ("a sweep changes little", "cheaper to test"),
            };
            let choice = format!(
                "SOR from zero, {slip}, until {stop} to {:e} m/s, {} sweeps at most, factor {}",
                options.tolerance, options.sweeps, options.relaxation
            );
            (choice, why)
        }
    };
    let printed = "block SOR from zero, maximum dissipation, until the constraints hold (3.3, Algorithm 1)";
    PresetChoice { stage: "solver", printed, choice, why }
}

fn integration(method: IntegrationMethod, preset: Preset) -> PresetChoice {
    let (choice, why) = match method {
        IntegrationMethod::PaperMidpoint if preset == Preset::Refined => (
            "midpoint with C at the start; midpoint where an arm holds a part".to_string(),
            "with C at the start an arm gains or loses energy",
        ),
        IntegrationMethod::PaperMidpoint => {
            ("midpoint with C at the start; an arm in joint space likewise".to_string(), "")
        }
        IntegrationMethod::Midpoint => (
            "midpoint in quasi-velocities, for bodies and arms".to_string(),
            "keeps energy and momentum of free bodies to rounding",
        ),
        other => (other.name().to_string(), ""),
    };
    let printed = "passive midpoint rule with C at the start, for part and arm (eq. 1, 5.1)";
    PresetChoice { stage: "integration", printed, choice, why }
}

fn on_or_off(
    stage: &'static str,
    printed: &'static str,
    is_on: bool,
    choice: &str,
    why: &'static str,
) -> PresetChoice {
    let (choice, why) = if is_on { (choice, why) } else { ("none", "") };
    PresetChoice { stage, printed, choice: choice.into(), why }
}
