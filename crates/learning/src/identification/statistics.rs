//! Order statistics of samples.

/// The middle value; NaN where there are none.
#[must_use]
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share of the samples lies; NaN where there are none.
#[must_use]
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
