//! Trouble that a step met, and the set of it: a step can meet several, and none of them allocates.

/// Trouble that a step met, each with the setting that helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The contact solver did not converge: smaller `step_ms`, or lower `friction`.
    NotConverged,
    /// The pose projection could not satisfy every contact: the parts do not fit where they were put.
    ProjectionIncomplete,
    /// The projection wanted more energy than contacts had dissipated.
    TankEmpty,
    /// A number was not finite; the step was not taken.
    NotFinite,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 4] =
        [Self::NotConverged, Self::ProjectionIncomplete, Self::TankEmpty, Self::NotFinite];

    /// Its name in logs and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotConverged => "not_converged",
            Self::ProjectionIncomplete => "projection_incomplete",
            Self::TankEmpty => "tank_empty",
            Self::NotFinite => "not_finite",
        }
    }
}

/// The limits that one step hit, each at most once.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits(u8);

impl Limits {
    /// Adds one.
    pub fn insert(&mut self, limit: Limit) {
        self.0 |= 1 << limit as u8;
    }

    /// Adds all of another set.
    pub(crate) fn join(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Whether it is among them.
    #[must_use]
    pub fn contains(self, limit: Limit) -> bool {
        self.0 & (1 << limit as u8) != 0
    }

    /// Whether none was hit.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that were hit, in the order of [`Limit::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(move |limit| self.contains(*limit))
    }
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_once() {
        let mut limits = Limits::default();
        assert!(limits.is_empty());
        for limit in [Limit::TankEmpty, Limit::NotConverged, Limit::TankEmpty] {
            limits.insert(limit);
        }
        assert_eq!(limits.iter().collect::<Vec<_>>(), [Limit::NotConverged, Limit::TankEmpty]);
        assert!(!limits.contains(Limit::NotFinite) && !limits.is_empty());
    }
}
