//! Errors in the numbers of a strategy.

/// An invalid number, by its key in scene files.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("is {value}; allowed: {allowed}")]
pub struct StrategyError {
    /// Key of the number.
    pub key: &'static str,
    /// Its value, in the unit of the key.
    pub value: f64,
    /// Allowed values.
    pub allowed: &'static str,
}

impl StrategyError {
    /// Rejects a number that is not positive and finite; `unit` is the unit of the key in SI.
    pub(super) fn check(key: &'static str, value: f64, unit: f64) -> Result<(), Self> {
        Self::unless(value > 0.0 && value.is_finite(), key, value / unit, "positive and finite numbers")
    }

    /// Rejects a number unless it is allowed.
    pub(super) fn unless(
        is_allowed: bool,
        key: &'static str,
        value: f64,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if is_allowed { Ok(()) } else { Err(Self { key, value, allowed }) }
    }
}
