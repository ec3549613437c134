//! The configuration at which a motion comes into contact, or deeper into it than it is.
//!
//! ```text
//! ℓ = min(0, h(q)),   h(q ⊕ τU) = ℓ,  the first τ in [0, 1] at which h falls below ℓ
//! N_C, φ_C where the level set h = ℓ is nearest to a configuration a little beyond
//! ```
//!
//! In a fit whose play is a hair's breadth a body crosses from wall to wall within a step: the contact that is nearest at
//! the start is not the one that it comes to. ℓ is contact for a body that is free, and the level that it is at for one
//! that collides: it may come through the free configurations to another wall, and not deeper there than here.
//!
//! U displacement over the step [m, rad].

use nalgebra::Vector6;
use tightfit_network::NetworkError;

use super::nearest::nearest_on_level;
use super::{ConfigurationContact, LocalField};

/// Way between two places that are looked at [m], as a metric length, and how many there are at most.
const STRIDE: f64 = 4e-6;
const MOST_PLACES: f64 = 96.0;
/// How far beyond the crossing the plane is sought from [m], as a metric length.
const BEYOND: f64 = 20e-6;
/// Halvings between two of them.
const HALVINGS: usize = 12;

/// The contact that a displacement comes to, if it ends deeper than `allowed` [m] below ℓ, or beyond the box.
///
/// # Errors
/// Never for a field that was built.
pub fn coming_contact(
    field: &mut LocalField<'_>,
    displacement: &Vector6<f64>,
    allowed: f64,
) -> Result<Option<ConfigurationContact>, NetworkError> {
    let level = field.at(&Vector6::zeros())?.0.min(0.0);
    if field.covers(displacement) {
        let (value, slope) = field.at(displacement)?;
        let gap = field.plane(&Vector6::zeros(), value - level, &slope).map_or(0.0, |plane| plane.gap);
        if gap >= -allowed {
            return Ok(None);
        }
    }
    let length = field.length(displacement);
    let places = (length / STRIDE).ceil().clamp(4.0, MOST_PLACES);
    let (mut before, mut after) = match field.first_below(displacement, places as usize, level)? {
        Some(place) => ((place - 1) as f64 / places, place as f64 / places),
        None => (1.0, 1.0),
    };
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(before, after);
        let is_above = field.value(&(displacement * middle))?.is_some_and(|value| value >= level);
        *(if is_above { &mut before } else { &mut after }) = middle;
    }
    // the plane that parts what lies a little beyond from the level set: at a grazing motion the plane of the crossing
    // itself parts nothing
    let parts = |plane: &ConfigurationContact| plane.gap + plane.normal.dot(displacement) < 0.0;
    let beyond = (before + BEYOND / length).min(1.0);
    for part in [beyond, f64::midpoint(before, beyond), 0.25 * beyond + 0.75 * before] {
        if field.covers(&(displacement * part))
            && let Some(plane) = nearest_on_level(field, &(displacement * part), level)?.filter(parts)
        {
            return Ok(Some(plane));
        }
    }
    let there = displacement * before;
    let (value, slope) = field.at(&there)?;
    // a plane that the motion keeps already would be found again and again
    Ok(field.plane(&there, value - level, &slope).filter(parts))
}
