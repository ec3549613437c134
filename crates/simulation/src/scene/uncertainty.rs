//! Values of a scene that are known within a range, as a calibration states them: each environment draws its own.

use tightfit_spatial::SplitMix;

use super::{Scene, SceneError};
use crate::Parameters;

/// A value of the scene file that is known within a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// Dotted key of the scene file, such as `parts.bolt.shape.diameter_mm` or `friction`.
    pub key: String,
    /// Range, in the unit of the key.
    pub range: [f64; 2],
}

impl Scene {
    /// Parameters whose uncertain values are drawn uniformly from their ranges; the scene's own where it has none. Mass and
    /// nodes stay those of the scene.
    ///
    /// # Errors
    /// When a drawn value makes no valid scene.
    pub fn drawn(&self, random: &mut SplitMix) -> Result<Parameters, SceneError> {
        let mut own = Parameters::of(self);
        if self.uncertainty.is_empty() {
            return Ok(own);
        }
        let draws: Vec<String> = self
            .uncertainty
            .iter()
            .map(|Uncertain { key, range: [low, high] }| {
                format!("{key}={:?}", low + random.unit() * (high - low))
            })
            .collect();
        let drawn = Parameters::of(&Self::from_source_with(&self.source, &self.name, &draws)?);
        own.friction = drawn.friction;
        for (body, drawn) in own.bodies.iter_mut().zip(drawn.bodies) {
            (body.part, body.gap_field) = (drawn.part, drawn.gap_field);
        }
        Ok(own)
    }
}
