//! The configuration at which a motion reaches contact, or becomes deeper than it is.
//!
//! ```text
//! ℓ = min(0, h(q)),   h(q ⊕ τU) = ℓ,  the first τ in [0, 1] at which h falls below ℓ
//! N_C, φ_C where the level set h = ℓ is nearest to a configuration a little beyond
//! ```
//!
//! In a tight fit a body crosses from wall to wall within a step: the contact that is nearest at the start is not the
//! one that the motion reaches. For a free body ℓ is the contact level; for a colliding body ℓ is its present level, so
//! that it may cross the free configurations to another wall, but not penetrate deeper there than here.
//!
//! U displacement over the step [m, rad].

use nalgebra::Vector6;
use tightfit_network::NetworkError;

use super::nearest::nearest_on_level;
use super::{CspaceContact, LocalField};

/// Distance between two samples along the motion [m], as a metric length, and their largest number.
const STRIDE: f64 = 4e-6;
const MOST_SAMPLES: f64 = 96.0;
/// Distance beyond the crossing at which the search for the plane starts [m], as a metric length.
const BEYOND: f64 = 20e-6;
/// Bisections between two samples.
const HALVINGS: usize = 12;

/// The contact that a displacement reaches, if it ends deeper than `allowed` [m] below ℓ, or outside the box.
///
/// # Errors
/// Never for a valid field.
pub fn coming_contact(
    field: &mut LocalField<'_>,
    displacement: &Vector6<f64>,
    allowed: f64,
) -> Result<Option<CspaceContact>, NetworkError> {
    let level = field.at(&Vector6::zeros())?.0.min(0.0);
    if field.covers(displacement) {
        let (value, slope) = field.at(displacement)?;
        let gap = field.plane(&Vector6::zeros(), value - level, &slope).map_or(0.0, |plane| plane.gap);
        if gap >= -allowed {
            return Ok(None);
        }
    }
    let length = field.length(displacement);
    let samples = (length / STRIDE).ceil().clamp(4.0, MOST_SAMPLES);
    let (mut before, mut after) = match field.first_below(displacement, samples as usize, level)? {
        Some(place) => ((place - 1) as f64 / samples, place as f64 / samples),
        None => (1.0, 1.0),
    };
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(before, after);
        let is_above = field.value(&(displacement * middle))?.is_some_and(|value| value >= level);
        *(if is_above { &mut before } else { &mut after }) = middle;
    }
    // The plane must separate the end of the motion from the free configurations. For a grazing motion the plane at the
    // crossing does not, so the search starts a little beyond it.
    let separates = |plane: &CspaceContact| plane.gap + plane.normal.dot(displacement) < 0.0;
    let beyond = (before + BEYOND / length).min(1.0);
    for part in [beyond, f64::midpoint(before, beyond), 0.25 * beyond + 0.75 * before] {
        if field.covers(&(displacement * part))
            && let Some(plane) = nearest_on_level(field, &(displacement * part), level)?.filter(separates)
        {
            return Ok(Some(plane));
        }
    }
    let there = displacement * before;
    let (value, slope) = field.at(&there)?;
    // A plane that the motion already respects would be found in every round.
    Ok(field.plane(&there, value - level, &slope).filter(separates))
}
