//! The ways to solve the contacts of a stage, as one choice.
//!
//! | method | what it is | cone | Coulomb's law at the end |
//! |---|---|---|---|
//! | ladder | Newton in the bodies' velocities, no step unconverged | holds | to the softness 1e-6 |
//! | sor | block successive over-relaxation, the paper's Algorithm 1 | holds | as far as the sweeps come |
//! | pgs | projected Gauss-Seidel on the friction cone, row by row | holds | as far as the sweeps come |
//!
//! All are judged by `residual`, and the passivity filter stands behind each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ladder::{SolverWorkspace, solve};
use super::problem::{SolveReport, SolverOptions, VelocityProblem, WarmStart};
use super::sweeps::{self, Rule, SweepWorkspace};

/// How the contacts of a stage are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SolverMethod {
    /// Newton in the bodies' velocities, with levels to fall back on.
    #[default]
    Ladder,
    /// Block successive over-relaxation: one contact after the other by a rule for a single one.
    Sor(SweepOptions, SlipRule),
    /// Projected Gauss-Seidel: one row after the other, friction put back onto the (round) cone.
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
    /// Most sweeps.
    pub sweeps: u32,
    /// α: share of the way to the answer of a single contact [-]; below 1 under-, above 1 over-relaxed, less than 2.
    pub relaxation: f64,
    /// Largest change |diag(D) δp| in a sweep at which they end [m/s].
    pub tolerance: f64,
}

impl SweepOptions {
    /// 200 sweeps, no relaxation, 1e-5 m/s: a tenth of a micrometre per step of 10 ms.
    pub const SOR: Self = Self { sweeps: 200, relaxation: 1.0, tolerance: 1e-5 };
    /// 50 sweeps, as many as engines that work so take at most.
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

    /// Whether it needs a [`SweepWorkspace`] with room.
    #[must_use]
    pub fn sweeps(self) -> bool {
        self != Self::Ladder
    }

    /// Solves the problem; results are in `workspace`. `start` are the stacked velocities at the start of the step,
    /// `options` those of the ladder. Sweeps begin from no impulses, as the paper's do; `warm` is left ready for
    /// the next step by every method.
    pub fn solve(
        self,
        problem: &VelocityProblem<'_>,
        start: &[f64],
        options: &SolverOptions,
        warm: &mut WarmStart,
        workspace: &mut SolverWorkspace,
        rows: &mut SweepWorkspace,
    ) -> SolveReport {
        match self {
            Self::Ladder => solve(problem, options, warm, workspace),
            Self::Sor(limits, SlipRule::Dissipation) => {
                sweeps::solve(problem, start, Rule::Dissipation, &limits, warm, workspace, rows)
            }
            Self::Sor(limits, SlipRule::Coulomb) => {
                sweeps::solve(problem, start, Rule::Coulomb, &limits, warm, workspace, rows)
            }
            Self::Pgs(limits) => sweeps::solve(problem, start, Rule::Rows, &limits, warm, workspace, rows),
        }
    }
}
