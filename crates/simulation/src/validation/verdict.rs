//! Result of an experiment.

/// One measured number compared with its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Name of the case, a dot, and what was measured.
    pub name: String,
    /// The reference, in `unit`.
    pub expected: f64,
    /// The measurement, in `unit`.
    pub measured: f64,
    /// |measured − expected|, in `unit`.
    pub error: f64,
    /// Largest error that passes, in `unit`.
    pub tolerance: f64,
    /// Whether the error is within the tolerance.
    pub pass: bool,
    /// Unit of the four numbers.
    pub unit: &'static str,
}

impl Verdict {
    /// A verdict with a tolerance in the unit of the numbers.
    pub(super) fn within(
        name: impl Into<String>,
        unit: &'static str,
        expected: f64,
        measured: f64,
        tolerance: f64,
    ) -> Self {
        let error = (measured - expected).abs();
        Self { name: name.into(), expected, measured, error, tolerance, pass: error <= tolerance, unit }
    }

    /// A verdict with a tolerance that is a fraction of the expected number.
    pub(super) fn within_part(
        name: impl Into<String>,
        unit: &'static str,
        expected: f64,
        measured: f64,
        part: f64,
    ) -> Self {
        Self::within(name, unit, expected, measured, part * expected.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_that_is_not_a_number_does_not_pass() {
        assert!(!Verdict::within("x", "m", 1.0, f64::NAN, 1.0).pass);
        assert!(Verdict::within_part("x", "m", -2.0, -2.01, 0.01).pass);
    }
}
