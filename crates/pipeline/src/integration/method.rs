//! The integration rules of a body.
//!
//! | rule | V₁ | pose moves with | order | energy of a free body | its angular momentum |
//! |---|---|---|---|---|---|
//! | midpoint | C(ω̄), springs at the middle | V̄ | 2 | exact | exact |
//! | paper-midpoint | C(ω₀), springs at the middle | V̄ | 1 | exact | grows |
//! | explicit-euler | all forces at the start | V₀ | 1 | grows | grows |
//! | semi-implicit-euler | all forces at the start | V₁ | 1 | grows when it turns | grows |
//! | implicit-euler | all forces at the end | V₁ | 1 | is lost | is lost |
//!
//! The pose must keep φ⁺ + T u ≥ 0, where u is the normal speed that moves the pose. This gives the approach speed that
//! a contact allows: b = max(0, 2φ⁺/T + v₀ₙ) for V̄, φ⁺/T for V₁. With V₀ the impact stage handles this step, and the
//! next one must be possible: b = max(0, φ⁺/T + v₀ₙ).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tightfit_spatial::{Inertia, Wrench};

use super::passive_midpoint::{Gyroscopic, midpoint_step};
use super::{BodyMotion, Coupling, FreeStep, euler};

/// How bodies are advanced.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntegrationMethod {
    /// Passive midpoint rule with C at the middle of the step.
    #[default]
    Midpoint,
    /// Passive midpoint rule with C at the start of the step, the paper's.
    PaperMidpoint,
    /// Explicit Euler.
    ExplicitEuler,
    /// Semi-implicit Euler.
    SemiImplicitEuler,
    /// Implicit Euler.
    ImplicitEuler,
}

impl IntegrationMethod {
    /// Every rule.
    pub const ALL: [Self; 5] = [
        Self::Midpoint,
        Self::PaperMidpoint,
        Self::ExplicitEuler,
        Self::SemiImplicitEuler,
        Self::ImplicitEuler,
    ];

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Midpoint => "midpoint",
            Self::PaperMidpoint => "paper-midpoint",
            Self::ExplicitEuler => "explicit-euler",
            Self::SemiImplicitEuler => "semi-implicit-euler",
            Self::ImplicitEuler => "implicit-euler",
        }
    }

    /// The contact-free step of a body under a wrench and a coupling, `step` seconds long.
    #[must_use]
    pub fn free_step(
        self,
        motion: &BodyMotion,
        inertia: &Inertia,
        wrench: &Wrench,
        coupling: Option<&Coupling>,
        step: f64,
    ) -> FreeStep {
        match self {
            Self::Midpoint => midpoint_step(motion, inertia, wrench, coupling, step, Gyroscopic::AtMiddle),
            Self::PaperMidpoint => {
                midpoint_step(motion, inertia, wrench, coupling, step, Gyroscopic::AtStart)
            }
            Self::ExplicitEuler | Self::SemiImplicitEuler => {
                euler::explicit_step(motion, inertia, wrench, coupling, step)
            }
            Self::ImplicitEuler => euler::implicit_step(motion, inertia, wrench, coupling, step),
        }
    }

    /// Velocity that moves the pose, from a component at the start and at the end of the step [m/s or rad/s].
    #[must_use]
    pub fn pose_velocity(self, start: f64, end: f64) -> f64 {
        match self {
            Self::Midpoint | Self::PaperMidpoint => f64::midpoint(start, end),
            Self::ExplicitEuler => start,
            Self::SemiImplicitEuler | Self::ImplicitEuler => end,
        }
    }

    /// b [m/s]: the approach speed at the end of the step that a contact allows, from φ⁺/T and v₀ₙ [m/s].
    #[must_use]
    pub fn allowed_approach(self, closing: f64, start: f64) -> f64 {
        match self {
            Self::Midpoint | Self::PaperMidpoint => (2.0 * closing + start).max(0.0),
            Self::ExplicitEuler => (closing + start).max(0.0),
            Self::SemiImplicitEuler | Self::ImplicitEuler => closing,
        }
    }
}
