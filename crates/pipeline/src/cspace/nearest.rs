//! The nearest configuration at which two parts touch, and the wrench away from it.
//!
//! ```text
//! min ½ VᵀMV   s.t.   h(q ⊕ V) = 0                  one constraint, so every quadratic program has a closed form:
//! V ← M⁻¹a (aᵀV − h(q ⊕ V)) / (aᵀM⁻¹a)             a = ∇h(q ⊕ V),  halved back while |h| grows
//! (N_C)ᵀ M⁻¹ null(V_C) = 0   ⇒   N_C ∝ M V_C = λ∇h(q_C)   ⇒   N_C = a / √(m aᵀM⁻¹a),  towards growing h
//! φ_C = −N_Cᵀ V_C = ±√(V_CᵀMV_C / m)
//! ```
//!
//! q configuration, V displacement [m, rad] of the centre of mass and attitude in world axes, h positive where the part
//! is free, M mass matrix in world axes, m mass. N_C is scaled so that a pure shift is measured in metres: N_CᵀV is a
//! speed [m/s] and φ_C a gap [m], positive where the part is free. The normal needs no null space (docs/design/math.md
//! §6).
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee 2022, section 4.2; J. Nocedal, S. Wright, "Numerical Optimization", 2006,
//! chapter 18.

use nalgebra::Vector6;
use tightfit_network::NetworkError;

use super::local_field::LocalField;

/// Largest number of quadratic programs.
const ITERATIONS: usize = 20;
/// Largest number of halvings of one step.
const HALVINGS: usize = 5;
/// Change of the displacement at which the search ends, as a metric length √(VᵀMV/m) [m].
const SETTLED: f64 = 1e-8;
/// Distance from h = ℓ at which a search has converged [m].
const REACHED: f64 = 1e-6;
/// Longest step [m]: logits are flat far from contact, where a step by the slope can end anywhere.
const LONGEST: f64 = 0.2e-3;

/// A contact in C-space: a plane with the free configurations in front of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CspaceContact {
    /// N_C: wrench [force; torque about the centre of mass] away from contact, world axes [-, m].
    pub normal: Vector6<f64>,
    /// φ_C: metric distance to contact [m], positive where the part is free.
    pub gap: f64,
    /// V_C: displacement to contact, world axes [m, rad].
    pub displacement: Vector6<f64>,
    /// h there [-]; zero when the search has converged.
    pub remainder: f64,
}

/// The contact nearest to the configuration itself; `None` where the field is flat or the search does not converge.
///
/// # Errors
/// Never for a valid field.
pub fn nearest_contact(field: &mut LocalField<'_>) -> Result<Option<CspaceContact>, NetworkError> {
    nearest_on_level(field, &Vector6::zeros(), 0.0)
}

/// The contact nearest to a colliding configuration; `None` for a free one, which takes one evaluation of h.
///
/// # Errors
/// Never for a valid field.
pub fn colliding_contact(field: &mut LocalField<'_>) -> Result<Option<CspaceContact>, NetworkError> {
    if field.value(&Vector6::zeros())?.is_some_and(|value| value > 0.0) {
        return Ok(None);
    }
    Ok(nearest_contact(field)?.filter(|contact| contact.gap <= 0.0))
}

/// The plane of the level set h = ℓ at its point nearest to a displacement.
pub(super) fn nearest_on_level(
    field: &mut LocalField<'_>,
    from: &Vector6<f64>,
    level: f64,
) -> Result<Option<CspaceContact>, NetworkError> {
    let (mass, inverse_mass) = (field.body.mass, field.body.inverse_mass);
    let mut moved = Vector6::zeros();
    let (mut value, mut slope) = field.at(from)?;
    for _ in 0..ITERATIONS {
        let response = inverse_mass * slope;
        let gain = slope.dot(&response);
        if !(gain > 0.0 && gain.is_finite()) {
            return Ok(None);
        }
        let wanted = response * ((slope.dot(&moved) - (value - level)) / gain);
        let mut step = wanted - moved;
        // The distance of h from the level along its slope, and the displacement of the centre of mass.
        let length = (slope.dot(&step).abs() / (mass * gain).sqrt()).max(step.fixed_rows::<3>(0).norm());
        if length > LONGEST {
            step *= LONGEST / length;
        }
        let mut next = field.at(&(from + moved + step))?;
        let mut halvings = 0;
        while (next.0 - level).abs() > (value - level).abs() && halvings < HALVINGS {
            step *= 0.5;
            next = field.at(&(from + moved + step))?;
            halvings += 1;
        }
        moved += step;
        (value, slope) = next;
        if length < SETTLED {
            break;
        }
    }
    let plane = field.plane(&(from + moved), value - level, &slope);
    Ok(plane.filter(|plane| (plane.gap + plane.normal.dot(&plane.displacement)).abs() < REACHED))
}
