//! What speaks against a run.

use std::fmt;

use crate::{ArmFailure, Limit};

/// Who measured a penetration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredBy {
    /// The step, at its contact nodes.
    Certificate,
    /// The audit, at denser nodes.
    Audit,
}

/// Why a run is not certified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The task is not completed.
    NotCompleted,
    /// The arm could not take a step.
    ArmFailed(ArmFailure),
    /// The contact solver did not converge in some steps.
    Unconverged {
        /// Steps that did not converge.
        steps: usize,
        /// Steps of the run.
        of: usize,
        /// Largest Coulomb residual [m/s].
        coulomb: f64,
    },
    /// Steps hit a limit that voids the certificate.
    LimitHit {
        /// The limit.
        limit: Limit,
        /// Steps that hit it.
        steps: usize,
    },
    /// Parts were farther inside one another than the clearance allows.
    Penetration {
        /// Deepest penetration [m].
        depth: f64,
        /// Tolerated penetration [m].
        tolerance: f64,
        /// Who measured it.
        by: MeasuredBy,
    },
    /// Contacts did more work than the scene can supply: the run has blown up.
    ContactWork {
        /// Sum of the magnitudes over all steps [J].
        work: f64,
        /// Energy that the scene can supply [J].
        available: f64,
    },
}

impl Reason {
    /// Name in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotCompleted => "not_completed",
            Self::ArmFailed(_) => Limit::ArmFailed.name(),
            Self::Unconverged { .. } => Limit::NotConverged.name(),
            Self::LimitHit { limit, .. } => limit.name(),
            Self::Penetration { by: MeasuredBy::Certificate, .. } => "penetration",
            Self::Penetration { by: MeasuredBy::Audit, .. } => "audited_penetration",
            Self::ContactWork { .. } => "contact_work",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCompleted => f.write_str("the task is not completed"),
            Self::ArmFailed(failure) => write!(f, "{failure}"),
            Self::Unconverged { steps, of, coulomb } => write!(
                f,
                "{steps} of {of} steps did not converge (Coulomb residual up to {coulomb:.1e} m/s, allowed 1e-5 m/s)"
            ),
            Self::LimitHit { limit, steps } => {
                let plural = if *steps == 1 { "step" } else { "steps" };
                write!(f, "{steps} {plural} {}", limit.what_happened())
            }
            Self::Penetration { depth, tolerance, by } => {
                let by = match by {
                    MeasuredBy::Certificate => "certificate",
                    MeasuredBy::Audit => "audit",
                };
                write!(
                    f,
                    "penetration of {:.3} um by the {by}, allowed {:.3} um",
                    depth * 1e6,
                    tolerance * 1e6
                )
            }
            Self::ContactWork { work, available } => write!(
                f,
                "contacts did {work:.3e} J of work, but the scene can supply only {available:.3e} J: the run has blown up"
            ),
        }
    }
}
