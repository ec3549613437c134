//! Whether the result of a run may be relied on: its outcome together with its certificates.
//!
//! | grade | meaning |
//! |---|---|
//! | certified | the task is completed and nothing voids the certificate |
//! | completed-uncertified | the task is completed, but a reason below voids the certificate |
//! | failed | the task is not completed, or the arm could not take a step |
//!
//! The certificate is void after
//! - a step that did not converge: its contact forces do not satisfy Coulomb's law to 1e-5 m/s;
//! - a limit of the contact step: incomplete projection, empty energy tank, a number that is not finite, a part that moved
//!   farther than detection searches, parts that started inside one another;
//! - a penetration, by the certificate or the audit, of more than a tenth of the task's clearance (10 µm without one);
//! - contact work that the scene cannot supply.
//!
//! Limits of an arm (joint range, joint speed, drive effort, reach, slip in soft fingers) do not void it: a real arm has
//! them too, and the step models them. A rigid grasp that drifts is measured by `grasp_drift`.

mod available_energy;
mod clearance;
mod reason;

pub use reason::{MeasuredBy, Reason};

use crate::{Limit, Outcome, Record, Simulation, Summary};

/// Tolerated penetration without a stated clearance [m].
const DEFAULT_TOLERANCE: f64 = 10e-6;
/// Tolerated penetration as a share of the clearance [-].
const SHARE_OF_CLEARANCE: f64 = 0.1;
/// Contact work above this multiple of the available energy is implausible [-].
const MOST_TIMES_AVAILABLE: f64 = 100.0;
/// Contact work above this [J] is implausible unless the scene can supply it.
const LARGE_WORK: f64 = 1e3;

/// How far the result of a run may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The task is completed and every step is within the limits of the certificate.
    Certified,
    /// The task is completed, but the certificate is void.
    CompletedUncertified,
    /// The task is not completed, or the arm could not take a step.
    Failed,
}

impl Grade {
    /// Name in reports and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::CompletedUncertified => "completed-uncertified",
            Self::Failed => "failed",
        }
    }
}

/// Grade of a run, with everything that speaks against a better one.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The grade.
    pub grade: Grade,
    /// Why it is not `Certified`; empty when it is.
    pub reasons: Vec<Reason>,
    /// Penetration that was tolerated [m].
    pub tolerance: f64,
}

impl Assessment {
    /// Assesses a run by its records, from the first step on.
    #[must_use]
    pub fn of(run: &Simulation, records: &[Record]) -> Self {
        Self::from_parts(run, &Outcome::of(run, records), &Summary::of(records))
    }

    /// The same from an outcome and a summary of the run's records that are known already.
    #[must_use]
    pub fn from_parts(run: &Simulation, outcome: &Outcome, summary: &Summary) -> Self {
        let mut failures = Vec::new();
        if !outcome.completed {
            failures.push(Reason::NotCompleted);
        }
        if let Some(failure) = summary.arm_failure {
            failures.push(Reason::ArmFailed(failure));
        }
        let tolerance =
            clearance::of_task(run).map_or(DEFAULT_TOLERANCE, |clearance| SHARE_OF_CLEARANCE * clearance);
        let voids = voids(run, summary, tolerance);
        let grade = match (failures.is_empty(), voids.is_empty()) {
            (false, _) => Grade::Failed,
            (true, false) => Grade::CompletedUncertified,
            (true, true) => Grade::Certified,
        };
        failures.extend(voids);
        Self { grade, reasons: failures, tolerance }
    }

    /// Whether the task is completed and the arm did not fail.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.grade != Grade::Failed
    }

    /// Whether nothing speaks against the result.
    #[must_use]
    pub fn is_certified(&self) -> bool {
        self.grade == Grade::Certified
    }
}

impl Simulation {
    /// Smallest gap between the mating surfaces of the task's parts when they are centred [m]; `None` where their
    /// dimensions do not state one.
    #[must_use]
    pub fn task_clearance(&self) -> Option<f64> {
        clearance::of_task(self)
    }
}

/// What voids the certificate.
fn voids(run: &Simulation, summary: &Summary, tolerance: f64) -> Vec<Reason> {
    let mut voids = Vec::new();
    if summary.unconverged > 0 {
        voids.push(Reason::Unconverged {
            steps: summary.unconverged,
            of: summary.steps,
            coulomb: summary.coulomb,
        });
    }
    for (limit, &steps) in Limit::ALL.into_iter().zip(&summary.limit_steps) {
        // unconverged steps and a failed arm have reasons with more detail
        let is_known =
            limit == Limit::NotConverged || (limit == Limit::ArmFailed && summary.arm_failure.is_some());
        if steps > 0 && !is_known && limit.voids_certificate() {
            voids.push(Reason::LimitHit { limit, steps });
        }
    }
    let audited = summary.audited.map(|[deepest, ..]| (deepest, MeasuredBy::Audit));
    for (depth, by) in audited.into_iter().chain([(summary.penetration[0], MeasuredBy::Certificate)]) {
        // a depth that is not a number is beyond every tolerance
        if depth.is_nan() || depth > tolerance {
            voids.push(Reason::Penetration { depth, tolerance, by });
        }
    }
    let available = available_energy::of_run(run, summary);
    let work = summary.contact_work;
    let is_plausible = work <= MOST_TIMES_AVAILABLE * available && (work <= LARGE_WORK || work <= available);
    if !is_plausible {
        voids.push(Reason::ContactWork { work, available });
    }
    voids
}
