//! Median and 90th percentile.

/// Median and 90th percentile of some numbers, in their unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Half of the numbers are at most this.
    pub median: f64,
    /// Nine tenths of the numbers are at most this.
    pub p90: f64,
}

impl Spread {
    /// Percentiles of numbers, with linear interpolation; NaN if there are no numbers.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |fraction: f64| {
            let place = fraction * sorted.len().saturating_sub(1) as f64;
            let below = place as usize;
            let value = |index: usize| sorted.get(index).copied();
            match (value(below), value(below + 1)) {
                (Some(low), Some(high)) => low + (high - low) * (place - below as f64),
                (Some(only), None) => only,
                (None, _) => f64::NAN,
            }
        };
        Self { median: at(0.5), p90: at(0.9) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_the_sorted_numbers() {
        let spread = Spread::of((0..=10).rev().map(f64::from));
        assert_eq!(spread, Spread { median: 5.0, p90: 9.0 });
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
        assert!(Spread::of([]).median.is_nan());
    }
}
