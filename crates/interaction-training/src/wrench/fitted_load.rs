//! The load of predictions: spring, friction and height of the fixed parts.

use serde::{Deserialize, Serialize};
use tightfit_learning::identification::HoldingSpring;

/// A load, stated by a user or found by [`super::identify_load`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct FittedLoad {
    /// The spring.
    pub spring: HoldingSpring,
    /// Factor on every friction coefficient [-].
    #[serde(default = "unchanged")]
    pub friction: f64,
    /// δ: upward shift of the fixed parts along world z [m].
    #[serde(default)]
    pub raise: f64,
}

fn unchanged() -> f64 {
    1.0
}

impl Default for FittedLoad {
    fn default() -> Self {
        Self::of(HoldingSpring::default())
    }
}

impl FittedLoad {
    /// With this spring in the unchanged scene.
    #[must_use]
    pub fn of(spring: HoldingSpring) -> Self {
        Self { spring, friction: 1.0, raise: 0.0 }
    }
}
