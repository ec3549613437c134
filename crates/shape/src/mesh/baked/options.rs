//! Settings of a bake, and the errors of a bake.

use serde::{Deserialize, Serialize};

/// Settings of a bake. All lengths [m].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BakeOptions {
    /// Largest difference [m] from the exact distance at the test points of a cell, within the band.
    pub tolerance: f64,
    /// Half width [m] of the band around the surface in which the tolerance holds.
    pub band: f64,
    /// Growth of the tolerance per distance beyond the band [-].
    pub far_slope: f64,
    /// Edge [m] of the smallest cells, which are not subdivided even if the error is larger.
    pub min_cell: f64,
    /// How far [m] the grid reaches beyond the bounding box of the solid; at least twice the band is used.
    pub margin: f64,
    /// Largest size of the field in memory [bytes]; beyond it, `min_cell` is enlarged until it fits.
    pub memory_limit: u64,
    /// Points at which the finished field is compared with the exact distance.
    pub error_samples: u64,
    /// Seed of those points.
    pub seed: u64,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            band: 100e-6,
            far_slope: 0.1,
            min_cell: 10e-6,
            margin: 1e-3,
            memory_limit: 256 << 20,
            error_samples: 100_000,
            seed: 1,
        }
    }
}

impl BakeOptions {
    /// Fails for the first setting that is out of range.
    pub(super) fn check(&self) -> Result<(), BakeError> {
        let positive = [
            ("tolerance", self.tolerance),
            ("band", self.band),
            ("far_slope", self.far_slope),
            ("min_cell", self.min_cell),
        ];
        for (field, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(BakeError::Setting { field, value, allowed: "a positive number" });
            }
        }
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            return Err(BakeError::Setting { field: "margin", value: self.margin, allowed: "zero or more" });
        }
        Ok(())
    }
}

/// Why a field was not baked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BakeError {
    /// A setting outside its range.
    #[error("bake setting {field} is {value}; allowed: {allowed}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Its value in SI units.
        value: f64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The memory limit is too small even for a coarse field.
    #[error(
        "the baked field needs more than {limit} bytes even with cells of {min_cell} m; raise memory_limit or \
         tolerance, or narrow the band"
    )]
    Memory {
        /// The limit [bytes].
        limit: u64,
        /// The largest `min_cell` that was tried [m].
        min_cell: f64,
    },
}
