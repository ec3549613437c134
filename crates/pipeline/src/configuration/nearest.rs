//! The nearest configuration at which two parts touch, and the wrench that leads away from it.
//!
//! ```text
//! min ½ VᵀMV   s.t.   h(q ⊕ V) = 0                  one constraint, so that every quadratic program has a closed form:
//! V ← M⁻¹a (aᵀV − h(q ⊕ V)) / (aᵀM⁻¹a)             a = ∇h(q ⊕ V),  halved back while |h| grows
//! (N_C)ᵀ M⁻¹ null(V_C) = 0   ⇒   N_C ∝ M V_C = λ∇h(q_C)   ⇒   N_C = a / √(m aᵀM⁻¹a),  towards growing h
//! φ_C = −N_Cᵀ V_C = ±√(V_CᵀMV_C / m)
//! ```
//!
//! q configuration, V displacement [m, rad] of the centre of mass and attitude in world axes, h positive where the part
//! is free, M mass matrix in world axes, m mass. N_C is scaled so that a pure shift is measured in metres: N_CᵀV is a
//! speed [m/s] and φ_C a gap [m], positive where the part is free. The normal needs no null space (MATH 6).
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee 2022, section 4.2; J. Nocedal, S. Wright, "Numerical Optimization", 2006,
//! chapter 18.

use nalgebra::Vector6;
use tightfit_network::NetworkError;

use super::local_field::LocalField;

/// Most quadratic programs.
const ITERATIONS: usize = 20;
/// Halvings of one step at most.
const HALVINGS: usize = 5;
/// Change of the displacement at which the search ends, as a metric length √(VᵀMV/m) [m].
const SETTLED: f64 = 1e-8;
/// Distance from h = ℓ at which a search counts as ended [m].
const REACHED: f64 = 1e-6;
/// The longest step [m]: logits are flat far from contact, and a flat slope leads anywhere.
const LONGEST: f64 = 0.2e-3;

/// A contact in C-space, as a plane that the free configurations lie in front of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfigurationContact {
    /// N_C: wrench [force; torque about the centre of mass] that leads away from contact, world axes [-, m].
    pub normal: Vector6<f64>,
    /// φ_C: metric distance to contact [m], positive where the part is free.
    pub gap: f64,
    /// V_C: displacement to contact, world axes [m, rad].
    pub displacement: Vector6<f64>,
    /// h there [-]: zero when the search has come to its end.
    pub remainder: f64,
}

/// The contact nearest to the configuration itself; none where the field is flat, or the search does not come to an end.
///
/// # Errors
/// Never for a field that was built.
pub fn nearest_contact(field: &mut LocalField<'_>) -> Result<Option<ConfigurationContact>, NetworkError> {
    nearest_on_level(field, &Vector6::zeros(), 0.0)
}

/// The contact nearest to a configuration that collides; none where it is free, which one look at h tells.
///
/// # Errors
/// Never for a field that was built.
pub fn colliding_contact(field: &mut LocalField<'_>) -> Result<Option<ConfigurationContact>, NetworkError> {
    if field.value(&Vector6::zeros())?.is_some_and(|value| value > 0.0) {
        return Ok(None);
    }
    Ok(nearest_contact(field)?.filter(|contact| contact.gap <= 0.0))
}

/// The plane of the level set h = ℓ where that is nearest to a displacement.
pub(super) fn nearest_on_level(
    field: &mut LocalField<'_>,
    from: &Vector6<f64>,
    level: f64,
) -> Result<Option<ConfigurationContact>, NetworkError> {
    let (mass, inverse_mass) = (field.body.mass, field.body.inverse_mass);
    let mut way = Vector6::zeros();
    let (mut value, mut slope) = field.at(from)?;
    for _ in 0..ITERATIONS {
        let answers = inverse_mass * slope;
        let gain = slope.dot(&answers);
        if !(gain > 0.0 && gain.is_finite()) {
            return Ok(None);
        }
        let wanted = answers * ((slope.dot(&way) - (value - level)) / gain);
        let mut step = wanted - way;
        // how far h is from the level along its slope, and how far the centre of mass is moved
        let length = (slope.dot(&step).abs() / (mass * gain).sqrt()).max(step.fixed_rows::<3>(0).norm());
        if length > LONGEST {
            step *= LONGEST / length;
        }
        let mut next = field.at(&(from + way + step))?;
        let mut halvings = 0;
        while (next.0 - level).abs() > (value - level).abs() && halvings < HALVINGS {
            step *= 0.5;
            next = field.at(&(from + way + step))?;
            halvings += 1;
        }
        way += step;
        (value, slope) = next;
        if length < SETTLED {
            break;
        }
    }
    let plane = field.plane(&(from + way), value - level, &slope);
    Ok(plane.filter(|plane| (plane.gap + plane.normal.dot(&plane.displacement)).abs() < REACHED))
}
