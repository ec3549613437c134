//! What was measured about a step.

use crate::Limits;

/// The certificate of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Deepest true penetration over the nodes of both parts after the step [m].
    pub penetration: f64,
    /// Largest Coulomb residual of both contact stages [m/s].
    pub coulomb: f64,
    /// Largest complementarity residual [m/s].
    pub complementarity: f64,
    /// Largest relative violation of the friction cone [-].
    pub cone: f64,
    /// Energy that contact impulses put into the bodies [J]; zero when passive.
    pub energy_injected: f64,
    /// Work of contact impulses on the bodies [J], negative when they dissipate.
    pub contact_work: f64,
    /// Energy that the pose projection put into springs and gravity [J].
    pub projection_work: f64,
    /// Candidate contacts, and those that carried an impulse.
    pub candidates: usize,
    /// Contacts with an impulse.
    pub active: usize,
    /// Highest level of the solver's ladder that was needed.
    pub level: u8,
    /// Newton iterations of both stages.
    pub iterations: u32,
    /// Passes of the solver over its working set, both stages.
    pub evaluations: u32,
    /// Whether the Coulomb residual of both stages is at most 1e-5 m/s.
    pub converged: bool,
    /// Limits that were hit.
    pub limits: Limits,
    /// Seconds spent in the stages: detection, solving, integration.
    pub stage_seconds: [f64; 3],
}
