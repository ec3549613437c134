//! Errors of controllers.

/// An invalid gain, target or measurement.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// A number that is not finite.
    #[error("{0} holds a number that is not finite; check where it comes from")]
    NotFinite(&'static str),
    /// A gain that is not allowed.
    #[error("{what} is {value}; it must be positive and finite")]
    Gain {
        /// Name of the gain.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Too little damping.
    #[error(
        "{what} is {value}; below {least:.4} (a hundredth of critical) it would oscillate without end: {critical:.4} is critical"
    )]
    Damping {
        /// Name of the damping.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Least allowed value.
        least: f64,
        /// Critical damping.
        critical: f64,
    },
}

impl ControlError {
    pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<(), Self> {
        if value > 0.0 && value.is_finite() { Ok(()) } else { Err(Self::Gain { what, value }) }
    }

    /// Damping must be at least a hundredth of critical for a stiffness on a mass.
    pub(crate) fn check_damping(
        what: &'static str,
        value: f64,
        stiffness: f64,
        mass: f64,
    ) -> Result<(), Self> {
        let critical = 2.0 * (stiffness * mass).sqrt();
        let least = critical / 100.0;
        if value.is_finite() && value >= least {
            Ok(())
        } else {
            Err(Self::Damping { what, value, least, critical })
        }
    }

    pub(crate) fn check_finite<'a>(
        what: &'static str,
        values: impl IntoIterator<Item = &'a f64>,
    ) -> Result<(), Self> {
        if values.into_iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Self::NotFinite(what)) }
    }
}
