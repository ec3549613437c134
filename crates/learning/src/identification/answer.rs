//! Result of an identification: values with uncertainty, or reasons why there are none.

/// A value that the data determine.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the quantity.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
    /// One standard deviation.
    pub sigma: f64,
}

/// A value that the data do not determine.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Name of the quantity.
    pub name: String,
    /// Why the data do not determine it.
    pub reason: String,
}

/// All results of one identification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Determined values.
    pub estimates: Vec<Estimate>,
    /// Undetermined values.
    pub refusals: Vec<Refusal>,
}

impl Answer {
    /// An answer with one refusal.
    #[must_use]
    pub fn refused(name: impl Into<String>, reason: impl Into<String>) -> Self {
        let mut answer = Self::default();
        answer.refuse(name, reason);
        answer
    }

    /// Adds a value.
    pub fn add(&mut self, name: impl Into<String>, unit: &'static str, value: f64, sigma: f64) {
        self.estimates.push(Estimate { name: name.into(), unit, value, sigma });
    }

    /// Adds a refusal.
    pub fn refuse(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.refusals.push(Refusal { name: name.into(), reason: reason.into() });
    }

    /// A value by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.name == name)
    }

    /// Appends the results of another answer.
    pub fn extend(&mut self, other: Self) {
        self.estimates.extend(other.estimates);
        self.refusals.extend(other.refusals);
    }
}
