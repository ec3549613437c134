//! Scales impulses down until contact does no positive work (docs/design/math.md §2.2).
//!
//! ```text
//! P = Σ Jᵢᵀpᵢ      work on the bodies, relative to moving surfaces:
//! w(s) = s a + s² q        q = ½ PᵀWP        a = Pᵀ(V₀ + V_f)/2 − Σ pᵢ·uᵢ
//! w(1) > 0:  use  s = max(0, −a/q),  w(s) = 0 or s = 0
//! ```
//!
//! V₀, V_f velocities before and after a step without contact [m/s, rad/s], u velocity of a kinematic surface
//! [m/s], W response, w [J]. A kinematic surface may push a body: its work Σ pᵢ·uᵢ comes from its drive and is
//! subtracted, which leaves Σ pᵢ·v̄ᵢ over relative midpoint velocities. Valid for any impulses, converged or not.

use super::problem::{ContactImpulse, VelocityProblem};
use crate::records::NOT_FREE;

/// Factor s in [0, 1] of all impulses with which contact does no positive work; `generalised` is their P.
#[must_use]
pub fn passive_scale(
    problem: &VelocityProblem<'_>,
    start_velocity: &[f64],
    impulses: &[ContactImpulse],
    generalised: &[f64],
) -> f64 {
    let (linear, quadratic) = work(problem, start_velocity, impulses, generalised);
    if linear + quadratic <= 0.0 {
        1.0
    } else if quadratic > 0.0 {
        (-linear / quadratic).max(0.0)
    } else {
        0.0
    }
}

/// (a, q) [J].
#[must_use]
pub fn work(
    problem: &VelocityProblem<'_>,
    start_velocity: &[f64],
    impulses: &[ContactImpulse],
    generalised: &[f64],
) -> (f64, f64) {
    let mut linear = 0.0;
    for (p, (start, free)) in generalised.iter().zip(start_velocity.iter().zip(problem.free_velocity)) {
        linear += 0.5 * p * (start + free);
    }
    for entry in impulses {
        if problem.contacts.body_b[entry.contact] == NOT_FREE {
            linear -= entry.impulse.dot(&problem.contacts.surface(entry.contact));
        }
    }
    let mut quadratic = 0.0;
    for (response, p) in problem.response.iter().zip(generalised.chunks_exact(6)) {
        for row in 0..6 {
            for column in 0..6 {
                quadratic += 0.5 * p[row] * response[(row, column)] * p[column];
            }
        }
    }
    (linear, quadratic)
}
