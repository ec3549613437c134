//! Min-max scaling: the range of every quantity becomes [−1, 1].

use serde::{Deserialize, Serialize};

use crate::NetworkError;

/// The range of one quantity, in the unit of that quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Value that maps to −1.
    pub low: f64,
    /// Value that maps to +1.
    pub high: f64,
}

impl Range {
    /// A non-empty range.
    ///
    /// # Errors
    /// When a bound is not finite or `low` is not below `high`.
    pub fn new(place: &str, low: f64, high: f64) -> Result<Self, NetworkError> {
        if !(low.is_finite() && high.is_finite() && low < high) {
            let found = format!("[{low}, {high}]");
            return Err(NetworkError::size(place, "range", found, "two finite numbers in ascending order"));
        }
        Ok(Self { low, high })
    }

    /// Maps the quantity to [−1, 1].
    #[must_use]
    pub fn scaled(self, value: f64) -> f64 {
        (value - self.middle()) / self.half_width()
    }

    /// Maps [−1, 1] to the quantity.
    #[must_use]
    pub fn unscaled(self, scaled: f64) -> f64 {
        self.middle() + self.half_width() * scaled
    }

    /// Units of the quantity per unit of its scaled form.
    #[must_use]
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}
