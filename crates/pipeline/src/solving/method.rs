//! The methods that solve the contacts of a stage.
//!
//! | method | description | cone | Coulomb's law at the end |
//! |---|---|---|---|
//! | ladder | Newton in the bodies' velocities, with fallback levels | holds | to the softness 1e-6 |
//! | sor | block successive over-relaxation, the paper's Algorithm 1 | holds | as far as the sweeps converge |
//! | pgs | projected Gauss-Seidel on the friction cone, row by row | holds | as far as the sweeps converge |
//!
//! `residual` measures the solution of each, and the passivity filter follows each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ladder::{SolverWorkspace, solve};
use super::problem::{SolveReport, SolverOptions, VelocityProblem, WarmStart};
use super::sweeps::{self, SweepWorkspace};

/// How the contacts of a stage are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SolverMethod {
    /// Newton in the bodies' velocities, with fallback levels.
    #[default]
    Ladder,
    /// Block successive over-relaxation: one contact after another by the rule of a single contact.
    Sor(SweepOptions, SlipRule),
    /// Projected Gauss-Seidel: one row after another, friction projected onto the (round) cone.
    Pgs(SweepOptions),
}

/// What a sliding contact does in solver `sor`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlipRule {
    /// The friction that dissipates most at the midpoint, the paper's rule: not Coulomb's law where inertia is not the
    /// same in all directions.
    #[default]
    Dissipation,
    /// Friction against the slip at the end of the step.
    Coulomb,
}

/// When the sweeps over the contacts end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepOptions {
    /// Largest number of sweeps.
    pub sweeps: u32,
    /// α: relaxation towards the solution of a single contact [-]; below 1 under-, above 1 over-relaxed, less than 2.
    pub relaxation: f64,
    /// What is compared with the tolerance.
    pub stopping: SweepStop,
    /// Largest value of it at which they end [m/s].
    pub tolerance: f64,
}

/// What tells that the sweeps have converged.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepStop {
    /// The change |diag(D) δp| in a sweep.
    #[default]
    Change,
    /// By how much the contacts violate their constraints after a sweep, as in the paper: approach of the normal,
    /// separation of a loaded contact, slip of a sticking one.
    Constraints,
}

impl SweepOptions {
    /// 200 sweeps, no relaxation, 1e-5 m/s: a tenth of a micrometre per step of 10 ms.
    pub const SOR: Self = Self { sweeps: 200, relaxation: 1.0, stopping: SweepStop::Change, tolerance: 1e-5 };
    /// The same, until the constraints are met as in the paper's Algorithm 1.
    pub const PAPER: Self = Self { stopping: SweepStop::Constraints, ..Self::SOR };
    /// 50 sweeps, the usual upper limit of engines with this method.
    pub const PGS: Self = Self { sweeps: 50, ..Self::SOR };
}

impl SolverMethod {
    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ladder => "ladder",
            Self::Sor(..) => "sor",
            Self::Pgs(_) => "pgs",
        }
    }

    /// Whether it uses a [`SweepWorkspace`].
    #[must_use]
    pub fn sweeps(self) -> bool {
        self != Self::Ladder
    }

    /// Solves the problem; results are in `workspace`. `start` are the stacked velocities at the start of the step,
    /// `options` those of the ladder. Sweeps start from zero impulses, as in the paper; every method updates `warm` for
    /// the next step.
    pub fn solve(
        self,
        problem: &VelocityProblem<'_>,
        start: &[f64],
        options: &SolverOptions,
        warm: &mut WarmStart,
        workspace: &mut SolverWorkspace,
        rows: &mut SweepWorkspace,
    ) -> SolveReport {
        let (slip, limits) = match self {
            Self::Ladder => return solve(problem, options, warm, workspace),
            Self::Sor(limits, slip) => (Some(slip), limits),
            Self::Pgs(limits) => (None, limits),
        };
        sweeps::solve(problem, start, slip, &limits, warm, workspace, rows)
    }
}
