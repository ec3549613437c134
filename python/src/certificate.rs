//! The certificate of a step.

use pyo3::prelude::*;
use tightfit::scene;

/// What was measured about one step.
#[pyclass(module = "tightfit", frozen, get_all)]
#[derive(Clone)]
pub struct Certificate {
    /// Deepest penetration over the nodes of all parts after the step [m].
    pub penetration: f64,
    /// Largest Coulomb residual [m/s].
    pub coulomb: f64,
    /// Largest complementarity residual [m/s].
    pub complementarity: f64,
    /// Largest relative violation of the friction cone [-].
    pub cone: f64,
    /// Energy that contact impulses put into the bodies [J].
    pub energy_injected: f64,
    /// Work of contact impulses on the bodies [J], negative when they dissipate.
    pub contact_work: f64,
    /// Energy that the pose projection put into springs and gravity [J].
    pub projection_work: f64,
    /// Candidate contacts.
    pub candidates: usize,
    /// Contacts with an impulse.
    pub active: usize,
    /// Newton iterations or sweeps.
    pub iterations: u32,
    /// Whether the contact solver converged.
    pub converged: bool,
    /// Names of the limits that were hit.
    pub limits: Vec<&'static str>,
    /// Why the arm could not take the step, if so.
    pub arm_failure: Option<String>,
}

impl From<&scene::Certificate> for Certificate {
    fn from(own: &scene::Certificate) -> Self {
        Self {
            penetration: own.penetration,
            coulomb: own.coulomb,
            complementarity: own.complementarity,
            cone: own.cone,
            energy_injected: own.energy_injected,
            contact_work: own.contact_work,
            projection_work: own.projection_work,
            candidates: own.candidates,
            active: own.active,
            iterations: own.iterations,
            converged: own.converged,
            limits: own.limits.iter().map(scene::Limit::name).collect(),
            arm_failure: own.arm_failure.map(|failure| failure.to_string()),
        }
    }
}

#[pymethods]
impl Certificate {
    fn __repr__(&self) -> String {
        let state = if self.converged { "converged" } else { "not converged" };
        let limits =
            if self.limits.is_empty() { String::new() } else { format!(", {}", self.limits.join(", ")) };
        format!(
            "<tightfit.Certificate {state}, penetration {:.3} um, {} of {} contacts active{limits}>",
            self.penetration * 1e6,
            self.active,
            self.candidates
        )
    }
}
